//! A database of its own for each test, on a server with the extensions or on one without.

use std::sync::Arc;

use engine_protocol::{
    BeginBuild, Chunking, ContentId, EngineFault, EngineKind, FieldWeights, Fusion, IndexListing, IndexRef,
    IngestDocument, ItemSpan, MeaningScoring, Profile, Search, SearchFilter, SnippetRule, Stemming,
    WordScoring,
};
use serde_json::{Map, Value};
use tempfile::TempDir;
use toolgate_stage::postgres::{Database, engine_server, shared_server};

use crate::chunks::{Chunk, ChunkPlace};
use crate::contents::Contents;
use crate::port::{Build, EmbeddedChunk, Engine, FoundHits, QueryParts};
use crate::postgres::PostgresEngine;

pub(super) const MODEL: &str = "a model";

pub(super) struct World {
    pub(super) engine: PostgresEngine,
    pub(super) contents: Arc<Contents>,
    pub(super) database: Database,
    /// True if the server has the extensions.
    pub(super) is_extended: bool,
    _folder: TempDir,
}

/// A document of a test: a path and its passages.
#[derive(Clone)]
pub(super) struct TestDocument {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) texts: Vec<String>,
    pub(super) media_type: Option<String>,
    pub(super) metadata: Map<String, Value>,
}

impl World {
    pub(super) fn plain() -> Self {
        Self::on(Database::create(shared_server()), false)
    }

    pub(super) fn extended() -> Self {
        Self::on(Database::create(engine_server()), true)
    }

    fn on(database: Database, is_extended: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let contents = Arc::new(Contents::new(folder.path(), 1 << 30).unwrap());
        let engine = connect(&database, &contents).unwrap();
        Self { engine, contents, database, is_extended, _folder: folder }
    }

    pub(super) fn begin(&self, name: &str, base: Option<&IndexListing>) -> Box<dyn Build> {
        self.try_begin(name, base, &profile()).unwrap()
    }

    pub(super) fn try_begin(
        &self,
        name: &str,
        base: Option<&IndexListing>,
        profile: &Profile,
    ) -> Result<Box<dyn Build>, EngineFault> {
        self.engine.begin(&BeginBuild {
            engine: EngineKind::Postgres,
            name: name.to_owned(),
            base: base.cloned(),
            profile: profile.clone(),
        })
    }

    /// A version with these documents put and those paths dropped.
    pub(super) fn build(
        &self,
        name: &str,
        base: Option<&IndexListing>,
        put: &[TestDocument],
        dropped: &[&str],
    ) -> IndexListing {
        let mut build = self.begin(name, base);
        put.iter().for_each(|document| document.put(&mut *build));
        dropped.iter().for_each(|path| build.drop_document(path).unwrap());
        build.finish().unwrap()
    }

    pub(super) fn find(&self, indexes: &[(&str, &IndexListing)], query: &str) -> FoundHits {
        self.engine.search(&search(indexes, query), &parts(query)).unwrap()
    }

    /// Paths and scores.
    pub(super) fn scores(&self, indexes: &[(&str, &IndexListing)], query: &str) -> Vec<(String, f32)> {
        self.find(indexes, query).hits.into_iter().map(|hit| (hit.path, hit.score)).collect()
    }

    pub(super) fn paths(&self, indexes: &[(&str, &IndexListing)], query: &str) -> Vec<String> {
        self.scores(indexes, query).into_iter().map(|(path, _)| path).collect()
    }
}

pub(super) fn connect(database: &Database, contents: &Arc<Contents>) -> Result<PostgresEngine, EngineFault> {
    PostgresEngine::connect(&database.url, Arc::clone(contents), Some(MODEL.to_owned()))
}

impl TestDocument {
    pub(super) fn new(path: &str, texts: &[&str]) -> Self {
        Self {
            path: path.to_owned(),
            title: String::new(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            media_type: Some("text/plain; charset=utf-8".to_owned()),
            metadata: Map::new(),
        }
    }

    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        self.metadata.insert(key.to_owned(), value);
        self
    }

