//! Proofs for people who do not trust the operator: Merkle trees, signed checkpoints, and files that prove
//! one call. Everything here is computed from what it is given: there is no database, file or clock.

mod checkpoint;
mod growing;
mod key;
mod note;
mod proof;
mod stream_tree;
pub mod tree;

pub use checkpoint::{BadCheckpoint, LedgerCheckpoint, SignedStream, StreamRoot};
pub use growing::GrowingTree;
pub use key::{BadKey, CheckpointKey, VerifierKey};
pub use note::{BadNote, SignedNote};
pub use proof::{
    BadProof, CallProof, CheckedLine, DisclosedBodies, DisclosedBody, ProvenEvent, ProvenStream,
};
pub use stream_tree::{BLOCK, StreamTree};
