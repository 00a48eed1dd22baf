//! The text that a model reads: the start set, the answers of a search, descriptions; and their tokens.
//!
//! Lives here: counting those tokens. Does not live here: writing the answers (`toolgate-search`).

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use toolgate_core::{CanonicalName, ServerName};
use toolgate_search::meta_tools::{self, ServerBehind};
use toolgate_search::{
    AnswerBudget, DetailLevel, SearchItem, Subset, TokenCost, ToolCard, ToolSearchAnswer, diet, listed,
    tokens,
};

use super::catalogue::Catalogue;
use super::labelled::{Labelled, Right};
use super::sets::Asked;
use super::way::Way;

/// The number of found tools that an answer chooses from, as in the gateway.
const HITS_MAX: usize = 200;

/// The tools of a catalogue as answers show them.
pub(super) struct Shelf {
    tools: HashMap<CanonicalName, Shown>,
    servers: Vec<String>,
    pub(super) listing: Listing,
}

struct Shown {
    card: ToolCard,
    /// As in `describe_tools`.
    definition: Value,
    described_tokens: usize,
}

/// The cost of showing a whole catalogue, in tokens.
#[derive(Clone, Serialize)]
pub(super) struct Listing {
    pub(super) catalogue: &'static str,
    pub(super) tools: usize,
    pub(super) servers: usize,
    pub(super) full: usize,
    pub(super) after_diet: usize,
    pub(super) signatures: usize,
    pub(super) lines: usize,
    /// The three tools that stand for all others.
    pub(super) start_set: usize,
}

/// A first answer or a longer one, and which tools it shows.
struct ShownAnswer {
    tokens: usize,
    names: Vec<CanonicalName>,
}

impl Shelf {
    pub(super) fn of(name: &'static str, catalogue: &Catalogue) -> Self {
        let (mut tools, mut cost, mut after_diet) = (HashMap::new(), TokenCost::default(), 0);
        for tool in &catalogue.tools {
            let definition = listed(&tool.wire, &tool.definition);
            cost += TokenCost::of(&tool.wire, &tool.definition);
            after_diet += tokens::count(&diet(&definition).to_string());
            let card = ToolCard::of(&tool.wire, &tool.definition);
            let described_tokens = tokens::count(&definition.to_string());
            tools.insert(tool.document.name.clone(), Shown { card, definition, described_tokens });
        }
        let servers = catalogue.servers();
        let listing = Listing {
            catalogue: name,
            tools: tools.len(),
            servers: servers.len(),
            full: cost.tokens_full,
            after_diet,
            signatures: cost.tokens_signature,
            lines: cost.tokens_line,
            start_set: start_set(catalogue),
        };
        Self { tools, servers: servers.into_keys().map(str::to_owned).collect(), listing }
    }

    fn answer(&self, hits: &[CanonicalName], detail: DetailLevel, budget: AnswerBudget) -> ShownAnswer {
        let shown = hits.iter().map(|name| &self.tools[name]);
        let items: Vec<SearchItem<'_>> =
            shown.map(|tool| SearchItem { card: &tool.card, definition: Some(&tool.definition) }).collect();
        let answer = if items.is_empty() {
            ToolSearchAnswer::nothing(&self.servers.iter().map(String::as_str).collect::<Vec<_>>(), budget)
        } else {
            ToolSearchAnswer::of(&items, items.len(), detail, budget)
        };
        let is_shown = |name: &&CanonicalName| {
            let wire = self.tools[*name].card.name();
            answer.shown.iter().any(|shown| shown.name == wire)
        };
        ShownAnswer { tokens: answer.tokens, names: hits.iter().filter(is_shown).cloned().collect() }
    }

    /// The cost of describing the right tools of an answer, the best ranked of each group; `None` if one is
    /// missing.
    fn described(&self, labelled: &Labelled, told: &ShownAnswer) -> Option<usize> {
        let of_group = |group: &Vec<CanonicalName>| {
            let name = told.names.iter().find(|name| group.contains(name))?;
            Some(self.tools[name].described_tokens)
        };
        labelled.groups.iter().map(of_group).sum()
    }

