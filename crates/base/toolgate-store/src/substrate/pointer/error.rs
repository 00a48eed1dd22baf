//! The reasons why a pointer was not changed.

use toolgate_core::pointer::{MoveRefusal, Pointer};
use toolgate_core::substrate::ManifestDigest;

use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum PointerError {
    #[error("there is no such pointer")]
    Unknown,
    #[error("the name {path} is taken", path = .0.path)]
    NameTaken(Box<Pointer>),
    /// The pointer as it is: its head is not the expected one.
    #[error("{path} has moved", path = .0.path)]
    Moved(Box<Pointer>),
    #[error("a pointer of this kind is not changed so: {0:?}")]
    Refused(MoveRefusal),
    #[error("there is no manifest {0}")]
    UnknownManifest(ManifestDigest),
    #[error(transparent)]
    Store(#[from] StoreError),
}
