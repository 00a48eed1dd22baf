//! The one worker that turns listings of servers into rows and into the agents' catalogue. Changes within a
//! short time are combined: one write, one new catalogue.
//!
//! While the store is down, agents see the pinned definitions; new or changed ones wait, and are tried again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{CatalogUpdate, ForeignNames, WithheldTool, scan};
use toolgate_core::event::{Event, EventKind, LedgerEntry};
use toolgate_core::governance::Ledger as _;
use toolgate_core::registry::{DefinitionFinding, ToolRow, WireName};
use toolgate_core::server::ServerListing;
use toolgate_core::{PrincipalId, RawJson, ServerName};
use toolgate_store::{NAMES_PER_SERVER_MAX, Outage, StoreError, StoredTool, ToolRowChange, ToolRowsWritten};

use crate::desk::RegistryDesk;
use crate::events::RegistryEvent;
use crate::pins::{self, ReviewCriteria, ToolChange, ToolOffer, ToolRows};
use crate::source::ReviewRules;
use crate::state::{Freshness, RegistryState, ServerReading, ServerRows};
use crate::traits;

/// Changes within it are combined.
const GATHER: Duration = Duration::from_millis(50);
/// The pause between attempts while the store is down.
const RETRY: Duration = Duration::from_secs(1);
/// The number of attempts to judge rows again that others changed meanwhile, before other work gets its turn.
const ATTEMPTS_MAX: usize = 5;
/// The precision of the time when a tool was last seen.
const SEEN_EVERY_MS: i64 = 10 * 60 * 1000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PublishRound {
    Done,
    /// Others kept changing the same rows.
    Again,
}

pub(crate) async fn run(desk: Arc<RegistryDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    loop {
        tokio::select! {
            () = desk.wake.notified() => {}
            () = shutdown.cancelled() => break,
        }
        desk.clock.sleep(GATHER).await;
        loop {
            let round = desk.round().await;
            outage.note("tools are shown as they were pinned, and what is new waits for the store", &round);
            if matches!(round, Ok(PublishRound::Done)) || shutdown.is_cancelled() {
                break;
            }
            desk.clock.sleep(RETRY).await;
        }
    }
    // The last readings are worth an attempt.
    outage.note("what was seen last is not written", &desk.round().await);
}

/// Off the event loop: ten thousand tools take a while to read.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("the work does not panic, and is never aborted")
}

/// A server whose tools are to be judged, with the known rows.
struct ServerCase {
    server: ServerName,
    standing: ListingStanding,
    review: ReviewRules,
    rows: ToolRows,
    offers: Vec<ToolOffer>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListingStanding {
    Listed,
    /// It is no longer in the roster, so it offers nothing.
    Gone,
}

/// The result of a round.
struct JudgedTools {
    server: ServerName,
    changes: Vec<ToolChange>,
}

/// The task of a round.
#[derive(Default)]
struct PublishWork {
    /// Servers with a new reading.
    read: BTreeSet<ServerName>,
    /// All servers with something new for agents.
    touched: BTreeSet<ServerName>,
    cases: Vec<ServerCase>,
}

impl RegistryDesk {
    async fn round(self: &Arc<Self>) -> Result<PublishRound, StoreError> {
        self.hand_out();
        let events = std::mem::take(&mut self.state().pending.events);
        self.append(events).await;
        let desk = Arc::clone(self);
        let PublishWork { read, touched, cases } = aside(move || desk.take_work()).await;
        let recorded = self.record(cases).await;
        // In any case the pinned definitions are shown.
        let desk = Arc::clone(self);
        aside(move || desk.show(&touched)).await;
        self.record_names().await?;
        if matches!(recorded, Ok(PublishRound::Done)) {
            self.note_seen(&read).await;
        }
        recorded
    }

    /// Records the pending names, and shows their entries. If another gateway was faster with a name, that
    /// one owns it, and another name is needed here.
    pub(crate) async fn record_names(&self) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS_MAX {
            let wanted = self.state().unrecorded.clone();
            if wanted.is_empty() {
                return Ok(());
            }
            let names = {
                // Locked during the write: this process is known to have moved the revision.
                let mut revision = self.tools_revision.lock().await;
                let names = self.books.give_wire_names(&wanted).await?;
                *revision += 1;
                names
            };
            self.show_named(names);
            if self.state().unrecorded == wanted {
                let servers: BTreeSet<&str> = wanted.iter().map(|one| one.server.as_str()).collect();
                tracing::warn!(
                    ?servers,
                    "new tools are not shown: their servers have had {NAMES_PER_SERVER_MAX} names"
                );
                self.state().unrecorded.clear();
            }
        }
        Ok(())
    }

