//! Rules that every provider has, checked on the items of a request, and the small questions that the readers of formats ask.

use std::collections::BTreeSet;

use serde_json::Value;

use super::asked::HistoryItem;

/// Each call is answered by exactly one result, directly after the message that makes it.
pub(super) fn pairs(items: &[HistoryItem], problems: &mut Vec<String>) {
    let (mut open, mut seen): (Vec<&str>, BTreeSet<&str>) = (Vec::new(), BTreeSet::new());
    let mut answers = false;
    for item in items {
        match item {
            HistoryItem::Call(call) => {
                if answers && !open.is_empty() {
                    problems.push(format!("calls {open:?} have no result before the next call"));
                    open.clear();
                }
                answers = false;
                if call.id.is_empty() || !seen.insert(&call.id) {
                    problems.push(format!("the id {:?} of a call is empty or not its own", call.id));
                }
                open.push(&call.id);
            }
            HistoryItem::Result { id, .. } => {
                answers = true;
                match open.iter().position(|one| one == id) {
                    Some(at) => {
                        open.remove(at);
                    }
                    None => problems.push(format!("the result {id:?} answers no call directly before it")),
                }
            }
            HistoryItem::User(_) | HistoryItem::Said(_) | HistoryItem::Opaque(_) => {
                // Words and calls of one message stand in any order.
                let is_same_message = !answers && item.is_the_models();
                if !is_same_message && !open.is_empty() {
                    problems.push(format!("calls {open:?} have no result directly after them"));
                    open.clear();
                }
                answers = false;
            }
        }
    }
    if !open.is_empty() {
        problems.push(format!("calls {open:?} have no result at all"));
    }
}

/// Roles alternate, and the first and the last are the user's.
pub(super) fn alternate(roles: &[&str], user: &str, problems: &mut Vec<String>) {
    if roles.windows(2).any(|pair| pair[0] == pair[1]) {
        problems.push(format!("roles do not alternate: {roles:?}"));
    }
    if roles.first() != Some(&user) || roles.last() != Some(&user) {
        problems.push(format!("the first and the last message are the user's: {roles:?}"));
    }
}

/// An object has no members but these.
pub(super) fn only(value: &Value, allowed: &[&str], place: &str, problems: &mut Vec<String>) {
    let Some(object) = value.as_object() else {
        problems.push(format!("{place} is no object: {value}"));
        return;
    };
    for name in object.keys().filter(|name| !allowed.contains(&name.as_str())) {
        problems.push(format!("{place} has an unknown member {name:?}"));
    }
}

/// A text that must be there.
pub(super) fn text(value: &Value, place: &str, problems: &mut Vec<String>) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => {
            problems.push(format!("{place} is no text: {value}"));
            String::new()
        }
    }
}

/// A text, or a list of parts with texts of this kind.
pub(super) fn texts(value: &Value, kind: &str, place: &str, problems: &mut Vec<String>) -> String {
    let Some(parts) = value.as_array() else { return text(value, place, problems) };
    let texts = parts.iter().map(|part| {
        if part["type"] != kind {
            problems.push(format!("{place} has a part that is no {kind}: {part}"));
        }
        part["text"].as_str().unwrap_or_default()
    });
    let texts: Vec<&str> = texts.collect();
    texts.concat()
}

/// A name that all providers take.
pub(super) fn tool_name(name: &str, problems: &mut Vec<String>) {
    const NAME_CHARACTERS_MAX: usize = 64;
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    if name.is_empty() || name.len() > NAME_CHARACTERS_MAX || !name.chars().all(is_plain) {
        problems.push(format!("the name of the tool {name:?} is none that providers take"));
    }
}

/// Names of tools are unique and sorted, so that equal lists have equal bytes.
pub(super) fn tool_names(names: &[&str], problems: &mut Vec<String>) {
    if !names.windows(2).all(|pair| pair[0] < pair[1]) {
        problems.push(format!("tools are not sorted by name, or there are two of one: {names:?}"));
    }
}

/// The schema of arguments is that of an object.
pub(super) fn tool_schema(schema: &Value, name: &str, problems: &mut Vec<String>) {
    if !schema["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("object")) {
        problems.push(format!("the schema of {name:?} is not that of an object: {schema}"));
    }
}

/// The elements of a list that must be there.
pub(super) fn list<'a>(value: &'a Value, place: &str, problems: &mut Vec<String>) -> &'a [Value] {
    match value.as_array() {
        Some(list) => list,
        None => {
            problems.push(format!("{place} is no list: {value}"));
            &[]
        }
    }
}

/// The same, where it may be left out.
pub(super) fn list_if_any<'a>(value: &'a Value, place: &str, problems: &mut Vec<String>) -> &'a [Value] {
    if value.is_null() { &[] } else { list(value, place, problems) }
}
