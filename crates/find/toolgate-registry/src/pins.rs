//! The state of a tool when its server lists it, lists it differently, or stops listing it. Pure: rows and a
//! reading go in, changed rows and their news come out.
//!
//! First sight pins. From then on agents see the pinned definition or nothing: a different definition waits
//! for a review, unless the operator accepts changes automatically.

mod offer;
pub(crate) mod reason;
mod review;
mod rows;
mod show;

use std::sync::Arc;

use toolgate_core::event::EventKind;
use toolgate_core::registry::{Definition, DefinitionFinding, ToolRow, ToolStatus};
use toolgate_core::{CanonicalName, Digest, RawJson, ServerName};

use crate::source::{Drift, NewTools, OnFinding, ReviewRules};

pub(crate) use offer::{ToolOffer, offers};
pub(crate) use review::{ReviewError, reviewed};
pub(crate) use rows::{ToolRows, is_unreviewed, subject};
pub(crate) use show::{disabled, show};

/// The number of other definitions within [`CHANGES_WINDOW_MS`] that no longer look like deployments.
const CHANGES_MAX: u32 = 3;
const CHANGES_WINDOW_MS: i64 = 10 * 60 * 1000;
/// Rows of one server, retired ones too. A server that invents names at every reading fills no disk.
pub(crate) const ROWS_MAX: usize = 20_000;

fn keeps_changing(row: &ToolRow) -> bool {
    row.reason.as_deref() == Some(reason::KEEPS_CHANGING)
}

/// The criteria for a reading.
pub(crate) struct ReviewCriteria<'a> {
    pub(crate) server: &'a ServerName,
    pub(crate) review: ReviewRules,
    pub(crate) now_ms: i64,
    pub(crate) scan: &'a dyn Fn(&RawJson) -> Vec<DefinitionFinding>,
}

/// A row before and after a change.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ToolChange {
    pub(crate) before: Option<ToolRow>,
    pub(crate) row: ToolRow,
    pub(crate) news: Option<PinNews>,
}

/// The news for the ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PinNews {
    pub(crate) kind: EventKind,
    pub(crate) from: Option<Digest>,
    pub(crate) to: Option<Digest>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sighting {
    /// Nothing of this server was known.
    First,
    Later,
}

/// The changes from a complete reading of a server.
pub(crate) fn judge(bench: &ReviewCriteria<'_>, rows: &ToolRows, offers: &[ToolOffer]) -> Vec<ToolChange> {
    let sight = if rows.is_empty() { Sighting::First } else { Sighting::Later };
    let mut room = ROWS_MAX.saturating_sub(rows.len());
    let mut changes = Vec::new();
    for offer in offers {
        match rows.get(&offer.own) {
            Some(row) => changes.extend(bench.known(row, offer)),
            None if room > 0 => {
                room -= 1;
                changes.push(bench.new_tool(offer, sight));
            }
            None => {}
        }
    }
    let offered: std::collections::HashSet<&str> = offers.iter().map(|offer| &*offer.own).collect();
    let absent = rows.values().filter(|row| !offered.contains(&*row.own));
    changes.extend(absent.filter_map(|row| bench.absent(row)));
    changes
}

