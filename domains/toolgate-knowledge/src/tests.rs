//! Choice, check and packing of passages, over documents that are lists of sentences.

mod choosing;
pub(crate) mod kit;
mod packed;
