//! The cost of a scope, by server and by tool, and the savings of search.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_catalog::CatalogEntry;
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::{CanonicalName, ServerName};
use toolgate_search::TokenCost;
use toolgate_search::tokens::TOKENIZER;

use crate::discovery::Discovery;
use crate::surface::Surface;
use crate::tally::CostTally;
use crate::view::View;

/// The tokens of everything that a scope shows.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct TokenBill {
    /// The tokenizer of the counts.
    pub tokenizer: &'static str,
    /// `full` or `search`.
    pub surface: &'static str,
    pub tools: usize,
    /// The cost of listing everything.
    pub tokens_full: usize,
    /// The cost of the shown list.
    pub tokens_listed: usize,
    pub tokens_saved: usize,
    /// The dearest first.
    pub servers: Vec<ServerBill>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ServerBill {
    pub server: ServerName,
    pub tokens_full: usize,
    pub tokens_signature: usize,
    pub tokens_line: usize,
    /// The dearest first.
    pub tools: Vec<ToolBill>,
}

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ToolBill {
    pub tool: CanonicalName,
    pub tokens_full: usize,
    pub tokens_signature: usize,
    pub tokens_line: usize,
}

impl Discovery {
    /// Counts the cost of a view's list; once for each view.
    pub fn tally(&self, view: &View) -> CostTally {
        *view.tally.get_or_init(|| {
            let full = (0..view.len()).map(|place| view.tokens(place, &self.cards)).sum();
            let listed = match self.surface(view) {
                Surface::Full => full,
                Surface::Search(search) => search.tokens,
            };
            CostTally { full, listed }
        })
    }

    pub fn bill(&self, view: &View) -> TokenBill {
        let mut by_server: BTreeMap<&ServerName, Vec<ToolBill>> = BTreeMap::new();
        for (place, entry) in view.entries.iter().enumerate() {
            by_server.entry(&entry.server).or_default().push(self.tool_bill(view, place));
        }
        let mut servers: Vec<ServerBill> =
            by_server.into_iter().map(|(server, tools)| ServerBill::of(server, tools)).collect();
        servers.sort_by(|a, b| b.tokens_full.cmp(&a.tokens_full).then_with(|| a.server.cmp(&b.server)));
        let CostTally { full: tokens_full, listed: tokens_listed } = self.tally(view);
        TokenBill {
            tokenizer: TOKENIZER,
            surface: self.surface(view).as_str(),
            tools: view.len(),
            tokens_full,
            tokens_listed,
            tokens_saved: tokens_full.saturating_sub(tokens_listed),
            servers,
        }
    }

    /// The cost of listing every tool of servers, regardless of visibility.
    pub fn catalogue_tokens(&self) -> usize {
        let snapshot = self.catalog.snapshot();
        let of_servers = snapshot.tools.entries().iter().filter(|entry| entry.server.as_str() != OWN_SERVER);
        of_servers.map(|entry| self.cards.cost(entry).tokens_full).sum()
    }

    /// The cost of listing a tool, regardless of visibility.
    pub fn tokens_of(&self, entry: &Arc<CatalogEntry>) -> usize {
        self.cards.cost(entry).tokens_full
    }

    /// The cost of one tool, if it is visible.
    pub fn bill_of(&self, view: &View, entry: &CatalogEntry) -> Option<ToolBill> {
        view.place(entry).map(|place| self.tool_bill(view, place))
    }

    fn tool_bill(&self, view: &View, place: usize) -> ToolBill {
        let entry = &view.entries[place];
        let TokenCost { tokens_signature, tokens_line, .. } = self.cards.cost(entry);
        let tokens_full = view.tokens(place, &self.cards);
        ToolBill { tool: entry.canonical.clone(), tokens_full, tokens_signature, tokens_line }
    }
}

impl ServerBill {
    fn of(server: &ServerName, mut tools: Vec<ToolBill>) -> Self {
        tools.sort_by(|a, b| b.tokens_full.cmp(&a.tokens_full).then_with(|| a.tool.cmp(&b.tool)));
        let sum = |part: fn(&ToolBill) -> usize| tools.iter().map(part).sum();
        Self {
            server: server.clone(),
            tokens_full: sum(|tool| tool.tokens_full),
            tokens_signature: sum(|tool| tool.tokens_signature),
            tokens_line: sum(|tool| tool.tokens_line),
            tools,
        }
    }
}