    fn show_named(&self, names: Vec<WireName>) {
        let _turn = self.showing.lock();
        self.arrange(CatalogUpdate { names, ..CatalogUpdate::default() });
    }

    /// Only while `showing` is held.
    fn arrange(&self, update: CatalogUpdate) {
        let unrecorded = self.shelf.arrange(update);
        self.state().unrecorded = unrecorded;
    }

    /// Hands out the changes without judging anything again, and returns the servers whose tools are to be
    /// shown.
    pub(crate) fn hand_out_changes(&self) -> BTreeSet<ServerName> {
        self.hand_out();
        self.state().pending.rows.clone()
    }

    /// Hands the roster to the code that reaches servers. Without the lock: that code may call back at once.
    pub(crate) fn hand_out(&self) {
        // Two that hand out at once must not overtake each other between looking and handing out.
        let _turn = self.handing_out.lock();
        let specs = {
            let mut state = self.state();
            std::mem::take(&mut state.pending.specs).then(|| state.specs())
        };
        if let Some(specs) = specs {
            self.machinery.apply(specs);
        }
    }

    fn take_work(&self) -> PublishWork {
        let read = self.read_listings();
        let mut state = self.state();
        let mut judged = std::mem::take(&mut state.pending.again);
        judged.extend(read.iter().cloned());
        let gone = std::mem::take(&mut state.pending.gone);
        let listed = judged.iter().filter_map(|server| case(&state, server, ListingStanding::Listed));
        let cases = listed
            .chain(gone.iter().filter_map(|server| case(&state, server, ListingStanding::Gone)))
            .collect();
        let mut touched = std::mem::take(&mut state.pending.rows);
        touched.extend(judged);
        PublishWork { read, touched, cases }
    }

    /// Parsing a long list takes a while, so it happens without the lock.
    fn read_listings(&self) -> BTreeSet<ServerName> {
        let listings = std::mem::take(&mut self.state().pending.listings);
        let mut read = BTreeSet::new();
        for (server, listing) in listings {
            let rows = self.state().rows.get(&server).map(|rows| rows.tools.clone()).unwrap_or_default();
            let reading = ServerReading::of(listing, &rows, Freshness::Now);
            let mut state = self.state();
            if state.is_in_use(&server) {
                state.readings.insert(server.clone(), reading);
                read.insert(server);
            }
        }
        read
    }

    /// All tools of these servers were seen. Said now and then: writing it at every reading would say little more.
    async fn note_seen(&self, servers: &BTreeSet<ServerName>) {
        let now_ms = self.clock.now_ms();
        for server in servers {
            let known = self.state().seen_ms.get(server).copied();
            if known.is_some_and(|known| now_ms.saturating_sub(known) < SEEN_EVERY_MS) {
                continue;
            }
            if let Err(error) = self.store.touch_tool_rows(server, now_ms).await {
                tracing::debug!(%server, %error, "it is not noted that its tools were seen");
                break;
            }
            self.state().seen_ms.insert(server.clone(), now_ms);
        }
    }

    async fn append(&self, events: Vec<Event>) {
        if events.is_empty() {
            return;
        }
        let entry = LedgerEntry { events, ..LedgerEntry::default() };
        if let Err(error) = self.books.append(entry).await {
            tracing::warn!(%error, "changes of health are not in the ledger");
        }
    }

