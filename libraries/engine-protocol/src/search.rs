//! Searching: hits with their places and scores, explanations, and passages as texts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::build::IndexListing;
use crate::content::ContentId;
use crate::profile::Profile;

/// An index to search: a name for the caller, and its files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IndexRef {
    /// Comes back in hits.
    pub label: String,
    pub listing: IndexListing,
}

/// Statistics of words are those of the indexes named here together, and of nothing else.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Search {
    pub indexes: Vec<IndexRef>,
    pub query: String,
    pub profile: Profile,
    pub top_k: u32,
    #[serde(default)]
    pub filter: SearchFilter,
}

/// All rules hold for every hit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchFilter {
    /// Paths begin with this.
    pub path_prefix: Option<String>,
    pub media_types: Vec<String>,
    pub metadata: Vec<FilterRule>,
}

/// A value of the metadata equals one of these.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FilterRule {
    pub key: String,
    pub any_of: Vec<Value>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// The best first.
    pub hits: Vec<PassageHit>,
    /// True if vectors took part.
    pub by_meaning: bool,
    pub warnings: Vec<String>,
    pub took_us: u64,
}

/// A passage within one version of an index.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct HitId {
    pub label: String,
    pub chunk: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PassageHit {
    pub id: HitId,
    pub path: String,
    pub artifact: ContentId,
    pub docir: ContentId,
    /// In reading order.
    pub places: Vec<ItemSpan>,
    pub page: Option<u32>,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    pub score: f32,
    pub parts: ScoreParts,
    pub snippet: Snippet,
}

/// Characters (Unicode code points) of the text of an item of the DocIR.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ItemSpan {
    /// A JSON pointer such as `#/texts/3`.
    pub item: String,
    pub start: u64,
    pub end: u64,
}

/// The origin of a score. Ranks are from 1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScoreParts {
    pub bm25: Option<f32>,
    pub words_rank: Option<u32>,
    pub cosine: Option<f32>,
    pub meaning_rank: Option<u32>,
}

/// Whole words of the passage around its best part.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Snippet {
    pub text: String,
    /// Characters of `text` that match words of the query: from, to.
    pub marks: Vec<(u64, u64)>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explain {
    /// The search that found it.
    pub search: Search,
    pub hit: HitId,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explanation {
    pub hit: HitId,
    pub path: String,
    /// None if the search does not find it.
    pub rank: Option<u32>,
    pub score: Option<f32>,
    pub parts: ScoreParts,
    pub terms: Vec<TermScore>,
    /// The fusion as numbers: `1.0 / (60 + 3) + 0.7 / (60 + 12) = 0.0256`.
    pub fusion: String,
    /// Each rule of the filter, and if the passage passes it.
    pub filters: Vec<(String, bool)>,
    /// Passages that the statistics count.
    pub passages: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TermScore {
    /// As it was indexed.
    pub term: String,
    /// `title`, `headings`, `body` or `path`.
    pub field: String,
    /// Its count in the passage, and the passages that have it.
    pub frequency: u32,
    pub passages: u64,
    pub idf: f32,
    pub score: f32,
    /// True if it came from the first passages, not from the query.
    pub from_feedback: bool,
}

/// The texts of the best passages, with a score for each sentence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Passages {
    pub search: Search,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Passage {
    pub hit: PassageHit,
    pub text: String,
    pub sentences: Vec<PassageSentence>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PassageSentence {
    /// Its place, within one item.
    pub place: ItemSpan,
    pub text: String,
    /// Cosine with the query, if there is a model.
    pub cosine: Option<f32>,
    /// Nearness to the query in meaning, the same scale for every model: about 0 for sentences about something else, 1 for the
    /// query itself.
    #[serde(default)]
    pub meaning: Option<f32>,
    /// The share of the query's words (each weighed by its rareness) that it has, from 0 to 1.
    pub words: f32,
}
