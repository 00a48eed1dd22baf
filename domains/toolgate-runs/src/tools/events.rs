//! `run.events`: the events of a run from a number on.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::event::EventKind;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::NumberedEvent;

use super::flat_names::FLAT_NAMES_END_MS;
use super::visible::seen;
use crate::runs::Runs;

const PAGE_USUAL: u16 = 100;
const PAGE_MAX: u16 = 200;
/// Longer answers would be taken out of the context. One event always fits.
const PAGE_BYTES_MAX: usize = 20 << 10;

pub(super) const EVENTS: ToolDefinition = ToolDefinition::reads(
    "run.events",
    "Read the events of a run",
    "Shows the events of a run after a number, oldest first: its states, steps, tool calls and checkpoints.",
)
.old_names(&[OldName { name: "get_run_events", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct RunEventsArguments {
    /// Usually the run of the session
    run_id: Option<String>,
    /// Only these
    #[serde(default)]
    event_types: Vec<RunEventType>,
    /// Only events after this number
    #[serde(default)]
    since_sequence: u64,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum RunEventType {
    #[serde(rename = "run.created")]
    Created,
    #[serde(rename = "run.started")]
    Started,
    #[serde(rename = "run.paused")]
    Paused,
    #[serde(rename = "run.resumed")]
    Resumed,
    #[serde(rename = "run.ended")]
    Ended,
    #[serde(rename = "run.step")]
    Step,
    #[serde(rename = "run.tool_call")]
    ToolCall,
    #[serde(rename = "run.checkpoint")]
    Checkpoint,
    #[serde(rename = "model.called")]
    ModelCalled,
    #[serde(rename = "run.messages")]
    Messages,
}

impl RunEventType {
    fn kind(self) -> EventKind {
        match self {
            RunEventType::Created => EventKind::RunCreated,
            RunEventType::Started => EventKind::RunStarted,
            RunEventType::Paused => EventKind::RunPaused,
            RunEventType::Resumed => EventKind::RunResumed,
            RunEventType::Ended => EventKind::RunEnded,
            RunEventType::Step => EventKind::RunStep,
            RunEventType::ToolCall => EventKind::RunToolCall,
            RunEventType::Checkpoint => EventKind::RunCheckpoint,
            RunEventType::ModelCalled => EventKind::ModelCalled,
            RunEventType::Messages => EventKind::RunMessages,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RunEventsOutput {
    run_id: String,
    events: Vec<RunEventOutput>,
    /// The number of the run's last event
    last_sequence: u64,
    /// since_sequence of the next page, if there may be one
    #[serde(skip_serializing_if = "Option::is_none")]
    next_since: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct RunEventOutput {
    sequence: u64,
    r#type: &'static str,
    at: String,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    /// The members of its type
    detail: Value,
}

pub(super) async fn events(
    runs: Arc<Runs>,
    context: ToolContext,
    arguments: RunEventsArguments,
) -> Result<ToolReply<RunEventsOutput>, Refusal> {
    let RunEventsArguments { run_id, event_types, since_sequence, limit } = arguments;
    let run = seen(&runs, &context, run_id).await?;
    let mut kinds: Vec<EventKind> = Vec::new();
    for kind in event_types.into_iter().map(RunEventType::kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let limit = usize::from(limit.clamp(1, PAGE_MAX));
    let found = runs.events(&run.id, since_sequence, &kinds, limit).await?;
    let (is_full, found_count) = (found.len() == limit, found.len());
    let events = fitting(found);
    let is_cut = events.len() < found_count || is_full;
    let data = RunEventsOutput {
        run_id: run.id.to_string(),
        next_since: events.last().filter(|_| is_cut).map(|last| last.sequence),
        last_sequence: run.events,
        events,
    };
    Ok(ToolReply::new(data).refs([ObjectRef::Run { id: run.id }]))
}

/// As many as an answer takes.
fn fitting(found: Vec<NumberedEvent>) -> Vec<RunEventOutput> {
    let (mut events, mut bytes) = (Vec::new(), 0);
    for event in found.into_iter().map(RunEventOutput::from) {
        bytes += event.detail.to_string().len() + event.by.len() + event.at.len();
        if !events.is_empty() && bytes > PAGE_BYTES_MAX {
            break;
        }
        events.push(event);
    }
    events
}

impl From<NumberedEvent> for RunEventOutput {
    fn from(event: NumberedEvent) -> Self {
        let NumberedEvent { number, kind, at_ms, principal, call, detail } = event;
        Self {
            sequence: number,
            r#type: kind.as_str(),
            at: rfc3339(at_ms),
            by: principal.to_string(),
            tool_call_id: call.map(|call| call.to_string()),
            detail,
        }
    }
}
