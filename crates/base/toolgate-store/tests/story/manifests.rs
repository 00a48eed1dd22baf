//! Manifests, the nodes of their trees, and what a manifest names.

use serde_json::json;
use toolgate_core::event::EventKind;
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::id::RunId;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{
    Actor, Books, ManifestOutcome, NewManifest, Store, StoreError, StoreManifestError, StoredManifest,
};

use crate::desk::{books, kinds, ledger, settings};
use crate::world::StoreWorld;

crate::on_both!(
    nodes_are_read_in_the_order_in_which_they_are_asked_for,
    two_writers_of_the_same_nodes_do_not_block_each_other,
    a_manifest_reads_back_and_the_ledger_tells_of_it,
    the_same_manifest_is_stored_once_and_the_same_root_is_known,
    a_manifest_names_only_what_is_there,
    an_artifact_becomes_the_tenants_with_the_manifest,
    a_manifest_of_another_tenant_does_not_exist,
    a_history_is_read_with_one_statement,
    whatever_fails_a_manifest_and_its_event_go_together,
);

const NOW_MS: i64 = 1_780_000_000_000;
const ROOT: &str = "the bytes of a root";

fn ann() -> Actor {
    Actor::person(&PrincipalId::new("ann"))
}

async fn put_root(store: &Store, bytes: &str) -> Digest {
    let digest = Digest::of(bytes);
    store.put_tree_nodes(&[(digest, bytes.as_bytes())], NOW_MS).await.expect("stored");
    digest
}

/// A manifest with this document, of the root that every story has.
fn new<'a>(document: &'a str, parents: &'a [ManifestDigest]) -> NewManifest<'a> {
    NewManifest {
        digest: ManifestDigest::new(Digest::of(document)),
        root: Digest::of(ROOT),
        parents,
        entries: 2,
        bytes: 30,
        document,
        shared: &[],
        artifacts: &[],
        manifests: &[],
        created_at_ms: NOW_MS,
    }
}

async fn store(books: &Books, document: &str, parents: &[ManifestDigest]) -> ManifestDigest {
    books.store_manifest(&new(document, parents), &ann()).await.expect("stored");
    ManifestDigest::new(Digest::of(document))
}

async fn read(store: &Store, digest: &ManifestDigest) -> Option<StoredManifest> {
    store.manifest(digest).await.expect("read")
}

async fn nodes_are_read_in_the_order_in_which_they_are_asked_for(world: StoreWorld) {
    let store = world.open().await;
    let contents: Vec<String> = (0..700).map(|number| format!("node {number}")).collect();
    let nodes: Vec<(Digest, &[u8])> =
        contents.iter().map(|content| (Digest::of(content), content.as_bytes())).collect();
    store.put_tree_nodes(&nodes, NOW_MS).await.expect("stored");
    store.put_tree_nodes(&[nodes[0], nodes[1], nodes[0]], NOW_MS + 1).await.expect("stored once more");
    let mut wanted: Vec<Digest> = nodes.iter().rev().map(|(digest, _)| *digest).collect();
    wanted.insert(3, Digest::of("nothing"));
    let read = store.tree_nodes(&wanted).await.expect("read");
    assert_eq!((read.len(), &read[3]), (701, &None));
    assert_eq!(read[0].as_deref(), Some(&b"node 699"[..]));
    assert_eq!(read[700].as_deref(), Some(&b"node 0"[..]));
    assert_eq!(store.tree_nodes(&[]).await.expect("read"), Vec::<Option<Vec<u8>>>::new());
}

async fn two_writers_of_the_same_nodes_do_not_block_each_other(world: StoreWorld) {
    let writers = [world.open().await, world.open().await];
    let tasks = writers.map(|store| {
        tokio::spawn(async move {
            let contents: Vec<String> = (0..300).map(|number| format!("node {number}")).collect();
            let mut nodes: Vec<(Digest, &[u8])> =
                contents.iter().map(|content| (Digest::of(content), content.as_bytes())).collect();
            for _ in 0..3 {
                nodes.reverse();
                store.put_tree_nodes(&nodes, NOW_MS).await.expect("stored");
            }
        })
    });
    for task in tasks {
        task.await.expect("no panic");
    }
}