impl ReviewCriteria<'_> {
    fn new_tool(&self, offer: &ToolOffer, sight: Sighting) -> ToolChange {
        let pinned = offer.newest().clone();
        let findings = (self.scan)(&pinned.json);
        let candidate = offer.other_than(pinned.version).cloned();
        let withheld = self.reason_to_withhold(offer, sight, &findings);
        let (status, reason) = match withheld {
            Some(reason) => (ToolStatus::Quarantined, Some(reason)),
            None => serving(candidate.as_ref()),
        };
        let row = ToolRow {
            server: self.server.clone(),
            own: Arc::clone(&offer.own),
            name: CanonicalName::of(self.server, &offer.own),
            status,
            reason: reason.map(str::to_owned),
            // A first review is about one definition.
            candidate: candidate.filter(|_| withheld.is_none()),
            pinned,
            findings,
            rejected: None,
            first_seen_ms: self.now_ms,
            last_seen_ms: self.now_ms,
            reviewed_by: None,
            reviewed_at_ms: None,
            changes: 0,
            changes_since_ms: self.now_ms,
        };
        let kind = if withheld.is_some() { EventKind::ToolQuarantined } else { EventKind::ToolsPinned };
        let news = PinNews { kind, from: None, to: Some(row.pinned.version) };
        ToolChange { before: None, row, news: Some(news) }
    }

    fn reason_to_withhold(
        &self,
        offer: &ToolOffer,
        sight: Sighting,
        findings: &[DefinitionFinding],
    ) -> Option<&'static str> {
        if offer.twice {
            return Some(reason::NEW_AND_TWICE);
        }
        if self.review.findings == OnFinding::Quarantine && !findings.is_empty() {
            return Some(reason::FLAGGED);
        }
        let waits = match self.review.new_tools {
            NewTools::Visible => false,
            NewTools::Review => sight == Sighting::Later,
            NewTools::ReviewAll => true,
        };
        waits.then_some(reason::NEW)
    }

    fn known(&self, row: &ToolRow, offer: &ToolOffer) -> Option<ToolChange> {
        let mut next = row.clone();
        next.candidate = offer.other_than(row.pinned.version).cloned();
        if is_unreviewed(row) {
            self.still_unreviewed(row, &mut next, offer);
        } else if offer.twice {
            self.listed_twice(row, &mut next);
        } else if offer.has(row.pinned.version) {
            serve_pinned(row, &mut next);
        } else {
            self.drifted(row, &mut next, offer);
        }
        self.finish(row, next)
    }

    /// The pinned definition was never seen: the current offer replaces it, so that the review is about this
    /// one.
    fn still_unreviewed(&self, row: &ToolRow, next: &mut ToolRow, offer: &ToolOffer) {
        next.status = ToolStatus::Quarantined;
        next.candidate = None;
        if !offer.twice && next.reason.as_deref() == Some(reason::NEW_AND_TWICE) {
            next.reason = Some(reason::NEW.to_owned());
        }
        if !offer.has(row.pinned.version) {
            next.pinned = offer.newest().clone();
            self.count_change(next);
        }
    }

    fn listed_twice(&self, row: &ToolRow, next: &mut ToolRow) {
        if row.reason.as_deref() != Some(reason::TWICE) && !keeps_changing(row) {
            self.count_change(next);
        }
        let keeps = keeps_changing(row) || next.changes >= CHANGES_MAX;
        quarantine(next, if keeps { reason::KEEPS_CHANGING } else { reason::TWICE });
    }

    /// The pinned definition is not among the offers.
    fn drifted(&self, row: &ToolRow, next: &mut ToolRow, offer: &ToolOffer) {
        let newest = offer.newest().clone();
        let known = row.candidate.as_ref().map(|candidate| candidate.version);
        if row.status != ToolStatus::Quarantined || known != Some(newest.version) {
            self.count_change(next);
        }
        if let Some(reason) = self.reason_against(row, next, &newest) {
            return quarantine(next, reason);
        }
        next.candidate = offer.other_than(newest.version).cloned();
        next.pinned = newest;
        (next.status, next.reason) = owned(serving(next.candidate.as_ref()));
    }

    fn reason_against(&self, row: &ToolRow, next: &ToolRow, newest: &Definition) -> Option<&'static str> {
        if keeps_changing(row) || next.changes >= CHANGES_MAX {
            return Some(reason::KEEPS_CHANGING);
        }
        if row.rejected == Some(newest.version) {
            return Some(reason::REJECTED);
        }
        let came_back =
            row.status == ToolStatus::Retired || row.reason.as_deref() == Some(reason::CAME_BACK_CHANGED);
        if came_back {
            return Some(reason::CAME_BACK_CHANGED);
        }
        if self.review.drift == Drift::Quarantine {
            return Some(reason::CHANGED);
        }
        let flagged = self.review.findings == OnFinding::Quarantine && !(self.scan)(&newest.json).is_empty();
        flagged.then_some(reason::CHANGED_AND_FLAGGED)
    }

    fn absent(&self, row: &ToolRow) -> Option<ToolChange> {
        let mut next = row.clone();
        next.status = ToolStatus::Retired;
        next.candidate = None;
        // An unreviewed definition does not become trusted by disappearing and coming back.
        if !is_unreviewed(row) && !keeps_changing(row) {
            next.reason = Some(reason::GONE.into());
        }
        self.finish(row, next)
    }

    /// Counts a change within the window; an old window is closed first.
    fn count_change(&self, next: &mut ToolRow) {
        if self.now_ms.saturating_sub(next.changes_since_ms) > CHANGES_WINDOW_MS {
            next.changes = 0;
        }
        if next.changes == 0 {
            next.changes_since_ms = self.now_ms;
        }
        next.changes = next.changes.saturating_add(1);
    }

    fn finish(&self, row: &ToolRow, mut next: ToolRow) -> Option<ToolChange> {
        if subject(&next).version != subject(row).version {
            next.findings = (self.scan)(&subject(&next).json);
        }
        if next == *row {
            return None;
        }
        let news = news_of(row, &next);
        Some(ToolChange { before: Some(row.clone()), row: next, news })
    }
}

