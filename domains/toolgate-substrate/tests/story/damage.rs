//! Rows that were changed behind the gateway's back, and stores that fail.

use manifest_tree::{BlobDigest, TreeRoot};
use toolgate_core::Digest;
use toolgate_core::substrate::ManifestDigest;
use toolgate_substrate::{ManifestNote, NamedContents, SnapshotContent, SnapshotEntry};

use crate::world::{SubstrateWorld, ann, text_entry};

crate::on_both!(
    a_tree_that_claims_another_root_is_refused,
    a_store_that_fails_leaves_nothing_half,
    bad_entries_are_refused_by_name,
);

async fn a_tree_that_claims_another_root_is_refused(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let good = gateway.snapshot(&[("a.txt", "one")], "good").await.expect("stored");
    let claimed = Digest::of("a root that nobody has");
    gateway
        .store
        .put_tree_nodes(&[(claimed, &b"other bytes than the digest says"[..])], 0)
        .await
        .expect("stored");
    // A manifest over a root whose node has other bytes: rows are believed only as far as their digests go.
    let tree = TreeRoot { digest: BlobDigest::new(*claimed.as_bytes()), count: 1, bytes: 3, height: 1 };
    let note = ManifestNote { message: "bad".to_owned(), ..ManifestNote::default() };
    let named = NamedContents::default();
    let bad = gateway.substrate.record_manifest(&ann(), tree, note, &named).await.expect("stored").manifest;
    let refused = gateway.substrate.summarize_difference(Some(good.digest), bad.digest, 1).await;
    let refused = refused.expect_err("refused");
    assert_eq!(refused.code.name, "damaged_manifest", "{refused}");
    assert!(refused.message.contains("another digest") && !refused.hint.is_empty(), "{refused}");
    if world.is_postgres() {
        let change = "UPDATE manifests SET document = replace(document, 'good', 'evil')";
        world.run_on_postgres(change);
        let refused = gateway.substrate.manifest(good.digest).await.expect_err("refused");
        assert_eq!(refused.code.name, "damaged_manifest", "{refused}");
    }
}

async fn a_store_that_fails_leaves_nothing_half(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let mut clean = false;
    for n in 1..80 {
        let text = format!("text {n}");
        gateway.store.fail_nth(n);
        let made = gateway.snapshot(&[("a.txt", &text)], "made").await;
        clean = gateway.store.is_fault_to_come();
        gateway.store.fail_never();
        // Whatever happened, the same can be done now, and is whole.
        let again = gateway.snapshot(&[("a.txt", &text)], "made").await.expect("stored");
        let summary = gateway.substrate.summarize_difference(None, again.digest, 1).await.expect("compared");
        assert_eq!((summary.added, summary.bytes_added), (1, text.len() as u64), "{n}");
        if let Ok(made) = made {
            assert_eq!(made.digest, again.digest, "{n}");
        }
        if clean {
            assert!(n > 10, "the failures were real: {n}");
            break;
        }
    }
    assert!(clean, "the story has an end");
}

async fn bad_entries_are_refused_by_name(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    for (entries, code) in [
        (&[("a.txt", "one"), ("a.txt", "two")][..], "duplicate_path"),
        (&[("a", "one"), ("a/b", "two")][..], "file_and_folder"),
    ] {
        let refused = gateway.snapshot(entries, "bad").await.expect_err("refused");
        assert_eq!(refused.code.name, code, "{refused}");
    }
    let nowhere = SnapshotEntry {
        content: SnapshotContent::Artifact(Digest::of("nowhere")),
        ..text_entry("a.txt", "")
    };
    let refused = gateway.substrate.snapshot(&ann(), vec![nowhere], "bad").await.expect_err("refused");
    assert_eq!(refused.code.name, "unknown_artifact", "{refused}");
    assert!(refused.message.contains("a.txt"), "{refused}");
    let large = serde_json::json!({ "words": "x".repeat(5_000) });
    let large = SnapshotEntry { metadata: large.as_object().cloned(), ..text_entry("a.txt", "one") };
    let refused = gateway.substrate.snapshot(&ann(), vec![large], "bad").await.expect_err("refused");
    assert_eq!(refused.code.name, "metadata_too_large", "{refused}");
    let nowhere = ManifestDigest::new(Digest::of("nowhere"));
    let refused = gateway.substrate.manifest(nowhere).await.expect_err("refused");
    assert_eq!(refused.code.name, "unknown_manifest", "{refused}");
}
