//! Profiles: how an index is built and searched, in versions. The built-in ones are files of this crate; others come from a folder.

mod file;
mod shelf;

pub(crate) use file::{
    JudgedDocument, KnownProfile, ProfileCorpus, ProfileDocument, ProfileQuestion, QUESTIONS_MAX,
};
pub(crate) use shelf::ProfileShelf;
