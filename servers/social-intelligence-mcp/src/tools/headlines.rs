//! `score_headlines`.

use capability_kit::{Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::headline_evidence;
use crate::given;
use crate::headline::{HeadlineModel, ScoredSign};
use crate::rounded::two;

const DESCRIPTION: &str = "Compares headlines for one story: how likely each is to be clicked more often than \
    the others. The probabilities are calibrated on experiments; `evidence` says on which, and what is unknown.";

const HEADLINES_MAX: usize = 30;
const HEADLINE_CHARS_MAX: usize = 500;
/// Below, the two are as good as each other.
const CLOSE: f64 = 0.55;
const REASONS: usize = 3;
const REASONS_MAX: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScoreHeadlinesArguments {
    /// 2 to 30 variants for the same story, in English.
    headlines: Vec<String>,
    /// List ten reasons instead of three, words included.
    #[serde(default)]
    explain: bool,
}

#[derive(Serialize, JsonSchema)]
struct ScoreHeadlinesOutput {
    /// The best first.
    ranking: Vec<RankedHeadline>,
    /// That the first beats the second, if they differ clearly.
    probability: f64,
    /// True if the first two are as good as each other.
    too_close: bool,
    /// Why the first is before the second; the strongest first.
    reasons: Vec<HeadlineReason>,
    /// The experiments behind the probabilities, and what is not measured.
    evidence: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct RankedHeadline {
    /// In `headlines`, from 0.
    index: usize,
    /// The mean probability that it beats another one of them.
    wins: f64,
}

#[derive(Serialize, JsonSchema)]
struct HeadlineReason {
    /// A sign, or words in quotation marks; `^` and `$` are the beginning and the end.
    sign: String,
    /// For the first (true) or the second.
    helps_first: bool,
    /// Of the experiments' pairs that differ in the sign, the share won by the headline with more of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_wins: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<u32>,
}

pub(super) fn tool() -> Tool {
    Tool::new("score_headlines", "Compare headlines", DESCRIPTION, score)
}

fn score(arguments: ScoreHeadlinesArguments, _: &Work) -> Result<ScoreHeadlinesOutput, Trouble> {
    let headlines = arguments.headlines;
    check(&headlines)?;
    let model = HeadlineModel::shipped();
    let scores: Vec<f64> = headlines.iter().map(|headline| model.score(headline)).collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let (first, second) = (order[0], order[1]);
    let probability = HeadlineModel::probability(scores[first], scores[second]);
    let signs = model.difference(&headlines[first], &headlines[second]);
    Ok(ScoreHeadlinesOutput {
        ranking: order
            .iter()
            .map(|index| RankedHeadline { index: *index, wins: wins(&scores, *index) })
            .collect(),
        probability: two(probability),
        too_close: probability < CLOSE,
        reasons: reasons(signs, arguments.explain),
        evidence: headline_evidence(),
        warnings: warnings(&headlines),
    })
}

fn wins(scores: &[f64], index: usize) -> f64 {
    let others = scores.iter().enumerate().filter(|(other, _)| *other != index);
    let sum: f64 = others.map(|(_, other)| HeadlineModel::probability(scores[index], *other)).sum();
    two(sum / (scores.len() - 1) as f64)
}

/// Without `explain` only signs, which have records; words as well with it.
fn reasons(signs: Vec<ScoredSign>, explain: bool) -> Vec<HeadlineReason> {
    let most = if explain { REASONS_MAX } else { REASONS };
    let listed = signs.into_iter().filter(|sign| explain || sign.record.is_some());
    let reason = |sign: ScoredSign| HeadlineReason {
        sign: sign.name,
        helps_first: sign.effect > 0.0,
        more_wins: sign.record.as_ref().map(|record| record.share),
        pairs: sign.record.map(|record| record.pairs),
    };
    // The square only bends the effect of the length.
    listed.filter(|sign| sign.name != "length_squared").take(most).map(reason).collect()
}

fn check(headlines: &[String]) -> Result<(), Trouble> {
    if !(2..=HEADLINES_MAX).contains(&headlines.len()) {
        return Err(Trouble::bad_arguments(format!(
            "headlines: {} are not from 2 to {HEADLINES_MAX}",
            headlines.len()
        ))
        .hint("a headline can only be judged against others for the same story"));
    }
    for (index, headline) in headlines.iter().enumerate() {
        if given::is_blank(headline) {
            return Err(Trouble::bad_arguments(format!("headlines[{index}] is empty")));
        }
        let chars = headline.chars().count();
        if chars > HEADLINE_CHARS_MAX {
            return Err(Trouble::bad_arguments(format!("headlines[{index}] has {chars} characters"))
                .hint(format!("a headline has at most {HEADLINE_CHARS_MAX}; use score_content for texts")));
        }
    }
    match given::foreign(&headlines.join(". ")) {
        Some(language) => Err(Trouble::unsupported(format!("the headlines look like {language}"))
            .hint("only English headlines were measured; translate them, or test them with readers")),
        None => Ok(()),
    }
}

fn warnings(headlines: &[String]) -> Vec<String> {
    let mut sorted: Vec<&str> = headlines.iter().map(|headline| headline.trim()).collect();
    sorted.sort_unstable();
    let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    twice.then(|| "some headlines are the same".to_owned()).into_iter().collect()
}
