//! Words of the first passages that join the query (RM3).

use std::collections::BTreeMap;

use engine_protocol::{EngineFault, Stemming, WordFeedback};

use super::terms::{WeightedTerm, by_weight, count_words, weighted};
use crate::inside::corpus::{Corpus, RankedPassage};

/// Passages that are read at most, and words that join at most, whatever the profile says.
pub(super) const PASSAGES_MAX: u32 = 50;
const TERMS_MAX: usize = 100;
/// A word that more than one of so many passages have says nothing about these.
const COMMON: u64 = 5;
/// Words that are looked at for each that joins.
const LOOKED_AT: usize = 8;
const CHARACTERS: std::ops::RangeInclusive<usize> = 2..=30;

/// The query mixed with the words of its first passages. Its weights have the same sum as before.
pub(super) fn expand(
    corpus: &Corpus,
    stemming: Stemming,
    rule: &WordFeedback,
    query: Vec<WeightedTerm>,
    first: &[RankedPassage],
) -> Result<Vec<WeightedTerm>, EngineFault> {
    let joining = joining(corpus, rule, shares(corpus, stemming, first)?)?;
    let whole: f32 = joining.iter().map(|term| term.weight).sum();
    if whole <= 0.0 {
        return Ok(query);
    }
    let original = rule.original.clamp(0.0, 1.0);
    let length: f32 = query.iter().map(|term| term.weight).sum();
    let mut mixed: BTreeMap<String, WeightedTerm> = BTreeMap::new();
    for term in query {
        let weight = term.weight * original;
        mixed.insert(term.text.clone(), WeightedTerm { weight, ..term });
    }
    for term in joining {
        let weight = length * (1.0 - original) * term.weight / whole;
        let known = mixed.entry(term.text.clone());
        let joined = WeightedTerm { weight: 0.0, from_feedback: true, ..term };
        known.or_insert(joined).weight += weight;
    }
    Ok(by_weight(mixed.into_values().filter(|term| term.weight > 0.0).collect()))
}

/// For each word, its share of the passages' words, where a better passage counts more.
fn shares(
    corpus: &Corpus,
    stemming: Stemming,
    first: &[RankedPassage],
) -> Result<Vec<(String, f32)>, EngineFault> {
    let mut shares: BTreeMap<String, f32> = BTreeMap::new();
    let whole: f32 = first.iter().map(|passage| passage.score).sum();
    for passage in first {
        let (index, number) = corpus.locate(passage.slot);
        let record = index.version.record(number)?;
        let mut counts = BTreeMap::new();
        count_words(stemming, &record.chunk.title, &mut counts);
        count_words(stemming, &record.chunk.text, &mut counts);
        let length: f32 = counts.values().sum();
        for (word, count) in counts {
            *shares.entry(word).or_default() += count / length * passage.score / whole;
        }
    }
    let mut shares: Vec<(String, f32)> = shares.into_iter().collect();
    shares.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    Ok(shares)
}

/// The words with the largest shares, weighed by their rareness, that are neither common nor odd.
fn joining(
    corpus: &Corpus,
    rule: &WordFeedback,
    shares: Vec<(String, f32)>,
) -> Result<Vec<WeightedTerm>, EngineFault> {
    let count = (rule.terms as usize).min(TERMS_MAX);
    let mut joining = Vec::new();
    for (word, share) in shares.into_iter().take(count * LOOKED_AT) {
        if CHARACTERS.contains(&word.chars().count())
            && let Some(term) = weighted(corpus, word, share)?
            && term.passages * COMMON <= corpus.passages.max(COMMON)
        {
            joining.push(WeightedTerm { weight: term.weight * term.idf, ..term });
        }
    }
    let mut joining = by_weight(joining);
    joining.truncate(count);
    Ok(joining)
}
