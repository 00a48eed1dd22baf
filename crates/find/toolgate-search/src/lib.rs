#![doc = include_str!("../README.md")]

mod answer;
mod cost;
mod diet;
mod document;
mod index;
pub mod meaning;
pub mod meta_tools;
mod names;
mod plain;
mod signature;
pub mod tokens;
mod words;

pub use answer::{Answer, Budget, Card, DETAILED_MAX, Detail, Form, Item, LINES_ALONE_MAX, LINES_MAX, Shown};
pub use cost::{Cost, listed};
pub use diet::diet;
pub use document::{Argument, Document};
pub use index::{FUSED_MAX, Hit, Index, Indexer, Place, Subset};
pub use signature::{one_line, signature};
