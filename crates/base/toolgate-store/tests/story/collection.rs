//! Pins, and the walls between tenants, where artifacts are looked for and collected.

use toolgate_core::event::EventKind;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{
    Actor, Books, CollectionTerms, CollectionTurn, MarkKind, NewManifest, PinError, PinFilter, RemovalStep,
    Store,
};

use crate::desk::{books, ledger};
use crate::world::StoreWorld;

crate::on_both!(
    a_pin_is_a_principals_own_and_is_recorded,
    pins_are_listed_page_by_page,
    artifacts_of_another_tenant_are_missing_here,
    a_collection_leaves_other_tenants_alone,
    marks_of_earlier_generations_say_nothing,
    a_gateway_that_lost_its_turn_takes_no_marks_away,
);

const NOW_MS: i64 = 1_780_000_000_000;
const LATER_MS: i64 = NOW_MS + 10 * 86_400_000;
const TERMS: CollectionTerms =
    CollectionTerms { now_ms: LATER_MS, untouched_since_ms: LATER_MS - 1, moves_since_ms: LATER_MS - 1 };

fn by(name: &str) -> Actor {
    Actor::person(&PrincipalId::new(name))
}

/// A manifest of a tree of one node, which is not looked into here.
async fn manifest(books: &Books, document: &str) -> ManifestDigest {
    let root = Digest::of("a node");
    books.store().put_tree_nodes(&[(root, b"a node")], NOW_MS).await.expect("stored");
    let digest = ManifestDigest::new(Digest::of(document));
    let new = NewManifest {
        digest,
        root,
        parents: &[],
        entries: 0,
        bytes: 0,
        document,
        shared: &[],
        artifacts: &[],
        manifests: &[],
        created_at_ms: NOW_MS,
    };
    books.store_manifest(&new, &by("ann")).await.expect("stored");
    digest
}

async fn begin(store: &Store) -> CollectionTurn {
    store.begin_collection(&TERMS).await.expect("begun").expect("nobody else collects")
}

async fn removed(books: &Books, turn: &CollectionTurn, kind: MarkKind) -> u64 {
    match books.remove_unreached(turn, &TERMS, kind, None, 100, &by("ann")).await.expect("removed") {
        RemovalStep::Removed(rows, _) => rows.count,
        RemovalStep::Unmarked => panic!("a manifest has no mark"),
    }
}

async fn pins_are_listed_page_by_page(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let (one, two) = (manifest(&books, "one").await, manifest(&books, "two").await);
    for (manifest, name) in [(&one, "ann"), (&one, "ben"), (&two, "ann")] {
        assert!(books.pin_manifest(manifest, "evidence", NOW_MS, &by(name)).await.expect("pinned"));
    }
    let (mut met, mut filter) = (Vec::new(), PinFilter::default());
    loop {
        let page = store.pins(&filter, 1).await.expect("read");
        let Some(pin) = page.first() else { break };
        assert_eq!((pin.reason.as_str(), pin.at_ms), ("evidence", NOW_MS));
        filter.after = Some((pin.manifest, pin.principal.clone()));
        met.extend(filter.after.clone());
    }
    let (ann, ben) = (PrincipalId::new("ann"), PrincipalId::new("ben"));
    let mut all = [(one, ann.clone()), (one, ben.clone()), (two, ann.clone())];
    all.sort_by_key(|(manifest, principal)| (*manifest.as_bytes(), principal.as_str().to_owned()));
    assert_eq!(met, all);
    let own = PinFilter { principal: Some(ben.clone()), after: None };
    let own = store.pins(&own, 9).await.expect("read");
    assert_eq!((own.len(), own[0].manifest, &own[0].principal), (1, one, &ben));
    assert!(books.unpin_manifest(&one, &ben, NOW_MS, &by("ann")).await.expect("unpinned"), "by another");
    let told = ledger(&store).await.pop().expect("events").event.detail.expect("a detail");
    let told: serde_json::Value = told.decode().expect("JSON");
    assert_eq!(told["of"], "ben");
}

