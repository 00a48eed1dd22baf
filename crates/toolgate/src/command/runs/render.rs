//! Runs as a person reads them.

use serde_json::Value;

use crate::command::shown::{count, facts, money, one_line, several, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(runs: &[Value]) -> TextTable {
    let mut table =
        TextTable::new(["RUN", "STATE", "REASON", "AGENT", "PRINCIPAL", "CALLS", "CREATED", "TASK"]);
    for run in runs {
        let own = |key: &str| text(&run[key]).to_owned();
        table.row([
            own("id"),
            own("state"),
            own("reason"),
            own("agent"),
            own("principal"),
            used(run, "calls"),
            own("created_at"),
            own("task"),
        ]);
    }
    table
}

pub(super) fn show(run: &Value) -> String {
    let own = |key: &str| text(&run[key]).to_owned();
    let lines = facts(&[
        ("state", own("state")),
        ("reason", own("reason")),
        ("summary", own("summary")),
        ("task", own("task")),
        ("parent", own("parent")),
        ("children", children(run)),
        ("agent", own("agent")),
        ("principal", own("principal")),
        ("created by", own("created_by")),
        ("session", own("session")),
        ("calls", calls(run)),
        ("seconds", used(run, "seconds")),
        ("bytes", used(run, "bytes")),
        ("turns", used(run, "turns")),
        ("tokens", used(run, "tokens")),
        ("cost in millionths", used(run, "cost_micros")),
        ("created", own("created_at")),
        ("started", own("started_at")),
        ("in this state since", own("state_since")),
        ("ended", own("ended_at")),
        ("input manifest", own("input_manifest")),
        ("output manifest", own("output_manifest")),
    ]);
    let files = |files: &Value, line: fn(&Value) -> String| -> Vec<String> {
        files.as_array().into_iter().flatten().map(line).collect()
    };
    let sections = [
        ("waits for", waits(&run["waiting"])),
        ("must be resolved", action(&run["driven"]["action"])),
        ("model", spend(&run["driven"])),
        (
            "was given",
            files(&run["input"], |file| format!("{}  {}", text(&file["path"]), text(&file["file_id"]))),
        ),
        ("has made", files(&run["output"], made)),
    ];
    let told: String = sections.into_iter().map(|(name, lines)| section(name, &lines)).collect();
    format!("{}\n{lines}{told}", printable(text(&run["id"])))
}

fn section(name: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("    {}\n", printable(line))).collect();
    format!("  {name}\n{lines}")
}

fn waits(waiting: &Value) -> Vec<String> {
    let each = |key: &str, line: fn(&Value) -> String| -> Vec<String> {
        waiting[key].as_array().into_iter().flatten().map(line).collect()
    };
    let inputs = each("inputs", |input| {
        format!("an answer to {}: {}", text(&input["id"]), one_line(&input["prompt_key"]))
    });
    let approvals =
        each("approvals", |one| format!("approval {} of {}", text(&one["id"]), text(&one["tool"])));
    [inputs, approvals].concat()
}

/// The action that somebody must take, and how.
fn action(action: &Value) -> Vec<String> {
    let line = |how: &str| format!("{} {}: {how}", text(&action["kind"]), text(&action["id"]));
    action["how"].as_str().map(line).into_iter().collect()
}

/// The model of a run that the gateway drives, and what it has cost.
fn spend(driven: &Value) -> Vec<String> {
    let Some(model) = driven["model"].as_str() else { return Vec::new() };
    let number = |value: &Value| value.as_u64().map(count).unwrap_or_default();
    let (tokens, cached) = (&driven["tokens"], driven["tokens"]["cached_percent"].as_u64());
    let cached = cached.map(|percent| format!(" ({percent} % cached)")).unwrap_or_default();
    vec![format!(
        "{model}, {} tokens in{cached}, {} out, cost {}",
        number(&tokens["input"]),
        number(&tokens["output"]),
        money(driven["cost_micros"].as_u64().unwrap_or_default())
    )]
}

