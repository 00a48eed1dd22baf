//! A checkpoint with its signatures.

use std::collections::{BTreeMap, BTreeSet};
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

/// The largest number of streams that cannot be signed and are told of.
const UNSIGNED_TOLD_MAX: usize = 64;

/// A checkpoint with its notes, in the same order as its streams.
pub(crate) struct SignedCheckpoint {
    pub(crate) checkpoint: LedgerCheckpoint,
    pub(crate) notes: Vec<SignedNote>,
}

impl SignedCheckpoint {
    /// Signs the present state of the ledger, once it is on disk: of the streams that a checkpoint can name.
    pub(crate) async fn now(store: &Store, key: &CheckpointKey) -> anyhow::Result<Self> {
        let (at_ms, name) = (now_ms(), store.ledger_name().await?);
        let streams = store.ledger_roots().await?;
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

    /// The same for a checkpoint that must be of the ledger with this name.
    pub(crate) fn read_own(file: &Path, own: &str, keys: &[VerifierKey]) -> anyhow::Result<LedgerCheckpoint> {
        let checkpoint = Self::read(file, keys)?.checkpoint;
        if checkpoint.store != own {
            bail!(
                "{} is a checkpoint of the ledger {}, and this is the ledger {own}\n\
                 hint: the database was replaced, or the configuration names another one",
                file.display(),
                checkpoint.store
            );
        }
        Ok(checkpoint)
    }

    pub(crate) fn text(&self) -> String {
        LedgerCheckpoint::file(&self.notes)
    }

    /// A name that sorts by time. Gateways that share a database differ by their streams.
    pub(super) fn file_name(&self, stream: &str) -> String {
        format!("{}-{stream}.{ENDING}", rfc3339(self.checkpoint.at_ms).replace(':', "-"))
    }
}

/// Logs the streams that no checkpoint can name, each once. No gateway makes them, so someone inserted a row.
pub(super) fn tell_unsigned(sizes: &BTreeMap<String, u64>, told: &mut BTreeSet<String>) {
    for stream in sizes.keys().filter(|stream| !LedgerCheckpoint::can_name(stream)) {
        if told.len() < UNSIGNED_TOLD_MAX && told.insert(stream.clone()) {
            tracing::error!(stream, "a stream cannot be named in a checkpoint, and is not signed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_cannot_be_signed_is_told_of_once() {
        let mut told = BTreeSet::new();
        let sizes = |streams: &[&str]| -> BTreeMap<String, u64> {
            streams.iter().map(|stream| ((*stream).to_owned(), 1)).collect()
        };
        tell_unsigned(&sizes(&["one", "x/y"]), &mut told);
        tell_unsigned(&sizes(&["one", "x/y", "\n"]), &mut told);
        assert_eq!(told.iter().collect::<Vec<_>>(), ["\n", "x/y"]);
        let many: BTreeMap<String, u64> = (0..1_000).map(|number| (format!("{number}/"), 1)).collect();
        tell_unsigned(&many, &mut told);
        assert_eq!(told.len(), UNSIGNED_TOLD_MAX);
    }

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
