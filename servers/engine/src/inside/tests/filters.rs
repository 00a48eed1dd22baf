//! Filters.

use engine_protocol::{FilterRule, SearchFilter};
use serde_json::{Value, json};

use super::{Library, TestDocument, document, paths, search};

fn tagged(path: &str, media_type: &str, metadata: Value) -> TestDocument {
    let (mut document, chunks) = document(path, &["The same word."]);
    document.media_type = Some(media_type.to_owned());
    document.metadata = metadata.as_object().unwrap().clone();
    (document, chunks)
}

fn found(library: &Library, listing: &engine_protocol::IndexListing, filter: SearchFilter) -> Vec<String> {
    let asked = engine_protocol::Search { filter, ..search(&[("a", listing)], "word") };
    let hits = library.ask(&asked, None).unwrap().hits;
    for hit in &hits {
        let explained = library.explain(&asked, &hit.id, None);
        assert!(explained.filters.iter().all(|(_, passes)| *passes), "{explained:?}");
    }
    paths(&hits).into_iter().map(str::to_owned).collect()
}

#[test]
fn only_passages_that_pass_all_rules_are_found() {
    let library = Library::new();
    let listing = library.build(vec![
        tagged("a/one.md", "text/markdown", json!({"year": 2024, "tags": ["x", "y"]})),
        tagged("a/two.pdf", "application/pdf", json!({"year": 2025.0})),
        tagged("ab/three.md", "text/markdown", json!({"year": "2024", "open": true})),
    ]);
    let prefix =
        |prefix: &str| SearchFilter { path_prefix: Some(prefix.to_owned()), ..SearchFilter::default() };
    let rule = |key: &str, any_of: Vec<Value>| FilterRule { key: key.to_owned(), any_of };
    let metadata = |rules| SearchFilter { metadata: rules, ..SearchFilter::default() };
    let types = |types: &[&str]| SearchFilter {
        media_types: types.iter().map(|media_type| (*media_type).to_owned()).collect(),
        ..SearchFilter::default()
    };
    let check = |filter: SearchFilter, expected: &[&str]| {
        assert_eq!(found(&library, &listing, filter.clone()), expected, "{filter:?}");
    };
    check(prefix(""), &["a/one.md", "a/two.pdf", "ab/three.md"]);
    check(prefix("a/"), &["a/one.md", "a/two.pdf"]);
    check(prefix("b"), &[]);
    check(types(&["text/markdown"]), &["a/one.md", "ab/three.md"]);
    check(types(&["application/pdf", "text/x"]), &["a/two.pdf"]);
    check(metadata(vec![rule("year", vec![json!(2024)])]), &["a/one.md"]);
    check(metadata(vec![rule("year", vec![json!(2025), json!("2024")])]), &["a/two.pdf", "ab/three.md"]);
    check(metadata(vec![rule("tags", vec![json!("y")])]), &["a/one.md"]);
    check(metadata(vec![rule("open", vec![json!(true)]), rule("year", vec![json!(2024)])]), &[]);
    check(metadata(vec![rule("year", Vec::new())]), &[]);
    check(SearchFilter { media_types: vec!["text/markdown".to_owned()], ..prefix("ab") }, &["ab/three.md"]);
}

#[test]
fn a_filter_does_not_change_scores() {
    let library = Library::new();
    let listing = library.build(vec![
        document("a/one.txt", &["A word among words."]),
        document("b/two.txt", &["Another word."]),
    ]);
    let free = library.search(&[("a", &listing)], "word").hits;
    let mut asked = search(&[("a", &listing)], "word");
    asked.filter.path_prefix = Some("b/".to_owned());
    let filtered = library.ask(&asked, None).unwrap().hits;
    assert_eq!(filtered.len(), 1);
    assert_eq!(free.iter().find(|hit| hit.path == "b/two.txt").unwrap().score, filtered[0].score);
    let hidden = free.iter().find(|hit| hit.path == "a/one.txt").unwrap();
    let explained = library.explain(&asked, &hidden.id, None);
    assert_eq!((explained.rank, explained.filters[0].1), (None, false));
}
