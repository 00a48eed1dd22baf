//! Pseudo-relevance feedback: the query learns words (RM3) and its vector a direction from the first passages.

use std::collections::BTreeMap;

use engine_protocol::WordFeedback;

/// A term of the query with its weight. One that is asked for once, without feedback, has the weight 1.
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

/// Words that a passage says nothing with. They may be asked for, but never join a query.
pub(crate) const STOP_WORDS: &str = "a about after all also an and any are as at be been before being between both but by can could did do does \
    during each few for from further had has have he her here his how however if in into is it its may more most must no nor not of on \
    one only or other our out over own same she should since so some such than that the their them then there these they this those \
    through thus to too two under until up upon us use used using very was we were what when where whether which while who will with \
    within without would you your";

/// The distinct terms of a query in their order, each with the number of times that it is there.
pub(crate) fn query_terms(words: Vec<String>) -> Vec<QueryTerm> {
    let mut terms: Vec<QueryTerm> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for term in words {
        match places.get(&term) {
            Some(&at) => terms[at].weight += 1.0,
            None => {
                places.insert(term.clone(), terms.len());
                terms.push(QueryTerm { term, weight: 1.0, from_feedback: false });
            }
        }
    }
    terms
}

/// The query mixed with the words of its first passages. `stop` has the terms that never join.
pub(crate) fn expanded(
    query: Vec<QueryTerm>,
    passages: &[FeedbackPassage],
    stop: &[String],
    rule: &WordFeedback,
) -> Vec<QueryTerm> {
    let learned = learned(passages, stop, rule.terms as usize);
    if learned.is_empty() {
        return query;
    }
    let original = rule.original.clamp(0.0, 1.0);
    let asked: f32 = query.iter().map(|term| term.weight).sum();
    let mut terms = query;
    terms.iter_mut().for_each(|term| term.weight *= original);
    for (term, share) in learned {
        let weight = (1.0 - original) * share * asked;
        match terms.iter_mut().find(|known| known.term == term) {
            Some(known) => known.weight += weight,
            None => terms.push(QueryTerm { term, weight, from_feedback: true }),
        }
    }
    terms
}

/// The most telling terms of the passages with their shares, which sum to 1.
fn learned(passages: &[FeedbackPassage], stop: &[String], terms_max: usize) -> Vec<(String, f32)> {
    let total: f32 = passages.iter().map(|passage| passage.score).sum();
    let mut shares: BTreeMap<&str, f32> = BTreeMap::new();
    for passage in passages.iter().filter(|passage| !passage.terms.is_empty() && total > 0.0) {
        let share = passage.score / total / passage.terms.len() as f32;
        for term in passage.terms.iter().filter(|term| joins(term, stop)) {
            *shares.entry(term).or_default() += share;
        }
    }
    let mut ranked: Vec<(&str, f32)> = shares.into_iter().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    ranked.truncate(terms_max);
    let sum: f32 = ranked.iter().map(|(_, share)| share).sum();
    ranked.into_iter().map(|(term, share)| (term.to_owned(), share / sum)).collect()
}

fn joins(term: &str, stop: &[String]) -> bool {
    term.chars().nth(1).is_some() && !term.chars().all(|character| character.is_ascii_digit()) && !stop.iter().any(|word| word == term)
}

/// The vector, moved by this share towards the middle of others, of length 1.
pub(crate) fn moved(vector: &[f32], towards: &[Vec<f32>], share: f32) -> Vec<f32> {
    let share = share.clamp(0.0, 1.0);
    let mut moved: Vec<f32> = vector.iter().map(|number| number * (1.0 - share)).collect();
    for other in towards {
        for (number, part) in moved.iter_mut().zip(other) {
            *number += part * share / towards.len() as f32;
        }
    }
    let length = moved.iter().map(|number| number * number).sum::<f32>().sqrt();
    if towards.is_empty() || length <= f32::EPSILON {
        return vector.to_vec();
    }
    moved.iter().map(|number| number / length).collect()
}
