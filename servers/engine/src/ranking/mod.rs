//! Ranking as pure functions, without files and without a database: words of texts, BM25, feedback, fusion, filters, snippets.
//!
//! An engine brings postings and vectors; everything that decides about the order of hits is here, so that engines mean the same.

pub(crate) mod bm25;
pub(crate) mod feedback;
pub(crate) mod filters;
pub(crate) mod fusion;
pub(crate) mod snippet;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
