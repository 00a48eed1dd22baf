//! Facts about streams.

use serde_json::json;

use super::*;
use crate::fixture::{BASE, headers, no_headers, stream};

const CHANGES: &str = r#"
[pagination.cursor]
kind = "cursor"
next = "/next"
parameter = "cursor"
pages_max = 2

[[streams]]
name = "things"
title = "Things"
method = "GET"
path = "/things"
records = "/things"
key = "/id"
pagination = "cursor"

[streams.cursor]
pointer = "/changed"
parameter = "since"
ascending = true

[streams.arguments.all]
place = "query"
constant = true
"#;

fn page(turn: StreamTurn) -> StreamPage {
    match turn {
        StreamTurn::Page(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

fn says(turn: StreamTurn) -> String {
    match turn {
        StreamTurn::Failed(ProviderVerdict::Failed { says, .. }) => says,
        other => panic!("it did not fail: {other:?}"),
    }
}

fn thing(id: u32, changed: &str) -> Value {
    json!({ "id": id, "changed": changed })
}

#[test]
fn a_round_begins_at_the_cursor_and_ends_at_the_last_change() {
    let things = stream(CHANGES);
    assert!(things.is_incremental());
    let mut first = things.page(None, None).expect("a page");
    assert_eq!(first.request(BASE).expect("a request").address, format!("{BASE}/things?all=true"));
    let answer = json!({ "things": [thing(1, "2026-01-02"), thing(2, "2026-01-01")], "next": "p2" });
    let first = page(first.answered(200, &no_headers, Some(&answer)));
    let keys: Vec<&str> = first.records.iter().map(|record| record.key.as_str()).collect();
    assert_eq!((keys, first.cursor), (vec!["1", "2"], Some(json!("2026-01-02"))));
    let next = first.next_page.expect("there is more");
    let mut second = things.page(None, Some(&next)).expect("a page");
    assert_eq!(second.request(BASE).expect("a request").address, format!("{BASE}/things?all=true&cursor=p2"));
    let second =
        page(second.answered(200, &no_headers, Some(&json!({ "things": [thing(3, "2025-12-31")] }))));
    assert_eq!(
        (second.next_page, second.cursor),
        (None, Some(json!("2026-01-02"))),
        "the highest of the round"
    );
    let later = things.page(Some(&json!("2026-01-02")), None).expect("a page");
    let address = format!("{BASE}/things?all=true&since=2026-01-02");
    assert_eq!(later.request(BASE).expect("a request").address, address);
}

#[test]
fn a_round_without_changes_keeps_its_cursor() {
    let things = stream(CHANGES);
    let cursor = json!("2026-01-02");
    let mut call = things.page(Some(&cursor), None).expect("a page");
    let empty = page(call.answered(200, &no_headers, Some(&json!({ "things": [] }))));
    assert_eq!((empty.records.len(), empty.next_page, empty.cursor), (0, None, Some(cursor)));
}

#[test]
fn a_list_that_is_cut_off_goes_on_from_the_last_change() {
    let things = stream(CHANGES);
    let read = |next: Option<&str>, changed: &str, cursor: &str| {
        let mut call = things.page(Some(&json!("a")), next).expect("a page");
        let address = call.request(BASE).expect("a request").address;
        let answer = json!({ "things": [thing(1, changed)], "next": cursor });
        (address, page(call.answered(200, &no_headers, Some(&answer))).next_page)
    };
    let (address, second) = read(None, "b", "p2");
    assert!(address.ends_with("all=true&since=a"), "{address}");
    let (address, third) = read(second.as_deref(), "c", "p3");
    assert!(address.ends_with("all=true&cursor=p2&since=a"), "{address}");
    let (address, _) = read(third.as_deref(), "d", "p4");
    assert!(address.ends_with("all=true&since=c"), "the third page is one too many: {address}");
}

#[test]
fn a_list_that_is_cut_off_and_does_not_move_fails_instead_of_beginning_again() {
    let things = stream(CHANGES);
    let mut next = None;
    for _ in 0..2 {
        let mut call = things.page(Some(&json!("b")), next.as_deref()).expect("a page");
        let cursor = if next.is_none() { "p2" } else { "p3" };
        let answer = json!({ "things": [thing(1, "b")], "next": cursor });
        match call.answered(200, &no_headers, Some(&answer)) {
            StreamTurn::Page(page) => next = page.next_page,
            failed => {
                assert_eq!(says(failed), "the list has more than 2 pages");
                return;
            }
        }
    }
    panic!("it goes on without moving");
}

#[test]
fn the_same_cursor_twice_fails() {
    let things = stream(CHANGES);
    let answer = json!({ "things": [thing(1, "b")], "next": "p" });
    let mut call = things.page(None, None).expect("a page");
    let next = page(call.answered(200, &no_headers, Some(&answer))).next_page;
    let mut call = things.page(None, next.as_deref()).expect("a page");
    let failed = says(call.answered(200, &no_headers, Some(&answer)));
    assert_eq!(failed, "the provider named a page that was already read, so its list has no end");
}

#[test]
fn a_schema_that_changed_on_the_way_fails_with_words() {
    let things = stream(CHANGES);
    for (answer, expected) in [
        (json!({ "items": [] }), "the provider's answer has no list at \"/things\""),
        (
            json!({ "things": [thing(1, "a"), { "changed": "a" }] }),
            "record 2 of the page has no key at \"/id\"",
        ),
        (json!({ "things": [{ "id": "", "changed": "a" }] }), "record 1 of the page has no key at \"/id\""),
        (json!({ "things": [{ "id": 1 }] }), "record 1 of the page has no cursor at \"/changed\""),
        (
            json!({ "things": [{ "id": "x".repeat(201), "changed": "a" }] }),
            "the key of record 1 of the page is no key: 200 bytes at most",
        ),
    ] {
        let mut call = things.page(None, None).expect("a page");
        assert_eq!(says(call.answered(200, &no_headers, Some(&answer))), expected);
    }
}

#[test]
fn a_page_is_asked_for_again_and_then_given_up() {
    let things = stream(CHANGES);
    let mut call = things.page(None, None).expect("a page");
    let told = headers([("retry-after", "3")]);
    assert_eq!(call.answered(429, &told, None), StreamTurn::Wait(Duration::from_secs(3)));
    assert_eq!(call.lost(), StreamTurn::Wait(Duration::from_secs(2)));
    assert_eq!(says(call.answered(503, &no_headers, None)), "the provider answered 503");
    let limited = |after: Option<u64>| ProviderVerdict::Again {
        after: after.map(Duration::from_secs),
        is_limit: true,
        may_have_happened: false,
        says: "the provider answered 429".to_owned(),
    };
    let mut long = things.page(None, None).expect("a page");
    let told = headers([("retry-after", "3600")]);
    assert_eq!(long.answered(429, &told, None), StreamTurn::Failed(limited(Some(3600))), "the time is kept");
    let mut unnamed = things.page(None, None).expect("a page");
    assert_eq!(unnamed.answered(429, &no_headers, None), StreamTurn::Wait(Duration::from_secs(1)));
    assert_eq!(unnamed.given_up(), limited(None), "a limit that names no time is one, too");
    let mut refused = things.page(None, None).expect("a page");
    let turn = refused.answered(401, &no_headers, None);
    assert!(matches!(turn, StreamTurn::Failed(ProviderVerdict::SignIn { .. })));
    let mut html = things.page(None, None).expect("a page");
    assert!(says(html.answered(200, &no_headers, None)).ends_with("is no JSON"));
}

#[test]
fn a_page_that_this_stream_did_not_name_is_refused() {
    let things = stream(CHANGES);
    for foreign in ["", "{}x", "[]", r#"{"pages":0,"step":"since=9"}"#, r#"{"pages":0,"more":1}"#] {
        let refused = things.page(None, Some(foreign)).err();
        assert_eq!(refused, Some(BadActionArguments::ForeignPage), "{foreign}");
    }
}

#[test]
fn a_list_without_a_cursor_is_read_whole() {
    let text = CHANGES
        .replace("[streams.cursor]\npointer = \"/changed\"\nparameter = \"since\"\nascending = true\n", "");
    let things = stream(&text);
    assert!(!things.is_incremental());
    let mut call = things.page(None, None).expect("a page");
    let read = page(call.answered(200, &no_headers, Some(&json!({ "things": [{ "id": "a" }] }))));
    assert_eq!((read.cursor, read.records[0].updated.clone()), (None, None));
}

#[test]
fn numbers_are_later_by_their_size_and_texts_by_their_letters() {
    assert_eq!(later(json!(9), json!(10)), json!(10));
    assert_eq!(later(json!("1.9"), json!("1.10")), json!("1.9"));
    assert_eq!(later(json!("b"), json!("a")), json!("b"));
}
