//! The definitions of these tools: their names, what they say of themselves, and what a process without agents answers.

use std::collections::BTreeSet;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::platform::{PlatformTool, ToolPresence};
use toolgate_core::run::CallKind;

use super::*;

fn tool(name: &str) -> std::sync::Arc<PlatformTool> {
    let found = domain().tools().into_iter().find(|tool| tool.tool.name.as_str() == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn other_programs_find_these_tools_under_the_names_they_know() {
    let known = BTreeSet::from([
        "list_tasks",
        "get_task",
        "create_task",
        "delete_task",
        "create_task_run",
        "get_task_run_status",
        "get_task_run_chat",
        "list_active_runs",
        "list_automations",
        "force_tool_call",
        "cancel_run",
        "resolve_action",
        "create_automation",
    ]);
    let tools = domain().tools();
    let old: BTreeSet<&str> = tools.iter().flat_map(|tool| tool.old_names).map(|old| old.name).collect();
    assert_eq!(old, known);
    assert!(tools.iter().all(|tool| tool.tool.name.as_str().starts_with("task.")));
    assert!(
        tools.iter().all(|tool| tool.presence == ToolPresence::InScope && tool.kind == CallKind::Control)
    );
}

#[test]
fn each_tool_says_what_it_may_do() {
    for (name, changes, reaches_out, destroys) in [
        ("task.list", false, false, false),
        ("task.run.status", false, false, false),
        ("task.run.chat", false, false, false),
        ("task.run.active", false, false, false),
        ("task.automation.list", false, false, false),
        ("task.create", true, true, false),
        ("task.delete", true, false, true),
        ("task.run.create", true, true, false),
        ("task.automation.create", true, true, false),
        ("task.tool.force", true, true, false),
        ("task.action.resolve", true, false, false),
    ] {
        let definition: Value = tool(name).definition.decode().expect("JSON");
        let told = &definition["annotations"];
        assert_eq!(told["readOnlyHint"], !changes, "{name} {told}");
        assert_eq!(told["openWorldHint"] == false, !reaches_out, "{name} {told}");
        assert!(!changes || told["destructiveHint"] == destroys, "{name} {told}");
    }
}

#[test]
fn a_session_that_has_them_does_not_pay_much_for_their_words() {
    for tool in domain().tools() {
        let bytes = tool.definition.as_str().len();
        assert!(bytes <= 2_200, "{} takes {bytes} bytes", tool.wire);
    }
}

#[test]
fn a_process_that_runs_no_agents_says_so() {
    let refused = TaskTools::default().tasks().err().expect("nothing is connected");
    assert_eq!(refused.code, &codes::NOT_DRIVEN_HERE);
    assert!(refused.hint.contains("toolgate serve"), "{}", refused.hint);
}
