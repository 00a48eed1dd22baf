//! Manifests, and the nodes of their trees, as rows. The `Store` reads them; the `Books` write a manifest and its ledger event in one
//! transaction. The bytes of artifacts are elsewhere.
//!
//! Nodes are written first, a batch in each transaction: without a manifest nothing leads to them. The manifest follows in a
//! transaction that checks what it names: parents, artifacts, manifests and the root are there, and stay until it is done.

mod collection;
mod event;
mod hold;
mod manifest;
mod node;
mod pin;
mod pointer;
mod presence;
mod write;

pub use collection::{
    COLLECTION_LEASE_MS, CollectionTerms, CollectionTurn, MarkKind, MarkedNode, RemovalStep, RootManifest,
    UnreachedRows,
};
pub use manifest::StoredManifest;
pub use pin::{ManifestPin, PINS_MAX, PINS_PAGE_MAX, PinError, PinFilter};
pub use pointer::{
    MoveStamp, MovedPointer, NewHead, POINTER_MOVES_PAGE_MAX, POINTERS_PAGE_MAX, PointerError, PointerFilter,
};
pub use write::{ManifestOutcome, NewManifest, StoreManifestError};
