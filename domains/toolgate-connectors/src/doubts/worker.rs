//! The worker of a doubt: asks a person in its run, and ends with the answer. While nobody has answered, the run is paused and the work
//! waits.

use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputRequest, InputState};
use toolgate_core::{Refusal, codes};
use toolgate_runs::{InputQuery, NewQuestion};
use toolgate_work::{WorkEnd, WorkItem, WorkProgress, Worker};

use super::doubt::{HAPPENED, LostCall};
use crate::connectors::Connectors;
use crate::refusal::closing;

/// The kind of the work and of its run.
pub(crate) const DOUBT_KIND: &str = "connector_doubt";

/// The desk owns its workers, and the connectors know the desk: the worker does not keep them alive.
pub(crate) struct DoubtWorker(Weak<Connectors>);

impl DoubtWorker {
    pub(crate) fn of(connectors: &Arc<Connectors>) -> Self {
        Self(Arc::downgrade(connectors))
    }
}

impl Worker for DoubtWorker {
    fn kind(&self) -> &'static str {
        DOUBT_KIND
    }

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        _progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>> {
        Box::pin(async move {
            let connectors = self.0.upgrade().ok_or_else(closing)?;
            let lost: LostCall = serde_json::from_value(work.input.clone())
                .map_err(|error| Refusal::new(&codes::INVALID_ARGUMENTS, format!("a doubt: {error}")))?;
            match connectors.asked(work).await? {
                Some(asked) if asked.state != InputState::Pending => Ok(end(&lost, &asked)),
                Some(_) => std::future::pending().await,
                None => {
                    connectors.ask(work, &lost).await?;
                    // The run is paused now, which interrupts the work until somebody answers.
                    std::future::pending().await
                }
            }
        })
    }
}

impl Connectors {
    /// The question of the work's run, if it was asked.
    async fn asked(&self, work: &WorkItem) -> Result<Option<InputRequest>, Refusal> {
        let query = InputQuery { run: Some(work.run.clone()), limit: 1, ..InputQuery::default() };
        Ok(self.runs.inputs(query).await?.inputs.into_iter().next())
    }

    async fn ask(&self, work: &WorkItem, lost: &LostCall) -> Result<(), Refusal> {
        let question = NewQuestion {
            run: work.run.clone(),
            session: None,
            call: Some(lost.call.clone()),
            principal: work.actor.principal.clone(),
            slot: lost.question(),
        };
        self.runs.ask_at_once(question).await.map(drop)
    }
}

fn end(lost: &LostCall, asked: &InputRequest) -> WorkEnd {
    let answer: Option<Value> = asked.answer.as_ref().and_then(|answer| answer.decode().ok());
    let happened = answer.map(|answer| answer == HAPPENED);
    let result =
        json!({ "call": lost.call, "tool": lost.tool, "happened": happened, "said_by": asked.answered_by });
    WorkEnd { result, ..WorkEnd::default() }
}
