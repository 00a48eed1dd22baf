//! Queries of every kind: a text is a text, never a language of queries.

use engine_protocol::{EngineErrorCode, WordFeedback};

use super::{Library, birds, document, fish, paths, search};

#[test]
fn an_empty_query_is_refused() {
    let library = Library::new();
    let listing = library.build(birds());
    for query in ["", "  \n\t "] {
        let fault = library.ask(&search(&[("a", &listing)], query), None).unwrap_err();
        assert_eq!(fault.code, EngineErrorCode::BadRequest);
        assert!(fault.hint.is_some());
    }
    let fault = library.ask(&search(&[], "wing"), None).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::BadRequest);
    let fault = library.ask(&search(&[("a", &listing), ("a", &listing)], "wing"), None).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::BadRequest);
}

#[test]
fn a_query_of_stop_words_is_searched() {
    let library = Library::new();
    let listing = library.build([birds(), fish()].concat());
    assert!(library.search(&[("a", &listing)], "in the a of").hits.len() >= 4);
}

#[test]
fn operators_and_expressions_are_words() {
    let library = Library::new();
    let listing = library.build(birds());
    for query in ["title:wing AND (NOT", "(a+)+$ wing", "\"wing", "wing^9999 /x/ *", "wing\u{0}\u{fffd}"] {
        assert!(!library.search(&[("a", &listing)], query).hits.is_empty(), "{query}");
    }
    assert!(library.search(&[("a", &listing)], "!!! ??? …").hits.is_empty());
}

#[test]
fn a_query_of_100_kilobytes_is_answered() {
    let library = Library::new();
    let listing = library.build(birds());
    let long = format!("wing {}", (0..18_000).map(|number| format!("w{number} ")).collect::<String>());
    assert!(long.len() > 100_000);
    assert_eq!(library.search(&[("a", &listing)], &long).hits.len(), 3);
    let letters = "é".repeat(60_000);
    assert!(library.search(&[("a", &listing)], &letters).hits.is_empty());
}

#[test]
fn other_scripts_are_found_by_parts_of_their_words() {
    let library = Library::new();
    let listing = library.build(vec![
        document("ja.txt", &["水素は軽い気体です。"]),
        document("th.txt", &["นกบินสูง"]),
        document("ru.txt", &["Птица летит высоко"]),
        document("ko.txt", &["새가 높이 난다"]),
    ]);
    for (query, path) in
        [("水素", "ja.txt"), ("気", "ja.txt"), ("บิน", "th.txt"), ("ПТИЦА", "ru.txt"), ("높이", "ko.txt")]
    {
        assert_eq!(paths(&library.search(&[("a", &listing)], query).hits), [path], "{query}");
    }
}

#[test]
fn words_of_the_first_passages_find_more() {
    let library = Library::new();
    let mut documents = vec![
        document("one.txt", &["albatross seabird ocean glider"]),
        document("two.txt", &["albatross seabird ocean"]),
        document("three.txt", &["seabird colony on a cliff"]),
    ];
    for number in 0..30 {
        documents.push(document(&format!("other/{number}.txt"), &["stones and houses in a town"]));
    }
    let listing = library.build(documents);
    let mut asked = search(&[("a", &listing)], "albatross");
    assert_eq!(library.ask(&asked, None).unwrap().hits.len(), 2);
    asked.profile.words.feedback = Some(WordFeedback { passages: 2, terms: 5, original: 0.5 });
    let hits = library.ask(&asked, None).unwrap().hits;
    assert_eq!(paths(&hits)[2], "three.txt");
    let explained = library.explain(&asked, &hits[2].id, None);
    assert!(explained.terms.iter().all(|term| term.from_feedback && term.term == "seabird"), "{explained:?}");
}

#[test]
fn a_document_has_no_more_hits_than_the_profile_says() {
    let library = Library::new();
    let listing = library.build(birds());
    let mut asked = search(&[("a", &listing)], "wing");
    assert_eq!(library.ask(&asked, None).unwrap().hits.len(), 3);
    asked.profile.per_document = Some(1);
    assert_eq!(library.ask(&asked, None).unwrap().hits.len(), 2);
    asked.top_k = 1;
    assert_eq!(library.ask(&asked, None).unwrap().hits.len(), 1);
}
