//! Reports of agents about their own work, and the events of a run by number.

use toolgate_core::event::EventKind;
use toolgate_core::id::RunId;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{NumberedEvent, RunNote};

use super::Runs;
use crate::checks;
use crate::refusal::{down, refusal};

impl Runs {
    /// Puts a report into a run that has started and not ended, and returns its number.
    pub async fn note(&self, run: &RunId, note: &RunNote, by: &PrincipalId) -> Result<u64, Refusal> {
        checks::word(&note.name, "name")?;
        checks::words(note.data.as_ref(), "data").map_err(|refusal| {
            refusal.hint("store it as an artifact (substrate.artifact.upload), and report its digest")
        })?;
        self.desk.books.note_in_run(run, note, self.desk.act(by)).await.map_err(refusal)
    }

    /// The events of a run after a number, oldest first. No kinds mean all of them.
    pub async fn events(
        &self,
        run: &RunId,
        after: u64,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<Vec<NumberedEvent>, Refusal> {
        self.desk.store.run_events(run, after, kinds, limit).await.map_err(|error| down(&error))
    }
}