    pub(super) fn put(&self, build: &mut dyn Build) {
        self.try_put(build).unwrap();
    }

    pub(super) fn try_put(&self, build: &mut dyn Build) -> Result<(), EngineFault> {
        let content = |digit: &str| ContentId::try_from(digit.repeat(64)).unwrap();
        let document = IngestDocument {
            path: self.path.clone(),
            artifact: content("a"),
            docir: content("d"),
            media_type: self.media_type.clone(),
            metadata: self.metadata.clone(),
        };
        build.put(&document, self.texts.iter().map(|text| self.chunk(text)).collect())
    }

    fn chunk(&self, text: &str) -> EmbeddedChunk {
        let span = ItemSpan { item: "#/texts/0".to_owned(), start: 0, end: text.chars().count() as u64 };
        let chunk = Chunk {
            text: text.to_owned(),
            title: self.title.clone(),
            headings: vec!["Chapter".to_owned()],
            places: vec![ChunkPlace { span, at: 0 }],
            page: Some(1),
        };
        EmbeddedChunk { chunk, vector: Some(vector(text)) }
    }
}

/// Words as directions, so that texts with the same words are near each other, and `ship` is near `vessel`.
pub(super) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01_f32; 64];
    for word in text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase) {
        let word = if word == "vessel" { "ship" } else { &word };
        let place = word.bytes().fold(7_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 64);
        vector[place] += 1.0;
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter().map(|number| number / length).collect()
}

/// Words alone.
pub(super) fn profile() -> Profile {
    Profile {
        name: "docs.test".to_owned(),
        version: 1,
        chunking: Chunking { words_max: 200, words_min: 1, overlap_sentences: 0 },
        fields: FieldWeights { title: 2.0, headings: 1.0, body: 1.0, path: 0.5 },
        words: WordScoring { k1: 1.2, b: 0.75, stemming: Stemming::English, candidates: 100, feedback: None },
        meaning: None,
        fusion: Fusion::Ranks { k: 60.0, words: 1.0, meaning: 0.7 },
        per_document: None,
        snippet: SnippetRule { tokens: 12, tokens_all: 100 },
    }
}

/// Words and meaning.
pub(super) fn hybrid() -> Profile {
    let meaning = MeaningScoring { candidates: 100, feedback: 0.0, feedback_passages: 0, cosine_min: 0.2 };
    Profile { meaning: Some(meaning), ..profile() }
}

pub(super) fn search(indexes: &[(&str, &IndexListing)], query: &str) -> Search {
    let index = |(label, listing): &(&str, &IndexListing)| IndexRef {
        label: (*label).to_owned(),
        listing: (*listing).clone(),
    };
    Search {
        indexes: indexes.iter().map(index).collect(),
        query: query.to_owned(),
        profile: profile(),
        top_k: 10,
        filter: SearchFilter::default(),
    }
}

pub(super) fn parts(query: &str) -> QueryParts {
    QueryParts { text: query.to_owned(), vector: Some(vector(query)) }
}

/// A corpus with a few words that all have, and one that each has alone.
pub(super) fn corpus(count: usize) -> Vec<TestDocument> {
    let document = |at: usize| {
        let kind = ["wing", "hull", "engine"][at % 3];
        let text = format!("The {kind} of vessel number{at} was tested. {}", "It held. ".repeat(at % 4));
        TestDocument::new(&format!("docs/{kind}/{at}.txt"), &[&text])
    };
    (0..count).map(document).collect()
}

/// Makes two tests of each story: on a Postgres with the extensions, and on one without.
macro_rules! on_both_servers {
    ($($story:ident),+ $(,)?) => {
        mod plain {
            $(#[test] fn $story() { super::$story(&super::World::plain()); })+
        }
        mod extended {
            $(#[test] fn $story() { super::$story(&super::World::extended()); })+
        }
    };
}
pub(super) use on_both_servers;
