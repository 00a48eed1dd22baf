//! `suggest_variants`.

use std::sync::Arc;

use capability_kit::{LlmError, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::headline_evidence;
use super::writer::{VariantWriter, WrittenVariants};
use crate::given;
use crate::headline::{HeadlineModel, headline_variants};
use crate::rounded::two;

const DESCRIPTION: &str = "Rewrites a headline by rules that keep its facts (no shouting, no filler, digits \
    instead of number words …) and says how likely each variant beats the original. Write bolder variants yourself \
    and compare them with score_headlines, or pass `method: llm` if the server has a language model; what it writes is \
    checked for new numbers, quotations and claims.";

const HEADLINE_CHARS_MAX: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SuggestVariantsArguments {
    /// An English headline.
    headline: String,
    /// `rules` (default), or `llm` for variants of the server's language model as well.
    #[serde(default)]
    method: VariantMethod,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum VariantMethod {
    #[default]
    Rules,
    Llm,
}

#[derive(Serialize, JsonSchema)]
struct SuggestVariantsOutput {
    /// The most promising first; empty if no rule applies.
    variants: Vec<ScoredVariant>,
    /// Signs that experiments speak for or against, to keep in mind for variants of your own.
    advice: Vec<String>,
    evidence: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ScoredVariant {
    headline: String,
    /// The rule that made it, or `language model`.
    rule: &'static str,
    /// That it beats the original, if the two differ clearly.
    probability: f64,
}

pub(super) fn tool(writer: Option<Arc<VariantWriter>>) -> Tool {
    let run = move |arguments: SuggestVariantsArguments, _: &Work| suggest(arguments, writer.as_deref());
    Tool::new("suggest_variants", "Suggest headline variants", DESCRIPTION, run)
}

fn suggest(
    arguments: SuggestVariantsArguments,
    writer: Option<&VariantWriter>,
) -> Result<SuggestVariantsOutput, Trouble> {
    let headline = checked(arguments.headline)?;
    let mut warnings = Vec::new();
    let written = match arguments.method {
        VariantMethod::Rules => Vec::new(),
        VariantMethod::Llm => asked(writer, &headline, &mut warnings),
    };
    let by_rules = headline_variants(&headline).into_iter().map(|variant| (variant.headline, variant.rule));
    let by_model = written.into_iter().map(|variant| (variant, BY_MODEL));
    let variants = scored(&headline, by_rules.chain(by_model));
    Ok(SuggestVariantsOutput { variants, advice: advice(&headline), evidence: headline_evidence(), warnings })
}

const BY_MODEL: &str = "language model";
/// Refused variants that are named.
const REFUSED_MAX: usize = 3;

/// What the model wrote and the rules let through. Without a model, the rules alone answer.
fn asked(writer: Option<&VariantWriter>, headline: &str, warnings: &mut Vec<String>) -> Vec<String> {
    match writer.ok_or(LlmError::NotConfigured).and_then(|writer| writer.write(headline)) {
        Ok(WrittenVariants { headlines, refused }) => {
            let named = refused.iter().take(REFUSED_MAX);
            warnings.extend(named.map(|refused| format!("of the language model, refused: {refused}")));
            if refused.len() > REFUSED_MAX {
                warnings.push(format!("{} more were refused", refused.len() - REFUSED_MAX));
            }
            headlines
        }
        Err(error) => {
            warnings.push(format!("the language model was not used: {error}"));
            Vec::new()
        }
    }
}

fn checked(headline: String) -> Result<String, Trouble> {
    let headline = given::text("headline", Some(headline), None)?;
    let chars = headline.chars().count();
    if chars > HEADLINE_CHARS_MAX {
        return Err(Trouble::bad_arguments(format!("headline has {chars} characters"))
            .hint(format!("a headline has at most {HEADLINE_CHARS_MAX}")));
    }
    if let Some(language) = given::foreign(&headline) {
        return Err(Trouble::unsupported(format!("the headline looks like {language}"))
            .hint("the rules know English only"));
    }
    Ok(headline)
}

/// The most promising first; a text that two ways led to is there once.
fn scored(headline: &str, variants: impl Iterator<Item = (String, &'static str)>) -> Vec<ScoredVariant> {
    let model = HeadlineModel::shipped();
    let original = model.score(headline);
    let mut scored: Vec<ScoredVariant> = Vec::new();
    for (text, rule) in variants {
        if scored.iter().all(|known| known.headline != text) {
            let probability = two(HeadlineModel::probability(model.score(&text), original));
            scored.push(ScoredVariant { headline: text, rule, probability });
        }
    }
    scored.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    scored
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
