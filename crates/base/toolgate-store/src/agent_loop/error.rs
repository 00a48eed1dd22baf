//! The refusals of a write to a loop.

use toolgate_core::id::RunId;

use crate::StoreError;
use crate::run::RunError;

#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// The lease is another's, or the rows have gone on without its holder.
    #[error("another gateway works on the run")]
    Lost,
    /// A message is not the one that was written.
    #[error("message {number} of the run {run} was changed after it was written")]
    Tampered { run: RunId, number: u64 },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