fn made(file: &Value) -> String {
    let size = several(file["size"].as_u64().unwrap_or_default(), "byte");
    format!("{}  {}, {size}  {}", text(&file["name"]), text(&file["media_type"]), text(&file["artifact"]))
}

/// The used amount, with the limit if there is one.
fn used(run: &Value, what: &str) -> String {
    let number = |value: &Value| value.as_u64().map(count);
    let used = number(&run["used"][what]);
    match number(&run["budget"][what]) {
        Some(most) => format!("{} of {most}", used.as_deref().unwrap_or("0")),
        None => used.unwrap_or_default(),
    }
}

fn calls(run: &Value) -> String {
    let counts = ["open", "completed", "failed", "unknown"];
    let counts = counts.map(|state| (run["calls"][state].as_u64().unwrap_or_default(), state));
    let told: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, state)| format!("{number} {state}"))
        .collect();
    match told.is_empty() {
        true => used(run, "calls"),
        false => format!("{} ({})", used(run, "calls"), told.join(", ")),
    }
}

fn children(run: &Value) -> String {
    match run["children"].as_u64() {
        None | Some(0) => String::new(),
        Some(number) => count(number),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    fn run() -> Value {
        json!({
            "id": "run_1", "state": "paused", "reason": "input", "agent": "writer", "principal": "bot",
            "created_by": "local", "session": "ses_1", "created_at": "2026-01-01T00:00:00Z",
            "state_since": "2026-01-01T00:00:05Z", "budget": { "calls": 5, "bytes": 1000000 },
            "used": { "calls": 2, "seconds": 3, "bytes": 1234 }, "children": 1,
            "calls": { "open": 0, "completed": 1, "failed": 1, "unknown": 0 },
            "input": [{ "path": "cv.pdf", "file_id": "file_1", "digest": "sha256:0" }],
            "output": [{ "name": "out.md", "artifact": "sha256:1", "size": 1, "media_type": "text/markdown" }],
            "waiting": {
                "inputs": [{ "id": "inp_1", "prompt_key": "Which\ntone?" }],
                "approvals": [{ "id": "apr_1", "tool": "bank:transfer" }],
            },
        })
    }

    #[test]
    fn a_run_is_shown_with_what_it_waits_for_used_and_made() {
        insta::assert_snapshot!(show(&run()), @r"
        run_1
          state                paused
          reason               input
          children             1
          agent                writer
          principal            bot
          created by           local
          session              ses_1
          calls                2 of 5 (1 completed, 1 failed)
          seconds              3
          bytes                1,234 of 1,000,000
          created              2026-01-01T00:00:00Z
          in this state since  2026-01-01T00:00:05Z
          waits for
            an answer to inp_1: Which tone?
            approval apr_1 of bank:transfer
          was given
            cv.pdf  file_1
          has made
            out.md  text/markdown, 1 byte  sha256:1
        ");
    }

    #[test]
    fn a_run_that_the_gateway_drives_shows_its_spending_and_what_must_be_done() {
        let mut run = run();
        run["driven"] = json!({ "model": "large", "turn": 3, "cost_micros": 12_000,
            "tokens": { "input": 4_000, "cached": 1_000, "output": 50, "cached_percent": 25 },
            "action": { "kind": "approval", "id": "apr_1", "how": "decide on it" } });
        let told = show(&run);
        assert!(told.contains("  must be resolved\n    approval apr_1: decide on it\n"), "{told}");
        assert!(told.contains("    large, 4,000 tokens in (25 % cached), 50 out, cost 0.0120\n"), "{told}");
    }

    #[test]
    fn runs_are_listed_in_one_line_each() {
        insta::assert_snapshot!(list(&[run()]).render(OutputReader::Pipe, &()), @r"
        RUN    STATE   REASON  AGENT   PRINCIPAL  CALLS   CREATED               TASK
        run_1  paused  input   writer  bot        2 of 5  2026-01-01T00:00:00Z
        ");
    }
}
