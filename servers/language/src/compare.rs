//! Comparison of two texts: their similarity in words and in meaning, the key phrases they share, and the
//! sentences that were changed, moved, added or removed.

mod aligned;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use sentence_encoder::{EncodeError, Encoder};
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffTag};

use crate::Method;
use crate::keywords::{KeywordOptions, keywords};
use crate::language::detect;
use crate::lexicon::Lexicon;
use crate::vectors::{cosine, embed_document};
use crate::words::words;
pub use aligned::{ChangedSentence, MovedSentence};

/// The common parts and the differences of two texts. `a` counts as the older one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    pub similarity: Similarity,
    /// Only blanks and letter case differ.
    pub same_words: bool,
    /// Key phrases of both.
    pub shared_phrases: Vec<String>,
    /// Key phrases of the first text that are not in the second.
    pub only_a_phrases: Vec<String>,
    /// Key phrases of the second text that are not in the first.
    pub only_b_phrases: Vec<String>,
    pub words: WordChanges,
    /// Sentences that are in both texts unchanged.
    pub unchanged_sentences: usize,
    pub changed_sentences: Vec<ChangedSentence>,
    pub moved_sentences: Vec<MovedSentence>,
    pub added_sentences: Vec<String>,
    pub removed_sentences: Vec<String>,
    /// Some lists above are cut to a readable length.
    pub truncated: bool,
    /// ISO 639-1, of the first text.
    pub language: Option<String>,
    /// ISO 639-1, of the second text.
    pub language_b: Option<String>,
    pub method: Method,
}

/// From 0 (nothing) to 1 (the same).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Similarity {
    /// By the words that both use, in any order.
    pub lexical: f64,
    /// By the words in the same order.
    pub sequence: f64,
    /// By meaning; only with an encoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic: Option<f64>,
}

/// The number of words that change the first text into the second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WordChanges {
    pub kept: usize,
    pub added: usize,
    pub removed: usize,
}

/// Key phrases of each text that are compared.
const PHRASES_MAX: usize = 30;
/// Entries of each list of sentences.
const LISTED_MAX: usize = 50;
/// After this time the word diff settles for a rougher result.
const DIFF_TIME_MAX: Duration = Duration::from_secs(2);

pub fn compare(a: &str, b: &str, encoder: Option<&dyn Encoder>) -> Result<Comparison, EncodeError> {
    let (language, language_b) = (detect(a).language, detect(b).language);
    let lexicon = Lexicon::of(language.as_deref());
    let semantic = encoder.map(|encoder| semantic(a, b, encoder)).transpose()?;
    let words = word_changes(a, b);
    let phrases = Phrases::of(a, b)?;
    let mut sentences = aligned::align(a, b);
    let truncated = sentences.cut(LISTED_MAX);
    let total = words.kept * 2 + words.added + words.removed;
    let similarity = Similarity {
        lexical: rounded(lexical(&lexicon, a, b)),
        sequence: if total == 0 { 1.0 } else { rounded(2.0 * words.kept as f64 / total as f64) },
        semantic: semantic.map(rounded),
    };
    Ok(Comparison {
        similarity,
        same_words: words.added + words.removed == 0,
        shared_phrases: phrases.shared,
        only_a_phrases: phrases.only_a,
        only_b_phrases: phrases.only_b,
        words,
        unchanged_sentences: sentences.unchanged,
        changed_sentences: sentences.changed,
        moved_sentences: sentences.moved,
        added_sentences: sentences.added,
        removed_sentences: sentences.removed,
        truncated,
        language,
        language_b,
        method: if encoder.is_some() { Method::Embeddings } else { Method::Statistical },
    })
}

fn rounded(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}

fn semantic(a: &str, b: &str, encoder: &dyn Encoder) -> Result<f64, EncodeError> {
    Ok(cosine(&embed_document(encoder, a)?, &embed_document(encoder, b)?))
}

/// Cosine similarity of the stem frequencies.
fn lexical(lexicon: &Lexicon, a: &str, b: &str) -> f64 {
    let (a, b) = (lexicon.counts(a), lexicon.counts(b));
    if a == b {
        return 1.0;
    }
    let length = |counts: &HashMap<String, u32>| {
        counts.values().map(|count| f64::from(*count).powi(2)).sum::<f64>().sqrt().max(1.0)
    };
    let shared =
        |(term, count): (&String, &u32)| f64::from(*count) * f64::from(b.get(term).copied().unwrap_or(0));
    a.iter().map(shared).sum::<f64>() / (length(&a) * length(&b))
}

fn word_changes(a: &str, b: &str) -> WordChanges {
    let lower = |text: &str| words(text).iter().map(|word| word.text.to_lowercase()).collect::<Vec<_>>();
    let (a, b) = (lower(a), lower(b));
    let deadline = Instant::now() + DIFF_TIME_MAX;
    let steps = similar::capture_diff_slices_deadline(Algorithm::Myers, &a, &b, Some(deadline));
    let mut changes = WordChanges { kept: 0, added: 0, removed: 0 };
    for step in steps {
        if step.tag() == DiffTag::Equal {
            changes.kept += step.old_range().len();
        } else {
            changes.removed += step.old_range().len();
            changes.added += step.new_range().len();
        }
    }
    changes
}

struct Phrases {
    shared: Vec<String>,
    only_a: Vec<String>,
    only_b: Vec<String>,
}

impl Phrases {
    /// A phrase of one text is shared if its words occur somewhere in the other, whether or not they are a
    /// key phrase there.
    fn of(a: &str, b: &str) -> Result<Self, EncodeError> {
        let options = KeywordOptions { top_k: PHRASES_MAX, language: None };
        let (of_a, of_b) = (keywords(a, &options, None)?, keywords(b, &options, None)?);
        let (stems_a, stems_b) = (stems(a, of_a.language.as_deref()), stems(b, of_b.language.as_deref()));
        let parted = |found: Vec<crate::Keyword>, language: Option<&str>, other: &str| {
            let there = |phrase: &String| other.contains(&stems(phrase, language));
            found.into_iter().map(|keyword| keyword.phrase).partition::<Vec<String>, _>(there)
        };
        let (shared, only_a) = parted(of_a.keywords, of_a.language.as_deref(), &stems_b);
        let (_, only_b) = parted(of_b.keywords, of_b.language.as_deref(), &stems_a);
        Ok(Self { shared, only_a, only_b })
    }
}

/// All stems in their order, each between blanks, so that phrases can be looked up in it.
fn stems(text: &str, language: Option<&str>) -> String {
    let lexicon = Lexicon::of(language);
    let mut stems = String::from(" ");
    for word in words(text) {
        stems.push_str(&lexicon.stem(&word.text.to_lowercase()));
        stems.push(' ');
    }
    stems
}
