//! `task.tool.force`: a call by hand, on the path of every call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_core::{RawJson, Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::changeable_run;

use super::flat_names::FLAT_NAMES_END_MS;
use super::ports::ForcedCall;
use super::state::TaskTools;

const NAME: &str = "task.tool.force";
const FLAT_NAME: &str = "force_tool_call";
const WIRE_NAME: &str = "task__tool__force";

// What the named tool may destroy is gated at its own call.
pub(super) const FORCE: ToolDefinition = ToolDefinition::writes(
    NAME,
    "Make a call by hand",
    "Calls a tool in the place of an agent. Validation, policy, approval and ledger are those of every call; the ledger \
     says who forced it. With run_id, the call is made in that run. If it waits for people, the same call again goes on.",
)
.old_names(&[OldName { name: FLAT_NAME, until_ms: FLAT_NAMES_END_MS }])
.external()
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ForceToolArguments {
    /// The tool
    name: String,
    /// Its arguments
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The run in which the call is made
    run_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ForceToolOutput {
    tool: String,
    /// The outcome: succeeded, tool_error, denied, pending_approval, …
    status: &'static str,
    tool_call_id: String,
    forced_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

pub(super) async fn force(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: ForceToolArguments,
) -> Result<ToolReply<ForceToolOutput>, Refusal> {
    let ForceToolArguments { name, arguments, run_id } = arguments;
    let parts = tools.parts()?;
    if [NAME, FLAT_NAME, WIRE_NAME].contains(&name.as_str()) {
        let message = "a call by hand cannot be made by hand again";
        return Err(Refusal::new(&codes::INVALID_ARGUMENTS, message)
            .hint("name the tool itself")
            .field("name"));
    }
    let run = match run_id {
        Some(id) => Some(changeable_run(&parts.runs, &context, Some(id)).await?),
        None => None,
    };
    let ran_in = run.as_ref().map(|run| run.id.clone());
    let call = ForcedCall {
        name,
        arguments: RawJson::from(Value::Object(arguments)),
        by: context.holder.clone(),
        run,
    };
    let answer = parts.forced.call(call).await?;
    let data = ForceToolOutput {
        tool: answer.tool.to_string(),
        status: answer.status.as_str(),
        tool_call_id: answer.call.to_string(),
        forced_by: context.principal().id.to_string(),
        run_id: ran_in.as_ref().map(ToString::to_string),
        approval_id: answer.approval.map(|id| id.to_string()),
        result: answer.result,
        error: answer.error,
    };
    Ok(ToolReply::new(data).refs(ran_in.map(|id| ObjectRef::Run { id })))
}
