//! `task.automation.list`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::automation_output::{AutomationOutput, ref_of};
use super::flat_names::FLAT_NAMES_END_MS;
use super::state::TaskTools;

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;
/// The number of coming instants of each.
const NEXT_SHOWN: usize = 3;

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "task.automation.list",
    "List automations",
    "Lists automations, rules that start tasks, with their next instants.",
)
.old_names(&[OldName { name: "list_automations", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListAutomationsArguments {
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListAutomationsOutput {
    automations: Vec<AutomationOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: ListAutomationsArguments,
) -> Result<ToolReply<ListAutomationsOutput>, Refusal> {
    let tasks = tools.tasks()?;
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let page = tasks.automations(arguments.cursor.as_deref(), limit).await?;
    let refs: Vec<ObjectRef> = page.automations.iter().map(ref_of).collect();
    let shown = page.automations.iter().map(|automation| {
        AutomationOutput::of(automation, &tasks.next(automation, context.now_ms, NEXT_SHOWN))
    });
    let automations = shown.collect();
    Ok(ToolReply::new(ListAutomationsOutput { automations, next_cursor: page.next }).refs(refs))
}
