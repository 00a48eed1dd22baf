//! The substrate as other domains of the gateway use it: files of manifests, their changes, new manifests, and pointers of the gateway's
//! own.

use manifest_tree::{BlobDigest, EntryKind, TreeEdit, TreeEntry};
use toolgate_core::Digest;
use toolgate_core::pointer::PointerKind;
use toolgate_substrate::{ChangedFile, ChangedFileKind, Manifest, ManifestNote, NamedContents, NewFile};

use crate::world::{SubstrateGateway, SubstrateWorld, ann, path};

crate::on_both!(
    files_of_inner_manifests_have_both_paths,
    a_manifest_may_be_read_in_pages_of_any_size,
    changes_of_inner_manifests_are_changes_of_their_files,
    changes_may_be_read_in_pages_of_any_size,
    bytes_that_are_stored_become_a_manifest,
    a_pointer_of_the_gateways_own_moves_only_from_where_it_is_expected,
);

const NAMESPACE: &str = "toolgate.index";
const NAME: &str = "project/a/handbook@docs.default";

/// The same manifest with others in it.
async fn with_inner(gateway: &SubstrateGateway, base: &Manifest, inner: &[(&str, &Manifest)]) -> Manifest {
    let edit = |(at, named): &(&str, &Manifest)| {
        let entry = TreeEntry {
            kind: EntryKind::Manifest,
            digest: BlobDigest::new(*named.digest.as_bytes()),
            bytes: named.bytes,
            media_type: "".into(),
            metadata: [].into(),
        };
        TreeEdit { path: path(at), entry: Some(entry) }
    };
    let edits = inner.iter().map(edit).collect();
    let manifests = inner.iter().map(|(_, named)| named.digest).collect();
    let contents = NamedContents { manifests, ..NamedContents::default() };
    let note = ManifestNote::default();
    let made = gateway.substrate.edit_manifest(&ann(), base, edits, &note, &contents).await;
    made.expect("stored").manifest
}

/// A manifest with a manifest in it, which has another one.
async fn nested(gateway: &SubstrateGateway) -> Manifest {
    let innermost = gateway.snapshot(&[("x.md", "x"), ("y.md", "y")], "innermost").await.expect("stored");
    let inner = gateway.snapshot(&[("m.md", "m"), ("z.md", "z")], "inner").await.expect("stored");
    let inner = with_inner(gateway, &inner, &[("deep", &innermost)]).await;
    let outer = gateway.snapshot(&[("a.md", "a"), ("b-c.md", "b")], "outer").await.expect("stored");
    with_inner(gateway, &outer, &[("b", &inner)]).await
}

const ALL: [&str; 6] = ["a.md", "b/deep/x.md", "b/deep/y.md", "b/m.md", "b/z.md", "b-c.md"];

async fn paths_in_pages(gateway: &SubstrateGateway, manifest: &Manifest, limit: usize) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    loop {
        let after = paths.last().cloned();
        let page = gateway.substrate.files_of(manifest.digest, after.as_deref(), limit).await;
        let page = page.expect("a page");
        let is_last = page.len() < limit;
        paths.extend(page.into_iter().map(|file| file.path));
        if is_last {
            return paths;
        }
    }
}

async fn files_of_inner_manifests_have_both_paths(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let manifest = nested(&gateway).await;
    let files = gateway.substrate.files_of(manifest.digest, None, 100).await.expect("the files");
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ALL);
    let deep = &files[1];
    assert_eq!((deep.artifact, deep.bytes), (Digest::of("x"), 1));
    assert_eq!(deep.media_type.as_deref(), Some("text/plain"));
    let after = gateway.substrate.files_of(manifest.digest, Some("nothing like it"), 100).await;
    assert!(after.expect("a page").is_empty(), "a path that is not there is a place in the order too");
    let refusal = gateway.substrate.files_of(manifest.digest, Some("../x"), 100).await;
    assert_eq!(refusal.expect_err("no path").code.name, "bad_path");
}

async fn a_manifest_may_be_read_in_pages_of_any_size(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let manifest = nested(&gateway).await;
    for limit in 1..=ALL.len() + 1 {
        assert_eq!(paths_in_pages(&gateway, &manifest, limit).await, ALL, "{limit}");
    }
}

/// Before and after: a file of the innermost manifest changed, one of the inner was removed, a file became a manifest and a manifest a
/// file.
async fn before_and_after(gateway: &SubstrateGateway) -> (Manifest, Manifest) {
    let before = nested(gateway).await;
    let lone = gateway.snapshot(&[("one.md", "1"), ("two.md", "2")], "lone").await.expect("stored");
    let before = with_inner(gateway, &before, &[("was-many", &lone)]).await;
    let innermost = gateway.snapshot(&[("x.md", "other"), ("y.md", "y")], "innermost").await.expect("stored");
    let inner = gateway.snapshot(&[("m.md", "m")], "inner").await.expect("stored");
    let inner = with_inner(gateway, &inner, &[("deep", &innermost)]).await;
    let after =
        gateway.snapshot(&[("b-c.md", "b"), ("was-many", "one file")], "outer").await.expect("stored");
    (before, with_inner(gateway, &after, &[("a.md", &lone), ("b", &inner)]).await)
}

