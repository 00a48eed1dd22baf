//! The refusals of a change of a knowledge base.

use super::row::KnowledgeBase;
use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum KnowledgeBaseError {
    #[error("there is no knowledge base {0:?}")]
    Unknown(String),
    /// The one that has the name.
    #[error("there is a knowledge base {name:?} already", name = .0.name)]
    NameTaken(Box<KnowledgeBase>),
    #[error("it is at version {current} now")]
    Stale { current: u64 },
    #[error("there are {max} knowledge bases, and no more are kept")]
    TooMany { max: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}
