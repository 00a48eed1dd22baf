//! The list of an agent's tools: all of them or, if that exceeds its budget, the pinned ones and the three
//! that find the others.

use std::collections::BTreeMap;

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::scope::{Capability, TokenBudget};
use toolgate_search::meta_tools::{
    BLURB_TOKENS_DEFAULT, CapabilityBehind, ServerBehind, catalogue_blurb, definitions,
};
use toolgate_search::{TokenCost, tokens};

use crate::cards::Cards;
use crate::list::tools_result;
use crate::view::View;

/// At most how many bytes a definition has more as models read it than as servers write it: names of members.
const LISTED_BYTES_MORE: usize = 64;

pub enum Surface {
    Full,
    Search(SearchSurface),
}

/// The short list, whole: it has no pages.
pub struct SearchSurface {
    /// By wire name, with their definitions.
    pub(crate) items: BTreeMap<String, String>,
    pub(crate) page: RawJson,
    pub(crate) tokens: usize,
}

impl Surface {
    pub(crate) fn of(view: &View, cards: &Cards) -> Surface {
        if fits(view, cards) {
            return Surface::Full;
        }
        Surface::Search(SearchSurface::of(view, cards))
    }

    pub fn as_str(&self) -> &'static str {
        match self {
            Surface::Full => "full",
            Surface::Search(_) => "search",
        }
    }
}

/// True if everything can be listed within the budget. Stops counting once it is clear that it cannot.
fn fits(view: &View, cards: &Cards) -> bool {
    let budget = match view.scope.token_budget {
        TokenBudget::Off => return true,
        TokenBudget::Tokens(0) => return false,
        TokenBudget::Tokens(budget) => budget as usize,
    };
    // A token has at least one byte: where bytes are few enough nothing has to be counted.
    let bytes: usize = view.entries.iter().map(|entry| entry.bytes() + LISTED_BYTES_MORE).sum();
    if bytes <= budget {
        return true;
    }
    let mut left = budget;
    for place in 0..view.entries.len() {
        match left.checked_sub(view.tokens(place, cards)) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}

impl SearchSurface {
    fn of(view: &View, cards: &Cards) -> Self {
        let blurb = blurb(view);
        let mut items = BTreeMap::new();
        let mut sum = 0;
        for definition in definitions(&blurb) {
            let name = definition["name"].as_str().unwrap_or_default().to_owned();
            sum += TokenCost::of(&name, &definition).tokens_full;
            items.insert(name, definition.to_string());
        }
        for place in view.pinned() {
            sum += view.tokens(place, cards);
            items.insert(view.entries[place].wire.clone(), view.item(place));
        }
        let page = page(items.values());
        Self { items, page, tokens: sum }
    }

    /// The list with more tools in it.
    pub(crate) fn page_with(&self, more: BTreeMap<String, String>) -> RawJson {
        let mut all = self.items.clone();
        all.extend(more);
        page(all.values())
    }
}

fn page<'a>(items: impl Iterator<Item = &'a String>) -> RawJson {
    tools_result(&items.map(String::as_str).collect::<Vec<_>>().join(","), None)
}

/// A description of the tools behind the search.
fn blurb(view: &View) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in view.entries.iter().filter(|entry| entry.server.as_str() != OWN_SERVER) {
        *counts.entry(entry.server.as_str()).or_default() += 1;
    }
    let servers: Vec<ServerBehind<'_>> =
        counts.into_iter().map(|(name, tools)| ServerBehind { name, tools }).collect();
    let capabilities = view.scope.layers.last().and_then(|layer| layer.capabilities.as_ref());
    let behind = |one: &Capability| {
        let tools = view.entries.iter().filter_map(|entry| entry.tool.as_deref());
        tools.into_iter().any(|tool| one.rule_for(tool).is_some())
    };
    let capabilities: Vec<CapabilityBehind<'_>> = capabilities
        .into_iter()
        .flatten()
        .filter(|one| behind(one))
        .map(|one| CapabilityBehind { name: one.name.as_str(), description: one.description.as_deref() })
        .collect();
    catalogue_blurb(&servers, &capabilities, BLURB_TOKENS_DEFAULT)
}

impl View {
    /// The cost of a tool in this list.
    pub(crate) fn tokens(&self, place: usize, cards: &Cards) -> usize {
        if !self.scope.schema_diet {
            return cards.cost(&self.entries[place]).tokens_full;
        }
        let definition: Value = serde_json::from_str(&self.item(place)).unwrap_or_default();
        tokens::count(&toolgate_search::listed(&self.entries[place].wire, &definition).to_string())
    }

    /// The places of tools that are listed regardless of the budget.
    pub(crate) fn pinned(&self) -> impl Iterator<Item = usize> {
        let is_pinned = |place: &usize| {
            let name = self.entries[*place].canonical.as_str();
            self.own_pinned.contains(&self.entries[*place].wire)
                || self.scope.pinned.iter().any(|one| one.matches(name))
        };
        (0..self.entries.len()).filter(is_pinned)
    }
}
