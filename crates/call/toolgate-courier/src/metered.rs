//! The events that are metered, and their data: executed tools, answers of models, and the lives of tasks and runs. Each kind has the
//! members that are listed here and nothing else, since receivers may check them against a closed schema.

use serde::{Deserialize, Serialize};
use toolgate_core::RawJson;
use toolgate_core::event::{Event, EventKind, Outcome, RecordedEvent};
use toolgate_core::run::RunState;

use crate::cloud_event;

/// The kinds of events that [`meter_event`] looks at.
pub(crate) const METERED_KINDS: &[EventKind] = &[
    EventKind::CallCompleted,
    EventKind::ModelCalled,
    EventKind::TaskChanged,
    EventKind::RunCreated,
    EventKind::RunStarted,
    EventKind::RunEnded,
];
/// The type of the event of an executed tool.
pub const METER_EVENT_TYPE: &str = "dev.toolgate.meter.tool";
/// The type of the event of a model's answer.
const MODEL_EVENT_TYPE: &str = "dev.toolgate.meter.model";
/// The type of the event of a task.
const TASK_EVENT_TYPE: &str = "dev.toolgate.meter.task";
/// The type of the event of a run.
const RUN_EVENT_TYPE: &str = "dev.toolgate.meter.run";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeteredCall<'a> {
    tool_name: Option<&'a str>,
    server_name: Option<&'a str>,
    run_id: Option<&'a str>,
    task_id: Option<&'a str>,
    duration_ms: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeteredAnswer<'a> {
    model: &'a str,
    run_id: Option<&'a str>,
    task_id: Option<&'a str>,
    turn: u64,
    /// All input; cached tokens are a part of it.
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    /// Millionths of a currency unit.
    cost_micros: u64,
    duration_ms: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeteredTask<'a> {
    /// `created` or `deleted`.
    event: &'a str,
    task_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeteredRun<'a> {
    /// `created`, `started`, `completed`, `partial`, `failed` or `cancelled`.
    event: &'a str,
    run_id: Option<&'a str>,
    task_id: Option<&'a str>,
    #[serde(flatten)]
    used: Option<MeteredUse>,
}

/// The use of the budget, at the end of a run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeteredUse {
    calls: u64,
    turns: u64,
    tokens: u64,
    cost_micros: u64,
    active_ms: u64,
}

/// The members of `model.called` that are metered.
#[derive(Deserialize)]
struct AnswerDetail {
    model: String,
    #[serde(default)]
    turn: u64,
    #[serde(default)]
    input: u64,
    #[serde(default)]
    cached: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    cost_micros: u64,
    #[serde(default)]
    duration_ms: u64,
}

#[derive(Deserialize)]
struct TaskDetail {
    change: String,
}

#[derive(Deserialize)]
struct EndDetail {
    to: RunState,
    #[serde(default)]
    used: UseDetail,
}

/// Earlier versions recorded fewer of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct UseDetail {
    calls: u64,
    turns: u64,
    tokens: u64,
    cost_micros: u64,
    active_ms: u64,
}

/// The meter event of a recorded event, if it is metered, and its id, by which a receiver recognises duplicates. An executed tool has
/// the id of its call.
pub fn meter_event(recorded: &RecordedEvent) -> Option<(String, RawJson)> {
    match recorded.event.kind {
        EventKind::CallCompleted => call(recorded),
        EventKind::ModelCalled => answer(recorded),
        EventKind::TaskChanged => task(recorded),
        EventKind::RunCreated => Some(run(recorded, "created", None)),
        EventKind::RunStarted => Some(run(recorded, "started", None)),
        EventKind::RunEnded => ended(recorded),
        _ => None,
    }
}

fn call(recorded: &RecordedEvent) -> Option<(String, RawJson)> {
    let event = &recorded.event;
    if !event.outcome.is_some_and(Outcome::is_executed) {
        return None;
    }
    let id = event.about.call.as_ref()?.as_str();
    let data = MeteredCall {
        tool_name: event.about.tool.as_ref().map(|tool| tool.as_str()),
        server_name: event.about.server.as_ref().map(|server| server.as_str()),
        run_id: run_id(event),
        task_id: event.about.task.as_deref(),
        duration_ms: event.duration_us.unwrap_or_default().unsigned_abs().div_ceil(1000),
    };
    let json = cloud_event::renamed(recorded, id, Some(METER_EVENT_TYPE), &data);
    Some((id.to_owned(), json))
}

fn answer(recorded: &RecordedEvent) -> Option<(String, RawJson)> {
    let event = &recorded.event;
    let detail: AnswerDetail = detail(event)?;
    let data = MeteredAnswer {
        model: &detail.model,
        run_id: run_id(event),
        task_id: event.about.task.as_deref(),
        turn: detail.turn,
        input_tokens: detail.input,
        cached_tokens: detail.cached,
        output_tokens: detail.output,
        cost_micros: detail.cost_micros,
        duration_ms: detail.duration_ms,
    };
    Some(told(recorded, MODEL_EVENT_TYPE, &data))
}

/// A change of a task is nothing that is paid for.
fn task(recorded: &RecordedEvent) -> Option<(String, RawJson)> {
    let TaskDetail { change } = detail(&recorded.event)?;
    let event = ["created", "deleted"].into_iter().find(|word| *word == change)?;
    let data = MeteredTask { event, task_id: recorded.event.about.task.as_deref() };
    Some(told(recorded, TASK_EVENT_TYPE, &data))
}

fn ended(recorded: &RecordedEvent) -> Option<(String, RawJson)> {
    let EndDetail { to, used } = detail(&recorded.event)?;
    let UseDetail { calls, turns, tokens, cost_micros, active_ms } = used;
    let used = MeteredUse { calls, turns, tokens, cost_micros, active_ms };
    Some(run(recorded, to.as_str(), Some(used)))
}

fn run(recorded: &RecordedEvent, word: &str, used: Option<MeteredUse>) -> (String, RawJson) {
    let event = &recorded.event;
    let data = MeteredRun { event: word, run_id: run_id(event), task_id: event.about.task.as_deref(), used };
    told(recorded, RUN_EVENT_TYPE, &data)
}

/// Under the id of the event itself.
fn told(recorded: &RecordedEvent, kind: &str, data: &impl Serialize) -> (String, RawJson) {
    let (id, _) = cloud_event::of_ledger(recorded);
    let json = cloud_event::renamed(recorded, &id, Some(kind), data);
    (id, json)
}

fn run_id(event: &Event) -> Option<&str> {
    event.about.run.as_ref().map(|run| run.as_str())
}

fn detail<T: for<'de> Deserialize<'de>>(event: &Event) -> Option<T> {
    event.detail.as_ref()?.decode().ok()
}
