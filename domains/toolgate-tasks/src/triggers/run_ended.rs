//! The end of another run.

use serde::Deserialize;
use toolgate_core::event::{Event, EventKind};
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::run::RunState;

/// The part of the event's detail that counts.
#[derive(Deserialize)]
struct EndedRunDetail {
    to: RunState,
}

/// The run that ended, if it is of the task and ended in one of the states. No states stand for all.
pub(super) fn matches<'e>(task: Option<&TaskId>, states: &[RunState], event: &'e Event) -> Option<&'e RunId> {
    let state = final_state(event)?;
    let is_of_task = task.is_none_or(|task| event.about.task.as_deref() == Some(task.as_str()));
    let fits = is_of_task && (states.is_empty() || states.contains(&state));
    event.about.run.as_ref().filter(|_| fits)
}

/// The state that a run ended in, if the event tells of an end.
pub(crate) fn final_state(event: &Event) -> Option<RunState> {
    let detail = event.detail.as_ref().filter(|_| event.kind == EventKind::RunEnded)?;
    detail.decode::<EndedRunDetail>().ok().map(|step| step.to).filter(|state| state.is_final())
}
