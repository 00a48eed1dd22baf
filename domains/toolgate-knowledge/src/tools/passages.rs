//! Passages and citations as tools show them.

use docir::{Citation, Quad};
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::Digest;
use toolgate_core::platform::ObjectRef;

use super::address::page_of;
use super::output::KnowledgePointer;
use crate::packing::{PackedAnswer, PackedPassage};
use crate::selection::OfferedSentence;

/// Citations that an answer names beside its data, for links.
const CITATION_REFS_MAX: usize = 50;

#[derive(Serialize, JsonSchema)]
pub(super) struct KnowledgePassage {
    pointer: KnowledgePointer,
    path: String,
    /// From 1; documents without pages have none
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// The headings above it, the outermost first
    headings: Vec<String>,
    score: f32,
    sentences: Vec<KnowledgeSentence>,
    /// Sentences of the passage for which there was no room
    #[serde(skip_serializing_if = "is_zero")]
    cut: usize,
}

#[derive(Serialize, JsonSchema)]
struct KnowledgeSentence {
    text: String,
    /// Its number in the text of the answer
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<u32>,
    /// Checked against the document
    #[serde(skip_serializing_if = "Option::is_none")]
    citation: Option<KnowledgeCitation>,
}

#[derive(Serialize, JsonSchema)]
struct KnowledgeCitation {
    /// sha256 of the document
    artifact: String,
    /// sha256 of its parsed form
    docir: String,
    /// A JSON pointer into the parsed form
    item: String,
    /// Characters of the item's text
    start: usize,
    end: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// One box for each line, in points from the top left corner
    quads: Vec<KnowledgeQuad>,
    quote: KnowledgeQuote,
    /// The page that shows it, at the gateway
    address: String,
}

#[derive(Serialize, JsonSchema)]
struct KnowledgeQuad {
    page: u32,
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

#[derive(Serialize, JsonSchema)]
struct KnowledgeQuote {
    exact: String,
    prefix: String,
    suffix: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl KnowledgePassage {
    pub(super) fn all(packed: &PackedAnswer) -> Vec<Self> {
        packed.passages.iter().map(Self::of).collect()
    }

    fn of(packed: &PackedPassage) -> Self {
        let PackedPassage { passage, marks, cut } = packed;
        let sentences = passage.sentences.iter().zip(marks);
        Self {
            pointer: KnowledgePointer::of(&passage.pointer),
            path: passage.path.clone(),
            page: passage.page,
            headings: passage.headings.clone(),
            score: passage.score,
            sentences: sentences.map(|(sentence, mark)| KnowledgeSentence::of(sentence, *mark)).collect(),
            cut: *cut,
        }
    }
}

impl KnowledgeSentence {
    fn of(sentence: &OfferedSentence, mark: Option<u32>) -> Self {
        let citation = sentence.citation.as_ref().map(KnowledgeCitation::of);
        Self { text: sentence.text.clone(), mark, citation }
    }
}

impl KnowledgeCitation {
    fn of(citation: &Citation) -> Self {
        Self {
            artifact: citation.artifact.clone(),
            docir: citation.docir.clone(),
            item: citation.item.clone(),
            start: citation.start,
            end: citation.end,
            page: citation.page,
            quads: citation.quads.iter().map(KnowledgeQuad::of).collect(),
            quote: KnowledgeQuote {
                exact: citation.quote.exact.clone(),
                prefix: citation.quote.prefix.clone(),
                suffix: citation.quote.suffix.clone(),
            },
            address: page_of(citation),
        }
    }
}

impl KnowledgeQuad {
    fn of(quad: &Quad) -> Self {
        Self { page: quad.page, left: quad.left, top: quad.top, right: quad.right, bottom: quad.bottom }
    }
}

/// The citations of an answer, for links.
pub(super) fn citation_refs<'a>(packed: impl IntoIterator<Item = &'a PackedAnswer>) -> Vec<ObjectRef> {
    let passages = packed.into_iter().flat_map(|one| &one.passages);
    let citations = passages.flat_map(|one| &one.passage.sentences).filter_map(|one| one.citation.as_ref());
    citations.filter_map(citation_ref).take(CITATION_REFS_MAX).collect()
}

fn citation_ref(citation: &Citation) -> Option<ObjectRef> {
    Some(ObjectRef::Citation {
        artifact: digest(&citation.artifact)?,
        docir: digest(&citation.docir)?,
        item: citation.item.clone(),
        start: u64::try_from(citation.start).ok()?,
        end: u64::try_from(citation.end).ok()?,
    })
}

fn digest(hex: &str) -> Option<Digest> {
    format!("sha256:{hex}").parse().ok()
}
