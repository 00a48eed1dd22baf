//! Differences.

use serde_json::{Value, json};

use super::super::difference::difference;
use super::super::snapshot::composed;
use super::super::tokens::tokens;
use super::{Snapshot, SnapshotWish, button, page, seen, text};

fn changed(before: Value, after: Value) -> String {
    difference(&seen(before).digest, &seen(after), 600)
}

#[test]
fn nothing_changed_is_said() {
    let same = json!([button(1, "Save"), text(2, "hello")]);
    assert_eq!(changed(same.clone(), same), "Nothing changed on the page.");
}

#[test]
fn lines_are_added_removed_and_changed_with_their_refs() {
    let field = |value: &str| json!({ "r": "textbox", "n": "Name", "e": 1, "i": 1, "v": value, "z": 0 });
    let before = json!([field(""), text(2, "Fill in"), button(3, "Next")]);
    let after = json!([field("Ada"), button(3, "Next"), { "r": "dialog", "n": "Sure?", "e": 4, "i": 4, "k": [button(5, "Yes"), button(6, "No")] }]);
    let expected = "~ textbox \"Name\" e1 = \"Ada\"\n+ dialog \"Sure?\" e4\n+   button \"Yes\" e5\n+   button \"No\" e6\n- \"Fill in\"";
    assert_eq!(changed(before, after), expected);
}

#[test]
fn things_drawn_anew_are_told_by_their_new_refs_only() {
    let before = json!([button(1, "Save"), text(2, "hello")]);
    let after = json!([button(8, "Save"), text(9, "hello")]);
    assert_eq!(changed(before, after), "~ button \"Save\" e8 (was e1)");
}

#[test]
fn many_changes_keep_to_the_limit_and_what_can_be_acted_on_comes_first() {
    let mut many: Vec<Value> =
        (10..400).map(|number| text(number, &format!("Sentence number {number} of many"))).collect();
    many.push(button(1, "Continue"));
    let told = changed(json!([text(2, "wait")]), json!(many));
    assert!(tokens(&told) <= 600, "{}", tokens(&told));
    assert!(told.contains("+ button \"Continue\" e1"), "{told}");
    assert!(told.lines().last().unwrap().ends_with("more changes: take a snapshot"), "{told}");
}

fn elsewhere(entries: Value) -> Snapshot {
    let mut answer = page(entries);
    answer.document = "2".to_owned();
    answer.title = "Thanks".to_owned();
    composed(answer, &SnapshotWish::default(), |text| text)
}

#[test]
fn another_document_is_described_within_the_limit() {
    let before = seen(json!([button(1, "Send")]));
    let few = difference(&before.digest, &elsewhere(json!([text(1, "Thank you")])), 600);
    assert_eq!(few, "Page: Thanks (https://jobs.example/apply/7)\n\"Thank you\"");
    let many: Vec<Value> = (1..500).map(|number| button(number, &format!("Choice {number}"))).collect();
    let told = difference(&before.digest, &elsewhere(json!(many)), 600);
    assert!(tokens(&told) <= 600 && told.contains("button \"Choice 1\" e1"), "{told}");
}

#[test]
fn scrolling_says_where_and_what_came_into_view_on_a_long_page() {
    let at = |y: i64| {
        let lines: Vec<Value> = (1..600)
            .map(|number| {
                let place = number * 20 - y;
                let zone = if (0..800).contains(&place) { 0 } else { 2 };
                json!({ "r": "link", "n": format!("Row {number}"), "e": number, "i": number, "z": zone })
            })
            .collect();
        let mut answer = page(json!(lines));
        answer.scroll.y = y;
        composed(answer, &SnapshotWish::default(), |text| text)
    };
    let told = difference(&at(0).digest, &at(4000), 600);
    assert!(told.starts_with("Scrolled to 4000 of 900 px.\n"), "{told}");
    assert!(told.contains("\"Row 210\" e210") && !told.contains("\"Row 20\""), "{told}");
    assert!(tokens(&told) <= 600);
}

#[test]
fn a_page_that_was_walked_in_part_has_lost_nothing_by_that() {
    let before = seen(json!([button(1, "Save"), { "r": "link", "n": "far", "e": 2, "i": 2, "z": 2 }]));
    let mut answer = page(json!([button(1, "Save")]));
    answer.partial = true;
    let after = composed(answer, &SnapshotWish::default(), |text| text);
    assert_eq!(difference(&before.digest, &after, 600), "Nothing changed on the page.");
}
