//! The ranking of candidates: by the co-occurrence of their words, or by their nearness to the whole text.

use std::collections::HashMap;

use sentence_encoder::{EncodeError, Encoder};

use crate::keywords::candidates::Candidate;
use crate::vectors::{cosine, embed, embed_document};

/// The maximum number of embedded candidates, the best by counting.
const EMBEDDED_MAX: usize = 400;
/// The weight of counting beside meaning.
const COUNTING_WEIGHT: f64 = 0.5;

/// The bonus of a phrase at the very beginning.
const EARLY_WEIGHT: f64 = 1.0;
/// The bonus of a repeated phrase, by the logarithm.
const AGAIN_WEIGHT: f64 = 0.5;

type RankedCandidates = Vec<(Candidate, f64)>;

/// The weight of a word is the number of words beside it in candidates, and that of a phrase the sum of its
/// words; early or repeated phrases get more.
pub(super) fn by_counting(candidates: Vec<Candidate>) -> RankedCandidates {
    let weights = weights(&candidates);
    let total =
        candidates.iter().flat_map(|candidate| &candidate.places).map(|place| place.end).max().unwrap_or(1);
    let score = |candidate: &Candidate| {
        let words: f64 = candidate.stems.iter().map(|stem| weights[stem]).sum();
        let early = 1.0 - candidate.places[0].start as f64 / total as f64;
        let again = (candidate.places.len() as f64).ln();
        words * (1.0 + EARLY_WEIGHT * early + AGAIN_WEIGHT * again)
    };
    sorted(candidates.into_iter().map(|candidate| (score(&candidate), candidate)).collect())
}

/// Degree over frequency, as RAKE has it.
fn weights(candidates: &[Candidate]) -> HashMap<String, f64> {
    let mut seen: HashMap<&str, (f64, f64)> = HashMap::new();
    for candidate in candidates {
        let count = candidate.places.len() as f64;
        for stem in &candidate.stems {
            let (degree, frequency) = seen.entry(stem).or_default();
            *degree += count * candidate.stems.len() as f64;
            *frequency += count;
        }
    }
    seen.into_iter().map(|(stem, (degree, frequency))| (stem.to_owned(), degree / frequency)).collect()
}

/// Nearness to the text as a whole, with a little of the counting.
pub(super) fn by_meaning(
    text: &str,
    candidates: Vec<Candidate>,
    encoder: &dyn Encoder,
) -> Result<RankedCandidates, EncodeError> {
    let mut counted = by_counting(candidates);
    counted.truncate(EMBEDDED_MAX);
    let best = counted.first().map_or(1.0, |(_, score)| *score);
    let phrases: Vec<&str> = counted.iter().map(|(candidate, _)| candidate.phrase.as_str()).collect();
    let whole = embed_document(encoder, text)?;
    let vectors = embed(encoder, &phrases)?;
    let scores: Vec<f64> = vectors.iter().map(|vector| cosine(vector, &whole)).collect();
    let ranked = counted.into_iter().zip(scores);
    Ok(sorted(
        ranked
            .map(|((candidate, count), near)| (near.max(0.0) + COUNTING_WEIGHT * count / best, candidate))
            .collect(),
    ))
}

fn sorted(mut scored: Vec<(f64, Candidate)>) -> RankedCandidates {
    scored.sort_by(|(one, first), (other, second)| {
        other.total_cmp(one).then(first.places[0].start.cmp(&second.places[0].start))
    });
    scored.into_iter().map(|(score, candidate)| (candidate, score)).collect()
}
