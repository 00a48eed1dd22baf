//! The port to the signed checkpoints that the ledger is held against.

use serde::Serialize;
use toolgate_core::port::BoxFuture;
use toolgate_proof::LedgerCheckpoint;
use utoipa::ToSchema;

/// The folder in which the gateway keeps checkpoints.
pub trait CheckpointFolder: Send + Sync {
    /// All checkpoints that are there.
    fn read(&self) -> BoxFuture<'_, FolderCheckpoints>;
}

/// The checkpoints of a folder.
#[derive(Clone, Debug, Default)]
pub struct FolderCheckpoints {
    /// Those of this ledger whose signatures are right.
    pub checkpoints: Vec<LedgerCheckpoint>,
    pub faults: Vec<CheckpointFault>,
}

/// A file that the ledger cannot be held against, or a folder that has none
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct CheckpointFault {
    pub message: String,
    pub hint: String,
}
