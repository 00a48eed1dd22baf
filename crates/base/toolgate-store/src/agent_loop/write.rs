//! The values that are written to a loop.

use toolgate_core::model::{ModelMessage, ModelUsage, StopReason};

/// A message that is added.
#[derive(Clone, PartialEq, Debug)]
pub struct NewMessage {
    pub message: ModelMessage,
    /// About this many tokens.
    pub tokens: u64,
}

/// The answer of a model, with all calls that it plans.
#[derive(Clone, PartialEq, Debug)]
pub struct AnsweredTurn {
    pub turn: u64,
    pub message: ModelMessage,
    /// About this many tokens has the message.
    pub tokens: u64,
    pub usage: ModelUsage,
    pub cost_micros: u64,
    pub stop: StopReason,
    pub duration_ms: u64,
}

/// The use of a model for a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BilledSummary {
    pub usage: ModelUsage,
    pub cost_micros: u64,
    pub duration_ms: u64,
}

/// Messages that are no longer sent, and the one that stands for them.
#[derive(Clone, PartialEq, Debug)]
pub struct Folding {
    /// The number of the first.
    pub from: u64,
    /// The number of the last.
    pub to: u64,
    pub stands_for: NewMessage,
}