    /// Writes the changes of the readings, all at once.
    async fn record(self: &Arc<Self>, cases: Vec<ServerCase>) -> Result<PublishRound, StoreError> {
        if let Err(error) = self.forget_findings(&cases).await {
            self.put_back(&cases);
            return Err(error);
        }
        let mut cases = Arc::new(cases);
        for _ in 0..ATTEMPTS_MAX {
            let (desk, known) = (Arc::clone(self), Arc::clone(&cases));
            let judged = aside(move || desk.judge(&known)).await;
            if judged.iter().all(|one| one.changes.is_empty()) {
                return Ok(PublishRound::Done);
            }
            let written = self.write(judged).await;
            let settled = match written {
                Ok(ToolRowsWritten::All) => return Ok(PublishRound::Done),
                Ok(ToolRowsWritten::Nothing { .. }) => self.read_again(&cases).await,
                Err(error) => Err(error),
            };
            match settled {
                Ok(newer) => cases = Arc::new(newer),
                Err(error) => {
                    self.put_back(&cases);
                    return Err(error);
                }
            }
        }
        self.put_back(&cases);
        Ok(PublishRound::Again)
    }

    /// What looks at a registry of servers have found is about the servers that there are: one that is added again has no
    /// finding before the next look.
    async fn forget_findings(&self, cases: &[ServerCase]) -> Result<(), StoreError> {
        for case in cases.iter().filter(|case| case.standing == ListingStanding::Gone) {
            self.books.remove_outdated_server(&case.server).await?;
        }
        Ok(())
    }

    fn put_back(&self, cases: &[ServerCase]) {
        let mut state = self.state();
        for case in cases {
            match case.standing {
                ListingStanding::Listed => state.pending.again.insert(case.server.clone()),
                ListingStanding::Gone => state.pending.gone.insert(case.server.clone()),
            };
        }
    }

    fn judge(&self, cases: &[ServerCase]) -> Vec<JudgedTools> {
        let now_ms = self.clock.now_ms();
        let mut names = self.names.lock();
        for case in cases {
            names.set(&case.server, case.offers.iter().map(|offer| offer.own.as_ref().to_owned()));
        }
        let judge = |case: &ServerCase| {
            let foreign = names.beside(&case.server);
            let scan = |definition: &RawJson| findings(definition, &foreign);
            let bench = ReviewCriteria { server: &case.server, review: case.review, now_ms, scan: &scan };
            let mut changes = pins::judge(&bench, &case.rows, &case.offers);
            if case.standing == ListingStanding::Gone {
                changes.iter_mut().for_each(|change| tell_removal(&mut change.row));
            }
            JudgedTools { server: case.server.clone(), changes }
        };
        cases.iter().map(judge).collect()
    }

    async fn write(&self, judged: Vec<JudgedTools>) -> Result<ToolRowsWritten, StoreError> {
        let gateway = PrincipalId::gateway();
        let telling = RegistryEvent { at_ms: self.clock.now_ms(), by: &gateway };
        let events: Vec<Event> =
            judged.iter().flat_map(|one| telling.reading(&one.server, &one.changes)).collect();
        let questionable = questionable(&judged);
        let rows = self.row_changes(judged);
        // Locked during the write: this process is known to have moved the revision.
        let mut revision = self.tools_revision.lock().await;
        let written = self.books.write_tool_rows(&rows, events).await?;
        if written == ToolRowsWritten::All {
            for (server, line) in questionable {
                tracing::warn!(%server, "{line}");
            }
            *revision += 1;
            self.put_rows(rows);
        }
        Ok(written)
    }

    fn row_changes(&self, judged: Vec<JudgedTools>) -> Vec<ToolRowChange> {
        let state = self.state();
        let after = |row: &ToolRow| state.rows.get(&row.server)?.versions.get(&row.own).copied();
        let change = |change: ToolChange| ToolRowChange {
            after: change.before.as_ref().and_then(after),
            traits: traits::of(&change.row),
            row: change.row,
        };
        judged.into_iter().flat_map(|one| one.changes).map(change).collect()
    }

    fn put_rows(&self, rows: Vec<ToolRowChange>) {
        let mut state = self.state();
        for change in rows {
            let row_version = change.row_version();
            let ToolRowChange { row, traits, .. } = change;
            let rows = state.rows.entry(row.server.clone()).or_default();
            rows.put(StoredTool { row, traits, row_version });
        }
    }

    /// Another writer was faster: its rows count now.
    async fn read_again(&self, cases: &[ServerCase]) -> Result<Vec<ServerCase>, StoreError> {
        let _held = self.tools_revision.lock().await;
        for old in cases {
            let stored = self.store.read_tool_rows_of(&old.server).await?;
            let mut rows = ServerRows::default();
            stored.into_iter().for_each(|tool| rows.put(tool));
            self.state().rows.insert(old.server.clone(), rows);
        }
        let state = self.state();
        Ok(cases.iter().filter_map(|old| case(&state, &old.server, old.standing)).collect())
    }

