//! Key phrases: candidates are the words between stop words, ranked by co-occurrence, or by meaning.

mod candidates;
mod cjk;
mod rank;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use sentence_encoder::{EncodeError, Encoder};
use serde::{Deserialize, Serialize};

use crate::Method;
use crate::language::detect;
use crate::lexicon::Lexicon;
use crate::position::{Positions, Span};
use candidates::Candidate;

/// The requested key phrases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeywordOptions {
    pub top_k: usize,
    /// ISO 639-1; found out if not said.
    pub language: Option<String>,
}

impl Default for KeywordOptions {
    fn default() -> Self {
        Self { top_k: 10, language: None }
    }
}

/// The key phrases of a text, the best first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Keywords {
    pub keywords: Vec<Keyword>,
    /// ISO 639-1.
    pub language: Option<String>,
    pub method: Method,
}

/// A key phrase and its positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Keyword {
    /// Its first occurrence in the text.
    pub phrase: String,
    /// From 0 to 1, where 1 is the best phrase of this text.
    pub score: f64,
    /// The number of occurrences.
    pub count: usize,
    /// The first positions in the text, in characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<Span>,
}

/// The maximum number of reported positions of each phrase.
const OFFSETS_MAX: usize = 20;

/// Key phrases of `text`, ranked by meaning if there is an encoder.
pub fn keywords(
    text: &str,
    options: &KeywordOptions,
    encoder: Option<&dyn Encoder>,
) -> Result<Keywords, EncodeError> {
    let language = options.language.clone().or_else(|| detect(text).language);
    let lexicon = Lexicon::of(language.as_deref());
    let candidates = candidates::find(text, &lexicon);
    let (ranked, method) = match encoder {
        Some(encoder) if !candidates.is_empty() => {
            (rank::by_meaning(text, candidates, encoder)?, Method::Embeddings)
        }
        _ => (rank::by_counting(candidates), Method::Statistical),
    };
    let best = ranked.first().map_or(1.0, |(_, score)| score.max(f64::EPSILON));
    let positions = Positions::new(text);
    let keywords = ranked.into_iter().take(options.top_k);
    let keywords =
        keywords.map(|(candidate, score)| keyword(text, &positions, &candidate, score / best)).collect();
    Ok(Keywords { keywords, language, method })
}

fn keyword(text: &str, positions: &Positions<'_>, candidate: &Candidate, score: f64) -> Keyword {
    let first = candidate.places[0].clone();
    Keyword {
        phrase: text[first].split_whitespace().collect::<Vec<_>>().join(" "),
        score: (score.clamp(0.0, 1.0) * 1000.0).round() / 1000.0,
        count: candidate.places.len(),
        offsets: candidate
            .places
            .iter()
            .take(OFFSETS_MAX)
            .map(|place| positions.span(place.clone()))
            .collect(),
    }
}