async fn a_manifest_reads_back_and_the_ledger_tells_of_it(world: StoreWorld) {
    let store_ = world.open().await;
    let books = books(&store_).await;
    let root = put_root(&store_, ROOT).await;
    let first = store(&books, "{\"message\":\"\\u0000\"}", &[]).await;
    let second = store(&books, "second", &[first]).await;
    let stored = read(&store_, &second).await.expect("it is there");
    assert_eq!((stored.root, stored.generation, stored.entries, stored.bytes), (root, 2, 2, 30));
    assert_eq!((stored.document.as_str(), stored.created_at_ms), ("second", NOW_MS));
    assert_eq!(read(&store_, &first).await.map(|one| one.generation), Some(1));
    let told = ledger(&store_).await;
    assert_eq!((told.len(), told[1].event.kind), (2, EventKind::ManifestCreated));
    let detail: serde_json::Value = told[1].event.detail.as_ref().expect("a detail").decode().expect("JSON");
    let expected = json!({ "manifest": second, "root": root, "parents": [first], "entries": 2, "bytes": 30 });
    assert_eq!(detail, expected);
}

async fn the_same_manifest_is_stored_once_and_the_same_root_is_known(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    put_root(&store, ROOT).await;
    let outcome =
        async |document: &str| books.store_manifest(&new(document, &[]), &ann()).await.expect("stored");
    assert_eq!(outcome("one").await, ManifestOutcome { is_new: true, is_duplicate: false });
    assert_eq!(outcome("two").await, ManifestOutcome { is_new: true, is_duplicate: true });
    assert_eq!(outcome("one").await, ManifestOutcome { is_new: false, is_duplicate: true });
    assert_eq!(kinds(&store).await, ["manifest.created", "manifest.created"]);
}

async fn a_manifest_names_only_what_is_there(world: StoreWorld) {
    let store_ = world.open().await;
    let books = books(&store_).await;
    let refused = async |new: NewManifest<'_>| {
        let refused = books.store_manifest(&new, &ann()).await.expect_err("refused");
        assert_eq!(read(&store_, &new.digest).await, None, "nothing of it is there");
        refused
    };
    assert!(matches!(refused(new("a", &[])).await, StoreManifestError::UnknownRoot(_)));
    put_root(&store_, ROOT).await;
    let there = store(&books, "there", &[]).await;
    let nowhere = ManifestDigest::new(Digest::of("nowhere"));
    let parents = [there, nowhere];
    assert!(
        matches!(refused(new("b", &parents)).await, StoreManifestError::UnknownManifest(one) if one == nowhere)
    );
    let nested = NewManifest { manifests: &[nowhere], ..new("c", &[]) };
    assert!(matches!(refused(nested).await, StoreManifestError::UnknownManifest(one) if one == nowhere));
    let bytes = Digest::of("bytes");
    let artifacts = NewManifest { artifacts: &[bytes], ..new("d", &[]) };
    assert!(matches!(refused(artifacts).await, StoreManifestError::UnknownArtifact(one) if one == bytes));
    // Bytes of a run are not the tenant's.
    store_.touch_blob(&bytes, 5, NOW_MS).await.expect("touched");
    books.store_artifact(&of_run("a.txt", "bytes"), &ann()).await.expect("stored");
    assert!(matches!(refused(artifacts).await, StoreManifestError::UnknownArtifact(one) if one == bytes));
    assert_eq!(kinds(&store_).await, ["manifest.created", "artifact.stored"]);
}

fn of_run(name: &str, content: &str) -> Artifact {
    Artifact {
        digest: Digest::of(content),
        name: FileName::new(name).expect("a name"),
        media_type: "text/plain".into(),
        bytes: content.len() as u64,
        run: Some(RunId::new("run_1")),
        owner: PrincipalId::new("ann"),
        created_at_ms: NOW_MS,
    }
}

