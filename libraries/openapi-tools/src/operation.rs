//! Operations of a document as tools.

mod answers;
mod arguments;
mod body_secrets;
mod content;
mod fields;
mod listing;
mod parameters;

pub(crate) use listing::each_tool;
