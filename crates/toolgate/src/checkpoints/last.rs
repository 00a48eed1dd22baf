//! The checkpoint that was signed last. The next one must agree with it, also after a restart: a signer of two pasts
//! of one ledger proves nothing.

use std::path::Path;

use anyhow::{Context as _, bail};
use toolgate_proof::{StreamRoot, VerifierKey};
use toolgate_store::{SignedRootMatch, Store};

use super::folder::checkpoint_files;
use super::key::{known_keys, signing_key};
use super::signed::SignedCheckpoint;
use crate::config::CheckpointSettings;

/// Signs the present state of the ledger, if it agrees with the newest checkpoint of the folder.
pub(crate) async fn sign_next(
    settings: &CheckpointSettings,
    store: &Store,
) -> anyhow::Result<SignedCheckpoint> {
    let key = signing_key(settings)?;
    must_have(store, &last_signed(settings, store).await?).await?;
    SignedCheckpoint::now(store, &key).await
}

/// The trees of the newest checkpoint of this ledger in the folder. Without a folder there are none.
pub(super) async fn last_signed(
    settings: &CheckpointSettings,
    store: &Store,
) -> anyhow::Result<Vec<StreamRoot>> {
    let Some(folder) = settings.folder.clone() else { return Ok(Vec::new()) };
    let (own, keys) = (store.ledger_name().await?, known_keys(settings));
    let reading = tokio::task::spawn_blocking(move || newest_of(&folder, &own, &keys));
    reading.await.context("reading the newest checkpoint was broken off")?
}

fn newest_of(folder: &Path, own: &str, keys: &[VerifierKey]) -> anyhow::Result<Vec<StreamRoot>> {
    for file in checkpoint_files(folder)?.iter().rev() {
        match SignedCheckpoint::read(file, keys) {
            Ok(signed) if signed.checkpoint.store == own => return Ok(signed.checkpoint.streams),
            // Another ledger may have the same folder.
            Ok(_) => {}
            Err(error) => {
                let (file, error) = (file.display().to_string(), format!("{error:#}"));
                tracing::warn!(
                    file,
                    error,
                    "a checkpoint in the folder cannot be trusted; it is passed over"
                );
            }
        }
    }
    Ok(Vec::new())
}

/// Fails if the ledger is not what was signed.
pub(super) async fn must_have(store: &Store, signed: &[StreamRoot]) -> anyhow::Result<()> {
    for tree in signed {
        match store.ledger_has(tree).await? {
            SignedRootMatch::Same => {}
            SignedRootMatch::Different => bail!(
                "nothing is signed: stream {} is no longer what was signed before\n\
                 hint: `toolgate ledger verify` names what is wrong; after you restored a backup, move the checkpoints out of the folder",
                tree.stream
            ),
            SignedRootMatch::Removed => tracing::warn!(
                stream = tree.stream,
                size = tree.size,
                "the events of the last checkpoint were removed from the ledger, so the next one is signed without \
                 comparing them"
            ),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use toolgate_core::Digest;
    use toolgate_proof::LedgerCheckpoint;

    use super::super::{folder, make_key};
    use super::*;
    use crate::config::CredentialSource;

    fn settings(folder: PathBuf, key: PathBuf) -> CheckpointSettings {
        CheckpointSettings {
            key: CredentialSource::File(key),
            old_keys: Vec::new(),
            every: Duration::from_secs(1),
            folder: Some(folder),
            object_prefix: None,
            urls: Vec::new(),
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_newest_checkpoint_of_this_ledger_is_found_and_must_hold() {
        let place = tempfile::tempdir().expect("a folder");
        let store = Store::open(&place.path().join("data")).await.expect("a store");
        let settings = settings(place.path().join("kept"), place.path().join("own.key"));
        make_key(&place.path().join("own.key"), "ledger").expect("made");
        assert_eq!(last_signed(&settings, &store).await.expect("read"), [], "nothing was signed before");
        let keep = |name: &str, own: String, size: u64| {
            let tree = StreamRoot { stream: "one".into(), size, root: Digest::of("a root") };
            let signed = LedgerCheckpoint { store: own, at_ms: 0, streams: vec![tree] };
            let notes = signed.sign(&signing_key(&settings).expect("a key")).expect("signed");
            folder::keep(&place.path().join("kept"), name, &LedgerCheckpoint::file(&notes)).expect("kept");
        };
        let own = store.ledger_name().await.expect("a name");
        keep("1.checkpoint", own.clone(), 7);
        keep("2.checkpoint", own, 9);
        keep("3.checkpoint", "0123456789abcdef".into(), 5);
        folder::keep(&place.path().join("kept"), "4.checkpoint", "nonsense").expect("kept");
        let found = last_signed(&settings, &store).await.expect("read");
        assert_eq!(found.iter().map(|tree| tree.size).collect::<Vec<_>>(), [9]);
        let refused = sign_next(&settings, &store).await.err().expect("it is not what was signed");
        assert!(refused.to_string().contains("stream one is no longer"), "{refused}");
        store.close().await;
    }
}