async fn a_pin_is_a_principals_own_and_is_recorded(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let one = manifest(&books, "one").await;
    let unknown = ManifestDigest::new(Digest::of("nothing"));
    let refused = books.pin_manifest(&unknown, "", NOW_MS, &by("ann")).await;
    assert!(matches!(refused, Err(PinError::UnknownManifest(digest)) if digest == unknown));
    assert!(books.pin_manifest(&one, "evidence", NOW_MS, &by("ann")).await.expect("pinned"));
    assert!(!books.pin_manifest(&one, "again", NOW_MS, &by("ann")).await.expect("pinned"), "it is");
    assert!(books.pin_manifest(&one, "", NOW_MS, &by("ben")).await.expect("pinned"), "his own");
    assert!(books.unpin_manifest(&one, &by("ann").principal, NOW_MS, &by("ann")).await.expect("unpinned"));
    assert!(
        !books.unpin_manifest(&one, &by("ann").principal, NOW_MS, &by("ann")).await.expect("unpinned"),
        "hers is gone"
    );
    let turn = begin(&store).await;
    assert_eq!(store.unmarked_roots(&turn, 10).await.expect("read").len(), 1, "his keeps it");
    let told: Vec<EventKind> = ledger(&store).await.iter().map(|one| one.event.kind).collect();
    let pins = [EventKind::ManifestPinned, EventKind::ManifestPinned, EventKind::ManifestUnpinned];
    assert_eq!(told[1..], pins);
}

async fn artifacts_of_another_tenant_are_missing_here(world: StoreWorld) {
    let store = world.open().await;
    let digest = Digest::of("bytes of another tenant");
    let hex: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let bytes = if world.is_postgres() { format!("'\\x{hex}'::BYTEA") } else { format!("x'{hex}'") };
    let row = format!(
        "INSERT INTO artifacts (tenant, digest, name, media_type, bytes, owner, created_at_ms)
         VALUES ('other', {bytes}, 'a', 'text/plain', 23, 'mallory', 1)"
    );
    assert_eq!(world.sql(&row).await, 1);
    let present = store.present_artifacts(&[digest], NOW_MS).await.expect("looked");
    assert!(present.is_empty(), "nobody learns what others have");
}

async fn a_collection_leaves_other_tenants_alone(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    manifest(&books, "ours").await;
    for table in ["manifests", "tree_nodes"] {
        assert_eq!(world.sql(&format!("UPDATE {table} SET tenant = 'other'")).await, 1);
    }
    manifest(&books, "ours").await;
    let turn = begin(&store).await;
    store.end_marking(&turn).await.expect("nothing to mark");
    assert_eq!(removed(&books, &turn, MarkKind::Manifest).await, 1);
    assert_eq!(removed(&books, &turn, MarkKind::Node).await, 1);
    for table in ["manifests", "tree_nodes"] {
        let left = world.rows(&format!("SELECT tenant, touched_at_ms, digest FROM {table}")).await;
        assert_eq!(left.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), ["other"], "{table}");
    }
}

async fn marks_of_earlier_generations_say_nothing(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let one = manifest(&books, "one").await;
    books.pin_manifest(&one, "", NOW_MS, &by("ann")).await.expect("pinned");
    let first = begin(&store).await;
    store.mark(&first, MarkKind::Manifest, [one.digest()]).await.expect("marked");
    assert!(store.unmarked_roots(&first, 10).await.expect("read").is_empty());
    store.end_marking(&first).await.expect("all is marked");
    let again = begin(&store).await;
    assert_eq!(again.generation, first.generation, "no root went away, so the marks hold");
    store.end_marking(&again).await.expect("all is marked");
    books.unpin_manifest(&one, &by("ann").principal, NOW_MS, &by("ann")).await.expect("unpinned");
    let next = begin(&store).await;
    assert_eq!(next.generation, first.generation + 1);
    assert_eq!(removed(&books, &next, MarkKind::Manifest).await, 1);
    store.end_collection(&next).await.expect("ended");
    let marks = world.rows("SELECT tenant, generation, digest FROM collection_marks").await;
    assert!(marks.is_empty(), "they are forgotten");
}

async fn a_gateway_that_lost_its_turn_takes_no_marks_away(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let one = manifest(&books, "one").await;
    books.pin_manifest(&one, "", NOW_MS, &by("ann")).await.expect("pinned");
    let late = begin(&store).await;
    // Nobody said that everything is marked, so this is another generation.
    let next = begin(&store).await;
    assert!(next.generation > late.generation);
    store.mark(&next, MarkKind::Manifest, [one.digest()]).await.expect("marked");
    store.mark(&late, MarkKind::Manifest, [one.digest()]).await.expect("marked, too late");
    assert!(store.unmarked_roots(&next, 10).await.expect("read").is_empty(), "it is still marked");
}
