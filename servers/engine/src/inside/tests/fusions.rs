//! Words and meaning together.

use engine_protocol::{EngineErrorCode, Fusion, MeaningScoring, Search};

use super::{Library, paths, scores, search, with_vector};

const NEAR: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

fn library() -> (Library, engine_protocol::IndexListing) {
    let library = Library::new();
    let listing = library.build(vec![
        with_vector("both.txt", "the word", &[0.9, 0.1, 0.0, 0.42]),
        with_vector("words.txt", "the word, the word", &[0.0, 1.0, 0.0, 0.0]),
        with_vector("meaning.txt", "something else", &[0.99, 0.0, 0.14, 0.0]),
        with_vector("neither.txt", "nothing", &[-1.0, 0.0, 0.0, 0.0]),
    ]);
    (library, listing)
}

#[test]
fn ranks_are_fused() {
    let (library, listing) = library();
    let found = library.ask(&search(&[("a", &listing)], "word"), Some(&NEAR)).unwrap();
    assert!(found.by_meaning && found.warnings.is_empty());
    assert_eq!(
        paths(&found.hits),
        ["both.txt", "words.txt", "meaning.txt"],
        "below the cosine nothing is near"
    );
    let best = &found.hits[0];
    assert_eq!((best.parts.words_rank, best.parts.meaning_rank), (Some(2), Some(2)));
    assert!((best.score - (1.0 / 62.0 + 0.7 / 62.0)).abs() < 1e-6);
}

#[test]
fn scores_are_fused() {
    let (library, listing) = library();
    let mut asked = search(&[("a", &listing)], "word");
    asked.profile.fusion = Fusion::Scores { words: 1.0, meaning: 0.0 };
    let hits = library.ask(&asked, Some(&NEAR)).unwrap().hits;
    assert_eq!(paths(&hits)[0], "words.txt");
    let far = hits.iter().find(|hit| hit.path == "words.txt").unwrap();
    assert_eq!(
        (far.parts.cosine, far.parts.meaning_rank),
        (Some(0.0), None),
        "its cosine counts all the same"
    );
    let wordless = hits.iter().find(|hit| hit.path == "meaning.txt").unwrap();
    assert_eq!((wordless.parts.bm25, wordless.parts.words_rank), (None, None));
    asked.profile.fusion = Fusion::Scores { words: 0.0, meaning: 1.0 };
    assert_eq!(paths(&library.ask(&asked, Some(&NEAR)).unwrap().hits)[0], "meaning.txt");
}

#[test]
fn a_query_moves_towards_its_first_passages() {
    let (library, listing) = library();
    let mut asked = search(&[("a", &listing)], "unknown");
    let rule = MeaningScoring { candidates: 10, feedback: 0.5, feedback_passages: 1, cosine_min: 0.1 };
    asked.profile.meaning = Some(rule);
    let cosine = |asked: &Search, path: &str| {
        let hits = library.ask(asked, Some(&NEAR)).unwrap().hits;
        hits.iter().find(|hit| hit.path == path).and_then(|hit| hit.parts.cosine)
    };
    let moved = cosine(&asked, "meaning.txt").unwrap();
    asked.profile.meaning = Some(MeaningScoring { feedback: 0.0, ..rule });
    assert!(moved > cosine(&asked, "meaning.txt").unwrap());
    assert_eq!(cosine(&asked, "words.txt"), None);
}

#[test]
fn two_indexes_rank_by_meaning_as_one() {
    let library = Library::new();
    let vector = |number: i32| {
        let angle = number as f32;
        [angle.cos(), angle.sin(), (angle * 0.7).cos(), 0.3]
    };
    let documents: Vec<_> =
        (0..40).map(|number| with_vector(&format!("{number}.txt"), "a word", &vector(number))).collect();
    let all = library.build(documents.clone());
    let (left, right) = (library.build(documents[..11].to_vec()), library.build(documents[11..].to_vec()));
    let apart = library.ask(&search(&[("a", &left), ("b", &right)], "word"), Some(&NEAR)).unwrap();
    let together = library.ask(&search(&[("a", &all)], "word"), Some(&NEAR)).unwrap();
    assert_eq!(scores(&apart.hits), scores(&together.hits));
}

#[test]
fn an_index_without_vectors_is_named_and_found_by_words() {
    let (library, listing) = library();
    let plain = library.build(vec![super::document("plain.txt", &["a word"])]);
    let found = library.ask(&search(&[("a", &listing), ("plain", &plain)], "word"), Some(&NEAR)).unwrap();
    assert!(found.by_meaning && found.warnings[0].contains("plain"), "{:?}", found.warnings);
    assert!(paths(&found.hits).contains(&"plain.txt"));
    let alone = library.ask(&search(&[("plain", &plain)], "word"), Some(&NEAR)).unwrap();
    assert!(!alone.by_meaning);
    let fault = library.ask(&search(&[("a", &listing)], "word"), Some(&[1.0, 0.0])).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::Outdated);
}
