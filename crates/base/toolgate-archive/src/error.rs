//! The failures of the archive, each with advice.

use toolgate_core::Refusal;
use toolgate_store::StoreError;

use crate::fault::ArchiveFault;

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{0}")]
    Storage(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Damaged(#[from] ArchiveFault),
    #[error("line {number} of stream {stream} does not fit the lines before it, so it is not archived")]
    Chain { stream: String, number: i64 },
    #[error("another process changed the index of the archive at the same moment")]
    Overtaken,
    #[error("another gateway archives at this moment")]
    Busy,
    #[error("cannot write a segment: {0}")]
    Encode(#[from] parquet::errors::ParquetError),
}

impl ArchiveError {
    pub fn hint(&self) -> String {
        match self {
            ArchiveError::Storage(refusal) => refusal.hint.clone(),
            ArchiveError::Store(_) => "see that the database can be reached".to_owned(),
            ArchiveError::Damaged(fault) => fault.what.hint().to_owned(),
            ArchiveError::Chain { .. } => "`toolgate ledger verify` says which line was changed".to_owned(),
            ArchiveError::Overtaken | ArchiveError::Busy => {
                "nothing is lost: try again in a minute".to_owned()
            }
            ArchiveError::Encode(_) => "this is a fault of Toolgate; please report it".to_owned(),
        }
    }
}
