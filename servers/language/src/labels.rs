//! Classification of a text with the caller's labels: by meaning if there is an encoder, otherwise by the
//! common stems of text and label.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use sentence_encoder::{EncodeError, Encoder};
use serde::{Deserialize, Serialize};

use crate::Method;
use crate::language::detect;
use crate::lexicon::Lexicon;
use crate::statistics::TermSpace;
use crate::vectors::{cosine, embed, embed_document, mean};

/// A label, with descriptions of when it fits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Label {
    pub name: String,
    pub description: Option<String>,
    pub examples: Vec<String>,
}

/// One label per text, or any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labelling {
    One,
    Many,
}

/// The fitting labels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Classification {
    /// The best label; check `unsure` before relying on it.
    pub label: Option<String>,
    /// All labels that fit, with `multi_label`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The best labels, the best first. All of them sum to 1, or with `multi_label` each is from 0 to 1 by itself.
    pub scores: Vec<LabelScore>,
    /// No label stands out.
    pub unsure: bool,
    /// ISO 639-1, of the text.
    pub language: Option<String>,
    pub method: Method,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LabelScore {
    pub label: String,
    pub score: f64,
}

/// The reason why a text cannot be classified.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    #[error("there are no labels")]
    None,
    #[error("a label has no name")]
    Unnamed,
    #[error("the label {0:?} occurs twice")]
    Twice(String),
    #[error("there are {given} labels, more than {}", LABELS_MAX)]
    TooMany { given: usize },
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Labels that are compared with a text.
pub const LABELS_MAX: usize = 1_000;
/// Examples of each label that are read.
const EXAMPLES_MAX: usize = 16;
/// Aspects of a description that are compared one by one; a longer list is compared as a whole.
const ASPECTS_MAX: usize = 24;
/// Aspects of all labels together, so that many labels take bounded time.
const ASPECTS_TOTAL_MAX: usize = 1_000;
/// The smaller, the more the nearest aspect decides alone.
const ASPECT_TEMPERATURE: f64 = 0.07;
/// The temperature that turns semantic nearness into a score: cosines of sentences lie close together.
const MEANING_TEMPERATURE: f64 = 0.05;
/// The same for counted words.
const COUNTING_TEMPERATURE: f64 = 0.1;
/// With a smaller margin between the best two, nothing stands out.
const MARGIN_MIN: f64 = 0.1;
/// A label that fits is at least so near, by meaning and by counting.
const NEAR_BY_MEANING: f64 = 0.25;
const NEAR_BY_COUNTING: f64 = 0.08;

pub fn classify(
    text: &str,
    labels: &[Label],
    labelling: Labelling,
    encoder: Option<&dyn Encoder>,
) -> Result<Classification, LabelError> {
    check(labels)?;
    let language = detect(text).language;
    let (near, scale) = match encoder {
        Some(encoder) => (by_meaning(text, labels, encoder)?, Scale::MEANING),
        None => (by_counting(text, labels, &Lexicon::of(language.as_deref())), Scale::COUNTING),
    };
    Ok(Classification { language, method: scale.method, ..scale.judge(labels, &near, labelling) })
}

fn check(labels: &[Label]) -> Result<(), LabelError> {
    if labels.is_empty() {
        return Err(LabelError::None);
    }
    if labels.len() > LABELS_MAX {
        return Err(LabelError::TooMany { given: labels.len() });
    }
    let mut names = HashSet::new();
    for label in labels {
        let name = label.name.trim();
        if name.is_empty() {
            return Err(LabelError::Unnamed);
        }
        if !names.insert(name.to_lowercase()) {
            return Err(LabelError::Twice(name.to_owned()));
        }
    }
    Ok(())
}

/// The nearness to the aspects of the description, and the cosine to the mean of the examples if there are any.
fn by_meaning(text: &str, labels: &[Label], encoder: &dyn Encoder) -> Result<Vec<f64>, EncodeError> {
    let whole = embed_document(encoder, text)?;
    let near = |(label, aspects): (&Label, Vec<f64>)| {
        let by_description = soft_maximum(&aspects);
        if label.examples.is_empty() {
            return Ok(by_description);
        }
        let examples: Vec<&str> = label.examples.iter().take(EXAMPLES_MAX).map(String::as_str).collect();
        let by_examples = cosine(&mean(&embed(encoder, &examples)?), &whole);
        Ok((by_description + by_examples) / 2.0)
    };
    labels.iter().zip(near_aspects(&whole, labels, encoder)?).map(near).collect()
}

/// The cosines of a text to the aspects of each label.
fn near_aspects(
    whole: &[f32],
    labels: &[Label],
    encoder: &dyn Encoder,
) -> Result<Vec<Vec<f64>>, EncodeError> {
    let aspects: Vec<Vec<String>> = labels.iter().map(|label| aspects(label, labels.len())).collect();
    let texts: Vec<&str> = aspects.iter().flatten().map(String::as_str).collect();
    let mut vectors = embed(encoder, &texts)?.into_iter();
    let near = |aspects: &Vec<String>| {
        vectors.by_ref().take(aspects.len()).map(|vector| cosine(&vector, whole)).collect()
    };
    Ok(aspects.iter().map(near).collect())
}

