//! Automations and their fires as a person reads them.

use serde_json::Value;

use crate::command::shown::{count, facts, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(automations: &[Value]) -> TextTable {
    let mut table = TextTable::new(["AUTOMATION", "TRIGGER", "NEXT", "OVERLAP", "TASK", "PRINCIPAL"]);
    for automation in automations {
        let own = |key: &str| text(&automation[key]).to_owned();
        table.row([
            own("name"),
            trigger(&automation["trigger"]),
            next(automation),
            own("overlap"),
            own("task"),
            own("principal"),
        ]);
    }
    table
}

pub(super) fn show(automation: &Value) -> String {
    let own = |key: &str| text(&automation[key]).to_owned();
    let seconds = |key: &str| automation[key].as_u64().map(count).unwrap_or_default();
    let on_failure = if automation["pause_on_failure"] == true { "is paused" } else { "" };
    let lines = facts(&[
        ("id", own("id")),
        ("task", own("task")),
        ("trigger", trigger(&automation["trigger"])),
        ("next", next(automation)),
        ("overlap", own("overlap")),
        ("catch-up seconds", seconds("catch_up_seconds")),
        ("jitter seconds", seconds("jitter_seconds")),
        ("when a run fails", on_failure.to_owned()),
        ("principal", own("principal")),
        ("created by", own("created_by")),
        ("created", own("created_at")),
        ("updated", own("updated_at")),
        ("version", seconds("version")),
    ]);
    format!("{}\n{lines}", printable(text(&automation["name"])))
}

pub(super) fn fires(fires: &[Value]) -> TextTable {
    let mut table = TextTable::new(["AT", "STATE", "RUN", "REASON", "CAUSE"]);
    for fire in fires {
        let own = |key: &str| text(&fire[key]).to_owned();
        table.row([own("at"), own("state"), own("run"), own("reason"), own("cause")]);
    }
    table
}

fn next(automation: &Value) -> String {
    match automation["paused"].as_str() {
        Some(note) => format!("paused: {note}"),
        None => text(&automation["next"]).to_owned(),
    }
}

/// The cause in a few words.
fn trigger(trigger: &Value) -> String {
    let own = |key: &str| text(&trigger[key]);
    match own("on") {
        "cron" => format!("cron {} {}", own("pattern"), own("timezone")),
        "interval" => format!("every {} seconds", trigger["seconds"].as_u64().map(count).unwrap_or_default()),
        "event" => format!("event {}", own("kind")),
        "pointer" => format!("pointer {}", own("pattern")),
        "run_ended" => format!("end of a run {}", own("task")).trim_end().to_owned(),
        "unreadable" => format!("none: this release cannot read it ({})", own("why")),
        on => on.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn automations_are_listed_with_their_cause_and_what_comes_next() {
        let morning = json!({ "name": "morning", "task": "task_1", "overlap": "skip", "principal": "bot",
            "trigger": { "on": "cron", "pattern": "0 9 * * *", "timezone": "UTC" }, "next": "2027-01-01T09:00:00Z" });
        let ended = json!({ "name": "after", "task": "task_2", "overlap": "allow_all", "principal": "bot",
            "trigger": { "on": "run_ended" }, "paused": "too loud" });
        insta::assert_snapshot!(list(&[morning, ended]).render(OutputReader::Pipe, &()), @r"
        AUTOMATION  TRIGGER             NEXT                  OVERLAP    TASK    PRINCIPAL
        morning     cron 0 9 * * * UTC  2027-01-01T09:00:00Z  skip       task_1  bot
        after       end of a run        paused: too loud      allow_all  task_2  bot
        ");
    }

    #[test]
    fn a_start_that_did_not_happen_says_why() {
        let skipped = json!({ "at": "2027-01-01T09:00:00Z", "state": "skipped", "cause": "1",
            "reason": "the run before has not ended" });
        insta::assert_snapshot!(fires(&[skipped]).render(OutputReader::Pipe, &()), @r"
        AT                    STATE    RUN  REASON                        CAUSE
        2027-01-01T09:00:00Z  skipped       the run before has not ended  1
        ");
    }
}
