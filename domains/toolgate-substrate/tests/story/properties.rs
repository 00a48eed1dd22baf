//! Laws of manifests, told through the store: order does not matter, a difference is the difference of the sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeChangeKind, TreeEntry, TreeRoot};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use toolgate_substrate::{Manifest, ManifestNote, NamedContents};

use crate::world::{SubstrateGateway, SubstrateWorld, ann, path};

crate::on_both!(
    the_same_entries_have_the_same_root_whatever_the_order,
    a_difference_is_the_difference_of_the_sets,
    a_difference_of_one_change_reads_few_nodes,
);

/// Few cases: each of them goes through a database.
const CASES: u32 = 12;

type EntrySet = BTreeMap<u16, u8>;

fn sets() -> impl Strategy<Value = EntrySet> {
    proptest::collection::btree_map(0_u16..600, 0_u8..3, 0..300)
}

/// Values of a strategy, always the same ones.
fn samples<S: Strategy>(strategy: S) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..CASES).map(|_| strategy.new_tree(&mut runner).expect("a value").current()).collect()
}

fn named(number: u16) -> EntryPath {
    path(&format!("folder-{}/file-{number:04}.txt", number % 7))
}

fn entry(number: u16, version: u8) -> TreeEntry {
    TreeEntry {
        kind: EntryKind::Artifact,
        // Version 2 has the bytes of version 1, and other metadata.
        digest: BlobDigest::of(format!("{number} {}", version.min(1)).as_bytes()),
        bytes: u64::from(number),
        media_type: "text/plain".into(),
        metadata: if version == 2 { Arc::from(&b"{\"a\":1}"[..]) } else { Arc::default() },
    }
}

fn sorted(set: &EntrySet) -> BTreeMap<EntryPath, TreeEntry> {
    set.iter().map(|(number, version)| (named(*number), entry(*number, *version))).collect()
}

async fn manifest(gateway: &SubstrateGateway, set: &EntrySet, message: &str) -> Manifest {
    let tree: TreeRoot = gateway.substrate.store_tree(sorted(set)).await.expect("a tree");
    let note = ManifestNote { message: message.to_owned(), ..ManifestNote::default() };
    // The entries name nothing that must be there: this is about the tree.
    let named = NamedContents::default();
    gateway.substrate.record_manifest(&ann(), tree, note, &named).await.expect("stored").manifest
}

async fn the_same_entries_have_the_same_root_whatever_the_order(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let texts: Vec<(String, String)> =
        (0..40).map(|number| (format!("f/{number}.txt"), format!("text {number}"))).collect();
    let mut entries: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let first = gateway.snapshot(&entries, "first").await.expect("stored");
    entries.reverse();
    entries.swap(3, 17);
    let second = gateway.snapshot(&entries, "second").await.expect("stored");
    assert_eq!(first.root, second.root);
    assert_ne!(first.digest, second.digest, "the message is part of the manifest");
    let again = gateway.snapshot(&entries, "second").await.expect("stored");
    assert_eq!(again, second, "the same again is the same");
}

async fn a_difference_is_the_difference_of_the_sets(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    for (case, (old, new)) in samples((sets(), sets())).into_iter().enumerate() {
        let before = manifest(&gateway, &old, &format!("old {case}")).await;
        let after = manifest(&gateway, &new, &format!("new {case}")).await;
        let summary = gateway
            .substrate
            .summarize_difference(Some(before.digest), after.digest, usize::MAX)
            .await
            .expect("compared");
        let (before, after) = (sorted(&old), sorted(&new));
        let kind = |path: &EntryPath| match (before.get(path), after.get(path)) {
            (None, Some(_)) => Some(TreeChangeKind::Added),
            (Some(_), None) => Some(TreeChangeKind::Removed),
            (Some(old), Some(new)) if old.digest != new.digest => Some(TreeChangeKind::Content),
            (Some(old), Some(new)) if old != new => Some(TreeChangeKind::Metadata),
            _ => None,
        };
        let all: BTreeSet<&EntryPath> = before.keys().chain(after.keys()).collect();
        let expected: Vec<(EntryPath, TreeChangeKind)> =
            all.into_iter().filter_map(|path| Some((path.clone(), kind(path)?))).collect();
        let found: Vec<(EntryPath, TreeChangeKind)> =
            summary.first.iter().map(|one| (one.path.clone(), one.kind)).collect();
        assert_eq!(found, expected, "{case}");
        let total = summary.added + summary.removed + summary.changed + summary.metadata_changed;
        assert_eq!((total, summary.complete), (expected.len() as u64, true), "{case}");
    }
}

async fn a_difference_of_one_change_reads_few_nodes(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let all: EntrySet = (0..20_000).map(|number| (number, 0)).collect();
    let mut changed = all.clone();
    changed.insert(9_999, 1);
    let (before, after) =
        (manifest(&gateway, &all, "before").await, manifest(&gateway, &changed, "after").await);
    gateway.substrate.forget_nodes();
    let start = gateway.substrate.nodes_read();
    let summary = gateway.substrate.summarize_difference(Some(before.digest), after.digest, 5).await;
    let summary = summary.expect("compared");
    assert_eq!((summary.changed, summary.first[0].path.clone()), (1, named(9_999)));
    let read = gateway.substrate.nodes_read();
    assert!(read - start <= 8, "two ways of at most four nodes: {}", read - start);
    let again = gateway.substrate.summarize_difference(Some(before.digest), after.digest, 5).await;
    assert_eq!(again.expect("compared"), summary);
    assert_eq!(gateway.substrate.nodes_read(), read, "nodes are kept in memory");
}
