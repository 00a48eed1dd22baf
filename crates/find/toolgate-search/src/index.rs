//! The words of all tools, and the tools of each word.
//!
//! An [`Index`] never changes; an [`Indexer`] makes the next one when the catalogue has changed. Searches
//! never run on the index itself: a [`Subset`] is its visible part, and knows of nothing else.

mod analysis;
mod indexer;
mod names;
mod query;
mod rank;
mod search;
mod spelling;
mod subset;
mod table;

#[cfg(test)]
mod tests;

pub use indexer::Indexer;
pub use search::{FUSED_MAX, MatchKind, SearchHit};
pub use subset::Subset;
pub use table::Index;
