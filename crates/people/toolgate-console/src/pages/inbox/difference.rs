//! An approver's changes: every place where two values differ, with the old and the new value. Changes are
//! never shortened, unlike in a listing: an unseen part would not be approved.

use maud::{Markup, html};
use serde_json::Value;

use crate::parts::{diff, number, text};

/// Places that are shown.
const PLACES_MAX: usize = 200;
/// Long lines are broken here, so that no line is cut where it is shown.
const LINE_CHARS: usize = 160;

/// One place where two values differ.
#[derive(Debug, PartialEq)]
pub(super) struct ValueChange<'a> {
    /// A JSON pointer.
    pub(super) place: String,
    pub(super) before: Option<&'a Value>,
    pub(super) after: Option<&'a Value>,
}

pub(super) fn changes<'a>(before: &'a Value, after: &'a Value) -> Vec<ValueChange<'a>> {
    let mut found = Vec::new();
    compare(String::new(), Some(before), Some(after), &mut found);
    found
}

fn compare<'a>(
    place: String,
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    found: &mut Vec<ValueChange<'a>>,
) {
    if before == after {
        return;
    }
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let added = after.keys().filter(|name| !before.contains_key(*name));
            for name in before.keys().chain(added) {
                let place = format!("{place}/{}", escaped(name));
                compare(place, before.get(name), after.get(name), found);
            }
        }
        // If entries were added or removed, the same index means another entry.
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (number, (before, after)) in before.iter().zip(after).enumerate() {
                compare(format!("{place}/{number}"), Some(before), Some(after), found);
            }
        }
        _ => found.push(ValueChange { place, before, after }),
    }
}

/// A name escaped for a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

pub(super) fn shown(changes: &[ValueChange<'_>]) -> Markup {
    html! {
        @for change in changes.iter().take(PLACES_MAX) {
            div.change {
                h3.mono { (text::short(if change.place.is_empty() { "all arguments" } else { &change.place })) }
                (diff::lines(&written(change.before), &written(change.after)))
            }
        }
        @if changes.len() > PLACES_MAX {
            p.notice { (number((changes.len() - PLACES_MAX) as u64)) " more places differ and are not shown." }
        }
    }
}

fn written(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => broken(text),
        Some(value) => broken(&serde_json::to_string_pretty(value).unwrap_or_default()),
    }
}

fn broken(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / LINE_CHARS + 1);
    for line in text.split('\n') {
        for (place, one) in line.chars().enumerate() {
            if place > 0 && place % LINE_CHARS == 0 {
                lines.push('\n');
            }
            lines.push(one);
        }
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(before: &Value, after: &Value) -> Vec<String> {
        let mut places: Vec<String> = changes(before, after).into_iter().map(|change| change.place).collect();
        // The order of members depends on the build's features.
        places.sort_unstable();
        places
    }

    #[test]
    fn only_the_places_that_differ_are_named() {
        let before =
            json!({ "account": "A", "amount": 5, "to": { "name": "x", "a/b": 1 }, "tags": ["a", "b"] });
        let after = json!({ "account": "A", "amount": 4, "to": { "name": "x", "a/b": 2 }, "tags": ["a", "c"], "note": "n" });
        assert_eq!(places(&before, &after), ["/amount", "/note", "/tags/1", "/to/a~1b"]);
        assert!(places(&before, &before).is_empty());
    }

    #[test]
    fn a_list_that_grew_is_one_change() {
        assert_eq!(places(&json!({ "a": [1, 2] }), &json!({ "a": [0, 1, 2] })), ["/a"]);
        let (before, after) = (json!({ "a": 1 }), json!({}));
        assert_eq!(changes(&before, &after)[0].after, None);
    }

    #[test]
    fn a_change_far_into_a_long_line_is_seen() {
        let long = "x".repeat(5_000);
        let (before, after) = (json!({ "text": long }), json!({ "text": format!("{long}; rm -rf /") }));
        let page = shown(&changes(&before, &after)).into_string();
        assert!(page.contains("; rm -rf /"), "{page}");
        assert!(!page.contains("more characters"), "{page}");
    }
}
