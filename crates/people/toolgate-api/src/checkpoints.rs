//! The ports to the signed checkpoints: those that the ledger is held against, and proofs of calls under new ones.

use serde::Serialize;
use toolgate_core::Refusal;
use toolgate_core::id::CallId;
use toolgate_core::port::BoxFuture;
use toolgate_proof::{CallProof, LedgerCheckpoint};
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

/// The key that signs the ledger, and what it has signed.
pub trait LedgerSigner: Send + Sync {
    fn schedule(&self) -> SigningSchedule;
    /// Some checkpoints of the folder, newest first, from before a file. None without a folder.
    fn kept(&self, before: Option<String>, limit: usize) -> BoxFuture<'_, FolderPage>;
    /// Proves a call under a checkpoint that is signed now. `None` if the database has no event of it.
    fn prove<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Result<Option<CallProof>, Refusal>>;
}

/// The way in which checkpoints are made.
#[derive(Clone, Debug, Default)]
pub struct SigningSchedule {
    /// The public key, unless the key cannot be read.
    pub key: Option<String>,
    pub every_seconds: u64,
    pub places: Vec<CheckpointPlace>,
}

/// A place where checkpoints are written
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct CheckpointPlace {
    /// A folder, a prefix in the bucket of the files, or an address.
    #[schema(example = "/mnt/elsewhere/checkpoints")]
    pub name: String,
    /// The number of checkpoints that it has not taken yet.
    pub waiting: u64,
}

/// Some files of the folder, newest first.
#[derive(Clone, Debug, Default)]
pub struct FolderPage {
    pub checkpoints: Vec<KeptCheckpoint>,
    pub faults: Vec<CheckpointFault>,
    /// The last file, if there are older ones.
    pub next: Option<String>,
}

/// A checkpoint with the name of its file.
#[derive(Clone, Debug)]
pub struct KeptCheckpoint {
    pub file: String,
    pub checkpoint: LedgerCheckpoint,
}
