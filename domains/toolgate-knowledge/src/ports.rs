//! The ports to what answers are made of: passages that were found, and citations that were checked.

use docir::Citation;
use engine_protocol::{ContentId, ItemSpan, Passage};
use toolgate_core::Refusal;
use toolgate_core::pointer::PointerPath;
use toolgate_core::port::BoxFuture;
use toolgate_domain::ToolContext;

/// A search in the indexes of these pointers.
#[derive(Clone, Copy, Debug)]
pub struct PassageRequest<'a> {
    pub query: &'a str,
    pub pointers: &'a [PointerPath],
    pub profile: &'a str,
    pub passages_max: u32,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct FoundPassages {
    /// The best first.
    pub passages: Vec<FoundPassage>,
    /// True if vectors took part.
    pub by_meaning: bool,
    pub indexes: Vec<SearchedIndex>,
    /// Sentences, such as about an index that is behind its pointer.
    pub warnings: Vec<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FoundPassage {
    pub pointer: PointerPath,
    pub passage: Passage,
}

/// An index that was searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchedIndex {
    pub pointer: PointerPath,
    /// The manifest of the index, as `sha256:…`.
    pub manifest: String,
    /// `docs.default@1`
    pub profile: String,
    /// True if the pointer has moved since it was built.
    pub is_behind: bool,
}

/// The search behind answers. It finds only what the session of the call has mounted.
pub trait PassageSource: Send + Sync {
    fn passages<'a>(
        &'a self,
        context: &'a ToolContext,
        request: PassageRequest<'a>,
    ) -> BoxFuture<'a, Result<FoundPassages, Refusal>>;
}

/// Words that an answer wants to offer, and the place where they should stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedQuote {
    pub place: ItemSpan,
    pub text: String,
}

/// The check of quotations against their document.
pub trait CitationSource: Send + Sync {
    /// A citation for each quotation, in their order: at its place, or where the document has the same words now. `None` for words that
    /// do not stand in the document.
    fn cite<'a>(
        &'a self,
        artifact: &'a ContentId,
        docir: &'a ContentId,
        quotes: &'a [OfferedQuote],
    ) -> BoxFuture<'a, Result<Vec<Option<Citation>>, Refusal>>;
}
