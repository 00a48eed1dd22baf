//! `run.log_step` and `run.log_tool_call`: the steps of a loop that the gateway does not see.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{NotePhase, NoteSubject, RunNote};

use super::flat_names::FLAT_NAMES_END_MS;
use super::visible::changeable;
use crate::runs::Runs;

pub(super) const LOG_STEP: ToolDefinition = ToolDefinition::writes(
    "run.log_step",
    "Log a step of a run",
    "Reports the start or the end of a step of your own loop.",
)
.old_names(&[OldName { name: "log_step", until_ms: FLAT_NAMES_END_MS }])
.traits(&[ToolTrait::OwnRecord])
.kind(CallKind::Control);

pub(super) const LOG_TOOL_CALL: ToolDefinition = ToolDefinition::writes(
    "run.log_tool_call",
    "Log a tool call of a run",
    "Reports the start or the end of a tool call that you make without the gateway. A start uses up the budget of calls.",
)
.old_names(&[OldName { name: "log_tool_call", until_ms: FLAT_NAMES_END_MS }])
.traits(&[ToolTrait::OwnRecord])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct LogStepArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    step_name: String,
    event: LoggedPhase,
    /// Any JSON
    data: Option<Value>,
    duration_ms: Option<u64>,
    /// Of its end
    #[serde(default = "yes")]
    success: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct LogToolCallArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    tool_name: String,
    event: LoggedPhase,
    /// Of its start
    arguments: Option<Value>,
    /// Of its end
    result: Option<Value>,
    duration_ms: Option<u64>,
    /// Of its end
    #[serde(default = "yes")]
    success: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoggedPhase {
    Start,
    Complete,
}

fn yes() -> bool {
    true
}

impl LoggedPhase {
    fn phase(self) -> NotePhase {
        match self {
            LoggedPhase::Start => NotePhase::Start,
            LoggedPhase::Complete => NotePhase::Complete,
        }
    }

    /// A start has no outcome yet.
    fn outcome(self, success: bool) -> Option<bool> {
        match self {
            LoggedPhase::Start => None,
            LoggedPhase::Complete => Some(success),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LoggedOutput {
    run_id: String,
    /// The number of the event in the run
    sequence: u64,
}

pub(super) async fn log_step(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: LogStepArguments,
) -> Result<ToolReply<LoggedOutput>, Refusal> {
    let LogStepArguments { run_id, step_name, event, data, duration_ms, success } = arguments;
    let note = RunNote {
        subject: NoteSubject::Step,
        name: step_name,
        phase: event.phase(),
        success: event.outcome(success),
        duration_ms,
        data,
        call: context.call().cloned(),
    };
    log(&runs, &context, run_id, &note).await
}

pub(super) async fn log_tool_call(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: LogToolCallArguments,
) -> Result<ToolReply<LoggedOutput>, Refusal> {
    let LogToolCallArguments { run_id, tool_name, event, arguments, result, duration_ms, success } =
        arguments;
    let note = RunNote {
        subject: NoteSubject::ToolCall,
        name: tool_name,
        phase: event.phase(),
        success: event.outcome(success),
        duration_ms,
        data: both(arguments, result),
        call: context.call().cloned(),
    };
    log(&runs, &context, run_id, &note).await
}

/// Arguments and result as one object.
fn both(arguments: Option<Value>, result: Option<Value>) -> Option<Value> {
    let mut data = json!({});
    if let Some(arguments) = arguments {
        data["arguments"] = arguments;
    }
    if let Some(result) = result {
        data["result"] = result;
    }
    (data != json!({})).then_some(data)
}

async fn log(
    runs: &Runs,
    context: &ToolContext,
    run_id: Option<String>,
    note: &RunNote,
) -> Result<ToolReply<LoggedOutput>, Refusal> {
    let run = changeable(runs, context, run_id).await?;
    let sequence = runs.note(&run.id, note, &context.principal().id).await?;
    let data = LoggedOutput { run_id: run.id.to_string(), sequence };
    Ok(ToolReply::new(data).refs([ObjectRef::Run { id: run.id }]))
}
