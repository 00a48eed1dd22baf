//! The visible tools of every session: the entrance to views, lists, searches and explanations.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use toolgate_catalog::{BadCursor, Catalog, CatalogEntry, Snapshot};
use toolgate_core::decision::Policy;
use toolgate_core::platform::PlatformTool;
use toolgate_core::scope::{Scope, Seat};
use toolgate_core::{RawJson, ServerName};
use toolgate_search::meaning::MeaningIndex;
use toolgate_search::{SearchHit, Subset};

use crate::cards::Cards;
use crate::cells::ViewCells;
use crate::explain::{self, ScopeExplanation, UnmatchedRule};
use crate::finder::ToolFinder;
use crate::own::OwnTool;
use crate::surface::Surface;
use crate::view::View;
use crate::viewer::ToolViewer;

/// The visible tools of every session, live.
pub struct Discovery {
    pub(crate) catalog: Arc<Catalog>,
    policy: Arc<dyn Policy>,
    own: Vec<OwnTool>,
    cells: ViewCells,
    finder: ToolFinder,
    pub(crate) cards: Cards,
    /// Set once an encoder is available.
    meaning: OnceLock<Arc<MeaningIndex>>,
}

impl Discovery {
    pub fn new(catalog: Arc<Catalog>, policy: Arc<dyn Policy>) -> Self {
        Self::with_own(catalog, policy, &[])
    }

    /// With tools of the gateway's own beside those that find others.
    pub fn with_own(catalog: Arc<Catalog>, policy: Arc<dyn Policy>, own: &[Arc<PlatformTool>]) -> Self {
        Self {
            catalog,
            policy,
            own: OwnTool::all(own),
            cells: ViewCells::new(),
            finder: ToolFinder::new(),
            cards: Cards::default(),
            meaning: OnceLock::new(),
        }
    }

    /// The current view from a seat.
    pub fn view(&self, seat: &Seat) -> Arc<View> {
        self.cells.view(seat, &self.catalog.snapshot(), &*self.policy, &self.own)
    }

    /// The whole catalogue, regardless of visibility.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.catalog.snapshot()
    }

    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    pub fn surface<'a>(&self, view: &'a View) -> &'a Surface {
        view.surface.get_or_init(|| Surface::of(view, &self.cards))
    }

    /// One page of an agent's list of tools; `revealed` are tools that it found and wants to have in its
    /// list.
    pub fn page(
        &self,
        view: &View,
        revealed: &[Arc<CatalogEntry>],
        cursor: Option<&str>,
        page_size: usize,
    ) -> Result<RawJson, BadCursor> {
        match self.surface(view) {
            Surface::Full => view.full_page(cursor, page_size),
            Surface::Search(_) if cursor.is_some() => Err(BadCursor),
            Surface::Search(search) if revealed.is_empty() => Ok(search.page.clone()),
            Surface::Search(search) => {
                let places = revealed.iter().filter_map(|entry| view.place(entry));
                let more = places.map(|place| (view.entries[place].wire.clone(), view.item(place)));
                Ok(search.page_with(more.collect::<BTreeMap<_, _>>()))
            }
        }
    }

    /// True if an agent reads the same list in both.
    pub fn lists_alike(&self, one: &View, other: &View) -> bool {
        match (self.surface(one), self.surface(other)) {
            (Surface::Full, Surface::Full) => one.shows_like(other),
            (Surface::Search(one), Surface::Search(other)) => one.page == other.page,
            _ => false,
        }
    }

    /// True if a tool is in the list with its schema.
    pub fn lists(&self, view: &View, entry: &CatalogEntry) -> bool {
        match self.surface(view) {
            Surface::Full => view.shows(entry),
            Surface::Search(search) => search.items.contains_key(&entry.wire),
        }
    }

    /// The reason why each tool is in or out.
    pub fn explain(&self, seat: &Seat) -> Vec<ScopeExplanation> {
        explain::explain(ToolViewer::of(seat, &*self.policy, &self.own), &self.catalog.snapshot())
    }

    /// Rules of a scope that match nothing.
    pub fn unmatched(&self, scope: &Scope) -> Vec<UnmatchedRule> {
        explain::unmatched(scope, &self.catalog.snapshot())
    }

    /// Brings the index up to date before a search, and removes deleted tools.
    pub fn catch_up(&self) {
        let snapshot = self.catalog.snapshot();
        let index = self.finder.index(&snapshot);
        if let Some(meaning) = self.meaning() {
            meaning.follow(&index);
        }
        self.cards.forget_all_but(&snapshot);
    }

    /// Counts up with every change of the catalogue.
    pub fn generation(&self) -> u64 {
        self.catalog.snapshot().generation
    }

    /// The semantic search, if an encoder is available.
    pub fn meaning(&self) -> Option<&Arc<MeaningIndex>> {
        self.meaning.get()
    }

    /// Adds semantic search from now on. The first encoder stays.
    pub fn take_meaning(&self, meaning: Arc<MeaningIndex>) {
        drop(self.meaning.set(meaning));
    }

    pub(crate) fn subset<'a>(&self, view: &'a View) -> &'a Subset {
        view.subset.get_or_init(|| {
            let index = self.finder.index(&view.snapshot);
            index.subset(view.entries.iter().map(|entry| &entry.canonical))
        })
    }

    pub(crate) fn hits(
        &self,
        subset: &Subset,
        query: &str,
        servers: Option<&[ServerName]>,
        limit: usize,
    ) -> Vec<SearchHit> {
        let by_words = || subset.search(query, servers, limit);
        let Some(meaning) = self.meaning() else { return by_words() };
        meaning.search(subset, query, servers, limit).unwrap_or_else(|error| {
            tracing::warn!(%error, "the encoder failed; this search went by words alone");
            by_words()
        })
    }
}
