//! Queries and what they find.

use docir::Citation;
use engine_protocol::{Explanation, Passage, PassageHit, SearchFilter};
use toolgate_core::substrate::ManifestDigest;

use crate::scope::IndexScope;
use crate::source::IndexSource;

/// A query over indexes, with the rights of its caller.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexQuery {
    pub query: String,
    pub scope: IndexScope,
    /// A name; the active version counts.
    pub profile: String,
    pub top_k: u16,
    pub filter: SearchFilter,
}

/// The hits of a query, the best first.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundHits {
    pub hits: Vec<FoundHit>,
    /// The indexes that were searched, in a fixed order.
    pub indexes: Vec<QueriedIndex>,
    /// `docs.default@1`
    pub profile: String,
    /// True if vectors took part.
    pub by_meaning: bool,
    pub warnings: Vec<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FoundHit {
    pub source: IndexSource,
    pub hit: PassageHit,
    /// None if its document could not be read, or past the limit of one search.
    pub citation: Option<Citation>,
}

/// A passage with its text, and the pointer that it was found in.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundPassage {
    pub source: IndexSource,
    pub passage: Passage,
}

/// The passages of a query, the best first.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundPassages {
    pub passages: Vec<FoundPassage>,
    pub indexes: Vec<QueriedIndex>,
    pub profile: String,
    pub warnings: Vec<String>,
}

/// An index that took part in a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueriedIndex {
    pub source: IndexSource,
    pub manifest: ManifestDigest,
    pub source_manifest: ManifestDigest,
    /// The pointer has moved since it was built.
    pub is_behind: bool,
}

/// An explanation, and the index and the profile that it is about.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ExplainedHit {
    pub(crate) explanation: Explanation,
    pub(crate) index: QueriedIndex,
    pub(crate) profile: String,
    pub(crate) profile_digest: String,
}
