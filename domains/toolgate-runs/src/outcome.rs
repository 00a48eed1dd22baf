//! The check of a run's result against the schema of its task, at the end itself: whichever tool or answer ends the run.

use serde_json::Value;
use toolgate_core::id::RunId;
use toolgate_core::run::LoopState;
use toolgate_core::{RawJson, Refusal, codes};
use toolgate_store::RunCompletion;

use crate::desk::RunDesk;
use crate::refusal::down;

impl RunDesk {
    pub(crate) fn check_outcome(&self, schema: &RawJson, value: &Value) -> Result<(), String> {
        match self.outcomes.get() {
            Some(check) => check.check(schema, value),
            None => Err("this process cannot check results".to_owned()),
        }
    }

    /// Refuses the completion of a run whose task wants another result. Runs that have ended are the store's matter.
    pub(crate) async fn check_completion(
        &self,
        run: &RunId,
        completion: &RunCompletion,
    ) -> Result<(), Refusal> {
        let driven = self.store.agent_loop(run).await.map_err(|error| down(&error))?;
        let open = driven.filter(|driven| driven.state != LoopState::Done);
        let Some(schema) = open.and_then(|driven| driven.outcome_schema) else { return Ok(()) };
        let checked = match &completion.result {
            Some(result) => self.check_outcome(&schema, result),
            None => Err("there is no result".to_owned()),
        };
        checked.map_err(|why| unfitting(&why))
    }
}

fn unfitting(why: &str) -> Refusal {
    let message = format!("the run is not completed: its result does not fit the schema of its task ({why})");
    Refusal::new(&codes::INVALID_ARGUMENTS, message)
        .field("result")
        .hint("give a `result` that fits, or end with an answer that is the JSON of the result alone")
}
