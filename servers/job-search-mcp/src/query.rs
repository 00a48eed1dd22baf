//! One boolean tree, written in the dialects of boards and search engines.

mod dialect;
mod tree;

pub(crate) use dialect::{SearchDialect, WrittenQuery, write};
pub(crate) use tree::{QueryWish, SearchTree, plan};
