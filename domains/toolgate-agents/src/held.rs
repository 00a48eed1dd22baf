//! A loop under this gateway's lease: its rows as they were read, and the writes that need the lease.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::model::ModelMessage;
use toolgate_core::run::{AgentLoop, LoopTurn, Run, RunState};
use toolgate_store::{ActionStamp, LoopLease, NewMessage};

use crate::desk::LoopDesk;
use crate::error::DriveError;
use crate::history::History;
use crate::settings::PAGE_MAX;
use crate::tokens;

pub(crate) struct LeasedLoop {
    pub(crate) desk: Arc<LoopDesk>,
    pub(crate) lease: LoopLease,
    pub(crate) run: Run,
    pub(crate) agent_loop: AgentLoop,
    pub(crate) history: History,
    /// The current turn, if there was one.
    pub(crate) last_turn: Option<LoopTurn>,
    /// Ends when the run is paused or cancelled, or the gateway ends.
    pub(crate) halt: CancellationToken,
}

/// The way of a loop after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopPace {
    /// The next step follows.
    Next,
    /// It waits for people. The lease was given back.
    Waits,
    /// Its run has ended, or is paused.
    Rests,
    /// It goes on at this moment, here or elsewhere.
    Later { wake_at_ms: i64 },
}

impl LeasedLoop {
    /// Reads all that changed since.
    pub(crate) async fn refresh(&mut self) -> Result<(), DriveError> {
        let store = &self.desk.store;
        self.run = self.desk.runs.get(&self.run.id).await?;
        let agent_loop = store.agent_loop(&self.run.id).await?;
        self.agent_loop = agent_loop.ok_or(DriveError::Lost)?;
        let before = self.agent_loop.turn.checked_sub(1);
        self.last_turn = match before {
            Some(before) => store.loop_turns(&self.run.id, before, 1).await?.into_iter().next(),
            None => None,
        };
        self.read_messages().await
    }

    /// Reads all messages again: a fold changes earlier ones.
    pub(crate) async fn reread(&mut self) -> Result<(), DriveError> {
        self.history = History::default();
        self.refresh().await
    }

    async fn read_messages(&mut self) -> Result<(), DriveError> {
        loop {
            let after = self.history.last_number();
            let page = self.desk.store.loop_messages(&self.run.id, after, PAGE_MAX).await?;
            let is_last = page.len() < PAGE_MAX;
            self.history.extend(page);
            if is_last {
                return Ok(());
            }
        }
    }

    /// True if its run is neither paused nor over.
    pub(crate) fn is_running(&self) -> bool {
        self.run.state == RunState::Running
    }

    pub(crate) fn act(&self) -> ActionStamp<'_> {
        self.desk.act(&self.run.principal)
    }

    /// Adds a line between two turns.
    pub(crate) async fn add_line(&mut self, line: ModelMessage, nudged: bool) -> Result<(), DriveError> {
        self.desk.books.add_loop_line(&self.lease, new_message(line), nudged, self.act()).await?;
        self.refresh().await
    }

    /// Ends a turn with its messages.
    pub(crate) async fn close_turn(
        &mut self,
        turn: u64,
        messages: Vec<ModelMessage>,
    ) -> Result<(), DriveError> {
        let messages = messages.into_iter().map(new_message).collect();
        self.desk.books.act_turn(&self.lease, turn, messages, self.act()).await?;
        self.refresh().await
    }

    /// The loop goes on a little later.
    pub(crate) fn later(&self) -> LoopPace {
        LoopPace::Later { wake_at_ms: self.desk.after(self.desk.settings.pause_after_trouble) }
    }

    /// The loop goes on at once, as soon as its run is running: here or elsewhere.
    pub(crate) fn halted(&self) -> LoopPace {
        LoopPace::Later { wake_at_ms: self.desk.clock.now_ms() }
    }
}

pub(crate) fn new_message(message: ModelMessage) -> NewMessage {
    NewMessage { tokens: tokens::of_message(&message), message }
}
