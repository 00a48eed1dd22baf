//! Pseudo-relevance feedback: the query learns words (RM3) and its vector a direction from the first passages.

use std::collections::BTreeMap;

use engine_protocol::WordFeedback;

/// Passages that are read at most, and words that join at most, whatever the profile says.
pub(crate) const FEEDBACK_PASSAGES_MAX: u32 = 50;
const TERMS_MAX: usize = 100;
/// Words that are looked at for each that joins.
const LOOKED_AT: usize = 8;
/// A word that more than one of so many passages have says nothing about these.
const COMMON: u64 = 10;
const CHARACTERS: std::ops::RangeInclusive<usize> = 2..=30;

/// A term of the query with its weight: its count in the query, or its share after feedback.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QueryTerm {
    pub(crate) term: String,
    pub(crate) weight: f32,
    pub(crate) from_feedback: bool,
}

/// A passage that the query found first.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FeedbackPassage {
    pub(crate) score: f32,
    /// All its words, one by one.
    pub(crate) terms: Vec<String>,
}

/// The distinct terms of a query, each with the number of times that it is there.
pub(crate) fn query_terms(words: Vec<String>) -> Vec<QueryTerm> {
    let mut counts: BTreeMap<String, f32> = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1.0;
    }
    let term = |(term, weight)| QueryTerm { term, weight, from_feedback: false };
    counts.into_iter().map(term).collect()
}

/// The words of passages that may join, with their shares of the passages' words; a better passage counts more. The largest first.
pub(crate) fn learned(passages: &[FeedbackPassage], rule: &WordFeedback) -> Vec<(String, f32)> {
    let whole: f32 = passages.iter().map(|passage| passage.score).sum();
    let mut shares: BTreeMap<&str, f32> = BTreeMap::new();
    for passage in passages.iter().filter(|_| whole > 0.0) {
        let share = passage.score / whole / passage.terms.len().max(1) as f32;
        for term in &passage.terms {
            *shares.entry(term).or_default() += share;
        }
    }
    let mut shares: Vec<(&str, f32)> = shares.into_iter().collect();
    shares.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    shares.truncate(terms_max(rule) * LOOKED_AT);
    shares.retain(|(term, _)| CHARACTERS.contains(&term.chars().count()));
    shares.into_iter().map(|(term, share)| (term.to_owned(), share)).collect()
}

/// True if too many passages have a word for it to join.
pub(crate) fn is_common(passages: u64, having: u64) -> bool {
    having * COMMON > passages.max(COMMON)
}

/// The query mixed with learned words, which are not common. Its weights have the same sum as before.
pub(crate) fn expanded(
    query: Vec<QueryTerm>,
    mut learned: Vec<(String, f32)>,
    rule: &WordFeedback,
) -> Vec<QueryTerm> {
    learned.truncate(terms_max(rule));
    let whole: f32 = learned.iter().map(|(_, share)| share).sum();
    if whole <= 0.0 {
        return query;
    }
    let original = rule.original.clamp(0.0, 1.0);
    let asked: f32 = query.iter().map(|term| term.weight).sum();
    let mut mixed: BTreeMap<String, QueryTerm> = BTreeMap::new();
    for term in query {
        let weight = term.weight * original;
        mixed.insert(term.term.clone(), QueryTerm { weight, ..term });
    }
    for (term, share) in learned {
        let joined = QueryTerm { term: term.clone(), weight: 0.0, from_feedback: true };
        mixed.entry(term).or_insert(joined).weight += asked * (1.0 - original) * share / whole;
    }
    mixed.into_values().filter(|term| term.weight > 0.0).collect()
}

fn terms_max(rule: &WordFeedback) -> usize {
    (rule.terms as usize).min(TERMS_MAX)
}

/// The vector, moved by this share towards the middle of others, of length 1.
pub(crate) fn moved(vector: &[f32], towards: &[Vec<f32>], share: f32) -> Vec<f32> {
    let share = share.clamp(0.0, 1.0);
    let mut middle = vec![0.0; vector.len()];
    for other in towards {
        middle.iter_mut().zip(other).for_each(|(sum, number)| *sum += number);
    }
    let middle = unit(middle);
    unit(vector.iter().zip(middle).map(|(own, middle)| own * (1.0 - share) + middle * share).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt() as f32;
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}
