//! The words of a query, with their rareness among the passages of the search.

use std::collections::BTreeMap;

use engine_protocol::{EngineFault, Stemming};

use super::bm25::idf;
use crate::inside::corpus::Corpus;
use crate::inside::schema::SCORED;
use crate::inside::tokens::analyzer;

/// Of a query with more, the rarest are searched.
const TERMS_MAX: usize = 64;
/// Bytes of a query that are read for words.
const TEXT_BYTES_MAX: usize = 4 << 10;

#[derive(Clone, PartialEq, Debug)]
pub(in crate::inside) struct WeightedTerm {
    pub(in crate::inside) text: String,
    /// Its count in the query, or its share after feedback.
    pub(in crate::inside) weight: f32,
    /// The passages that have it, in the field in which most have it.
    pub(in crate::inside) passages: u64,
    pub(in crate::inside) idf: f32,
    /// True if it is not a word of the query.
    pub(in crate::inside) from_feedback: bool,
}

/// Words that no passage has are left out.
pub(super) fn query_terms(
    corpus: &Corpus,
    stemming: Stemming,
    text: &str,
) -> Result<Vec<WeightedTerm>, EngineFault> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX.min(text.len()))];
    let mut counts = BTreeMap::new();
    count_words(stemming, text, &mut counts);
    let mut terms = Vec::new();
    for (text, count) in counts {
        terms.extend(weighted(corpus, text, count)?);
    }
    terms.sort_by(|left, right| left.passages.cmp(&right.passages).then_with(|| left.text.cmp(&right.text)));
    terms.truncate(TERMS_MAX);
    Ok(by_weight(terms))
}

/// A term with its rareness, if any passage has it.
pub(super) fn weighted(
    corpus: &Corpus,
    text: String,
    weight: f32,
) -> Result<Option<WeightedTerm>, EngineFault> {
    let mut sums = [0; SCORED];
    for index in &corpus.indexes {
        let frequencies = index.version.frequencies(&text)?;
        sums.iter_mut().zip(frequencies).for_each(|(sum, frequency)| *sum += frequency);
    }
    let passages = sums.into_iter().max().unwrap_or_default();
    let idf = idf(corpus.passages, passages);
    Ok((passages > 0).then_some(WeightedTerm { text, weight, passages, idf, from_feedback: false }))
}

/// The terms that can give most come first: after them, few passages matter.
pub(super) fn by_weight(mut terms: Vec<WeightedTerm>) -> Vec<WeightedTerm> {
    terms.sort_by(|left, right| {
        let (left_most, right_most) = (left.weight * left.idf, right.weight * right.idf);
        right_most.total_cmp(&left_most).then_with(|| left.text.cmp(&right.text))
    });
    terms
}

pub(super) fn count_words(stemming: Stemming, text: &str, counts: &mut BTreeMap<String, f32>) {
    let mut analyzer = analyzer(stemming);
    let mut stream = analyzer.token_stream(text);
    while stream.advance() {
        let word = &stream.token().text;
        match counts.get_mut(word) {
            Some(count) => *count += 1.0,
            None => {
                counts.insert(word.clone(), 1.0);
            }
        }
    }
}