async fn an_artifact_becomes_the_tenants_with_the_manifest(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    put_root(&store, ROOT).await;
    let shared = [Artifact { run: None, ..of_run("a.txt", "bytes") }];
    let named = [shared[0].digest];
    let with = NewManifest { shared: &shared, artifacts: &named, ..new("a", &[]) };
    let gone = books.store_manifest(&with, &ann()).await;
    assert!(
        matches!(gone, Err(StoreManifestError::Store(StoreError::BytesGone { .. }))),
        "bytes that are not there: {gone:?}"
    );
    store.touch_blob(&shared[0].digest, 5, NOW_MS).await.expect("touched");
    books.store_manifest(&with, &ann()).await.expect("stored");
    assert_eq!(store.artifacts_of(&named).await.expect("read"), shared);
    assert_eq!(kinds(&store).await, ["artifact.stored", "manifest.created"]);
    let condemned = store.condemn_blobs(NOW_MS + 1, 10).await.expect("looked");
    assert!(condemned.is_empty(), "the tenant's artifacts keep their bytes: {condemned:?}");
}

async fn a_manifest_of_another_tenant_does_not_exist(world: StoreWorld) {
    let store_ = world.open().await;
    let books = books(&store_).await;
    let root = put_root(&store_, ROOT).await;
    let theirs = store(&books, "theirs", &[]).await;
    for table in ["manifests", "manifest_parents", "tree_nodes"] {
        world.sql(&format!("UPDATE {table} SET tenant = 'other'")).await;
    }
    assert_eq!(read(&store_, &theirs).await, None);
    assert_eq!(store_.manifest_ancestry(&theirs, 8).await.expect("read"), []);
    assert_eq!(store_.tree_nodes(&[root]).await.expect("read"), [None]);
    let parents = [theirs];
    let refused = books.store_manifest(&new("ours", &parents), &ann()).await;
    assert!(matches!(refused, Err(StoreManifestError::UnknownManifest(_))), "{refused:?}");
    // The same bytes are new here: nobody can tell that another tenant has them.
    put_root(&store_, ROOT).await;
    let outcome = books.store_manifest(&new("theirs", &[]), &ann()).await.expect("stored");
    assert_eq!(outcome, ManifestOutcome { is_new: true, is_duplicate: false });
}

async fn a_history_is_read_with_one_statement(world: StoreWorld) {
    let store_ = world.open().await;
    let books = books(&store_).await;
    put_root(&store_, ROOT).await;
    let first = store(&books, "first", &[]).await;
    let left = store(&books, "left", &[first]).await;
    let right = store(&books, "right", &[first]).await;
    let merged = store(&books, "merged", &[left, right]).await;
    let last = store(&books, "last", &[merged]).await;
    let generations = async |steps| {
        let mut found: Vec<u64> = store_
            .manifest_ancestry(&last, steps)
            .await
            .expect("read")
            .iter()
            .map(|one| one.generation)
            .collect();
        found.sort_unstable();
        found
    };
    assert_eq!(generations(0).await, [4]);
    assert_eq!(generations(2).await, [2, 2, 3, 4]);
    assert_eq!(generations(64).await, [1, 2, 2, 3, 4], "a manifest that is reached twice is told once");
}

/// The maximum number of operations of a small change.
const OPERATIONS_MAX: u64 = 60;

async fn whatever_fails_a_manifest_and_its_event_go_together(world: StoreWorld) {
    for n in 1..OPERATIONS_MAX {
        let store = world.open().await;
        let books = store.books(settings(&format!("s{n}"))).await.expect("the books open");
        let before = kinds(&store).await.len();
        let (root, document) = (format!("root {n}"), format!("manifest {n}"));
        let new = NewManifest { root: Digest::of(&root), ..new(&document, &[]) };
        store.fail_nth(n);
        let nodes = store.put_tree_nodes(&[(new.root, root.as_bytes())], NOW_MS).await;
        let stored = books.store_manifest(&new, &ann()).await;
        let is_clean = store.is_fault_to_come();
        store.fail_never();
        books.writer().close().await;
        drop((books, store));

        let store = world.open().await;
        let is_there = read(&store, &new.digest).await.is_some();
        let told = kinds(&store).await.split_off(before);
        match told[..] {
            [] => assert!(!is_there && stored.is_err(), "{n}: {nodes:?} {stored:?}"),
            ["manifest.created"] => assert!(is_there, "{n}: {nodes:?} {stored:?}"),
            _ => panic!("{n}: {told:?}"),
        }
        if is_clean {
            assert!(stored.is_ok() && n > 8, "the failures were real: {n}");
            return;
        }
    }
    panic!("the story has no end");
}
