//! A checkpoint with its signatures.

use std::path::Path;

use anyhow::Context as _;
use toolgate_core::moment::rfc3339;
use toolgate_proof::{CheckpointKey, LedgerCheckpoint, SignedNote, VerifierKey};
use toolgate_store::Store;
use toolgate_store::clock::now_ms;

/// The ending of checkpoint files.
pub(super) const ENDING: &str = "checkpoint";

/// A checkpoint with its notes, in the same order as its streams.
pub(crate) struct SignedCheckpoint {
    pub(crate) checkpoint: LedgerCheckpoint,
    pub(crate) notes: Vec<SignedNote>,
}

impl SignedCheckpoint {
    /// Signs the present state of the ledger, once it is on disk.
    pub(crate) async fn now(store: &Store, key: &CheckpointKey) -> anyhow::Result<Self> {
        let (at_ms, name) = (now_ms(), store.ledger_name().await?);
        let checkpoint = LedgerCheckpoint { store: name, at_ms, streams: store.ledger_roots().await? };
        store.sync_ledger().await?;
        let notes = checkpoint.sign(key).context("could not sign a checkpoint of the ledger")?;
        Ok(Self { checkpoint, notes })
    }

    /// Reads a file, which one of the keys must have signed.
    pub(crate) fn read(file: &Path, keys: &[VerifierKey]) -> anyhow::Result<Self> {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("could not read the checkpoint {shown}"))?;
        let checkpoint = LedgerCheckpoint::open(&text, keys).with_context(|| {
            let hint =
                "its signature is checked with --key KEY, the key of `[checkpoints]` and its `old_keys`";
            format!("{shown} is no checkpoint that can be trusted\nhint: {hint}")
        })?;
        let notes = LedgerCheckpoint::notes(&text)?;
        Ok(Self { checkpoint, notes })
    }

    pub(crate) fn text(&self) -> String {
        LedgerCheckpoint::file(&self.notes)
    }

    /// A name that sorts by time. Gateways that share a database differ by their streams.
    pub(super) fn file_name(&self, stream: &str) -> String {
        format!("{}-{stream}.{ENDING}", rfc3339(self.checkpoint.at_ms).replace(':', "-"))
    }
}
