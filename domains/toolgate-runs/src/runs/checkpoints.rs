//! Saved states: their bytes first, then their row, number and event in one transaction.

use toolgate_core::content::ContentHolder;
use toolgate_core::id::RunId;
use toolgate_core::{Refusal, stop_point};
use toolgate_store::{NewCheckpoint, RunCheckpoint, SavedCheckpoint};

use super::Runs;
use crate::checks;
use crate::contents::{StateAddress, StateBytes};
use crate::refusal::{down, refusal};
use crate::view::StateSource;

/// The prefix of ids that the gateway gives.
const ID_PREFIX: &str = "cp_";

impl Runs {
    /// Saves a state of a run. The same state under the same id again changes nothing.
    pub async fn checkpoint(
        &self,
        run: &RunId,
        id: Option<String>,
        source: StateSource,
        holder: &ContentHolder,
    ) -> Result<SavedCheckpoint, Refusal> {
        let id = id.unwrap_or_else(|| self.desk.clock.fresh_id(ID_PREFIX));
        checks::word(&id, "checkpoint_id")?;
        let StateBytes { digest, bytes, media_type } = self.state(source, holder).await?;
        stop_point::reach("state stored");
        let new = NewCheckpoint { id, digest, bytes, media_type, call: holder.call.clone() };
        let act = self.desk.act(&holder.principal.id);
        self.desk.books.checkpoint_run(run, &new, act).await.map_err(refusal)
    }

    async fn state(&self, source: StateSource, holder: &ContentHolder) -> Result<StateBytes, Refusal> {
        match source {
            StateSource::Json(mut value) => {
                // The same state has the same bytes, however its members are ordered.
                value.sort_all_objects();
                let text = value.to_string();
                checks::state_json(text.len())?;
                self.desk.contents.put_state(text).await
            }
            StateSource::Stored(id) => {
                let found = self.desk.contents.find_state(holder, &id).await;
                let found = found.map_err(|refusal| refusal.field("state_file_id"))?;
                checks::state_bytes(found.bytes)?;
                Ok(found)
            }
        }
    }

    /// The latest saved state of a run.
    pub async fn latest_checkpoint(&self, run: &RunId) -> Result<Option<RunCheckpoint>, Refusal> {
        self.desk.store.latest_checkpoint(run).await.map_err(|error| down(&error))
    }

    /// The text of a state of a few bytes, if it is text.
    pub async fn read_state(&self, saved: &RunCheckpoint) -> Result<Option<String>, Refusal> {
        self.desk.contents.read_state(&bytes_of(saved)).await
    }

    /// An address that opens the state.
    pub async fn state_address(&self, saved: &RunCheckpoint) -> Result<StateAddress, Refusal> {
        self.desk.contents.address(&bytes_of(saved)).await
    }
}

fn bytes_of(saved: &RunCheckpoint) -> StateBytes {
    StateBytes { digest: saved.digest, bytes: saved.bytes, media_type: saved.media_type.clone() }
}
