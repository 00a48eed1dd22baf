//! Facts about pages.

use serde_json::json;

use super::*;
use crate::fixture::{headers, no_headers};

fn rule(kind: PageKind, size: Option<u64>, pages_max: u32) -> PageRule {
    let size = size.map(|size| ("limit".to_owned(), size));
    PageRule { kind, place: RequestPlace::Query, size, pages_max }
}

fn cursor_rule(pages_max: u32) -> PageRule {
    let (next, more) = ("/meta/next".to_owned(), Some("/has_more".to_owned()));
    rule(PageKind::Cursor { next, more, parameter: "cursor".to_owned() }, None, pages_max)
}

fn link_rule() -> PageRule {
    rule(PageKind::Link { parameters: vec!["page".to_owned(), "after".to_owned()] }, None, 10)
}

fn token(step: Result<Option<PageStep>, PageTrouble>) -> Option<String> {
    step.expect("no trouble").map(|step| step.token())
}

#[test]
fn a_cursor_leads_to_the_next_page_until_it_is_empty_missing_or_denied() {
    let mut pages = Pages::new(&cursor_rule(10));
    assert_eq!(pages.now(), None);
    let next = pages.next(&no_headers, &json!({ "meta": { "next": "dXNlcjpV=&" } }), 2);
    assert_eq!(token(next).as_deref(), Some("cursor=dXNlcjpV%3D%26"));
    assert_eq!(pages.now().map(PageStep::token).as_deref(), Some("cursor=dXNlcjpV%3D%26"));
    let number = pages.next(&no_headers, &json!({ "meta": { "next": 17 } }), 2);
    assert_eq!(token(number).as_deref(), Some("cursor=17"));
    for end in [
        json!({ "meta": { "next": "" } }),
        json!({ "meta": { "next": null } }),
        json!({ "meta": {} }),
        json!([]),
        json!({ "has_more": false, "meta": { "next": "x" } }),
    ] {
        assert_eq!(token(pages.next(&no_headers, &end, 2)), None, "{end}");
    }
}

#[test]
fn a_cursor_that_comes_again_ends_the_list() {
    let mut pages = Pages::new(&cursor_rule(100));
    for cursor in ["a", "b", "c"] {
        assert!(pages.next(&no_headers, &json!({ "meta": { "next": cursor } }), 1).is_ok());
    }
    let again = pages.next(&no_headers, &json!({ "meta": { "next": "b" } }), 1);
    assert_eq!(again, Err(PageTrouble::RepeatedCursor));
}

#[test]
fn the_page_that_was_asked_for_counts_as_read() {
    let rule = cursor_rule(100);
    let mut pages = Pages::from(&rule, rule.step("cursor=a"), 0);
    let same = pages.next(&no_headers, &json!({ "meta": { "next": "a" } }), 1);
    assert_eq!(same, Err(PageTrouble::RepeatedCursor));
}

#[test]
fn a_list_has_no_more_pages_than_the_file_says() {
    let mut pages = Pages::new(&cursor_rule(3));
    let answer = |page: u32| json!({ "meta": { "next": page } });
    assert!(pages.next(&no_headers, &answer(1), 1).is_ok());
    assert!(pages.next(&no_headers, &answer(2), 1).is_ok());
    let Err(PageTrouble::TooMany { pages: 3, next }) = pages.next(&no_headers, &answer(3), 1) else {
        panic!("the fourth page is too many")
    };
    assert_eq!(next.token(), "cursor=3");
    let mut short = Pages::new(&cursor_rule(1));
    assert_eq!(token(short.next(&no_headers, &json!({}), 1)), None, "one page is no page too many");
}

#[test]
fn a_long_cursor_is_refused() {
    let long = "x".repeat(TOKEN_BYTES_MAX + 1);
    let mut pages = Pages::new(&cursor_rule(3));
    let next = pages.next(&no_headers, &json!({ "meta": { "next": long } }), 1);
    assert_eq!(next, Err(PageTrouble::LongCursor));
}

