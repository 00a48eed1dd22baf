//! The reasons why a loop is not driven on, and the refusals of questions about it.

use toolgate_core::codes::Code;
use toolgate_core::id::RunId;
use toolgate_core::{Refusal, codes};
use toolgate_store::{LoopError, RunError, StoreError};

/// The codes of runs that were paused, ended or deleted meanwhile.
static USUAL: [&Code; 4] = [&codes::RUN_PAUSED, &codes::RUN_ENDED, &codes::RUN_STATE, &codes::UNKNOWN_RUN];

#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveError {
    /// Another gateway drives it.
    #[error("the lease of the loop is over")]
    Lost,
    /// A stored message is not the one that was written.
    #[error("message {number} of run {run} was changed in the store")]
    Tampered { run: RunId, number: u64 },
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LoopError> for DriveError {
    fn from(error: LoopError) -> Self {
        match error {
            LoopError::Lost => DriveError::Lost,
            LoopError::Tampered { run, number } => DriveError::Tampered { run, number },
            LoopError::Run(error) => DriveError::Run(error),
            LoopError::Store(error) => DriveError::Store(error),
        }
    }
}

impl DriveError {
    /// True if the run was paused or ended meanwhile: nothing is wrong.
    pub(crate) fn is_usual(&self) -> bool {
        match self {
            DriveError::Lost => true,
            DriveError::Refused(refusal) => is_usual(refusal),
            DriveError::Run(error) => matches!(
                error,
                RunError::Paused { .. }
                    | RunError::NotPaused { .. }
                    | RunError::Step(_)
                    | RunError::UnknownRun(_)
            ),
            DriveError::Tampered { .. } | DriveError::Store(_) => false,
        }
    }
}

/// True if a run was paused, ended or deleted meanwhile.
pub(crate) fn is_usual(refusal: &Refusal) -> bool {
    USUAL.contains(&refusal.code)
}

/// The refusal of a question about a loop. The cause may name hosts and statements: it is for the log.
pub(crate) fn refusal(error: LoopError) -> Refusal {
    match error {
        LoopError::Run(RunError::UnknownRun(id)) => toolgate_runs::unknown_run(&id),
        LoopError::Run(RunError::Step(refusal)) => refusal,
        LoopError::Tampered { run, number } => {
            let message = format!("message {number} of run {run} was changed in the store");
            Refusal::new(&codes::MESSAGES_CHANGED, message)
        }
        LoopError::Lost => {
            Refusal::new(&codes::RUN_STATE, "another gateway works on this run").hint("ask again in a moment")
        }
        LoopError::Run(RunError::Store(error)) | LoopError::Store(error) => down(&error),
        LoopError::Run(error) => Refusal::new(&codes::RUN_STATE, error.to_string())
            .hint("`toolgate runs show` says how the run stands"),
    }
}

pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "the loops of runs cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}
