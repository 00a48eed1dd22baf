//! A run that the gateway drives itself: its model, its frozen tools, its turns and its messages, as they are stored.

use super::action::RequiredAction;
use crate::id::RunId;
use crate::model::{ModelMessage, ModelName, ModelUsage, OfferedTool, StopReason};
use crate::{Digest, RawJson};

/// A loop that is created together with its run.
#[derive(Clone, PartialEq, Debug)]
pub struct NewLoop {
    pub run: RunId,
    pub model: ModelName,
    /// The instructions in front of all messages.
    pub system: String,
    /// The first message.
    pub goal: String,
    /// The schema that the result of `complete_workflow` must fit.
    pub outcome_schema: Option<RawJson>,
}

/// The loop of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentLoop {
    pub run: RunId,
    pub model: ModelName,
    pub system: String,
    pub outcome_schema: Option<RawJson>,
    /// Sorted by name. `None` until its first turn freezes them.
    pub tools: Option<Vec<OfferedTool>>,
    pub state: LoopState,
    /// Set while it waits.
    pub action: Option<RequiredAction>,
    /// The number of its current turn, from 1; 0 before the first.
    pub turn: u64,
    /// The number of its last message.
    pub last_message: u64,
    pub usage: ModelUsage,
    pub cost_micros: u64,
    /// The number of the lease. A write under an older number is refused.
    pub fence: u64,
    /// The gateway that works on it, by its stream.
    pub owner: Option<String>,
    /// Consecutive faults of folding.
    pub fold_faults: u64,
    /// True after it was told that it repeats itself.
    pub nudged: bool,
}

/// `ready → waiting → ready → done`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopState {
    /// Any gateway may work on it, if no other does.
    Ready,
    /// Its run is paused. It costs nothing.
    Waiting,
    /// Its run has ended.
    Done,
}

impl LoopState {
    pub const ALL: [LoopState; 3] = [LoopState::Ready, LoopState::Waiting, LoopState::Done];

    pub fn as_str(self) -> &'static str {
        match self {
            LoopState::Ready => "ready",
            LoopState::Waiting => "waiting",
            LoopState::Done => "done",
        }
    }

    pub fn parse(text: &str) -> Option<LoopState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// `asked → answered → acted`, or `failed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPhase {
    /// The request was built and its digest is stored. Asking again costs money only.
    Asked,
    /// The answer and all calls that it plans are stored.
    Answered,
    /// The results of all calls are stored.
    Acted,
    /// The model gave no answer.
    Failed,
}

impl TurnPhase {
    pub const ALL: [TurnPhase; 4] =
        [TurnPhase::Asked, TurnPhase::Answered, TurnPhase::Acted, TurnPhase::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            TurnPhase::Asked => "asked",
            TurnPhase::Answered => "answered",
            TurnPhase::Acted => "acted",
            TurnPhase::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<TurnPhase> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }
}

/// One turn: a request to the model, its answer, and the calls that it planned.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopTurn {
    pub turn: u64,
    /// The number of requests until there was an answer.
    pub attempts: u64,
    pub phase: TurnPhase,
    pub model: ModelName,
    pub request: Digest,
    pub usage: ModelUsage,
    pub cost_micros: u64,
    pub stop: Option<StopReason>,
    /// The last fault of the model.
    pub fault: Option<String>,
    pub asked_at_ms: i64,
    pub answered_at_ms: Option<i64>,
    pub acted_at_ms: Option<i64>,
}

/// A message of a run. Messages are only ever added; a folded one stays, and is no longer sent.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredMessage {
    /// From 1, without a gap.
    pub number: u64,
    /// The turn that it belongs to; 0 for the goal.
    pub turn: u64,
    pub message: ModelMessage,
    /// About this many tokens.
    pub tokens: u64,
    /// The number of the message that stands for it since it was folded.
    pub folded_into: Option<u64>,
    /// Of its content; the ledger has it too, so that a changed message is noticed.
    pub digest: Digest,
    pub created_at_ms: i64,
}
