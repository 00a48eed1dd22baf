//! Arguments and results without what differs in every run: the ids that the gateway gives.

use serde_json::Value;

/// Members that only say which call it was.
const MEMBERS: [&str; 2] = ["_meta", "tool_call_id"];
const KINDS: [&str; 8] = ["apr", "clm", "file", "inp", "ref", "run", "ses", "tc"];
const HEX_MIN: usize = 12;

pub(super) fn steady(value: &Value) -> Value {
    match value {
        Value::String(words) => Value::from(without_ids(words)),
        Value::Array(entries) => entries.iter().map(steady).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !MEMBERS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), steady(value)))
            .collect(),
        other => other.clone(),
    }
}

fn without_ids(words: &str) -> String {
    let is_end = |one: char| !(one.is_ascii_alphanumeric() || one == '_');
    let piece = |piece: &str| {
        let word = piece.trim_end_matches(is_end);
        match word.split_once('_').filter(|(kind, rest)| KINDS.contains(kind) && is_id(rest)) {
            Some((kind, _)) => format!("{kind}_…{}", &piece[word.len()..]),
            None => piece.to_owned(),
        }
    };
    words.split_inclusive(is_end).map(piece).collect()
}

fn is_id(rest: &str) -> bool {
    rest.len() >= HEX_MIN && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_of_the_gateway_are_no_difference_and_everything_else_is() {
        let one = json!({ "text": "{\"input_id\":\"inp_0198f5c2a4b07c3d8e1f\"}", "_meta": 1, "at": [1] });
        let other = json!({ "text": "{\"input_id\":\"inp_0198f5c2a4b07c3d0000\"}", "tool_call_id": "tc_1", "at": [1] });
        assert_eq!(steady(&one), steady(&other));
        assert_eq!(steady(&json!("run_away from tc_0198f5c2a4b07c3d8e1f.")), json!("run_away from tc_…."));
        assert_ne!(steady(&json!({ "amount": 1 })), steady(&json!({ "amount": 2 })));
        assert_eq!(steady(&json!("file_name")), json!("file_name"));
    }
}