    /// Shows agents the current state of these servers, and the roster if it has changed.
    pub(crate) fn show(&self, servers: &BTreeSet<ServerName>) {
        // Two that show at once must not overtake each other between looking and showing.
        let _turn = self.showing.lock();
        let update = self.update(servers);
        if let Some(update) = update {
            self.arrange(update);
        }
    }

    fn update(&self, servers: &BTreeSet<ServerName>) -> Option<CatalogUpdate> {
        let mut state = self.state();
        let mut update = CatalogUpdate {
            servers: std::mem::take(&mut state.pending.servers).then(|| state.roster.settings()),
            rules: std::mem::take(&mut state.pending.rules).then(|| state.file.rules.clone()),
            aliases: std::mem::take(&mut state.pending.aliases).then(|| state.aliases.clone()),
            names: std::mem::take(&mut state.pending.names),
            ..CatalogUpdate::default()
        };
        let is_other = update.servers.is_some()
            || update.rules.is_some()
            || update.aliases.is_some()
            || !update.names.is_empty();
        for server in servers {
            let Some((listing, withheld)) = shown(&state, server) else { continue };
            update.listings.insert(server.clone(), listing);
            update.withheld.insert(server.clone(), withheld);
        }
        (is_other || !update.listings.is_empty()).then_some(update)
    }
}

/// The listing of a server and the tools that it keeps back. A disabled one lists nothing.
fn shown(state: &RegistryState, server: &ServerName) -> Option<(Option<ServerListing>, Vec<WithheldTool>)> {
    let none = ToolRows::new();
    let rows = state.rows.get(server).map_or(&none, |rows| &rows.tools);
    if let Some(reason) = state.settings.disabled.get(server) {
        return Some((None, pins::disabled(rows, reason.as_deref())));
    }
    let reading = state.readings.get(server)?;
    let shown = pins::show(rows, &reading.offers);
    Some((Some(ServerListing { tools: shown.tools, ..reading.rest.clone() }), shown.withheld))
}

/// Listings from before this process started have no consequences, nor has the removal of a server that is
/// back.
fn case(state: &RegistryState, server: &ServerName, standing: ListingStanding) -> Option<ServerCase> {
    let offers = match standing {
        ListingStanding::Gone => state.roster.get(server).is_none().then(Vec::new)?,
        ListingStanding::Listed => {
            let reading = state.readings.get(server).filter(|reading| reading.freshness == Freshness::Now)?;
            reading.offers.clone()
        }
    };
    let rows = state.rows.get(server).map(|rows| rows.tools.clone()).unwrap_or_default();
    Some(ServerCase { server: server.clone(), standing, review: state.review_of(server), rows, offers })
}

/// The tools that need a review, one line for each server.
fn questionable(judged: &[JudgedTools]) -> Vec<(ServerName, String)> {
    let is_questionable = |change: &&ToolChange| {
        let kind = change.news.as_ref().map(|news| news.kind);
        matches!(kind, Some(EventKind::ToolDrifted | EventKind::ToolQuarantined))
    };
    let line = |one: &JudgedTools| {
        let mut found = one.changes.iter().filter(is_questionable);
        let first = &found.next()?.row;
        let reason = first.reason.as_deref().unwrap_or_default();
        let more = match found.count() {
            0 => String::new(),
            count => format!(" (and {count} more)"),
        };
        let status = first.status.as_str();
        let name = &first.name;
        Some((
            one.server.clone(),
            format!("{name} is {status}: {reason}{more}; `toolgate tools diff` shows it"),
        ))
    };
    judged.iter().filter_map(line).collect()
}

/// Another gateway may have the server still: for it, this is another matter than a server that offers less.
fn tell_removal(row: &mut ToolRow) {
    if row.reason.as_deref() == Some(pins::reason::GONE) {
        row.reason = Some(pins::reason::SERVER_REMOVED.to_owned());
    }
}

fn findings(definition: &RawJson, foreign: &ForeignNames<'_>) -> Vec<DefinitionFinding> {
    let value: Value = definition.decode().unwrap_or_default();
    scan(&value, foreign)
}
