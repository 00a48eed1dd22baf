//! The ledger events about tasks, runs and questions. They contain no prompts, answers or summaries, which
//! may be anything.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::PrincipalId;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::id::{CallId, TaskId};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{InputRequest, RequiredAction, Run, RunState, Task};

use super::held::{ActionStamp, RunStep};
use super::report::{RunCheckpoint, RunNote};
use super::row::StoredRun;

pub(super) fn task_changed(task: &Task, act: ActionStamp<'_>) -> Event {
    let change = if task.row_version == 1 { "created" } else { "changed" };
    let detail = json!({ "change": change, "name": task.name, "agent": task.agent, "budget": task.budget,
        "version": task.row_version });
    of_task(&task.id, act, detail)
}

pub(super) fn task_deleted(id: &TaskId, act: ActionStamp<'_>) -> Event {
    of_task(id, act, json!({ "change": "deleted" }))
}

fn of_task(id: &TaskId, act: ActionStamp<'_>, detail: Value) -> Event {
    let about = EventSubject { task: Some(id.shared()), ..EventSubject::default() };
    event(EventKind::TaskChanged, about, act, detail)
}

pub(super) fn created(run: &Run, act: ActionStamp<'_>) -> Event {
    let files: Vec<Value> =
        run.input.iter().map(|file| json!({ "file": file.file, "digest": file.digest })).collect();
    let detail = json!({ "agent": run.agent, "principal": run.principal, "parent": run.parent,
        "budget": run.budget, "input": files, "manifest": run.manifests.input, "number": run.events });
    event(EventKind::RunCreated, about(run, None), act, detail)
}

/// A run took a step from this state.
pub(super) fn stepped(kept: &StoredRun, from: RunState, act: ActionStamp<'_>, step: RunStep<'_>) -> Event {
    let run = &kept.run;
    let kind = match (from, run.state) {
        (RunState::Pending, RunState::Running) => EventKind::RunStarted,
        (_, RunState::Running) => EventKind::RunResumed,
        (_, RunState::Paused) => EventKind::RunPaused,
        _ => EventKind::RunEnded,
    };
    let mut detail = json!({ "from": from, "to": run.state, "number": run.events });
    if let Some(reason) = &run.reason {
        detail["reason"] = json!(reason);
    }
    if let Some(action) = step.action {
        detail["action"] = told_action(action);
    }
    if run.state.is_final() {
        detail["used"] = json!(run.used);
    }
    if let Some(artifacts) = &kept.output {
        detail["artifacts"] = json!(artifacts);
    }
    if let Some(manifest) = run.manifests.output.filter(|_| run.state.is_final()) {
        detail["manifest"] = json!(manifest);
    }
    event(kind, about(run, step.call), act, detail)
}

fn told_action(action: &RequiredAction) -> Value {
    json!({ "kind": action.kind, "id": action.id, "since": rfc3339(action.since_ms), "how": action.how })
}

/// The agent of a run reports a step or a call of its own. Its data may be anything, so only their size is told.
pub(super) fn noted(run: &Run, note: &RunNote, data_bytes: usize, act: ActionStamp<'_>) -> Event {
    let mut detail = json!({ "number": run.events, "name": note.name, "event": note.phase.as_str(),
        "data_bytes": data_bytes });
    if let Some(success) = note.success {
        detail["success"] = json!(success);
    }
    if let Some(duration_ms) = note.duration_ms {
        detail["duration_ms"] = json!(duration_ms);
    }
    event(note.subject.kind(), about(run, note.call.as_ref()), act, detail)
}

pub(super) fn saved(
    run: &Run,
    checkpoint: &RunCheckpoint,
    call: Option<&CallId>,
    act: ActionStamp<'_>,
) -> Event {
    let detail = json!({ "number": run.events, "checkpoint": checkpoint.id, "digest": checkpoint.digest,
        "bytes": checkpoint.bytes });
    event(EventKind::RunCheckpoint, about(run, call), act, detail)
}

pub(super) fn input_requested(input: &InputRequest, run: &Run, act: ActionStamp<'_>) -> Event {
    let slot = &input.slot;
    let detail = json!({ "input": input.id, "slot_id": slot.slot_id, "slot_type": slot.slot_type,
        "options": slot.options.len(), "action": told_action(&action_of(input)) });
    event(EventKind::InputRequested, about_input(input, run), act, detail)
}

/// The action that a run with this question waits for. Its words are the gateway's own: those of the question may be anything.
pub(super) fn action_of(input: &InputRequest) -> RequiredAction {
    let (kind, id) = (input.slot.purpose.action(), input.id.to_string());
    RequiredAction { how: kind.how(&id), kind, id, since_ms: input.created_at_ms }
}

pub(super) fn input_resolved(input: &InputRequest, run: &Run, act: ActionStamp<'_>) -> Event {
    let mut detail = json!({ "input": input.id, "slot_id": input.slot.slot_id, "state": input.state });
    if input.answer.is_some() {
        detail["via"] = json!(input.via);
    }
    event(EventKind::InputResolved, about_input(input, run), act, detail)
}

fn about_input(input: &InputRequest, run: &Run) -> EventSubject {
    EventSubject { session: input.session.clone().or(run.session.clone()), ..about(run, input.call.as_ref()) }
}

/// An event of a run that the gateway drives.
pub(crate) fn of_loop(kind: EventKind, run: &Run, act: ActionStamp<'_>, detail: Value) -> Event {
    event(kind, about(run, None), act, detail)
}

fn about(run: &Run, call: Option<&CallId>) -> EventSubject {
    EventSubject {
        session: run.session.clone(),
        run: Some(run.id.clone()),
        task: run.task.as_ref().map(TaskId::shared),
        call: call.cloned(),
        ..EventSubject::default()
    }
}

fn event(kind: EventKind, about: EventSubject, act: ActionStamp<'_>, detail: Value) -> Event {
    let by: PrincipalId = act.by.clone();
    Event { detail: Some(detail.into()), ..Event::new(kind, act.at_ms, by, Arc::new(about)) }
}
