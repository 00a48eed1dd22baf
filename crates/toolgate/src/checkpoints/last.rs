//! The checkpoint that was signed last. The next one must agree with it, also after a restart: a signer of two pasts
//! of one ledger proves nothing.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, bail};
use toolgate_proof::{StreamRoot, VerifierKey};
use toolgate_store::{SignedRootMatch, Store};

use super::folder::checkpoint_files;
use super::key::{known_keys, signing_key};
use super::signed::{SignedCheckpoint, tell_unsigned};
use crate::config::Config;

/// Signs the present state of the ledger, if it agrees with the newest checkpoint of the folder.
pub(crate) async fn sign_next(config: &Config, store: &Store) -> anyhow::Result<SignedCheckpoint> {
    let key = signing_key(config).await?;
    let folder = config.checkpoints.as_ref().and_then(|settings| settings.folder.as_deref());
    tell_unsigned(&store.ledger_sizes().await?, &mut BTreeSet::new());
    must_have(store, &last_signed(folder, &known_keys(config).await, store).await?).await?;
    SignedCheckpoint::now(store, &key).await
}

/// The trees of the newest checkpoint of this ledger in the folder. Without a folder there are none.
pub(super) async fn last_signed(
    folder: Option<&Path>,
    keys: &[VerifierKey],
    store: &Store,
) -> anyhow::Result<Vec<StreamRoot>> {
    let Some(folder) = folder.map(Path::to_owned) else { return Ok(Vec::new()) };
    let (own, keys) = (store.ledger_name().await?, keys.to_vec());
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
    use toolgate_core::Digest;
    use toolgate_proof::LedgerCheckpoint;

    use super::super::{folder, make_key};
    use super::*;
    use crate::config::accepted;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_newest_checkpoint_of_this_ledger_is_found_and_must_hold() {
        let place = tempfile::tempdir().expect("a folder");
        let store = Store::open(&place.path().join("data")).await.expect("a store");
        let (own_key, kept) = (place.path().join("own.key"), place.path().join("kept"));
        let config = accepted(&format!("[checkpoints]\nkey_file = {own_key:?}\nfolder = {kept:?}\n"));
        make_key(&own_key, "ledger").expect("made");
        let key = signing_key(&config).await.expect("a key");
        let keys = [key.public().clone()];
        assert_eq!(
            last_signed(Some(&kept), &keys, &store).await.expect("read"),
            [],
            "nothing was signed before"
        );
        let keep = |name: &str, own: String, size: u64| {
            let tree = StreamRoot { stream: "one".into(), size, root: Digest::of("a root") };
            let signed = LedgerCheckpoint { store: own, at_ms: 0, streams: vec![tree] };
            let notes = signed.sign(&key).expect("signed");
            folder::keep(&kept, name, &LedgerCheckpoint::file(&notes)).expect("kept");
        };
        let own = store.ledger_name().await.expect("a name");
        keep("1.checkpoint", own.clone(), 7);
        keep("2.checkpoint", own, 9);
        keep("3.checkpoint", "0123456789abcdef".into(), 5);
        folder::keep(&kept, "4.checkpoint", "nonsense").expect("kept");
        let found = last_signed(Some(&kept), &keys, &store).await.expect("read");
        assert_eq!(found.iter().map(|tree| tree.size).collect::<Vec<_>>(), [9]);
        let refused = sign_next(&config, &store).await.err().expect("it is not what was signed");
        assert!(refused.to_string().contains("stream one is no longer"), "{refused}");
        store.close().await;
    }
}
