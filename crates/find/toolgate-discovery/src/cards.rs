//! The cost and the presentation of each tool, computed once for each definition.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use toolgate_catalog::{CatalogEntry, Snapshot};
use toolgate_core::CanonicalName;
use toolgate_search::{TokenCost, ToolCard};

#[derive(Default)]
pub(crate) struct Cards(Mutex<HashMap<CanonicalName, CardEntry>>);

struct CardEntry {
    entry: Arc<CatalogEntry>,
    cost: Option<TokenCost>,
    card: Option<Arc<ToolCard>>,
}

impl Cards {
    /// The cost of the definition as it is offered.
    pub(crate) fn cost(&self, entry: &Arc<CatalogEntry>) -> TokenCost {
        if let Some(cost) = self.look(entry, |kept| kept.cost) {
            return cost;
        }
        let cost = TokenCost::of(&entry.wire, &definition(entry));
        self.keep(entry, |kept| kept.cost = Some(cost));
        cost
    }

    pub(crate) fn card(&self, entry: &Arc<CatalogEntry>) -> Arc<ToolCard> {
        if let Some(card) = self.look(entry, |kept| kept.card.clone()) {
            return card;
        }
        let card = Arc::new(ToolCard::of(&entry.wire, &definition(entry)));
        self.keep(entry, |kept| kept.card = Some(card.clone()));
        card
    }

    /// Forgets removed tools.
    pub(crate) fn forget_all_but(&self, snapshot: &Snapshot) {
        let mut kept = self.0.lock();
        kept.retain(|name, _| snapshot.tools.find(name.as_str()).is_some());
    }

    fn look<T>(&self, entry: &Arc<CatalogEntry>, part: impl Fn(&CardEntry) -> Option<T>) -> Option<T> {
        let kept = self.0.lock();
        kept.get(&entry.canonical).filter(|kept| kept.entry.reads_like(entry)).and_then(part)
    }

    fn keep(&self, entry: &Arc<CatalogEntry>, change: impl Fn(&mut CardEntry)) {
        let mut all = self.0.lock();
        let blank = || CardEntry { entry: entry.clone(), cost: None, card: None };
        let kept = all.entry(entry.canonical.clone()).or_insert_with(blank);
        if !kept.entry.reads_like(entry) {
            *kept = blank();
        }
        change(kept);
    }
}

pub(crate) fn definition(entry: &CatalogEntry) -> Value {
    entry.exposed().decode().unwrap_or_default()
}
