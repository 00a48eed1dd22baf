//! Signed checkpoints of the ledger: the key, the signing, the places where they are kept, and the schedule.

mod anchor;
mod folder;
mod key;
mod schedule;

use anyhow::Context as _;
use toolgate_core::moment::rfc3339;
use toolgate_proof::{CheckpointKey, LedgerCheckpoint, SignedNote};
use toolgate_store::Store;
use toolgate_store::clock::now_ms;

pub(crate) use folder::{checkpoint_files, newest};
pub(crate) use key::{known_keys, make_key, signing_key};
pub(crate) use schedule::{AnchorBoard, Checkpointer};

/// The ending of checkpoint files.
pub(crate) const ENDING: &str = "checkpoint";

/// A checkpoint with its notes, in the same order as its streams.
pub(crate) struct SignedCheckpoint {
    pub(crate) checkpoint: LedgerCheckpoint,
    pub(crate) notes: Vec<SignedNote>,
}

impl SignedCheckpoint {
    /// Signs the present state of the ledger.
    pub(crate) async fn now(store: &Store, key: &CheckpointKey) -> anyhow::Result<Self> {
        let (at_ms, name) = (now_ms(), store.ledger_name().await?);
        let checkpoint = LedgerCheckpoint { store: name, at_ms, streams: store.ledger_roots().await? };
        let notes = checkpoint.sign(key).context("could not sign a checkpoint of the ledger")?;
        Ok(Self { checkpoint, notes })
    }

    pub(crate) fn text(&self) -> String {
        LedgerCheckpoint::file(&self.notes)
    }

    /// A name that sorts by time. Gateways that share a database differ by their streams.
    fn file_name(&self, stream: &str) -> String {
        format!("{}-{stream}.{ENDING}", rfc3339(self.checkpoint.at_ms).replace(':', "-"))
    }
}