    /// From the start until the schemas of the right tools are in context. A client that misses one searches
    /// once more for an answer twice as long, and then goes through the servers, those of the best hits
    /// first: a search for a server's name lists its tools.
    fn journey(&self, asked: &Asked<'_>, way: &Way<'_>, labelled: &Labelled) -> anyhow::Result<(End, usize)> {
        let budget = AnswerBudget::default();
        let hits = way.find(asked.subset, &labelled.query, HITS_MAX)?;
        let first = self.answer(&hits, DetailLevel::default(), budget);
        let mut read = self.listing.start_set + first.tokens;
        if let Some(described) = self.described(labelled, &first) {
            return Ok((End::First, read + described));
        }
        let mut seen = self.answer(&hits, DetailLevel::default(), AnswerBudget::of(2 * budget.tokens()));
        read += seen.tokens;
        if let Some(described) = self.described(labelled, &seen) {
            return Ok((End::Second, read + described));
        }
        for server in self.servers_by_rank(asked.subset, &hits) {
            let all =
                way.find(&asked.subset.of_servers(std::slice::from_ref(&server)), server.as_str(), HITS_MAX)?;
            let listed = self.answer(&all, DetailLevel::Name, AnswerBudget::of(AnswerBudget::TOKENS_MAX));
            read += listed.tokens;
            seen.names.extend(listed.names);
            if let Some(described) = self.described(labelled, &seen) {
                return Ok((End::ByServer, read + described));
            }
        }
        Ok((End::WholeList, read + self.listing.full))
    }

    /// The servers of the hits in their order, then all others.
    fn servers_by_rank(&self, subset: &Subset, hits: &[CanonicalName]) -> Vec<ServerName> {
        let documents = |name: &CanonicalName| subset.index().document(name).map(|one| one.server.clone());
        let rest = subset.documents().map(|document| document.server.clone());
        let mut servers: Vec<ServerName> = Vec::new();
        for server in hits.iter().filter_map(documents).chain(rest) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers
    }
}

/// The place where the right tools were seen.
enum End {
    First,
    Second,
    ByServer,
    WholeList,
}

/// Whole definitions are counted, including the members that only clients read.
fn start_set(catalogue: &Catalogue) -> usize {
    let servers: Vec<ServerBehind<'_>> =
        catalogue.servers().into_iter().map(|(name, tools)| ServerBehind { name, tools }).collect();
    let blurb = meta_tools::catalogue_blurb(&servers, &[], meta_tools::BLURB_TOKENS_DEFAULT);
    meta_tools::definitions(&blurb).iter().map(|tool| tokens::count(&tool.to_string())).sum()
}

/// The share of right tools in an answer of the usual length, in per cent, as a mean over the queries.
#[derive(Clone, Copy, Serialize)]
pub(super) struct InAnswer {
    pub(super) detail: &'static str,
    pub(super) steps: f64,
    pub(super) tasks: f64,
    pub(super) enterprise: f64,
}

/// The statistics of journeys for a set of queries.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Journeys {
    pub(super) mean_tokens: f64,
    /// The number of queries whose right tools were in the first answer, in the second, in those of some
    /// servers, in none.
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) by_server: usize,
    pub(super) whole_list: usize,
}

impl Asked<'_> {
    pub(super) fn recall_in_answer(&self, way: &Way<'_>, detail: DetailLevel) -> anyhow::Result<f64> {
        let mut sum = 0.0;
        for labelled in self.queries {
            let hits = way.find(self.subset, &labelled.query, HITS_MAX)?;
            let told = self.shelf.answer(&hits, detail, AnswerBudget::default());
            sum += labelled.share_found(&told.names, Right::Tool);
        }
        Ok(100.0 * sum / self.queries.len() as f64)
    }

    pub(super) fn journeys(&self, way: &Way<'_>) -> anyhow::Result<Journeys> {
        let mut journeys = Journeys { mean_tokens: 0.0, first: 0, second: 0, by_server: 0, whole_list: 0 };
        for labelled in self.queries {
            let (end, tokens) = self.shelf.journey(self, way, labelled)?;
            journeys.mean_tokens += tokens as f64 / self.queries.len() as f64;
            match end {
                End::First => journeys.first += 1,
                End::Second => journeys.second += 1,
                End::ByServer => journeys.by_server += 1,
                End::WholeList => journeys.whole_list += 1,
            }
        }
        Ok(journeys)
    }
}