#[test]
fn a_link_gives_its_parameters_and_nothing_else() {
    for (header, expected) in [
        (
            r#"<https://api.example.com/r/1?page=2&q=x>; rel="next", <https://api.example.com/r/1?page=9>; rel="last""#,
            Some("page=2"),
        ),
        (
            r#"<https://api.example.com/r?page=1>; rel="prev", <https://api.example.com/r?after=Y%3D&per_page=5>; rel="next""#,
            Some("after=Y%3D"),
        ),
        (r#"</r?page=3>;title="a, b"; rel="foo next""#, Some("page=3")),
        (r"<https://other.example.net/secret?page=4>; REL=next", Some("page=4")),
        (r#"<https://api.example.com/r?page=9>; rel="last""#, None),
        ("", None),
        ("<no end", None),
    ] {
        let mut pages = Pages::new(&link_rule());
        let next = pages.next(&headers([("Link", header)]), &json!([]), 5);
        assert_eq!(token(next).as_deref(), expected, "{header}");
    }
    let mut pages = Pages::new(&link_rule());
    assert_eq!(token(pages.next(&no_headers, &json!([]), 5)), None, "no header");
    let strange = headers([("link", r#"<https://api.example.com/r?seite=2>; rel="next""#)]);
    let trouble = pages.next(&strange, &json!([]), 5);
    assert_eq!(trouble, Err(PageTrouble::NoParameter(vec!["page".to_owned(), "after".to_owned()])));
}

#[test]
fn an_offset_grows_by_what_came_and_ends_with_a_short_page() {
    let offset = PageKind::Offset { parameter: "offset".to_owned(), first: 0 };
    let mut pages = Pages::new(&rule(offset.clone(), Some(10), 10));
    assert_eq!(token(pages.next(&no_headers, &json!([]), 10)).as_deref(), Some("offset=10"));
    assert_eq!(token(pages.next(&no_headers, &json!([]), 10)).as_deref(), Some("offset=20"));
    assert_eq!(token(pages.next(&no_headers, &json!([]), 9)), None);
    let mut unsized_pages = Pages::new(&rule(offset, None, 10));
    assert_eq!(token(unsized_pages.next(&no_headers, &json!([]), 1)).as_deref(), Some("offset=1"));
    assert_eq!(token(unsized_pages.next(&no_headers, &json!([]), 0)), None);
}

#[test]
fn numbers_of_pages_are_counted_from_where_the_file_says() {
    for (first, second) in [(1, "page=2"), (0, "page=1")] {
        let number = PageKind::Number { parameter: "page".to_owned(), first };
        let mut pages = Pages::new(&rule(number, Some(2), 10));
        assert_eq!(token(pages.next(&no_headers, &json!([]), 2)).as_deref(), Some(second));
        assert_eq!(token(pages.next(&no_headers, &json!([]), 1)), None);
    }
}

#[test]
fn a_token_sets_parameters_of_pages_alone() {
    let rule = link_rule();
    let step = rule.step("page=2&after=x").expect("both are of pages");
    assert_eq!(step.token(), "page=2&after=x");
    for foreign in ["", "q=1", "page=2&q=1", &format!("page={}", "1".repeat(TOKEN_BYTES_MAX))] {
        assert_eq!(rule.step(foreign), None, "{foreign}");
    }
}

#[test]
fn counted_pages_are_numbers_in_a_body_and_cursors_are_text() {
    let offset = PageKind::Offset { parameter: "offset".to_owned(), first: 0 };
    let mut counted = rule(offset, Some(50), 10);
    counted.place = RequestPlace::Body;
    let placed = counted.placed(counted.step("offset=100").as_ref());
    let placed: Vec<_> = placed.into_iter().map(|one| (one.name, one.value)).collect();
    assert_eq!(placed, [("/limit".to_owned(), json!(50)), ("/offset".to_owned(), json!(100))]);
    let mut cursor = cursor_rule(10);
    cursor.place = RequestPlace::Body;
    let placed = cursor.placed(cursor.step("cursor=100").as_ref());
    assert_eq!(placed[0].value, json!("100"));
}
