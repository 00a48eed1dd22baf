//! Reports of an agent about its own work: steps, and calls of tools that the gateway does not see.

use serde_json::{Value, json};
use toolgate_core::event::Durability;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::{CallKind, RunCall, RunState, ended};
use toolgate_core::{CanonicalName, stop_point};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::report::{NotePhase, NoteSubject, RunNote};
use super::{budget, events};
use crate::books::Books;

/// The maximum number of events that a run has. A run that needs more has child runs.
pub const RUN_EVENTS_MAX: u64 = 100_000;

impl Books {
    /// Puts a report into a run that has started and not ended, and returns its number. The start of a tool call uses up
    /// the budget as a call through the gateway does.
    pub async fn note_in_run(
        &self,
        id: &RunId,
        note: &RunNote,
        act: ActionStamp<'_>,
    ) -> Result<u64, RunError> {
        let mut held = HeldRun::take(self, id, act, Durability::OnDisk, "log in a run").await?;
        check_open(&held)?;
        let bytes = note.data.as_ref().map_or(0, |data| data.to_string().len());
        if note.subject == NoteSubject::ToolCall && note.phase == NotePhase::Start {
            let call = as_call(note, bytes);
            let mut above = held.above().await?;
            if let Some(exhausted) = budget::exhausted(&held, &above, &call) {
                return budget::refuse(held, exhausted).await.map(|()| 0);
            }
            budget::charge(&mut held, &mut above, &call, 1).await?;
        }
        held.kept.run.events += 1;
        held.save_own().await?;
        let run = held.run().clone();
        let event = events::noted(&run, note, bytes, held.act());
        held.log(&run, event, Some(&shown(note))).await?;
        stop_point::reach("run noted");
        held.commit().await.map(|run| run.events)
    }
}

/// Reports are taken while a run is running or paused, and while it has room for them.
pub(super) fn check_open(held: &HeldRun<'_>) -> Result<(), RunError> {
    let run = held.run();
    match run.state {
        RunState::Pending => Err(RunError::NotStarted { run: run.id.clone() }),
        state if state.is_final() => Err(ended(&run.id, state).into()),
        _ if run.events >= RUN_EVENTS_MAX => Err(RunError::TooManyEvents { max: RUN_EVENTS_MAX }),
        _ => Ok(()),
    }
}

fn as_call(note: &RunNote, bytes: usize) -> RunCall {
    RunCall {
        call: note.call.clone().unwrap_or_else(|| CallId::new(note.name.as_str())),
        tool: CanonicalName::recorded(&note.name),
        kind: CallKind::Data,
        bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
    }
}

/// The report as the run's own list has it: with its data.
fn shown(note: &RunNote) -> Value {
    let mut shown = json!({ "name": note.name, "event": note.phase.as_str() });
    if let Some(success) = note.success {
        shown["success"] = json!(success);
    }
    if let Some(duration_ms) = note.duration_ms {
        shown["duration_ms"] = json!(duration_ms);
    }
    if let Some(data) = &note.data {
        shown["data"] = data.clone();
    }
    shown
}
