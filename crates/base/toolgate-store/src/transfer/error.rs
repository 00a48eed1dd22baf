//! The transfers that failed or were refused.

use crate::{LedgerVerification, StoreError};

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("the target has data of its own: there are rows in `{table}`")]
    NotEmpty { table: String },
    #[error("the target belongs to another store, which was moved there or is being moved there")]
    OtherStore,
    #[error("this store was moved to the target already")]
    Done { ended_at_ms: i64 },
    #[error("the tables of the two databases do not agree: {what}")]
    Tables { what: String },
    #[error("the copy of `{table}` differs from the source from row {row} on")]
    Differs { table: String, row: u64 },
    #[error(
        "the copy of the ledger does not verify as the source does: {} instead of {}",
        told(after),
        told(before)
    )]
    LedgerDiffers { before: Box<LedgerVerification>, after: Box<LedgerVerification> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TransferError {
    /// True if the rows of the target cannot be relied on.
    pub(super) fn is_difference(&self) -> bool {
        matches!(self, TransferError::Differs { .. } | TransferError::LedgerDiffers { .. })
    }
}

fn told(verified: &LedgerVerification) -> String {
    match &verified.fault {
        Some(fault) => fault.to_string(),
        None => format!("{} events in {} streams", verified.events, verified.streams),
    }
}
