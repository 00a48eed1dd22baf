//! The agents of one gateway process: their start, their chats, and the watch of their answers.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;
use toolgate_core::id::RunId;
use toolgate_core::run::{AgentLoop, LoopTurn, NewLoop, StoredMessage};
use toolgate_core::{PrincipalId, Refusal, codes};

use crate::desk::{AgentsSetup, LoopDesk};
use crate::error::{down, refusal};
use crate::settings::{GOAL_BYTES_MAX, INSTRUCTIONS_BYTES_MAX, PAGE_MAX, SCHEMA_BYTES_MAX};
use crate::watch::LoopPiece;
use crate::{prompt, tokens, worker};

/// Live; one per gateway process.
pub struct Agents {
    desk: Arc<LoopDesk>,
    tasks: TaskTracker,
}

/// Messages of a run, oldest first.
#[derive(Clone, PartialEq, Debug)]
pub struct ChatPage {
    pub messages: Vec<StoredMessage>,
    /// The `after` of the next page.
    pub next: Option<u64>,
}

impl Agents {
    /// From now on this gateway takes up loops that are due.
    pub fn start(setup: AgentsSetup) -> Arc<Agents> {
        let desk = Arc::new(LoopDesk::new(setup));
        let tasks = TaskTracker::new();
        tasks.spawn(worker::run(Arc::clone(&desk), tasks.clone()));
        Arc::new(Agents { desk, tasks })
    }

    /// Gives a run its loop, and lets it begin. `system` has the instructions of the task; the words of the gateway come in front of
    /// them, and the goal gets the names of the run's files.
    pub async fn begin(&self, new: NewLoop, by: &PrincipalId) -> Result<(), Refusal> {
        let new = self.checked(new).await?;
        let goal_tokens = tokens::of_text(&new.goal);
        let created = self.desk.books.create_loop(new, goal_tokens, self.desk.act(by)).await;
        created.map_err(refusal)?;
        self.desk.bell.notify_one();
        Ok(())
    }

    /// Lets a new run go on from the end of a turn of another one. `system` is that of the other loop as it is stored, and the goal is
    /// among the messages that are kept.
    pub async fn retry(
        &self,
        run: &RunId,
        turn: u64,
        new: NewLoop,
        by: &PrincipalId,
    ) -> Result<AgentLoop, Refusal> {
        self.check_model(&new)?;
        let forked = self.desk.books.fork_loop(run, turn, new, self.desk.act(by)).await.map_err(refusal)?;
        self.desk.bell.notify_one();
        Ok(forked)
    }

    /// One page of the messages after a number.
    pub async fn chat(&self, run: &RunId, after: u64, limit: usize) -> Result<ChatPage, Refusal> {
        let limit = limit.clamp(1, PAGE_MAX);
        let messages = self.desk.store.loop_messages(run, after, limit).await.map_err(refusal)?;
        let next = messages.last().filter(|_| messages.len() == limit).map(|last| last.number);
        Ok(ChatPage { messages, next })
    }

    /// The turns after a number, oldest first.
    pub async fn turns(&self, run: &RunId, after: u64, limit: usize) -> Result<Vec<LoopTurn>, Refusal> {
        let turns = self.desk.store.loop_turns(run, after, limit.clamp(1, PAGE_MAX)).await;
        turns.map_err(|error| down(&error))
    }

    /// The loop of a run that the gateway drives; `None` for others.
    pub async fn find(&self, run: &RunId) -> Result<Option<AgentLoop>, Refusal> {
        self.desk.store.agent_loop(run).await.map_err(|error| down(&error))
    }

    /// The pieces of answers of a run, if this gateway drives it.
    pub fn watch(&self, run: &RunId) -> broadcast::Receiver<LoopPiece> {
        self.desk.watchers.watch(run)
    }

    /// To be called after a run was paused, cancelled or resumed. A request to the model is dropped; calls of a run that has ended are
    /// cancelled, and those of a paused run come to their end.
    pub async fn interrupt(&self, run: &RunId) {
        self.desk.driven.halt(run);
        self.desk.bell.notify_one();
    }

    /// Ends the work and gives the leases back, so that other gateways go on at once.
    pub async fn stop(&self) {
        self.desk.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn checked(&self, new: NewLoop) -> Result<NewLoop, Refusal> {
        check_bytes("goal", new.goal.len(), GOAL_BYTES_MAX)?;
        check_bytes("instructions", new.system.len(), INSTRUCTIONS_BYTES_MAX)?;
        let schema_bytes = new.outcome_schema.as_ref().map_or(0, |schema| schema.as_bytes().len());
        check_bytes("outcome_schema", schema_bytes, SCHEMA_BYTES_MAX)?;
        self.check_model(&new)?;
        let run = self.desk.runs.get(&new.run).await?;
        Ok(NewLoop {
            system: prompt::system(&new.system, new.outcome_schema.as_ref()),
            goal: prompt::goal(&new.goal, &run.input),
            ..new
        })
    }

    fn check_model(&self, new: &NewLoop) -> Result<(), Refusal> {
        if self.desk.models.definition(&new.model).is_some() {
            return Ok(());
        }
        let message = format!("there is no model {:?}", new.model.as_str());
        Err(Refusal::new(&codes::INVALID_ARGUMENTS, message)
            .field("model")
            .hint("`toolgate models list` names the models that are configured"))
    }
}

fn check_bytes(field: &'static str, bytes: usize, max: usize) -> Result<(), Refusal> {
    match bytes <= max {
        true => Ok(()),
        false => {
            let message = format!("`{field}` has at most {max} bytes; this has {bytes}");
            Err(Refusal::new(&codes::INVALID_ARGUMENTS, message)
                .field(field)
                .hint("give long texts as files of the task"))
        }
    }
}
