//! A call of a run as its row holds it.

use toolgate_core::CanonicalName;
use toolgate_core::id::CallId;
use toolgate_core::run::CallKind;

/// A call that was let into a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRunCall {
    pub call: CallId,
    pub tool: CanonicalName,
    pub kind: CallKind,
    pub state: RunCallState,
    pub created_at_ms: i64,
    pub ended_at_ms: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCallState {
    Open,
    /// The tool ran and did not say that it failed.
    Completed,
    Failed,
    /// The gateway died in between.
    Unknown,
}

impl RunCallState {
    pub const ALL: [RunCallState; 4] =
        [RunCallState::Open, RunCallState::Completed, RunCallState::Failed, RunCallState::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            RunCallState::Open => "open",
            RunCallState::Completed => "completed",
            RunCallState::Failed => "failed",
            RunCallState::Unknown => "unknown",
        }
    }
}
