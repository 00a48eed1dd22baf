//! Explanations whose numbers add up, and the texts of hits.

use engine_protocol::{EngineErrorCode, Fusion, HitId, WordFeedback};

use super::{Library, birds, fish, search, with_vector};
use crate::port::Engine as _;

/// The numbers of a sum, each computed as it is written.
fn computed(sentence: &str) -> f64 {
    let (sum, _) = sentence.split_once(" = ").unwrap();
    sum.split(" + ").fold(Vec::<String>::new(), join_brackets).iter().map(|term| share(term)).sum()
}

/// `1 / (60 + 2)` was split at its inner sign.
fn join_brackets(mut terms: Vec<String>, part: &str) -> Vec<String> {
    match terms.last_mut().filter(|last| last.matches('(').count() > last.matches(')').count()) {
        Some(last) => *last = format!("{last} + {part}"),
        None => terms.push(part.to_owned()),
    }
    terms
}

fn share(term: &str) -> f64 {
    let number = |text: &str| text.trim_matches(['(', ')', ' ']).parse::<f64>().unwrap();
    if let Some((weight, rest)) = term.split_once(" × ") {
        let (difference, deviation) = rest.split_once(") / ").unwrap();
        let (score, middle) = difference.split_once(" - ").unwrap();
        return number(weight) * (number(score) - number(middle)) / number(deviation);
    }
    let (weight, below) = term.split_once(" / ").unwrap();
    let (k, rank) = below.split_once(" + ").unwrap();
    number(weight) / (number(k) + number(rank))
}

#[test]
fn the_numbers_of_an_explanation_add_up_to_the_score_of_the_hit() {
    let library = Library::new();
    let with_vectors = vec![
        with_vector("v/one.txt", "A wing is light.", &[0.8, 0.6]),
        with_vector("v/two.txt", "A stone is heavy.", &[1.0, 0.0]),
    ];
    let (one, other) = (library.build([birds(), with_vectors].concat()), library.build(fish()));
    for fusion in
        [Fusion::Ranks { k: 60.0, words: 1.0, meaning: 0.7 }, Fusion::Scores { words: 0.6, meaning: 0.4 }]
    {
        for feedback in [None, Some(WordFeedback { passages: 3, terms: 4, original: 0.6 })] {
            let mut asked = search(&[("a", &one), ("b", &other)], "the wing of a fish, a wing");
            asked.profile.fusion = fusion;
            asked.profile.words.feedback = feedback;
            let found = library.ask(&asked, Some(&[0.9, 0.435])).unwrap();
            assert!(found.hits.len() > 4);
            for (hit, rank) in found.hits.iter().zip(1..) {
                let explained = library.explain(&asked, &hit.id, Some(&[0.9, 0.435]));
                assert_eq!((explained.rank, explained.score), (Some(rank), Some(hit.score)));
                assert_eq!((&explained.path, explained.parts), (&hit.path, hit.parts));
                let words: f32 = explained.terms.iter().map(|term| term.score).sum();
                assert!((words - hit.parts.bm25.unwrap_or_default()).abs() < 1e-4, "{explained:?}");
                let sum = computed(&explained.fusion);
                assert!((sum - f64::from(hit.score)).abs() < 1e-4, "{sum}: {explained:?}");
                assert_eq!(explained.passages, 8);
            }
        }
    }
}

#[test]
fn words_alone_have_the_score_of_words() {
    let library = Library::new();
    let listing = library.build(birds());
    let asked = search(&[("a", &listing)], "wing");
    let hit = &library.ask(&asked, None).unwrap().hits[0];
    assert_eq!(Some(hit.score), hit.parts.bm25);
    let explained = library.explain(&asked, &hit.id, None);
    let fields: Vec<&str> = explained.terms.iter().map(|term| term.field.as_str()).collect();
    assert_eq!(fields, ["body", "path"], "the path says wing, too");
}

#[test]
fn a_passage_that_is_not_there_is_refused() {
    let library = Library::new();
    let listing = library.build(birds());
    let search = search(&[("a", &listing)], "wing");
    let query = crate::port::QueryParts { text: "wing".to_owned(), vector: None };
    for hit in [HitId { label: "a".to_owned(), chunk: 99 }, HitId { label: "b".to_owned(), chunk: 0 }] {
        let explain = engine_protocol::Explain { search: search.clone(), hit };
        let fault = library.engine.explain(&explain, &query).unwrap_err();
        assert_eq!(fault.code, EngineErrorCode::BadRequest);
    }
}

#[test]
fn the_texts_of_hits_come_in_their_order() {
    let library = Library::new();
    let (one, other) = (library.build(birds()), library.build(fish()));
    let asked = search(&[("a", &one), ("b", &other)], "wing");
    let mut hits = library.ask(&asked, None).unwrap().hits;
    hits.reverse();
    let passages = library.engine.passages(&hits, &asked).unwrap();
    assert_eq!(passages.len(), hits.len());
    for (passage, hit) in passages.iter().zip(&hits) {
        assert_eq!(&passage.hit, hit);
        assert!(passage.chunk.text.contains("wing") && passage.chunk.text.contains(&hit.snippet.text));
    }
}
