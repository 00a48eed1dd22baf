//! The refusals of an action in a run.

use toolgate_core::id::{InputId, RunId, TaskId};
use toolgate_core::run::{BadAnswer, InputRequest, RunState};
use toolgate_core::{Digest, Refusal};

use super::report::RunCheckpoint;
use super::stored_call::StoredRunCall;
use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    #[error("there is no task {0}")]
    UnknownTask(TaskId),
    #[error("there is no question {0}")]
    UnknownInput(InputId),
    /// Its creator has made another run under this key.
    #[error("{run} was made under the key before")]
    KeyTaken { run: RunId },
    /// The machine of its states has no such step.
    #[error(transparent)]
    Step(#[from] Refusal),
    /// It waits: for an answer, or for the operator who paused it.
    #[error("the run {run} is paused")]
    Paused { run: RunId, question: Option<Box<InputRequest>> },
    #[error("the run {run} is {}", state.as_str())]
    NotPaused { run: RunId, state: RunState },
    #[error("the run {run} is {}", state.as_str())]
    NotPending { run: RunId, state: RunState },
    /// Nothing is reported about a run before it has started.
    #[error("the run {run} has not started")]
    NotStarted { run: RunId },
    /// Another request ended it.
    #[error("the run {run} is {}", state.as_str())]
    EndedOtherwise { run: RunId, state: RunState },
    #[error("the run has {max} events, and no more are kept")]
    TooManyEvents { max: u64 },
    /// The same id has another state.
    #[error("the checkpoint {:?} was saved before", .0.id)]
    CheckpointTaken(Box<RunCheckpoint>),
    /// The bytes of a state are being deleted at this moment.
    #[error("the bytes {digest} are gone")]
    StateGone { digest: Digest },
    /// An artifact was stored after the output was put together.
    #[error("the run has stored more")]
    MoreStored,
    #[error("the budget of {} is used up", .0.run)]
    Exhausted(Box<BudgetExhausted>),
    /// The completed calls so far.
    #[error("{} calls of data tools have completed", completed.len())]
    TooEarly { completed: Vec<StoredRunCall> },
    /// Another question has the same id.
    #[error("the slot {:?} was asked for before", .0.slot.slot_id)]
    SlotTaken(Box<InputRequest>),
    /// It is no longer pending.
    #[error("the question {} is {}", .0.id, .0.state.as_str())]
    Resolved(Box<InputRequest>),
    #[error(transparent)]
    BadAnswer(#[from] BadAnswer),
    /// Calls that have not ended.
    #[error("{} calls are in flight", .0.len())]
    InFlight(Vec<StoredRunCall>),
    #[error("{} runs within it have not ended", .0.len())]
    OpenChildren(Vec<RunId>),
    #[error("it would have {max} runs above it")]
    TooDeep { max: u64 },
    #[error("{max} runs of the tree have not ended, and no more are allowed")]
    TooManyRuns { max: u64 },
    #[error("it is at version {current} now")]
    Stale { current: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The budget that refuses a call, and the limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BudgetExhausted {
    /// The run of the call, or one above it.
    pub run: RunId,
    /// `calls`, `bytes` or `seconds`.
    pub limit: &'static str,
    pub max: u64,
    pub used: u64,
    /// The amount that the call needed, if that exceeds the rest.
    pub wanted: u64,
}
