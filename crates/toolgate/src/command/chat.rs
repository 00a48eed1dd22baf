//! The chat of a run as a person reads it: texts, and a line for each call and each result.

use serde_json::Value;
use toolgate_core::model::unframed;

use super::shown::{count, text};
use crate::local::LocalApi;
use crate::output::printable;

/// The number of messages per request.
const PAGE_SIZE: u64 = 200;
/// The number of characters of arguments and results in a line.
const LINE_CHARS_MAX: usize = 200;

/// The messages of a run after a number.
pub(super) async fn after(api: &mut LocalApi, run: &str, after: u64) -> anyhow::Result<Vec<Value>> {
    let (mut messages, mut after) = (Vec::new(), after);
    loop {
        let query = [("after", after.to_string()), ("limit", PAGE_SIZE.to_string())];
        let mut page = api.get(&["runs", run, "chat"], &query).await?;
        if let Value::Array(more) = page["messages"].take() {
            messages.extend(more);
        }
        match page["next_after"].as_u64() {
            Some(next) => after = next,
            None => return Ok(messages),
        }
    }
}

/// A whole message.
pub(super) fn shown(message: &Value) -> String {
    let said = text(&message["text"]);
    let said = match (said.is_empty(), text(&message["role"])) {
        (true, _) => String::new(),
        (false, "user") => said.lines().map(|line| format!("> {}\n", printable(line))).collect(),
        (false, _) => format!("{}\n", printable(said)),
    };
    let folded = match message["folded_into"].as_u64() {
        Some(number) => format!("  (folded into message {})\n", count(number)),
        None => String::new(),
    };
    let lines: String = acts(message).iter().map(|line| format!("{line}\n")).collect();
    format!("{said}{lines}{folded}")
}

/// The calls and results of a message, a line each.
pub(super) fn acts(message: &Value) -> Vec<String> {
    let each = |key: &str| message[key].as_array().into_iter().flatten();
    let calls = each("calls").map(|call| {
        let arguments = line(&call["arguments"].to_string());
        format!("  → {} {} {arguments}", text(&call["id"]), printable(text(&call["name"])))
    });
    let results = each("results").map(|result| {
        let mark = if result["is_error"] == true { "✗" } else { "←" };
        format!("  {mark} {} {}", text(&result["id"]), line(unframed(text(&result["text"]))))
    });
    calls.chain(results).collect()
}

/// The beginning of a text in one line.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = match words.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    };
    printable(&words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_its_text_and_a_line_for_each_call_and_result() {
        let asked = json!({ "number": 1, "role": "user", "text": "Read it.\nThen say." });
        let planned = json!({ "number": 2, "role": "assistant", "text": "I look.",
            "calls": [{ "id": "1.0", "name": "files__read", "arguments": { "path": "a" } }] });
        let done = json!({ "number": 3, "role": "tool", "folded_into": 1200, "results": [
            { "id": "1.0", "name": "files__read", "text": "<tool_result tool=\"x\" mark=\"f3\">\none\ntwo\n</tool_result mark=\"f3\">", "is_error": false },
            { "id": "1.1", "name": "x", "text": "unknown tool", "is_error": true },
        ] });
        insta::assert_snapshot!([asked, planned, done].iter().map(shown).collect::<String>(), @r#"
        > Read it.
        > Then say.
        I look.
          → 1.0 files__read {"path":"a"}
          ← 1.0 one two
          ✗ 1.1 unknown tool
          (folded into message 1,200)
        "#);
        let long = json!({ "results": [{ "id": "1.0", "text": "ä".repeat(300) }] });
        assert_eq!(acts(&long)[0].chars().count(), "  ← 1.0 ".chars().count() + LINE_CHARS_MAX + 1);
    }

    #[test]
    fn what_a_server_says_does_not_repaint_the_terminal() {
        let message = json!({ "role": "assistant", "text": "a\u{1b}[2Jb", "calls": [{ "id": "1.0", "name": "\u{7}x", "arguments": {} }] });
        assert!(!shown(&message).contains(['\u{1b}', '\u{7}']));
    }
}
