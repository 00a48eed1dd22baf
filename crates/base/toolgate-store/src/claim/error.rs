//! The refusals of a change of a claim.

use toolgate_core::Digest;
use toolgate_core::claim::{ClaimState, ClaimType};
use toolgate_core::id::ClaimId;

use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ClaimChangeError {
    #[error("there is no claim {0}")]
    Unknown(ClaimId),
    #[error("the claim is {}", state.as_str())]
    State { state: ClaimState },
    /// It has another revision than was seen.
    #[error("the claim is at revision {revision}")]
    OtherRevision { revision: u64 },
    /// It or its evidence is another one than was seen.
    #[error("the claim and its evidence are {digest}")]
    Stale { digest: Digest },
    #[error("the artifact {0} is gone")]
    ArtifactGone(Digest),
    #[error("a claim has at most {max} {what}")]
    TooMany { what: &'static str, max: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, thiserror::Error)]
pub enum ClaimTypeError {
    /// The one that has the name, at another version than was seen.
    #[error("there is a type of claims {name:?} at version {version}", name = .0.name, version = .0.version)]
    Other(Box<ClaimType>),
    #[error("there is no type of claims of this name")]
    Unknown,
    #[error("there are {max} types of claims, and no more are kept")]
    TooMany { max: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}