const CHANGES: [(&str, ChangedFileKind); 8] = [
    ("a.md/one.md", ChangedFileKind::Added),
    ("a.md/two.md", ChangedFileKind::Added),
    ("a.md", ChangedFileKind::Removed),
    ("b/deep/x.md", ChangedFileKind::Modified),
    ("b/z.md", ChangedFileKind::Removed),
    ("was-many/one.md", ChangedFileKind::Removed),
    ("was-many/two.md", ChangedFileKind::Removed),
    ("was-many", ChangedFileKind::Added),
];

fn told(changes: &[ChangedFile]) -> Vec<(&str, ChangedFileKind)> {
    changes.iter().map(|one| (one.path.as_str(), one.change)).collect()
}

async fn changes_of_inner_manifests_are_changes_of_their_files(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let (before, after) = before_and_after(&gateway).await;
    let changes = gateway.substrate.changed_paths(Some(before.digest), after.digest, None, 100).await;
    let changes = changes.expect("compared");
    assert_eq!(told(&changes), CHANGES);
    assert_eq!((changes[2].artifact, changes[3].artifact), (None, Some(Digest::of("other"))));
    let all = gateway.substrate.changed_paths(None, after.digest, None, 100).await.expect("compared");
    assert!(all.iter().all(|one| one.change == ChangedFileKind::Added) && all.len() == 7, "{all:?}");
    let none = gateway.substrate.changed_paths(Some(after.digest), after.digest, None, 100).await;
    assert!(none.expect("compared").is_empty());
}

async fn changes_may_be_read_in_pages_of_any_size(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let (before, after) = before_and_after(&gateway).await;
    for limit in 1..=CHANGES.len() + 1 {
        let mut read: Vec<ChangedFile> = Vec::new();
        loop {
            let last = read.last().map(|one| one.path.clone());
            let old = Some(before.digest);
            let page = gateway.substrate.changed_paths(old, after.digest, last.as_deref(), limit).await;
            let page = page.expect("a page");
            let is_last = page.len() < limit;
            read.extend(page);
            if is_last {
                break;
            }
        }
        assert_eq!(told(&read), CHANGES, "{limit}");
    }
}

async fn bytes_that_are_stored_become_a_manifest(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let stored = gateway.files().blobs().put_bytes("a segment".into()).await.expect("stored");
    let keep = async || {
        let kind = "application/octet-stream";
        let name = "segment.idx";
        gateway.substrate.keep_artifact(stored.digest, stored.bytes, kind, name, &ann()).await
    };
    assert!(!keep().await.expect("kept").is_duplicate);
    assert!(keep().await.expect("kept").is_duplicate, "the second time changes nothing");
    let file = |path: &str| NewFile { path: path.to_owned(), artifact: stored.digest, metadata: None };
    let metadata = serde_json::json!({ "documents": 3 }).as_object().cloned();
    let note = ManifestNote { message: "an index".to_owned(), metadata, ..ManifestNote::default() };
    let made = gateway.substrate.make_manifest(vec![file("b"), file("a")], &note, &ann()).await;
    let made = made.expect("made").manifest;
    assert_eq!((made.entries, made.metadata.expect("metadata")["documents"].as_u64()), (2, Some(3)));
    for (files, code) in [
        (vec![file("a"), file("a")], "duplicate_path"),
        (vec![file("../a")], "bad_path"),
        (vec![NewFile { artifact: Digest::of("nobody has this"), ..file("a") }], "unknown_artifact"),
    ] {
        let refusal = gateway.substrate.make_manifest(files, &note, &ann()).await.expect_err("refused");
        assert_eq!(refusal.code.name, code);
    }
}

async fn a_pointer_of_the_gateways_own_moves_only_from_where_it_is_expected(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let one = gateway.snapshot(&[("a", "1")], "one").await.expect("stored").digest;
    let two = gateway.snapshot(&[("a", "2")], "two").await.expect("stored").digest;
    let move_to = async |expected, new| {
        let moved = gateway.substrate.move_own_pointer(NAMESPACE, NAME, expected, new, &ann(), "built").await;
        moved.map_err(|refusal| refusal.code.name)
    };
    assert_eq!(gateway.substrate.pointer_head(NAMESPACE, NAME).await.expect("a look"), None);
    assert_eq!(move_to(Some(one), two).await, Err("unknown_pointer"));
    assert_eq!(move_to(None, one).await, Ok(()), "it is created");
    assert_eq!(move_to(None, one).await, Ok(()), "the second time changes nothing");
    assert_eq!(move_to(None, two).await, Err("pointer_moved"));
    assert_eq!(move_to(Some(one), two).await, Ok(()));
    assert_eq!(move_to(Some(one), one).await, Err("pointer_moved"));
    let head = gateway.substrate.pointer_head(NAMESPACE, NAME).await.expect("a look").expect("it is there");
    assert_eq!((head.manifest, head.version, head.kind), (Some(two), 2, PointerKind::Bundle));
    let outside = gateway.substrate.move_own_pointer("project/a", "x", None, one, &ann(), "").await;
    assert_eq!(outside.expect_err("not the gateway's").code.name, "bad_pointer");
    let bad = gateway.substrate.pointer_head("project/a", "x@y").await;
    assert_eq!(bad.expect_err("no name").code.name, "bad_pointer");
}
