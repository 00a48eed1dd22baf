//! Hits and indexes as tools show them.

use engine_protocol::{ItemSpan, ScoreParts};
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::codes;
use toolgate_core::content::Notice;
use toolgate_core::platform::ObjectRef;
use toolgate_documents::{CitationOutput, digest_of};

use crate::search::{FoundHit, FoundHits, QueriedIndex};
use crate::source::IndexSource;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(super) struct SourceOutput {
    namespace: String,
    name: String,
}

impl SourceOutput {
    pub(super) fn of(source: &IndexSource) -> Self {
        Self { namespace: source.namespace().to_owned(), name: source.name().to_owned() }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexHitOutput {
    /// For index.explain
    hit: String,
    pointer: SourceOutput,
    path: String,
    artifact: String,
    docir: String,
    places: Vec<HitPlaceOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<String>,
    score: f32,
    parts: ScorePartsOutput,
    snippet: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    citation: Option<CitationOutput>,
}

/// Characters of the text of an item of the DocIR.
#[derive(Serialize, JsonSchema)]
struct HitPlaceOutput {
    item: String,
    start: u64,
    end: u64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ScorePartsOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    bm25: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words_rank: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning_rank: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SearchedIndexOutput {
    pointer: SourceOutput,
    /// The manifest of the index
    manifest: String,
    /// The manifest of the documents that it was built of
    source_manifest: String,
    /// The pointer has moved since
    behind: bool,
}

impl IndexHitOutput {
    pub(super) fn of(found: FoundHit, profile: &str) -> Self {
        let FoundHit { source, hit, citation } = found;
        Self {
            hit: format!("{}#{}", source.label(profile), hit.id.chunk),
            pointer: SourceOutput::of(&source),
            path: hit.path,
            artifact: digest_of(&hit.artifact).to_string(),
            docir: digest_of(&hit.docir).to_string(),
            places: hit.places.into_iter().map(HitPlaceOutput::of).collect(),
            page: hit.page,
            headings: hit.headings,
            score: hit.score,
            parts: ScorePartsOutput::of(hit.parts),
            snippet: hit.snippet.text,
            citation: citation.map(CitationOutput::from),
        }
    }
}

impl HitPlaceOutput {
    fn of(place: ItemSpan) -> Self {
        Self { item: place.item, start: place.start, end: place.end }
    }
}

impl ScorePartsOutput {
    pub(super) fn of(parts: ScoreParts) -> Self {
        let ScoreParts { bm25, words_rank, cosine, meaning_rank } = parts;
        Self { bm25, words_rank, cosine, meaning_rank }
    }
}

impl SearchedIndexOutput {
    pub(super) fn of(index: &QueriedIndex) -> Self {
        Self {
            pointer: SourceOutput::of(&index.source),
            manifest: index.manifest.to_string(),
            source_manifest: index.source_manifest.to_string(),
            behind: index.is_behind,
        }
    }
}

/// The indexes that were searched, and the documents that were found, each once.
pub(super) fn refs(found: &FoundHits) -> Vec<ObjectRef> {
    let mut refs: Vec<ObjectRef> =
        found.indexes.iter().map(|index| ObjectRef::Manifest { sha256: index.manifest.digest() }).collect();
    for hit in &found.hits {
        let document = ObjectRef::Artifact { sha256: digest_of(&hit.hit.artifact) };
        if !refs.contains(&document) {
            refs.push(document);
        }
    }
    refs
}

pub(super) fn notice(message: String) -> Notice {
    Notice { code: &codes::SEARCH_LIMITED, message }
}
