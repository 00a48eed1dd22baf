//! Tasks as a person reads them.

use serde_json::Value;

use crate::command::shown::{count, facts, one_line, several, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(tasks: &[Value]) -> TextTable {
    let mut table = TextTable::new(["TASK", "NAME", "AGENT", "BUDGET", "CREATED BY", "UPDATED"]);
    for task in tasks {
        let own = |key: &str| text(&task[key]).to_owned();
        table.row([
            own("id"),
            own("name"),
            own("agent"),
            budget(&task["budget"]),
            own("created_by"),
            own("updated_at"),
        ]);
    }
    table
}

pub(super) fn show(task: &Value) -> String {
    let own = |key: &str| text(&task[key]).to_owned();
    let lines = facts(&[
        ("name", own("name")),
        ("description", own("description")),
        ("goal", one_line(&task["goal"])),
        ("model", own("model")),
        ("agent", own("agent")),
        ("budget", budget(&task["budget"])),
        ("created by", own("created_by")),
        ("created", own("created_at")),
        ("updated", own("updated_at")),
        ("version", task["version"].as_u64().map(count).unwrap_or_default()),
    ]);
    format!("{}\n{lines}", printable(text(&task["id"])))
}

fn budget(budget: &Value) -> String {
    let limits = [
        ("calls", "call"),
        ("seconds", "second"),
        ("bytes", "byte"),
        ("turns", "turn"),
        ("tokens", "token"),
        ("cost_micros", "millionth of money"),
    ];
    let told = limits.iter().filter_map(|(key, noun)| Some(several(budget[*key].as_u64()?, noun)));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn tasks_are_listed_in_one_line_each_and_shown_with_their_budgets() {
        let defined = json!({ "id": "task_1", "name": "Tailor", "description": "", "budget": { "calls": 1, "seconds": 60 },
            "created_by": "local", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "version": 2 });
        insta::assert_snapshot!(list(std::slice::from_ref(&defined)).render(OutputReader::Pipe, &()), @r"
        TASK    NAME    AGENT  BUDGET              CREATED BY  UPDATED
        task_1  Tailor         1 call, 60 seconds  local       2026-01-02T00:00:00Z
        ");
        assert!(show(&defined).contains("  budget      1 call, 60 seconds\n"));
    }
}
