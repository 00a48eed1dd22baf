//! A checkpoint with its signatures.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use toolgate_core::moment::rfc3339;
use toolgate_proof::{CheckpointKey, LedgerCheckpoint, SignedNote, VerifierKey};
use toolgate_store::Store;
use toolgate_store::clock::now_ms;

/// The ending of checkpoint files.
pub(super) const ENDING: &str = "checkpoint";

/// The maximum size of a file that is read: a note has some hundred bytes for each stream.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A checkpoint with its notes, in the same order as its streams.
pub(crate) struct SignedCheckpoint {
    pub(crate) checkpoint: LedgerCheckpoint,
    pub(crate) notes: Vec<SignedNote>,
}

impl SignedCheckpoint {
    /// Signs the present state of the ledger, once it is on disk.
    pub(crate) async fn now(store: &Store, key: &CheckpointKey) -> anyhow::Result<Self> {
        let (at_ms, name) = (now_ms(), store.ledger_name().await?);
        let mut streams = store.ledger_roots().await?;
        // No gateway makes such a stream: one row that someone inserted does not stop all checkpoints.
        for left_out in streams.extract_if(.., |tree| !LedgerCheckpoint::can_name(&tree.stream)) {
            let stream = left_out.stream;
            tracing::error!(stream, "a stream cannot be named in a checkpoint, and is not signed");
        }
        let checkpoint = LedgerCheckpoint { store: name, at_ms, streams };
        store.sync_ledger().await?;
        let notes = checkpoint.sign(key).context("could not sign a checkpoint of the ledger")?;
        Ok(Self { checkpoint, notes })
    }

    /// Reads a file, which one of the keys must have signed.
    pub(crate) fn read(file: &Path, keys: &[VerifierKey]) -> anyhow::Result<Self> {
        let (shown, mut text) = (file.display(), String::new());
        let reading = std::fs::File::open(file)
            .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text));
        let bytes = reading.with_context(|| {
            format!("could not read the checkpoint {shown}\nhint: it is a file that a gateway or `toolgate ledger checkpoint` wrote")
        })?;
        if bytes as u64 > FILE_BYTES_MAX {
            bail!("{shown} is too large for a checkpoint\nhint: their files end in `.checkpoint`");
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.checkpoint");
        // It has no bytes on disk.
        std::fs::File::create(&path).and_then(|file| file.set_len(FILE_BYTES_MAX * 100)).expect("a file");
        let refused = SignedCheckpoint::read(&path, &[]).err().expect("refused");
        assert!(refused.to_string().contains("too large for a checkpoint"), "{refused}");
    }
}