/// The items that a description lists, each as a sentence about a text: an encoder knows sentences better than
/// lists, and a text has to be about one of the items, not about all. A label without a description is its name.
fn aspects(label: &Label, label_count: usize) -> Vec<String> {
    let spelled = spelled(&label.name);
    let described = label.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let described = described.unwrap_or(&spelled);
    let most = (ASPECTS_TOTAL_MAX / label_count.max(1)).min(ASPECTS_MAX);
    let listed = described.split([',', ';']).flat_map(|part| part.split(" and "));
    let listed = listed.map(|part| part.trim().trim_start_matches("and ").trim_end_matches('.').trim());
    let listed: Vec<&str> = listed.filter(|part| !part.is_empty()).collect();
    let listed = if listed.is_empty() || listed.len() > most { vec![described] } else { listed };
    listed.into_iter().map(|part| format!("This is an article about {part}.")).collect()
}

/// Between the mean and the largest.
fn soft_maximum(values: &[f64]) -> f64 {
    let raised: f64 = values.iter().map(|value| (value / ASPECT_TEMPERATURE).exp()).sum();
    ASPECT_TEMPERATURE * (raised / values.len().max(1) as f64).ln()
}

/// The cosine of counted stems, where stems that many labels have weigh little.
fn by_counting(text: &str, labels: &[Label], lexicon: &Lexicon) -> Vec<f64> {
    let written: Vec<String> = labels
        .iter()
        .map(|label| {
            let examples = label.examples.iter().take(EXAMPLES_MAX).cloned().collect::<Vec<_>>().join(" ");
            format!(
                "{0} {0} {1} {examples}",
                spelled(&label.name),
                label.description.as_deref().unwrap_or_default()
            )
        })
        .collect();
    let texts: Vec<&str> = written.iter().map(String::as_str).collect();
    let (space, vectors) = TermSpace::of(lexicon, &texts);
    let counts: HashMap<String, u32> = lexicon.counts(text);
    let whole = space.vector(&counts);
    vectors.iter().map(|vector| vector.cosine(&whole)).collect()
}

/// A name such as `customer_support` as words.
fn spelled(name: &str) -> String {
    name.replace(['_', '-', '/', '.'], " ")
}

struct Scale {
    method: Method,
    temperature: f64,
    near_enough: f64,
}

impl Scale {
    const MEANING: Self =
        Self { method: Method::Embeddings, temperature: MEANING_TEMPERATURE, near_enough: NEAR_BY_MEANING };
    const COUNTING: Self = Self {
        method: Method::Statistical,
        temperature: COUNTING_TEMPERATURE,
        near_enough: NEAR_BY_COUNTING,
    };

    fn judge(&self, labels: &[Label], near: &[f64], labelling: Labelling) -> Classification {
        let scores = match labelling {
            Labelling::One => self.shares(near),
            Labelling::Many => near.iter().map(|near| self.alone(*near)).collect(),
        };
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        let margin = match order.as_slice() {
            [best, second, ..] => scores[*best] - scores[*second],
            _ => 1.0,
        };
        let nothing_near = near.iter().all(|near| *near < self.near_enough);
        let fits = |index: &&usize| match labelling {
            Labelling::One => **index == order[0],
            Labelling::Many => scores[**index] >= 0.5,
        };
        let fitting: Vec<String> =
            order.iter().filter(fits).map(|index| labels[*index].name.clone()).collect();
        let unsure = match labelling {
            Labelling::One => nothing_near || margin < MARGIN_MIN,
            Labelling::Many => fitting.is_empty(),
        };
        Classification {
            label: Some(labels[order[0]].name.clone()),
            labels: fitting,
            scores: order.iter().map(|index| score(&labels[*index].name, scores[*index])).collect(),
            unsure,
            language: None,
            method: self.method,
        }
    }

    /// Adds up to 1.
    fn shares(&self, near: &[f64]) -> Vec<f64> {
        let most = near.iter().copied().fold(f64::MIN, f64::max);
        let raised: Vec<f64> = near.iter().map(|near| ((near - most) / self.temperature).exp()).collect();
        let sum: f64 = raised.iter().sum();
        raised.into_iter().map(|value| value / sum).collect()
    }

    /// One half at the point where a label begins to fit.
    fn alone(&self, near: f64) -> f64 {
        1.0 / (1.0 + (-(near - self.near_enough) / self.temperature).exp())
    }
}

fn score(label: &str, score: f64) -> LabelScore {
    LabelScore { label: label.to_owned(), score: (score * 10_000.0).round() / 10_000.0 }
}
