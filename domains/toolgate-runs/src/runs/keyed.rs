//! Runs under keys of their creators: asked for twice, created once.

use toolgate_core::run::Run;
use toolgate_core::{Refusal, codes};
use toolgate_store::{ActionStamp, RunError};

use super::Runs;
use crate::checks;
use crate::refusal::{down, refusal};
use crate::view::{KeyedRun, NewRun};

impl Runs {
    /// The run that its creator has under this key, or a new one.
    pub async fn create_keyed(&self, key: &str, new: NewRun) -> Result<KeyedRun, Refusal> {
        checks::run_key(key)?;
        if let Some(known) = self.known(key, &new).await? {
            return Ok(KeyedRun::Known(known));
        }
        let run = self.draft(new.clone()).await?;
        let (by, at_ms) = (run.created_by.clone(), run.created_at_ms);
        let act = ActionStamp { by: &by, at_ms };
        match self.desk.books.create_keyed_run(run, key, act).await {
            Ok(run) => Ok(KeyedRun::Made(run)),
            // Somebody was faster.
            Err(RunError::KeyTaken { run }) => Ok(KeyedRun::Known(same(self.get(&run).await?, key, &new)?)),
            Err(error) => Err(refusal(error)),
        }
    }

    async fn known(&self, key: &str, new: &NewRun) -> Result<Option<Run>, Refusal> {
        let found = self.desk.store.keyed_run(&new.created_by, key).await.map_err(|error| down(&error))?;
        let Some(id) = found else { return Ok(None) };
        same(self.get(&id).await?, key, new).map(Some)
    }
}

/// The run, if it is what was asked for now.
fn same(run: Run, key: &str, new: &NewRun) -> Result<Run, Refusal> {
    let differs = match () {
        () if run.task != new.task => "task",
        () if new.agent.as_ref().is_some_and(|agent| *agent != run.agent) => "agent",
        () if run.parent != new.parent => "parent",
        () if run.principal != new.principal => "principal",
        () => return Ok(run),
    };
    let message = format!("{} was created under the key {key:?} with another {differs}", run.id);
    Err(Refusal::new(&codes::RUN_KEY_REUSED, message).field("key"))
}
