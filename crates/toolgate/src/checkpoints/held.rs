//! The checkpoints of the configured folder, for verification over REST.

use std::path::{Path, PathBuf};

use toolgate_api::{CheckpointFault, CheckpointFolder, FolderCheckpoints, FolderPage, KeptCheckpoint};
use toolgate_core::port::BoxFuture;
use toolgate_proof::VerifierKey;
use toolgate_store::Store;

use super::folder::checkpoint_files;
use super::key::known_keys;
use super::signed::SignedCheckpoint;
use crate::config::Config;
use crate::failure;

/// The folder of `[checkpoints]`, and the keys that may have signed what is in it.
pub(crate) struct ConfiguredFolder {
    store: Store,
    folder: PathBuf,
    keys: Vec<VerifierKey>,
}

impl ConfiguredFolder {
    /// `None` if no folder is configured.
    pub(crate) async fn of(config: &Config, store: &Store) -> Option<Self> {
        let folder = config.checkpoints.as_ref()?.folder.clone()?;
        Some(Self { store: store.clone(), folder, keys: known_keys(config).await })
    }

    /// Some checkpoints, newest first, from before a file.
    pub(crate) async fn page(&self, before: Option<String>, limit: usize) -> FolderPage {
        let read = self.read_page(before, limit).await;
        read.unwrap_or_else(|error| FolderPage { faults: vec![fault(&error)], ..FolderPage::default() })
    }

    async fn read_page(&self, before: Option<String>, limit: usize) -> anyhow::Result<FolderPage> {
        let own = self.store.ledger_name().await?;
        let (folder, keys) = (self.folder.clone(), self.keys.clone());
        let read = move || read_newest(&folder, &own, &keys, before.as_deref(), limit);
        tokio::task::spawn_blocking(read).await?
    }

    async fn read_all(&self) -> anyhow::Result<FolderCheckpoints> {
        let own = self.store.ledger_name().await?;
        let (folder, keys) = (self.folder.clone(), self.keys.clone());
        tokio::task::spawn_blocking(move || read_folder(&folder, &own, &keys)).await?
    }
}

impl CheckpointFolder for ConfiguredFolder {
    fn read(&self) -> BoxFuture<'_, FolderCheckpoints> {
        Box::pin(async move {
            let read = self.read_all().await;
            read.unwrap_or_else(|error| FolderCheckpoints {
                faults: vec![fault(&error)],
                ..Default::default()
            })
        })
    }
}

fn read_folder(folder: &Path, own: &str, keys: &[VerifierKey]) -> anyhow::Result<FolderCheckpoints> {
    let mut found = FolderCheckpoints::default();
    for file in checkpoint_files(folder)? {
        match SignedCheckpoint::read_own(&file, own, keys) {
            Ok(checkpoint) => found.checkpoints.push(checkpoint),
            Err(error) => found.faults.push(fault(&error)),
        }
    }
    if found.checkpoints.is_empty() && found.faults.is_empty() {
        found.faults.push(CheckpointFault {
            message: format!("there is no checkpoint in {}", folder.display()),
            hint: "`toolgate ledger verify --against FILE` takes one from wherever it was kept".to_owned(),
        });
    }
    Ok(found)
}

fn read_newest(
    folder: &Path,
    own: &str,
    keys: &[VerifierKey],
    before: Option<&str>,
    limit: usize,
) -> anyhow::Result<FolderPage> {
    let name =
        |file: &Path| file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = checkpoint_files(folder)?;
    files.retain(|file| before.is_none_or(|before| name(file).as_str() < before));
    files.reverse();
    let has_more = files.len() > limit;
    files.truncate(limit);
    let mut found = FolderPage {
        next: files.last().filter(|_| has_more).map(|file| name(file)),
        ..FolderPage::default()
    };
    for file in &files {
        match SignedCheckpoint::read_own(file, own, keys) {
            Ok(checkpoint) => found.checkpoints.push(KeptCheckpoint { file: name(file), checkpoint }),
            Err(error) => found.faults.push(fault(&error)),
        }
    }
    Ok(found)
}

fn fault(error: &anyhow::Error) -> CheckpointFault {
    let text = failure::render(error);
    let (message, hint) = text.split_once("\nhint: ").unwrap_or((text.as_str(), ""));
    CheckpointFault { message: message.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;
    use toolgate_proof::{LedgerCheckpoint, StreamRoot};

    use super::super::{folder, make_key, signing_key};
    use super::*;
    use crate::config::accepted;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_folder_says_what_it_has_and_what_it_cannot_use() {
        let place = tempfile::tempdir().expect("a folder");
        let store = Store::open(&place.path().join("data")).await.expect("a store");
        let (own_key, kept) = (place.path().join("own.key"), place.path().join("kept"));
        let config = accepted(&format!("[checkpoints]\nkey_file = {own_key:?}\nfolder = {kept:?}\n"));
        make_key(&own_key, "ledger").expect("made");
        let key = signing_key(&config).await.expect("a key");
        let checkpoints = ConfiguredFolder::of(&config, &store).await.expect("a folder is configured");
        let empty = checkpoints.read().await;
        assert!(empty.faults[0].message.starts_with("there is no checkpoint in"), "{empty:?}");
        let keep = |name: &str, own: String| {
            let tree = StreamRoot { stream: "one".into(), size: 3, root: Digest::of("a root") };
            let notes = LedgerCheckpoint { store: own, at_ms: 0, streams: vec![tree] }.sign(&key);
            let text = LedgerCheckpoint::file(&notes.expect("signed"));
            folder::keep(&kept, name, &text).expect("kept");
        };
        keep("1.checkpoint", store.ledger_name().await.expect("a name"));
        let one = checkpoints.read().await;
        assert_eq!((one.checkpoints.len(), one.faults.len()), (1, 0), "{one:?}");
        keep("2.checkpoint", "0123456789abcdef".into());
        folder::keep(&kept, "3.checkpoint", "nonsense").expect("kept");
        let mixed = checkpoints.read().await;
        assert_eq!((mixed.checkpoints.len(), mixed.faults.len()), (1, 2), "{mixed:?}");
        assert!(mixed.faults[0].message.contains("0123456789abcdef"), "{mixed:?}");
        assert!(mixed.faults.iter().all(|fault| !fault.hint.is_empty()), "{mixed:?}");
        let newest = checkpoints.page(None, 2).await;
        assert_eq!((newest.checkpoints.len(), newest.faults.len()), (0, 2), "{newest:?}");
        assert_eq!(newest.next.as_deref(), Some("2.checkpoint"));
        let older = checkpoints.page(newest.next, 2).await;
        assert_eq!((older.checkpoints[0].file.as_str(), older.next), ("1.checkpoint", None));
        let none =
            accepted(&format!("[checkpoints]\nkey_file = {own_key:?}\nurls = [\"https://example.com/\"]\n"));
        assert!(ConfiguredFolder::of(&none, &store).await.is_none());
        store.close().await;
    }
}
