//! Profiles: how an index is built and searched, in versions. The built-in ones are files of this crate; others come from a folder.

mod file;
mod shelf;

pub use file::JudgedDocument;
pub(crate) use file::{KnownProfile, ProfileCorpus, ProfileDocument, ProfileQuestion};
pub(crate) use shelf::ProfileShelf;
