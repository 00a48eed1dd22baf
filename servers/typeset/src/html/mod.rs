//! HTML in and out. What is read is only text, structure and safe links: no scripts, styles or forms come through.

mod read;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub(crate) use read::fragment;
pub use write::html;
