//! Semantic search: an encoder makes vectors of tools and queries, and near ones have a similar meaning.
//! Optional; a tool without a vector is found by its words alone.
//!
//! [`MeaningIndex`] has the vectors and follows the index; running an encoder and keeping files is up to the
//! caller.

mod cache;
mod fuse;
mod queries;
mod shelf;
mod text;
mod vector;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_core::ServerName;

use crate::{FUSED_MAX, Index, MatchKind, SearchHit, Subset, ToolDocument};
use queries::QueryCache;
use shelf::{EmbeddedText, VectorShelf};
use vector::Vector;

pub use cache::BadCache;
pub use sentence_encoder::{EncodeError, Encoder};
pub use text::text;

/// The number of texts per batch: as many as one would want to wait for when asked to stop.
pub const BATCH_MAX: usize = 32;

/// The vectors of a catalogue, one for each text that a tool has, shared between indexes.
pub struct MeaningIndex {
    encoder: Arc<dyn Encoder>,
    shelf: Mutex<VectorShelf>,
    queries: Mutex<QueryCache>,
}

/// The progress of embedding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmbeddingProgress {
    /// The number of distinct texts of the current tools.
    pub texts: usize,
    /// The number of texts with a vector. The others are found by their words alone.
    pub embedded: usize,
}

impl EmbeddingProgress {
    pub fn is_complete(&self) -> bool {
        self.embedded == self.texts
    }
}

impl MeaningIndex {
    pub fn new(encoder: Arc<dyn Encoder>) -> Self {
        Self { encoder, shelf: Mutex::default(), queries: Mutex::default() }
    }

    /// Loads the vectors of an earlier run from the bytes of its cache; returns how many there were.
    pub fn remember(&self, bytes: &[u8]) -> Result<usize, BadCache> {
        let vectors = cache::decode(bytes, self.encoder.model(), self.encoder.dimensions())?;
        let (count, mut shelf) = (vectors.len(), self.shelf.lock());
        vectors.into_iter().for_each(|(digest, vector)| shelf.put(digest, vector));
        Ok(count)
    }

    /// The bytes of a cache with the vectors of the current tools.
    pub fn cache(&self) -> Vec<u8> {
        cache::encode(self.encoder.model(), self.encoder.dimensions(), self.shelf.lock().embedded())
    }

    /// Takes the tools of an index; those with a known text have their vector at once.
    pub fn follow(&self, index: &Arc<Index>) -> EmbeddingProgress {
        let mut shelf = self.shelf.lock();
        shelf.follow(index);
        shelf.progress()
    }

    /// Embeds some of the missing texts. Slow: call it until it reports completion, on a thread that may
    /// block.
    pub fn embed_some(&self) -> Result<EmbeddingProgress, EncodeError> {
        let missing = self.shelf.lock().missing(BATCH_MAX);
        if !missing.is_empty() {
            let words: Vec<&str> = missing.iter().map(|(words, _)| &**words).collect();
            let vectors = self.encode(&words)?;
            missing.iter().zip(vectors).for_each(|((_, text), vector)| text.fill(vector));
        }
        Ok(self.shelf.lock().progress())
    }

    pub fn progress(&self) -> EmbeddingProgress {
        self.shelf.lock().progress()
    }

    /// The tools of a subset nearest in meaning to a query, the best first. Tools without a vector are left out.
    pub fn nearest(&self, subset: &Subset, query: &str, limit: usize) -> Result<Vec<SearchHit>, EncodeError> {
        let query = self.query(query)?;
        let texts = self.shelf.lock().view(subset.index());
        let near = near(subset, &texts, &query).into_iter();
        let mut near: Vec<_> = near.filter_map(|tool| Some((tool.cosine?, tool.document))).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let hit = |(score, document): (f32, &Arc<ToolDocument>)| {
            let name = document.name.clone();
            SearchHit { name, score, place: MatchKind::Words }
        };
        Ok(near.into_iter().take(limit).map(hit).collect())
    }

    /// Words and meaning together. Exact names and their beginnings stay in front.
    pub fn search(
        &self,
        subset: &Subset,
        query: &str,
        servers: Option<&[ServerName]>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, EncodeError> {
        let narrowed = servers.map(|servers| subset.of_servers(servers));
        let subset = narrowed.as_ref().unwrap_or(subset);
        let vector = self.query(query)?;
        let texts = self.shelf.lock().view(subset.index());
        let by_words = subset.search(query, None, limit.max(FUSED_MAX));
        Ok(fuse::fuse(&by_words, &near(subset, &texts, &vector), limit))
    }

    fn query(&self, query: &str) -> Result<Arc<Vector>, EncodeError> {
        let query = queries::cut(query);
        if let Some(vector) = self.queries.lock().get(query) {
            return Ok(vector);
        }
        let vector = Arc::new(self.encode(&[query])?.remove(0));
        self.queries.lock().put(query, &vector);
        Ok(vector)
    }

    /// Checks the number and the length of the encoder's vectors.
    fn encode(&self, texts: &[&str]) -> Result<Vec<Vector>, EncodeError> {
        let vectors = self.encoder.embed(texts)?;
        let dimensions = self.encoder.dimensions();
        if vectors.len() != texts.len() || vectors.iter().any(|vector| vector.len() != dimensions) {
            return Err(EncodeError::shape(texts.len(), dimensions));
        }
        Ok(vectors.iter().map(|vector| Vector::of(vector)).collect())
    }
}

/// A tool and how near it is, once it has a vector.
struct NearTool<'a> {
    document: &'a Arc<ToolDocument>,
    cosine: Option<f32>,
}

/// The tools of a subset in the order of their names, as in its index. Nothing outside is read.
fn near<'a>(subset: &'a Subset, texts: &[Arc<EmbeddedText>], query: &Vector) -> Vec<NearTool<'a>> {
    let mut tools = subset.index().documents().zip(texts);
    let near = subset.documents().map(|document| {
        let found = tools.find(|(other, _)| Arc::ptr_eq(other, document));
        let (_, text) = found.expect("a subset has the documents of its index, in their order");
        NearTool { document, cosine: text.vector().map(|vector| query.cosine(vector)) }
    });
    near.collect()
}
