//! The rows behind a collection: what nothing reaches is removed. `toolgate-substrate` walks the trees; here are the roots, the marks
//! and the removal.
//!
//! A collection takes turns with others by a lease. It notes the roots, marks what they reach, and removes what has no mark and was not
//! touched for a while. Whoever writes the same content meanwhile touches it, or makes a manifest that has no mark yet; the transaction
//! that removes sees either.

mod lease;
mod mark;
mod remove;
mod roots;
mod turn;

pub use lease::COLLECTION_LEASE_MS;
pub use mark::{MarkKind, MarkedNode};
pub use remove::{RemovalStep, UnreachedRows};
pub use roots::RootManifest;
pub use turn::{CollectionTerms, CollectionTurn};
