//! The profile of an index: how it is built and searched. Callers choose one by name; nobody turns its knobs in a call.

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Such as `docs.default`.
    pub name: String,
    pub version: u32,
    pub chunking: Chunking,
    pub fields: FieldWeights,
    pub words: WordScoring,
    /// Left out: words alone.
    #[serde(default)]
    pub meaning: Option<MeaningScoring>,
    pub fusion: Fusion,
    /// At most so many hits of one document; none: no limit.
    #[serde(default)]
    pub per_document: Option<u32>,
    pub snippet: SnippetRule,
}

/// Passages are made of whole sentences; a table is one passage, or several of whole rows under its heading row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunking {
    /// A passage has at most so many words, unless one sentence has more.
    pub words_max: u32,
    /// A shorter one joins its neighbour under the same heading.
    pub words_min: u32,
    /// Sentences that a passage repeats of the one before it.
    pub overlap_sentences: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldWeights {
    pub title: f32,
    pub headings: f32,
    pub body: f32,
    pub path: f32,
}

/// BM25.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordScoring {
    pub k1: f32,
    pub b: f32,
    pub stemming: Stemming,
    /// Passages that take part in the fusion.
    pub candidates: u32,
    /// Words of the best passages join the query.
    #[serde(default)]
    pub feedback: Option<WordFeedback>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stemming {
    None,
    English,
}

/// Pseudo-relevance feedback (RM3): the query is mixed with the words of its first passages.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordFeedback {
    pub passages: u32,
    pub terms: u32,
    /// The share of the query's own words, from 0 to 1.
    pub original: f32,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeaningScoring {
    /// Passages that take part in the fusion.
    pub candidates: u32,
    /// The query's vector moves towards its first passages by this share; 0: not at all.
    pub feedback: f32,
    /// Passages that it moves towards.
    pub feedback_passages: u32,
    /// Nothing below this cosine is a hit by meaning.
    pub cosine_min: f32,
}

/// The way in which two rankings become one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Fusion {
    /// Reciprocal ranks: `weight / (k + rank)`, summed.
    Ranks { k: f32, words: f32, meaning: f32 },
    /// Scores of the candidates, brought to mean 0 and deviation 1 in each ranking, weighted and summed.
    Scores { words: f32, meaning: f32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnippetRule {
    /// Of one hit.
    pub tokens: u32,
    /// Of all hits of an answer together.
    pub tokens_all: u32,
}
