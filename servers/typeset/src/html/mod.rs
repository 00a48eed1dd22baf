//! HTML in and out. Only text, structure and safe links are read: scripts, styles and forms are dropped.

mod read;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub(crate) use read::fragment;
pub use write::html;
