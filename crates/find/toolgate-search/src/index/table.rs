//! The words of all tools, and the tools of each word.

use std::sync::Arc;

use toolgate_core::{CanonicalName, ServerName};

use super::analysis::{FieldCounts, FieldLengths};
use super::names::NameIndex;
use super::subset::Subset;
use crate::ToolDocument;

/// All tools by the order of their canonical names: a tool's place in it is its slot.
#[derive(Default)]
pub struct Index {
    pub(super) documents: Vec<Arc<ToolDocument>>,
    pub(super) lengths: Vec<FieldLengths>,
    /// Sorted; a tool refers to its server by the index in this list.
    pub(super) servers: Vec<ServerName>,
    pub(super) server_of: Vec<u32>,
    pub(super) names: NameIndex,
    /// Sorted stems; the postings of the n-th are between the n-th and the next start.
    pub(super) terms: Vec<Arc<str>>,
    pub(super) starts: Vec<usize>,
    pub(super) postings: Vec<Posting>,
}

/// The number of occurrences of a word in a tool, by field.
#[derive(Clone, Copy)]
pub(super) struct Posting {
    pub(super) slot: u32,
    pub(super) counts: FieldCounts,
}

impl Index {
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn document(&self, name: &CanonicalName) -> Option<&Arc<ToolDocument>> {
        self.slot(name).map(|slot| &self.documents[slot])
    }

    /// Every document, by the order of the names.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<ToolDocument>> {
        self.documents.iter()
    }

    /// The part of the index that has these names; names it does not know are left out.
    pub fn subset<'a>(self: &Arc<Self>, names: impl Iterator<Item = &'a CanonicalName>) -> Subset {
        Subset::of(self, names.filter_map(|name| self.slot(name)))
    }

    pub fn all(self: &Arc<Self>) -> Subset {
        Subset::of(self, 0..self.len())
    }

    pub(super) fn slot(&self, name: &CanonicalName) -> Option<usize> {
        self.documents.binary_search_by(|document| document.name.cmp(name)).ok()
    }

    pub(super) fn postings(&self, term: usize) -> &[Posting] {
        &self.postings[self.starts[term]..self.starts[term + 1]]
    }

    pub(super) fn term(&self, stem: &str) -> Option<usize> {
        self.terms.binary_search_by(|term| (**term).cmp(stem)).ok()
    }
}
