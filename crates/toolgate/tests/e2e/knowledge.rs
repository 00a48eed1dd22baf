//! Knowledge bases on the real binary with its engine: answers whose sentences stand in their documents.

mod asking;
mod library;
mod meaning;
mod refused;
mod scopes;
mod written;

pub(crate) use library::{KnowledgeLibrary, lease_pdf};
