//! `index.explain`: the score of a hit in parts.

use std::sync::Arc;

use engine_protocol::TermScore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};

use super::arguments::{self, FiltersArgument, ScopeArgument, profile_usual};
use super::output::{ScorePartsOutput, SearchedIndexOutput};
use crate::indexes::Indexes;
use crate::limits::TOP_K_MAX;
use crate::search::ExplainedHit;

pub(super) const EXPLAIN: ToolDefinition = ToolDefinition::reads(
    "index.explain",
    "Explain a hit",
    "Says why a search found a passage: scores of words, cosine, ranks, fusion, filters. Give the arguments of the search.",
)
.mount(MountRule::ListedPointers);

#[derive(Deserialize, JsonSchema)]
pub(super) struct IndexExplainArguments {
    query: String,
    /// hit of a hit of index.search
    hit: String,
    /// As in the search
    scope: Option<ScopeArgument>,
    #[serde(default = "profile_usual")]
    profile: String,
    filters: Option<FiltersArgument>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexExplainOutput {
    hit: String,
    path: String,
    /// Left out if the search does not find it
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    parts: ScorePartsOutput,
    terms: Vec<TermScoreOutput>,
    /// The fusion as numbers
    fusion: String,
    filters: Vec<PassedFilterOutput>,
    /// Passages that the statistics count
    passages: u64,
    /// name@version
    profile: String,
    profile_sha256: String,
    index: SearchedIndexOutput,
}

#[derive(Serialize, JsonSchema)]
struct TermScoreOutput {
    /// As it was indexed
    term: String,
    /// title, headings, body or path
    field: String,
    frequency: u32,
    /// Passages that have it
    passages: u64,
    idf: f32,
    score: f32,
    /// It came from the first passages, not from the query
    from_feedback: bool,
}

#[derive(Serialize, JsonSchema)]
struct PassedFilterOutput {
    rule: String,
    passes: bool,
}

pub(super) async fn explain(
    indexes: Arc<Indexes>,
    context: ToolContext,
    arguments: IndexExplainArguments,
) -> Result<ToolReply<IndexExplainOutput>, Refusal> {
    let IndexExplainArguments { query, hit, scope, profile, filters } = arguments;
    // The rank counts among as many hits as a search may have.
    let query = arguments::query(query, scope, profile, TOP_K_MAX, filters)?;
    let explained = indexes.explain(&context, &query, &hit).await?;
    let refs = [ObjectRef::Manifest { sha256: explained.index.manifest.digest() }];
    Ok(ToolReply::new(IndexExplainOutput::of(hit, explained)).refs(refs))
}

impl IndexExplainOutput {
    fn of(hit: String, explained: ExplainedHit) -> Self {
        let ExplainedHit { explanation, index, profile, profile_digest } = explained;
        let filter = |(rule, passes): (String, bool)| PassedFilterOutput { rule, passes };
        Self {
            hit,
            path: explanation.path,
            rank: explanation.rank,
            score: explanation.score,
            parts: ScorePartsOutput::of(explanation.parts),
            terms: explanation.terms.into_iter().map(TermScoreOutput::of).collect(),
            fusion: explanation.fusion,
            filters: explanation.filters.into_iter().map(filter).collect(),
            passages: explanation.passages,
            profile,
            profile_sha256: profile_digest,
            index: SearchedIndexOutput::of(&index),
        }
    }
}

impl TermScoreOutput {
    fn of(term: TermScore) -> Self {
        let TermScore { term, field, frequency, passages, idf, score, from_feedback } = term;
        Self { term, field, frequency, passages, idf, score, from_feedback }
    }
}
