//! Markdown in and out: CommonMark with tables, footnotes, strikethrough, task lists and a head of `key: value` lines.

mod inline;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use inline::{InlineLooks, InlineStep};
pub(crate) use read::picture_at;
pub(crate) use write::escape;
pub use write::markdown;
