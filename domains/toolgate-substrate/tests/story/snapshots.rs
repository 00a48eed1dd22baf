//! Manifests that other parts of the gateway make.

use toolgate_core::file::{File, FileName};
use toolgate_core::id::FileId;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::Actor;
use toolgate_substrate::{SnapshotContent, SnapshotEntry};

use crate::world::{SubstrateWorld, ann, path, text_entry};

crate::on_both!(
    a_snapshot_has_bytes_and_files_by_their_paths,
    a_snapshot_of_more_entries_than_a_call_names_is_whole,
);

/// One more than a page has.
const MANY: usize = 10_001;

async fn a_snapshot_has_bytes_and_files_by_their_paths(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    // A file of someone, as a run gets it.
    let content = "the words of a file";
    let digest = Digest::of(content);
    let kept = gateway.snapshot(&[("words.txt", content)], "for its bytes").await.expect("stored");
    let file = File {
        id: FileId::new("file_1"),
        name: FileName::new("words.txt").expect("a name"),
        media_type: "text/plain".to_owned(),
        bytes: content.len() as u64,
        digest,
        owner: PrincipalId::new("ben"),
        created_at_ms: 1,
        expires_at_ms: None,
    };
    gateway.books().store_file(&file, &Actor::person(&file.owner)).await.expect("stored");
    let input = SnapshotEntry {
        path: path("input/words.txt"),
        content: SnapshotContent::Artifact(digest),
        metadata: serde_json::json!({ "file_id": "file_1" }).as_object().cloned(),
    };
    let made =
        gateway.substrate.snapshot(&ann(), vec![input, text_entry("note.md", "# Note")], "input").await;
    let made = made.expect("stored");
    assert_eq!((made.entries, made.bytes), (2, content.len() as u64 + 6));
    assert_eq!((made.message.as_str(), made.principal.as_str()), ("input", "ann"));
    let summary = gateway.substrate.summarize_difference(Some(kept.digest), made.digest, 9).await;
    let summary = summary.expect("compared");
    assert_eq!((summary.added, summary.removed, summary.changed), (2, 1, 0));
}

async fn a_snapshot_of_more_entries_than_a_call_names_is_whole(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let content = "the same words";
    gateway.snapshot(&[("words.txt", content)], "for its bytes").await.expect("stored");
    let entry = |at: usize| SnapshotEntry {
        path: path(&format!("part-{at}")),
        content: SnapshotContent::Artifact(Digest::of(content)),
        metadata: None,
    };
    let entries: Vec<SnapshotEntry> = (0..MANY).map(entry).collect();
    let made = gateway.substrate.snapshot(&ann(), entries.clone(), "output").await.expect("stored");
    assert_eq!((made.entries, made.bytes), (MANY as u64, (MANY * content.len()) as u64));
    let twice = [entries, vec![entry(0)]].concat();
    let refusal =
        gateway.substrate.snapshot(&ann(), twice, "output").await.expect_err("a path is there twice");
    assert_eq!(refusal.code.name, "duplicate_path");
}
