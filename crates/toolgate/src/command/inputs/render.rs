//! Questions as a person reads them.

use serde_json::Value;

use crate::command::shown::{facts, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(inputs: &[Value]) -> TextTable {
    let mut table =
        TextTable::new(["INPUT", "STATE", "RUN", "ASKED BY", "ASKED", "TYPE", "QUESTION", "OPTIONS"]);
    for input in inputs {
        let own = |key: &str| text(&input[key]).to_owned();
        table.row([
            own("id"),
            own("state"),
            own("run"),
            own("principal"),
            own("created_at"),
            own("slot_type"),
            own("prompt_key"),
            options(input).join(", "),
        ]);
    }
    table
}

pub(super) fn show(input: &Value) -> String {
    let own = |key: &str| text(&input[key]).to_owned();
    let answer = match &input["answer"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lines = facts(&[
        ("question", own("prompt_key")),
        ("type", own("slot_type")),
        ("options", options(input).join(", ")),
        ("slot", own("slot_id")),
        ("state", own("state")),
        ("answer", answer),
        ("answered by", own("answered_by")),
        ("via", own("via")),
        ("run", own("run")),
        ("session", own("session")),
        ("call", own("call")),
        ("asked by", own("principal")),
        ("asked", own("created_at")),
        ("resolved", own("resolved_at")),
    ]);
    format!("{}\n{lines}", printable(text(&input["id"])))
}

/// The possible answers, with their labels if these differ.
fn options(input: &Value) -> Vec<String> {
    let options = input["options"].as_array().into_iter().flatten();
    let told = options.map(|option| match text(&option["label"]) {
        "" => text(&option["value"]).to_owned(),
        label => format!("{} ({label})", text(&option["value"])),
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn a_question_is_shown_with_what_may_be_answered() {
        let input = json!({
            "id": "inp_1", "state": "answered", "run": "run_1", "principal": "bot", "slot_type": "choice",
            "slot_id": "tone", "prompt_key": "Which tone?", "created_at": "2026-01-01T00:00:00Z",
            "options": [{ "value": "formal" }, { "value": "plain", "label": "As people talk" }],
            "answer": "plain", "answered_by": "ann", "via": "api", "resolved_at": "2026-01-01T00:01:00Z",
        });
        insta::assert_snapshot!(show(&input), @r"
        inp_1
          question     Which tone?
          type         choice
          options      formal, plain (As people talk)
          slot         tone
          state        answered
          answer       plain
          answered by  ann
          via          api
          run          run_1
          asked by     bot
          asked        2026-01-01T00:00:00Z
          resolved     2026-01-01T00:01:00Z
        ");
        insta::assert_snapshot!(list(&[input]).render(OutputReader::Pipe, &()), @r"
        INPUT  STATE     RUN    ASKED BY  ASKED                 TYPE    QUESTION     OPTIONS
        inp_1  answered  run_1  bot       2026-01-01T00:00:00Z  choice  Which tone?  formal, plain (As people talk)
        ");
    }
}
