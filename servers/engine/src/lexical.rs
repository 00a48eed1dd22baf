//! The words of a query in sentences, weighed by their rareness among those sentences.

use std::collections::{BTreeMap, BTreeSet};

use capability_language::{Lexicon, words};

/// Terms of a query that are weighed.
const TERMS_MAX: usize = 64;

/// The share of a query's words that each sentence has, from 0 to 1. A word weighs the more, the fewer sentences have it.
pub(crate) fn word_shares(query: &str, sentences: &[&str], lexicon: &Lexicon) -> Vec<f32> {
    // A query of stop words alone has no stems.
    let terms: fn(&str, &Lexicon) -> BTreeSet<String> =
        if lexicon.terms(query).is_empty() { all_words } else { stems };
    let query = terms(query, lexicon);
    let found: Vec<BTreeSet<String>> = sentences.iter().map(|text| terms(text, lexicon)).collect();
    let weights: BTreeMap<&str, f32> =
        query.iter().take(TERMS_MAX).map(|term| (term.as_str(), rareness(term, &found))).collect();
    let total: f32 = weights.values().sum();
    let share = |has: &BTreeSet<String>| {
        let sum: f32 =
            weights.iter().filter(|(term, _)| has.contains(**term)).map(|(_, weight)| weight).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    found.iter().map(share).collect()
}

fn rareness(term: &str, found: &[BTreeSet<String>]) -> f32 {
    let having = found.iter().filter(|has| has.contains(term)).count();
    (1.0 + (found.len() as f32 + 1.0) / (having as f32 + 1.0)).ln()
}

fn stems(text: &str, lexicon: &Lexicon) -> BTreeSet<String> {
    lexicon.terms(text).into_iter().collect()
}

fn all_words(text: &str, _: &Lexicon) -> BTreeSet<String> {
    words(text).iter().map(|word| word.text.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(query: &str, sentences: &[&str]) -> Vec<f32> {
        word_shares(query, sentences, &Lexicon::of(Some("en")))
    }

    #[test]
    fn a_rare_word_weighs_more_than_one_that_all_have() {
        let found = shares("warp drives", &["A drive.", "Warp it.", "Drive on.", "Warp drives.", "Drives."]);
        assert!(found[1] > found[0] && found[3] == 1.0, "{found:?}");
    }

    #[test]
    fn stop_words_alone_are_words_all_the_same() {
        let found = shares("the who", &["The Who played.", "Nothing."]);
        assert!(found[0] == 1.0 && found[1] == 0.0, "{found:?}");
    }
}
