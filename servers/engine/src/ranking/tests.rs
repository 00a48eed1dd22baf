//! Ranking without an engine.

use std::collections::BTreeMap;

use engine_protocol::{Fusion, SnippetRule, Stemming, WordFeedback};

use super::bm25::idf;
use super::feedback::{FeedbackPassage, expanded, is_common, learned, moved, query_terms};
use super::fusion::{Fuser, candidates};
use super::snippet::SnippetCutter;
use super::tokens::WordCutter;

fn words(stemming: Stemming, text: &str) -> Vec<String> {
    WordCutter::new(stemming).terms(text)
}

#[test]
fn words_are_folded_and_scripts_without_spaces_become_pairs() {
    assert_eq!(words(Stemming::None, "The Aircraft's café, 3.5"), ["the", "aircraft", "cafe", "3", "5"]);
    assert_eq!(words(Stemming::English, "flying wings"), ["fli", "wing"]);
    assert_eq!(words(Stemming::English, "水素"), ["水", "水素", "素"]);
}

#[test]
fn a_rare_word_is_worth_more_and_a_common_one_something() {
    assert!(idf(1000, 1) > idf(1000, 10));
    assert!(idf(1000, 1000) > 0.0);
    assert!(idf(0, 5).is_finite());
}

#[test]
fn ranks_are_summed_and_equal_hits_keep_their_order() {
    let fusion = Fusion::Ranks { k: 60.0, words: 1.0, meaning: 0.5 };
    let candidates = candidates(&[(1, 9.0), (2, 8.0)], Some(&[(2, 0.9), (3, 0.8), (4, 0.8)]));
    let fuser = Fuser::new(&fusion, true, &candidates);
    let hits = fuser.order(candidates);
    assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<u32>>(), [2, 1, 3, 4]);
    assert!((hits[0].score - (1.0 / 62.0 + 0.5 / 61.0)).abs() < 1e-6);
    assert_eq!(fuser.formula(&hits[0].parts), "1 / (60 + 2) + 0.5 / (60 + 1) = 0.024326");
}

#[test]
fn scores_are_brought_to_one_scale() {
    let fusion = Fusion::Scores { words: 1.0, meaning: 1.0 };
    let mut candidates = candidates(&[(1, 30.0), (2, 10.0)], Some(&[(2, 0.9), (1, 0.1)]));
    let hits = Fuser::new(&fusion, true, &candidates).order(candidates.clone());
    assert!((hits[0].score - hits[1].score).abs() < 1e-6, "{hits:?}");
    // Whoever has no score in a ranking counts as its last.
    candidates.entry(3).or_default().cosine = Some(0.1);
    let hits = Fuser::new(&fusion, true, &candidates).order(candidates);
    assert_eq!(hits[2].key, 3, "{hits:?}");
    assert!(hits.iter().all(|hit| hit.score.is_finite()));
}

#[test]
fn words_alone_keep_their_scores() {
    let candidates = candidates(&[("a", 3.5)], None);
    let fuser = Fuser::new(&Fusion::Scores { words: 1.0, meaning: 1.0 }, false, &candidates);
    let hits = fuser.order(candidates);
    assert_eq!((hits[0].score, fuser.formula(&hits[0].parts).as_str()), (3.5, "3.500000 = 3.500000"));
    assert_eq!(fuser.formula(&Default::default()), "it is in no ranking");
}

#[test]
fn feedback_keeps_the_sum_of_the_weights() {
    let rule = WordFeedback { passages: 2, terms: 2, original: 0.5 };
    let query = query_terms(vec!["wing".to_owned(), "wing".to_owned(), "hull".to_owned()]);
    let passage = |score, text: &str| FeedbackPassage { score, terms: words(Stemming::None, text) };
    let learned = learned(&[passage(2.0, "wing spar spar x"), passage(1.0, "rib")], &rule);
    assert_eq!(learned[0].0, "rib");
    assert!(learned.iter().all(|(term, _)| term != "x"), "a single letter says nothing: {learned:?}");
    let mixed = expanded(query, learned, &rule);
    let sum: f32 = mixed.iter().map(|term| term.weight).sum();
    assert!((sum - 3.0).abs() < 1e-5, "{mixed:?}");
    assert!(mixed.iter().any(|term| term.term == "spar" && term.from_feedback));
    assert!(is_common(100, 11) && !is_common(100, 10) && !is_common(3, 1));
}

#[test]
fn a_moved_vector_has_the_length_of_one() {
    assert_eq!(moved(&[1.0, 0.0], &[vec![0.0, 1.0]], 0.5), [0.5_f32.sqrt(), 0.5_f32.sqrt()]);
    assert_eq!(moved(&[1.0, 0.0], &[], 0.5), [1.0, 0.0]);
}

#[test]
fn snippets_stay_within_their_budgets() {
    let terms = BTreeMap::from([("wing".to_owned(), 2.0), ("fail".to_owned(), 1.0)]);
    let rule = SnippetRule { tokens: 5, tokens_all: 8 };
    let mut cutter = SnippetCutter::new(rule, &terms, WordCutter::new(Stemming::English));
    let text = "Nothing is said here, but the wing failed twice. And more.";
    let snippet = cutter.cut(text);
    assert_eq!(snippet.text, "but the wing failed");
    assert_eq!(snippet.marks, [(8, 12), (13, 19)]);
    assert_eq!(cutter.cut(text).text, "wing failed", "three tokens are left");
    assert_eq!(cutter.cut(text).text, "");
    let mut cutter = SnippetCutter::new(rule, &terms, WordCutter::new(Stemming::English));
    assert_eq!(cutter.cut("").text, "");
    assert!(cutter.cut(&"翼".repeat(500)).text.chars().count() <= 20);
}
