//! An approver's changes to a call: the answer tells them to the requester, so that it reports what ran and
//! not what it proposed.

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::approval::Approval;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::with_member;

/// The number of changes that are listed; the rest are counted.
const CHANGES_MAX: usize = 20;
/// The number of characters of a value that are shown.
const VALUE_CHARS_MAX: usize = 200;

/// The changes of the arguments and their author, if any. Both sides are redacted as people see them.
pub(crate) fn told(approval: &Approval) -> Option<String> {
    let proposed: Value = approval.proposed_arguments.as_ref()?.decode().unwrap_or_default();
    let effective: Value = approval.arguments.decode().unwrap_or_default();
    let mut changes = Vec::new();
    compare("", &proposed, &effective, &mut changes);
    // An approver may send back the very same arguments.
    if changes.is_empty() {
        return None;
    }
    let more = changes.len().saturating_sub(CHANGES_MAX);
    changes.truncate(CHANGES_MAX);
    if more > 0 {
        changes.push(format!("and {more} more"));
    }
    let person = approval.edited_by().map_or("an approver", |person| person.as_str());
    Some(format!("{person} changed the arguments before the call ran: {}", changes.join("; ")))
}

fn compare(path: &str, before: &Value, after: &Value, changes: &mut Vec<String>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            changes.push(format!("{} {} → {}", named(path), shown(before), shown(after)));
        }
        return;
    };
    for (key, value) in old {
        let inside = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        match new.get(key) {
            Some(now) => compare(&inside, value, now, changes),
            None => changes.push(format!("{inside} {} removed", shown(value))),
        }
    }
    for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
        let inside = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        changes.push(format!("{inside} {} added", shown(value)));
    }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "everything:" } else { path }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A result with an additional text in front: the gateway's note about it. A result without content stays as
/// it is.
pub(crate) fn with_note(result: &RawJson, note: &str) -> RawJson {
    let block = serde_json::json!({ "type": "text", "text": note }).to_string();
    let content = ObjectMembers::of(result)
        .ok()
        .and_then(|members| members.get("content").map(|content| content.get().trim().to_owned()));
    let Some(rest) = content.as_deref().and_then(|content| content.strip_prefix('[')) else {
        return result.clone();
    };
    let comma = if rest.trim_start().starts_with(']') { "" } else { "," };
    with_member(result.as_str(), "content", &format!("[{block}{comma}{rest}"))
        .map_or_else(|_| result.clone(), RawJson::from_composed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changes(before: Value, after: Value) -> Vec<String> {
        let mut changes = Vec::new();
        compare("", &before, &after, &mut changes);
        changes
    }

    #[test]
    fn every_change_is_told_by_its_place() {
        let before = json!({ "amount": 900, "to": { "name": "Ann", "a/b": 1 }, "note": "x" });
        let after = json!({ "amount": 150, "to": { "name": "Ann", "a/b": 2 }, "urgent": true });
        let mut told = changes(before.clone(), after);
        told.sort();
        assert_eq!(
            told,
            ["/amount 900 → 150", "/note \"x\" removed", "/to/a~1b 1 → 2", "/urgent true added"]
        );
        assert_eq!(changes(before.clone(), before), Vec::<String>::new());
    }

    #[test]
    fn a_note_stands_before_what_the_server_said() {
        let note = |result: Value| with_note(&result.into(), "changed").decode::<Value>().expect("JSON");
        let said = json!({ "content": [{ "type": "text", "text": "done" }], "isError": false });
        let noted = note(said);
        assert_eq!(noted["content"][0]["text"], "changed");
        assert_eq!(noted["content"][1]["text"], "done");
        assert_eq!(note(json!({ "content": [] }))["content"].as_array().map(Vec::len), Some(1));
        assert_eq!(note(json!({ "contents": [] })), json!({ "contents": [] }));
    }
}
