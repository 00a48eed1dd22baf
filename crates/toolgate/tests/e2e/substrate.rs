//! The substrate on the real binary: artifacts and manifests through every door, on both databases.

mod artifacts;
mod collection;
mod crashes;
mod histories;
mod manifests;
mod pointers;
mod proofs;
pub(crate) mod shelf;
mod transport;
