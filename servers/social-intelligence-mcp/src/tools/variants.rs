//! `suggest_variants`.

use capability_kit::{Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::headline_evidence;
use crate::given;
use crate::headline::{HeadlineModel, headline_variants};
use crate::rounded::two;

const DESCRIPTION: &str = "Rewrites a headline by rules that keep its facts (no shouting, no filler, digits \
    instead of number words …) and says how likely each variant beats the original. Write bolder variants yourself \
    and compare them with score_headlines.";

const HEADLINE_CHARS_MAX: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SuggestVariantsArguments {
    /// An English headline.
    headline: String,
}

#[derive(Serialize, JsonSchema)]
struct SuggestVariantsOutput {
    /// The most promising first; empty if no rule applies.
    variants: Vec<ScoredVariant>,
    /// Signs that experiments speak for or against, to keep in mind for variants of your own.
    advice: Vec<String>,
    evidence: String,
}

#[derive(Serialize, JsonSchema)]
struct ScoredVariant {
    headline: String,
    rule: &'static str,
    /// That it beats the original, if the two differ clearly.
    probability: f64,
}

pub(super) fn tool() -> Tool {
    Tool::new("suggest_variants", "Suggest headline variants", DESCRIPTION, suggest)
}

fn suggest(arguments: SuggestVariantsArguments, _: &Work) -> Result<SuggestVariantsOutput, Trouble> {
    let headline = given::text("headline", Some(arguments.headline), None)?;
    let chars = headline.chars().count();
    if chars > HEADLINE_CHARS_MAX {
        return Err(Trouble::bad_arguments(format!("headline has {chars} characters"))
            .hint(format!("a headline has at most {HEADLINE_CHARS_MAX}")));
    }
    if let Some(language) = given::foreign(&headline) {
        return Err(Trouble::unsupported(format!("the headline looks like {language}"))
            .hint("the rules know English only"));
    }
    let model = HeadlineModel::shipped();
    let original = model.score(&headline);
    let mut variants: Vec<ScoredVariant> = headline_variants(&headline)
        .into_iter()
        .map(|variant| ScoredVariant {
            probability: two(HeadlineModel::probability(model.score(&variant.headline), original)),
            headline: variant.headline,
            rule: variant.rule,
        })
        .collect();
    variants.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    Ok(SuggestVariantsOutput { variants, advice: advice(&headline), evidence: headline_evidence() })
}

/// Signs that a writer can choose: the sign, its name for people, and that more of it is meant.
const CHOICES: [(&str, &str); 8] = [
    ("question_mark", "a question mark"),
    ("exclamation_mark", "an exclamation mark"),
    ("colon", "a colon"),
    ("capitals", "words in capitals"),
    ("digit", "a number in digits"),
    ("he_or_she", "he or she"),
    ("i", "I or my"),
    ("see", "see, watch or look"),
];
/// Shares nearer to a half say nothing.
const CLEAR: f64 = 0.07;

fn advice(headline: &str) -> Vec<String> {
    let model = HeadlineModel::shipped();
    let has = crate::headline::sign_values(headline);
    let line = |(sign, name): (&str, &str)| {
        let record = model.sign(sign)?;
        let present = has.iter().any(|(known, value)| *known == sign && *value > 0.0);
        let (share, pairs) = ((record.share * 100.0).round(), record.pairs);
        let applies = if present { record.share < 0.5 - CLEAR } else { record.share > 0.5 + CLEAR };
        let there = if present { "it has" } else { "it lacks" };
        applies.then(|| format!("{there} {name}: with it, {share} % of {pairs} pairs were won"))
    };
    CHOICES.into_iter().filter_map(line).collect()
}
