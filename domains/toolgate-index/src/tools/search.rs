//! `index.search`: references with scores and snippets, from what the session has mounted.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};

use super::arguments::{self, FiltersArgument, ScopeArgument, profile_usual, top_k_usual};
use super::output::{IndexHitOutput, SearchedIndexOutput, notice, refs};
use crate::indexes::Indexes;
use crate::limits::TOP_K_MAX;

pub(super) const SEARCH: ToolDefinition = ToolDefinition::reads(
    "index.search",
    "Search documents",
    "Finds passages by words and by meaning in the pointers that this session has mounted, and cites where each stands. Gives references \
     and snippets, never whole texts. The profile runs.trace_search finds calls and runs.",
)
.mount(MountRule::ListedPointers);

#[derive(Deserialize, JsonSchema)]
pub(super) struct IndexSearchArguments {
    query: String,
    /// Usually every mounted pointer that has an index
    scope: Option<ScopeArgument>,
    #[serde(default = "profile_usual")]
    profile: String,
    #[serde(default = "top_k_usual")]
    #[schemars(range(min = 1, max = TOP_K_MAX))]
    top_k: u16,
    filters: Option<FiltersArgument>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexSearchOutput {
    /// The best first
    hits: Vec<IndexHitOutput>,
    /// name@version
    profile: String,
    /// Meaning took part, and not words alone
    by_meaning: bool,
    indexes: Vec<SearchedIndexOutput>,
}

pub(super) async fn search(
    indexes: Arc<Indexes>,
    context: ToolContext,
    arguments: IndexSearchArguments,
) -> Result<ToolReply<IndexSearchOutput>, Refusal> {
    let IndexSearchArguments { query, scope, profile, top_k, filters } = arguments;
    let query = arguments::query(query, scope, profile, top_k, filters)?;
    let found = Box::pin(indexes.search(&context, &query)).await?;
    let (refs, warnings) = (refs(&found), found.warnings);
    let data = IndexSearchOutput {
        hits: found.hits.into_iter().map(|hit| IndexHitOutput::of(hit, &query.profile)).collect(),
        profile: found.profile,
        by_meaning: found.by_meaning,
        indexes: found.indexes.iter().map(SearchedIndexOutput::of).collect(),
    };
    let reply = ToolReply::new(data).refs(refs);
    Ok(warnings.into_iter().fold(reply, |reply, warning| reply.notice(notice(warning))))
}