/// The pinned definition is offered, and perhaps another one beside it.
fn serve_pinned(row: &ToolRow, next: &mut ToolRow) {
    if keeps_changing(row) {
        next.status = ToolStatus::Quarantined;
        return;
    }
    (next.status, next.reason) = owned(serving(next.candidate.as_ref()));
}

fn serving(candidate: Option<&Definition>) -> (ToolStatus, Option<&'static str>) {
    match candidate {
        None => (ToolStatus::Active, None),
        Some(_) => (ToolStatus::Drifted, Some(reason::DIFFERS)),
    }
}

fn owned((status, reason): (ToolStatus, Option<&'static str>)) -> (ToolStatus, Option<String>) {
    (status, reason.map(str::to_owned))
}

fn quarantine(next: &mut ToolRow, reason: &str) {
    next.status = ToolStatus::Quarantined;
    next.reason = Some(reason.to_owned());
}

/// The news of a change. A rejected version is not reported again.
fn news_of(row: &ToolRow, next: &ToolRow) -> Option<PinNews> {
    let kind = kind_of(row, next)?;
    Some(PinNews { kind, from: Some(row.pinned.version), to: Some(subject(next).version) })
}

fn kind_of(row: &ToolRow, next: &ToolRow) -> Option<EventKind> {
    use ToolStatus::{Active, Drifted, Quarantined, Retired};
    let other = next.candidate.as_ref().map(|candidate| candidate.version);
    let new_candidate = other.is_some() && other != row.candidate.as_ref().map(|candidate| candidate.version);
    let worth_telling = new_candidate && other != next.rejected && !keeps_changing(next);
    let repinned = row.pinned.version != next.pinned.version;
    match (row.status, next.status) {
        (Quarantined, Quarantined) if is_unreviewed(next) => {
            (repinned && next.changes <= CHANGES_MAX).then_some(EventKind::ToolDrifted)
        }
        _ if repinned && next.status != Quarantined => Some(EventKind::ToolAccepted),
        (Retired, Retired) => None,
        (_, Retired) => Some(EventKind::ToolRetired),
        (Quarantined, Quarantined) if row.reason != next.reason && !is_rejection(next) => {
            Some(EventKind::ToolQuarantined)
        }
        (Active | Drifted | Retired, Quarantined) => Some(EventKind::ToolQuarantined),
        (Quarantined | Retired, Active | Drifted) | (Drifted, Active) => Some(EventKind::ToolRestored),
        (Active, Drifted) | (Drifted, Drifted) | (Quarantined, Quarantined) => {
            worth_telling.then_some(EventKind::ToolDrifted)
        }
        (Active, Active) => None,
    }
}

fn is_rejection(row: &ToolRow) -> bool {
    row.reason.as_deref() == Some(reason::REJECTED)
}

#[cfg(test)]
mod tests;
