//! Pointers: names that lead to a manifest, and every move of them.

mod faults;
mod kinds;
mod races;
mod reading;

use toolgate_core::event::{EventFilter, EventKind, RecordedEvent};
use toolgate_core::id::{ApprovalId, PointerId};
use toolgate_core::pointer::{ExpectedHead, MoveOperation, Pointer, PointerKind, PointerMove, PointerPath};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{Actor, Books, LedgerOrder, MoveStamp, MovedPointer, NewHead, PointerError, Store};

use crate::desk;
use crate::world::StoreWorld;

const NOW_MS: i64 = 1_790_000_000_000;
/// More than a story has.
const EVENTS_MAX: usize = 500;

/// Two gateways on one database.
async fn replicas(world: &StoreWorld) -> (Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    (first, one, two)
}

async fn place(world: &StoreWorld) -> (Store, Books) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    (store, books)
}

fn manifest(number: usize) -> ManifestDigest {
    ManifestDigest::from_bytes(*Digest::of(format!("manifest {number}")).as_bytes())
}

/// Rows of these manifests, which lead to nothing.
async fn manifests(world: &StoreWorld, tenant: &str, numbers: std::ops::Range<usize>) {
    let rows: Vec<String> = numbers
        .map(|number| {
            let hex = manifest(number).to_string().replace("sha256:", "");
            let digest = if world.is_postgres() { format!("'\\x{hex}'") } else { format!("x'{hex}'") };
            format!("('{tenant}', {digest}, {digest}, 1, 0, 0, '{{}}', 0, 0)")
        })
        .collect();
    let columns = "tenant, digest, root, generation, entries, bytes, document, created_at_ms, touched_at_ms";
    world.sql(&format!("INSERT INTO manifests ({columns}) VALUES {}", rows.join(", "))).await;
}

fn path(name: &str) -> PointerPath {
    PointerPath::new("project/a", name).expect("a name")
}

fn pointer(id: &str, name: &str, kind: PointerKind, manifest: Option<ManifestDigest>) -> Pointer {
    Pointer {
        id: PointerId::new(format!("ptr_{id}")),
        path: path(name),
        kind,
        manifest,
        description: "a working set".to_owned(),
        version: 1,
        created_by: PrincipalId::new("erna"),
        created_at_ms: NOW_MS,
        moved_at_ms: NOW_MS,
        deleted_at_ms: None,
    }
}

fn stamp(ms: i64) -> MoveStamp {
    let by = Actor { call: Some(desk::call("1")), ..Actor::person(&PrincipalId::new("erna")) };
    MoveStamp { by, approval: None, reason: "because".to_owned(), at_ms: NOW_MS + ms }
}

fn agreed(ms: i64) -> MoveStamp {
    MoveStamp { approval: Some(ApprovalId::new("apr_1")), ..stamp(ms) }
}

fn head(id: &str, expected: ExpectedHead, to: usize) -> NewHead {
    let pointer = PointerId::new(format!("ptr_{id}"));
    NewHead { pointer, operation: MoveOperation::Advance, expected, manifest: manifest(to) }
}

fn exactly(number: usize) -> ExpectedHead {
    ExpectedHead::Exactly(Some(manifest(number)))
}

async fn create(books: &Books, pointer: Pointer) -> Pointer {
    books.create_pointer(pointer, &stamp(0)).await.expect("created")
}

async fn bundle(books: &Books, id: &str) -> Pointer {
    create(books, pointer(id, id, PointerKind::Bundle, None)).await
}

async fn advance(books: &Books, id: &str, to: usize) -> MovedPointer {
    books.move_pointer(&head(id, ExpectedHead::Any, to), &stamp(1)).await.expect("moved")
}

async fn moves(store: &Store, id: &PointerId) -> Vec<PointerMove> {
    store.pointer_moves(id, None, EVENTS_MAX).await.expect("read")
}

async fn told(store: &Store, kind: EventKind) -> Vec<RecordedEvent> {
    let filter = EventFilter { kind: Some(kind), ..EventFilter::default() };
    store.ledger_page(&filter, None, EVENTS_MAX, LedgerOrder::OldestFirst).await.expect("read")
}

/// The head, the moves and the events tell the same story.
async fn agree(store: &Store, id: &PointerId) {
    let pointer = store.pointer(id).await.expect("read").expect("it is there");
    let moves = moves(store, id).await;
    let versions: Vec<u64> = moves.iter().map(|one| one.version).collect();
    let expected: Vec<u64> = (1..=pointer.version).rev().collect();
    assert_eq!(versions, expected, "without a gap");
    assert_eq!(moves[0].new, pointer.manifest);
    for pair in moves.windows(2) {
        assert_eq!(pair[0].old, pair[1].new, "each begins where the one before ended");
    }
    let mut events = 0;
    for kind in [EventKind::PointerCreated, EventKind::PointerMoved, EventKind::PointerDeleted] {
        let of_this = |one: &&RecordedEvent| {
            one.event.detail.as_ref().is_some_and(|detail| detail.as_str().contains(&format!("\"{id}\"")))
        };
        events += told(store, kind).await.iter().filter(of_this).count();
    }
    assert_eq!(events, moves.len(), "one event each");
}
