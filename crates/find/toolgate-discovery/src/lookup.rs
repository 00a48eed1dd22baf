//! The answers of `search_tools` and `describe_tools`.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_catalog::CatalogEntry;
use toolgate_core::ServerName;
use toolgate_search::{AnswerBudget, DetailLevel, MatchKind, SearchItem, ToolCard, ToolSearchAnswer};

use crate::cards;
use crate::discovery::Discovery;
use crate::view::View;

/// The maximum number of ranked matches.
pub const HITS_MAX: usize = 200;
/// Tools that are indexed to find the nearest to one name.
const INDEXED_FOR_A_NAME_MAX: usize = 1_000;
/// The number of suggestions for a misspelt name.
const NEAREST: usize = 3;
/// Tools that are described at once.
pub const DESCRIBED_MAX: usize = 20;

/// The request of a search.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    pub query: &'a str,
    /// Only of these servers.
    pub servers: Option<&'a [String]>,
    pub detail: DetailLevel,
    pub budget: AnswerBudget,
}

/// The matches, and the tools that were shown with their whole schemas or signatures.
pub struct SearchMatches {
    pub answer: ToolSearchAnswer,
    /// Shown with the whole schema.
    pub described: Vec<Arc<CatalogEntry>>,
    /// Shown at all, best first.
    pub shown: Vec<Arc<CatalogEntry>>,
    /// All that match, shown or not, best first.
    pub ranked: Vec<RankedTool>,
    /// Requested servers that do not exist.
    pub unknown_servers: Vec<String>,
}

/// One tool of a ranking.
#[derive(Clone, Debug)]
pub struct RankedTool {
    pub entry: Arc<CatalogEntry>,
    pub score: f32,
    pub place: MatchKind,
}

impl Discovery {
    /// Tools that fit a query, best first. What the view does not show does not exist here.
    pub fn rank(
        &self,
        view: &View,
        query: &str,
        servers: Option<&[ServerName]>,
        limit: usize,
    ) -> Vec<RankedTool> {
        let subset = self.subset(view);
        let hits = self.hits(subset, query, servers, limit);
        let ranked = hits.into_iter().filter_map(|hit| {
            let entry = view.snapshot.tools.find(hit.name.as_str())?;
            view.shows(entry).then(|| RankedTool { entry: entry.clone(), score: hit.score, place: hit.place })
        });
        ranked.collect()
    }

    pub fn search(&self, view: &View, wanted: &SearchRequest<'_>) -> SearchMatches {
        self.search_best(view, wanted, HITS_MAX)
    }

    /// The same with at most this many tools in the answer, regardless of the budget. It reports how many
    /// others match.
    pub fn search_best(&self, view: &View, wanted: &SearchRequest<'_>, count_max: usize) -> SearchMatches {
        let asked = wanted.servers.unwrap_or_default();
        let (known, unknown): (Vec<&String>, Vec<&String>) =
            asked.iter().partition(|name| view.servers.iter().any(|server| server.as_str() == name.as_str()));
        let servers: Vec<ServerName> =
            known.into_iter().filter_map(|name| ServerName::new(name).ok()).collect();
        let only = (!asked.is_empty()).then_some(servers.as_slice());
        let ranked = self.rank(view, wanted.query, only, HITS_MAX);
        let answer = self.answer(view, &ranked, wanted, count_max);
        let entry_of =
            |name: &str| ranked.iter().find(|one| one.entry.wire == name).map(|one| one.entry.clone());
        let shown: Vec<Arc<CatalogEntry>> =
            answer.shown.iter().filter_map(|one| entry_of(&one.name)).collect();
        let whole =
            |one: &&toolgate_search::ShownTool| matches!(one.form, toolgate_search::ShownForm::Definition(_));
        let described = answer.shown.iter().filter(whole).filter_map(|one| entry_of(&one.name)).collect();
        let unknown_servers = unknown.into_iter().cloned().collect();
        SearchMatches { answer, described, shown, ranked, unknown_servers }
    }

    fn answer(
        &self,
        view: &View,
        ranked: &[RankedTool],
        wanted: &SearchRequest<'_>,
        count_max: usize,
    ) -> ToolSearchAnswer {
        if ranked.is_empty() {
            let servers: Vec<&str> = view.servers.iter().map(ServerName::as_str).collect();
            return ToolSearchAnswer::nothing(&servers, wanted.budget);
        }
        let best = &ranked[..count_max.min(ranked.len())];
        let cards: Vec<Arc<ToolCard>> = best.iter().map(|one| self.cards.card(&one.entry)).collect();
        let definitions: Vec<Option<Value>> = best
            .iter()
            .enumerate()
            .map(|(at, one)| {
                let wants = wanted.detail == DetailLevel::Schema && at < toolgate_search::DETAILED_MAX;
                wants.then(|| described(&one.entry))
            })
            .collect();
        let items: Vec<SearchItem<'_>> = cards
            .iter()
            .zip(&definitions)
            .map(|(card, definition)| SearchItem { card, definition: definition.as_ref() })
            .collect();
        ToolSearchAnswer::of(&items, ranked.len(), wanted.detail, wanted.budget)
    }

    /// The visible names most similar to an unknown one. With thousands of tools, only if they were searched
    /// before: indexing them all for a typo would delay the caller.
    pub fn nearest(&self, view: &View, name: &str) -> Vec<Arc<CatalogEntry>> {
        if view.len() > INDEXED_FOR_A_NAME_MAX && view.subset.get().is_none() {
            return Vec::new();
        }
        let subset = self.subset(view);
        let near = subset.nearest(name, NEAREST);
        near.iter().filter_map(|name| view.snapshot.tools.find(name.as_str()).cloned()).collect()
    }
}

/// A definition as `describe_tools` tells it: all that a model needs to call it.
pub fn described(entry: &CatalogEntry) -> Value {
    let mut told = toolgate_search::listed(&entry.wire, &cards::definition(entry));
    if let Some(output) = cards::definition(entry).get("outputSchema") {
        told["outputSchema"] = output.clone();
    }
    told
}

/// The exact schema of a tool, as text for a model.
pub fn exact_schema(entry: &CatalogEntry) -> String {
    let definition = cards::definition(entry);
    let schema = definition.get("inputSchema").cloned().unwrap_or_else(|| json!({ "type": "object" }));
    schema.to_string()
}
