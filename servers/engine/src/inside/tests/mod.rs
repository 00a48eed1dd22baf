//! Stories of indexes: built, searched, changed, damaged.

mod builds;
mod damage;
mod explains;
mod filters;
mod fusions;
mod queries;
mod scopes;

use std::sync::Arc;

use engine_protocol::{
    BeginBuild, Chunking, EngineFault, EngineKind, Explain, Explanation, FieldWeights, Fusion, HitId,
    IndexListing, IndexRef, IngestDocument, ItemSpan, MeaningScoring, PassageHit, Profile, Search,
    SearchFilter, SnippetRule, Stemming, WordScoring,
};
use tempfile::TempDir;

use super::InsideEngine;
use super::corpus::Corpus;
use crate::chunks::{Chunk, ChunkPlace};
use crate::contents::{Contents, digest_of};
use crate::port::{EmbeddedChunk, Engine, FoundHits, QueryParts};

/// An engine in a folder of its own.
pub(super) struct Library {
    pub(super) engine: InsideEngine,
    pub(super) contents: Arc<Contents>,
    home: TempDir,
}

/// A document and the texts of its passages.
pub(super) type TestDocument = (IngestDocument, Vec<EmbeddedChunk>);

impl Library {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let contents = Arc::new(Contents::new(home.path(), u64::MAX).unwrap());
        let engine = InsideEngine::new(Arc::clone(&contents), home.path().join("scratch"));
        Self { engine, contents, home }
    }

    /// The same folder with an engine that knows nothing yet.
    pub(super) fn restarted(self) -> Self {
        let contents = Arc::new(Contents::new(self.home.path(), u64::MAX).unwrap());
        let engine = InsideEngine::new(Arc::clone(&contents), self.home.path().join("scratch"));
        Self { engine, contents, home: self.home }
    }

    pub(super) fn build(&self, documents: Vec<TestDocument>) -> IndexListing {
        self.build_on(None, documents, &[])
    }

    pub(super) fn build_on(
        &self,
        base: Option<&IndexListing>,
        documents: Vec<TestDocument>,
        dropped: &[&str],
    ) -> IndexListing {
        let mut build = self.engine.begin(&begin(base, profile())).unwrap();
        for path in dropped {
            build.drop_document(path).unwrap();
        }
        for (document, chunks) in documents {
            build.put(&document, chunks).unwrap();
        }
        build.finish().unwrap()
    }

    pub(super) fn search(&self, indexes: &[(&str, &IndexListing)], query: &str) -> FoundHits {
        self.ask(&search(indexes, query), None).unwrap()
    }

    pub(super) fn ask(&self, search: &Search, vector: Option<&[f32]>) -> Result<FoundHits, EngineFault> {
        self.engine.search(search, &parts(search, vector))
    }

    pub(super) fn explain(&self, search: &Search, hit: &HitId, vector: Option<&[f32]>) -> Explanation {
        let explain = Explain { search: search.clone(), hit: hit.clone() };
        self.engine.explain(&explain, &parts(search, vector)).unwrap()
    }

    pub(super) fn corpus(&self, indexes: &[(&str, &IndexListing)]) -> Corpus {
        let opened = indexes.iter().map(|(label, listing)| {
            let version = self.engine.versions.open(listing).unwrap();
            let alive = Arc::clone(&version.alive);
            ((*label).to_owned(), version, alive)
        });
        Corpus::new(opened.collect())
    }
}

pub(super) fn begin(base: Option<&IndexListing>, profile: Profile) -> BeginBuild {
    BeginBuild { engine: EngineKind::Inside, name: "library/books".to_owned(), base: base.cloned(), profile }
}

pub(super) fn profile() -> Profile {
    Profile {
        name: "docs.default".to_owned(),
        version: 1,
        chunking: Chunking { words_max: 200, words_min: 20, overlap_sentences: 0 },
        fields: FieldWeights { title: 2.0, headings: 1.5, body: 1.0, path: 0.5 },
        words: WordScoring { k1: 0.9, b: 0.4, stemming: Stemming::English, candidates: 100, feedback: None },
        meaning: Some(MeaningScoring {
            candidates: 100,
            feedback: 0.0,
            feedback_passages: 0,
            cosine_min: 0.05,
        }),
        fusion: Fusion::Ranks { k: 60.0, words: 1.0, meaning: 0.7 },
        per_document: None,
        snippet: SnippetRule { tokens: 40, tokens_all: 400 },
    }
}

pub(super) fn search(indexes: &[(&str, &IndexListing)], query: &str) -> Search {
    let indexes = indexes
        .iter()
        .map(|(label, listing)| IndexRef { label: (*label).to_owned(), listing: (*listing).clone() });
    Search {
        indexes: indexes.collect(),
        query: query.to_owned(),
        profile: profile(),
        top_k: 10,
        filter: SearchFilter::default(),
    }
}

fn parts(search: &Search, vector: Option<&[f32]>) -> QueryParts {
    QueryParts { text: search.query.clone(), vector: vector.map(<[f32]>::to_vec) }
}

pub(super) fn document(path: &str, texts: &[&str]) -> TestDocument {
    let chunks = texts.iter().map(|text| EmbeddedChunk { chunk: chunk(text), vector: None });
    (ingest(path), chunks.collect())
}

/// A document whose only passage has a vector.
pub(super) fn with_vector(path: &str, text: &str, vector: &[f32]) -> TestDocument {
    (ingest(path), vec![EmbeddedChunk { chunk: chunk(text), vector: Some(vector.to_vec()) }])
}

pub(super) fn ingest(path: &str) -> IngestDocument {
    IngestDocument {
        path: path.to_owned(),
        artifact: digest_of(path.as_bytes()),
        docir: digest_of(format!("docir of {path}").as_bytes()),
        media_type: Some("text/plain".to_owned()),
        metadata: serde_json::Map::new(),
    }
}

fn chunk(text: &str) -> Chunk {
    let span = ItemSpan { item: "#/texts/0".to_owned(), start: 0, end: text.chars().count() as u64 };
    Chunk {
        text: text.to_owned(),
        title: String::new(),
        headings: Vec::new(),
        places: vec![ChunkPlace { span, at: 0 }],
        page: Some(1),
    }
}

pub(super) fn paths(hits: &[PassageHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_str()).collect()
}

/// Paths with the bits of their scores, so that equal means equal.
fn scores(hits: &[PassageHit]) -> Vec<(&str, u32)> {
    hits.iter().map(|hit| (hit.path.as_str(), hit.score.to_bits())).collect()
}

fn birds() -> Vec<TestDocument> {
    vec![
        document("birds/wing.txt", &["The wing of a bird lifts it into the air.", "A wing has feathers."]),
        document("birds/song.txt", &["A bird sings in the morning, and the song is old."]),
        document("planes/wing.txt", &["The wing of a plane is of metal, and a wing does not sing."]),
    ]
}

fn fish() -> Vec<TestDocument> {
    vec![
        document("fish/fin.txt", &["A fin is the wing of a fish."]),
        document("fish/deep.txt", &["Deep in the sea the fish have lights, and the sea is dark."]),
    ]
}
