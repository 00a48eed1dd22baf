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

#[cfg(test)]
mod tests;

use std::sync::Arc;

use toolgate_core::{CanonicalName, ServerName};

use crate::Document;
use analysis::{Counts, Lengths};
use names::Names;

pub use indexer::Indexer;
pub use search::{FUSED_MAX, Hit, Place};
pub use subset::Subset;

/// All tools by the order of their canonical names: a tool's place in it is its slot.
#[derive(Default)]
pub struct Index {
    documents: Vec<Arc<Document>>,
    lengths: Vec<Lengths>,
    /// Sorted; a tool refers to its server by the index in this list.
    servers: Vec<ServerName>,
    server_of: Vec<u32>,
    names: Names,
    /// Sorted stems; the postings of the n-th are between the n-th and the next start.
    terms: Vec<Arc<str>>,
    starts: Vec<usize>,
    postings: Vec<Posting>,
}

/// The number of occurrences of a word in a tool, by field.
#[derive(Clone, Copy)]
struct Posting {
    slot: u32,
    counts: Counts,
}

impl Index {
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn document(&self, name: &CanonicalName) -> Option<&Arc<Document>> {
        self.slot(name).map(|slot| &self.documents[slot])
    }

    /// Every document, by the order of the names.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.documents.iter()
    }

    /// The part of the index that has these names; names it does not know are left out.
    pub fn subset<'a>(self: &Arc<Self>, names: impl Iterator<Item = &'a CanonicalName>) -> Subset {
        Subset::of(self, names.filter_map(|name| self.slot(name)))
    }

    pub fn all(self: &Arc<Self>) -> Subset {
        Subset::of(self, 0..self.len())
    }

    fn slot(&self, name: &CanonicalName) -> Option<usize> {
        self.documents.binary_search_by(|document| document.name.cmp(name)).ok()
    }

    fn postings(&self, term: usize) -> &[Posting] {
        &self.postings[self.starts[term]..self.starts[term + 1]]
    }

    fn term(&self, stem: &str) -> Option<usize> {
        self.terms.binary_search_by(|term| (**term).cmp(stem)).ok()
    }
}
