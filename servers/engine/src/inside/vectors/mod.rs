//! Vectors as files of blocks: one bit for each number, and the numbers rounded to eight bits (`codes.rs`). Files are read by
//! `block.rs` and written by `writer.rs`.

mod block;
pub(super) mod codes;
mod writer;

pub(super) use block::VectorBlock;
pub(super) use writer::VectorWriter;
