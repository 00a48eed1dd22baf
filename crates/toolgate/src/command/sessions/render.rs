//! Sessions as a person reads them.

use serde_json::Value;

use crate::command::agents::{budget, mounts, seconds};
use crate::command::shown::{count, facts, several, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(sessions: &[Value]) -> TextTable {
    let mut table = TextTable::new(["SESSION", "STATE", "KIND", "AGENT", "PRINCIPAL", "LAST USED", "TASK"]);
    for session in sessions {
        let columns = ["id", "state", "kind", "agent", "principal", "last_used_at", "task"];
        table.row(columns.map(|key| text(&session[key]).to_owned()));
    }
    table
}

pub(super) fn show(session: &Value) -> String {
    let own = |key: &str| text(&session[key]).to_owned();
    let lines = facts(&[
        ("state", own("state")),
        ("kind", own("kind")),
        ("agent", own("agent")),
        ("agent version", own("agent_version")),
        ("within", within(session)),
        ("principal", own("principal")),
        ("opened by", own("opened_by")),
        ("task", own("task")),
        ("run", own("run")),
        ("mounts", mounts(&session["mounts"])),
        ("policy template", own("policy_template")),
        ("token budget", budget(&session["token_budget"])),
        ("servers", servers(&session["scope"])),
        ("created", own("created_at")),
        ("last used", own("last_used_at")),
        ("closed", own("closed_at")),
        ("closed because", own("closed_because")),
        ("idle time-out", seconds(&session["idle_seconds"])),
        ("lifetime", seconds(&session["lifetime_seconds"])),
        ("scope", own("scope_id")),
    ]);
    format!("{}\n{lines}", printable(text(&session["id"])))
}

/// The agent that the credential is bound to, where the session is another one's.
fn within(session: &Value) -> String {
    let layers = session["scope"]["layers"].as_array().into_iter().flatten();
    let agents = layers.map(|layer| text(&layer["agent"])).filter(|agent| *agent != text(&session["agent"]));
    agents.collect::<Vec<_>>().join(", ")
}

/// The servers at its start, or all.
fn servers(scope: &Value) -> String {
    match &scope["servers"] {
        Value::Array(servers) => {
            let names: Vec<&str> = servers.iter().map(text).collect();
            format!("frozen: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") })
        }
        _ if scope.is_object() => "those there are".to_owned(),
        _ => String::new(),
    }
}

pub(super) fn explained(explained: &Value) -> TextTable {
    let mut table = TextTable::new(["TOOL", "IN", "BY", "WHY", "APPROVAL", "PINNED"]);
    for tool in explained["tools"].as_array().into_iter().flatten() {
        let is_in = if tool["in"] == true { "in" } else { "out" };
        let pinned = if tool["pinned"] == true { "pinned" } else { "" };
        let approval = match text(&tool["approval"]) {
            "never" => "",
            other => other,
        };
        table.row([
            text(&tool["tool"]).to_owned(),
            is_in.to_owned(),
            text(&tool["by"]).to_owned(),
            text(&tool["reason"]).to_owned(),
            approval.to_owned(),
            pinned.to_owned(),
        ]);
    }
    table
}

pub(super) fn summary(explained: &Value) -> String {
    let number = |key: &str| explained[key].as_u64().unwrap_or_default();
    let full = several(number("tokens_full"), "token");
    let surface = match text(&explained["surface"]) {
        "search" => format!("searched: the list has {} of {full}", count(number("tokens_listed"))),
        _ => format!("listed in full: {full}"),
    };
    format!(
        "{} as agent {}: {} in, {} out; {surface}",
        text(&explained["session"]),
        text(&explained["agent"]),
        several(number("tools_in"), "tool"),
        number("tools_out"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn a_session_is_shown_with_what_it_may_touch_and_within_whom() {
        let session = json!({
            "id": "ses_1", "state": "active", "kind": "explicit", "agent": "writer", "principal": "bot",
            "opened_by": "local", "mounts": { "servers": ["docs"] }, "token_budget": "off",
            "idle_seconds": 60, "created_at": "2026-01-01T00:00:00Z",
            "scope": { "layers": [{ "agent": "support" }, { "agent": "writer" }], "servers": ["docs", "mail"] },
        });
        insta::assert_snapshot!(show(&session), @r"
        ses_1
          state          active
          kind           explicit
          agent          writer
          within         support
          principal      bot
          opened by      local
          mounts         server:docs
          token budget   off
          servers        frozen: docs, mail
          created        2026-01-01T00:00:00Z
          idle time-out  1m
        ");
    }

    #[test]
    fn each_tool_is_told_with_the_rule_and_all_are_counted() {
        let story = json!({
            "session": "ses_1", "agent": "writer", "surface": "search", "tools_in": 1, "tools_out": 2,
            "tokens_full": 9000, "tokens_listed": 700,
            "tools": [
                { "tool": "a:b", "in": true, "by": "capability", "reason": "tools `a:*`", "approval": "always", "pinned": true },
                { "tool": "a:c", "in": false, "by": "policy", "reason": "policy p forbids it", "pinned": false },
            ],
        });
        insta::assert_snapshot!(explained(&story).render(OutputReader::Pipe, &()), @r"
        TOOL  IN   BY          WHY                  APPROVAL  PINNED
        a:b   in   capability  tools `a:*`          always    pinned
        a:c   out  policy      policy p forbids it
        ");
        assert_eq!(
            summary(&story),
            "ses_1 as agent writer: 1 tool in, 2 out; searched: the list has 700 of 9,000 tokens"
        );
    }
}
