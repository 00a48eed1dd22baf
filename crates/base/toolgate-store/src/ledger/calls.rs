//! Calls, one entry for each: ended ones from the ledger, the others from the tables of open calls.
//!
//! Calls in progress come first, the latest to begin at the top; then ended calls, the latest to end at the
//! top. A call that only reads enters the ledger when it ends, so it does not appear before.

pub(super) mod counts;
mod entry;
mod events;
mod text;
mod underway;

use std::fmt;
use std::str::FromStr;

use toolgate_core::event::{DecisionKind, EventFilter, EventKind, Position, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId};

pub use entry::{AskedApproval, CallEntry, CallError, CallState};
use events::{CallEvents, EventsOf};

use super::read::LedgerOrder;
use crate::error::doing;
use crate::{PageCursor, Store, StoreError};

/// The maximum number of calls on a page.
pub const CALLS_PAGE_MAX: usize = 200;
/// The maximum number of calls whose text is searched for one page.
pub const CALLS_SEARCHED_MAX: usize = 1_000;
/// The maximum number of calls that one count goes through.
pub const CALLS_COUNTED_MAX: usize = 200;
/// Handfuls of decisions that are gone through for one page, where the decision alone does not choose.
const HANDFULS_MAX: usize = 20;

/// A filter for calls. `None` matches anything.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    /// `kind` is ignored. The time of a call is its end or, before that, its start.
    pub events: EventFilter,
    pub standing: Option<CallStanding>,
    /// Calls that asked for it, or ran under it.
    pub approval: Option<ApprovalId>,
    /// A part of the names, ids, arguments or error of a call, in any case of letters.
    pub text: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallStanding {
    /// Waiting for a person, or for an answer of its client. Includes calls whose client was told so and has
    /// left.
    Waiting,
    /// Sent to its server, and not answered.
    Running,
    /// It has its answer, even if only that a person must approve first.
    Ended,
}

impl CallStanding {
    pub const ALL: [CallStanding; 3] = [CallStanding::Waiting, CallStanding::Running, CallStanding::Ended];

    pub fn as_str(self) -> &'static str {
        match self {
            CallStanding::Waiting => "waiting",
            CallStanding::Running => "running",
            CallStanding::Ended => "ended",
        }
    }

    pub fn parse(text: &str) -> Option<CallStanding> {
        Self::ALL.into_iter().find(|standing| standing.as_str() == text)
    }
}

#[derive(Clone, Debug, Default)]
pub struct CallPage {
    pub calls: Vec<CallEntry>,
    pub next: Option<CallCursor>,
}

/// A page of calls with the events that were read for it, if any.
#[derive(Default)]
struct CallsRead {
    page: CallPage,
    events: EventsOf,
}

impl From<CallPage> for CallsRead {
    fn from(page: CallPage) -> Self {
        Self { page, events: EventsOf::default() }
    }
}

/// The end of a page of calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallCursor {
    /// Among the calls in progress.
    UnderWay(PageCursor),
    /// Among the recorded calls, after the last event that was read.
    Recorded(Position),
}

const UNDER_WAY: char = 'u';
const RECORDED: char = 'r';

impl fmt::Display for CallCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallCursor::UnderWay(cursor) => write!(f, "{UNDER_WAY}{cursor}"),
            CallCursor::Recorded(position) => write!(f, "{RECORDED}{position}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not a cursor of a list of calls")]
pub struct BadCallCursor;

impl FromStr for CallCursor {
    type Err = BadCallCursor;

    fn from_str(text: &str) -> Result<Self, BadCallCursor> {
        if let Some(rest) = text.strip_prefix(UNDER_WAY) {
            return rest.parse().map(CallCursor::UnderWay).map_err(|_| BadCallCursor);
        }
        let position = text.strip_prefix(RECORDED).and_then(|rest| rest.parse().ok());
        position.map(CallCursor::Recorded).ok_or(BadCallCursor)
    }
}

impl Store {
    /// One page of the calls that pass a filter. It may be shorter than requested even if there is a next
    /// one.
    pub async fn calls(
        &self,
        filter: &CallFilter,
        cursor: Option<&CallCursor>,
        limit: usize,
    ) -> Result<CallPage, StoreError> {
        let limit = limit.clamp(1, CALLS_PAGE_MAX);
        let mut page = match filter.text.as_deref() {
            Some(text) => self.calls_with_text(text, filter, cursor, limit).await?,
            None => self.calls_of_any_text(filter, cursor, limit).await?.page,
        };
        self.tell_approvals(&mut page.calls).await?;
        Ok(page)
    }

    /// The same, whatever text the calls have.
    async fn calls_of_any_text(
        &self,
        filter: &CallFilter,
        cursor: Option<&CallCursor>,
        limit: usize,
    ) -> Result<CallsRead, StoreError> {
        if let Some(named) = self.named_calls(filter).await? {
            return Ok(CallPage { calls: named, next: None }.into());
        }
        match filter.events.decision {
            Some(decision) => self.decided_calls(filter, decision, cursor, limit).await.map(Into::into),
            None => self.all_calls(filter, cursor, limit).await,
        }
    }

    /// What became of the approvals that calls were told to wait for.
    async fn tell_approvals(&self, calls: &mut [CallEntry]) -> Result<(), StoreError> {
        let asked = |call: &CallEntry| call.approval.clone().filter(|_| call.was_told_to_wait());
        let ids: Vec<ApprovalId> = calls.iter().filter_map(asked).collect();
        let approvals = self.approvals_named(&ids).await?;
        for call in calls {
            let Some(id) = asked(call) else { continue };
            call.asked = approvals.iter().find(|approval| approval.id == id).map(AskedApproval::of);
        }
        Ok(())
    }

    /// The calls that the filter names: one by its id, or those of one approval.
    async fn named_calls(&self, filter: &CallFilter) -> Result<Option<Vec<CallEntry>>, StoreError> {
        let mut ids: Vec<CallId> = filter.events.call.iter().cloned().collect();
        if let Some(id) = &filter.approval {
            let Some(approval) = self.get_approval(id).await? else { return Ok(Some(Vec::new())) };
            let of_approval: Vec<CallId> =
                [Some(approval.call), approval.used_by].into_iter().flatten().collect();
            match filter.events.call.is_some() {
                true => ids.retain(|id| of_approval.contains(id)),
                false => ids = of_approval,
            }
        } else if ids.is_empty() {
            return Ok(None);
        }
        let mut calls = self.entries(&ids).await?;
        calls.retain(|call| call.passes(filter));
        calls.sort_by_key(|call| std::cmp::Reverse(call.started_at_ms));
        calls.dedup_by(|one, other| one.id == other.id);
        Ok(Some(calls))
    }

    async fn all_calls(
        &self,
        filter: &CallFilter,
        cursor: Option<&CallCursor>,
        limit: usize,
    ) -> Result<CallsRead, StoreError> {
        let mut page = match cursor {
            Some(CallCursor::Recorded(_)) => CallPage::default(),
            Some(CallCursor::UnderWay(cursor)) => self.calls_under_way(filter, Some(cursor), limit).await?,
            None => self.calls_under_way(filter, None, limit).await?,
        };
        let wants_ended = filter.standing.is_none_or(|standing| standing == CallStanding::Ended);
        if page.next.is_some() || !wants_ended || page.calls.len() >= limit {
            return Ok(page.into());
        }
        let after = match cursor {
            Some(CallCursor::Recorded(position)) => Some(position),
            _ => None,
        };
        let wanted = limit - page.calls.len();
        let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..filter.events.clone() };
        let ends = self.ledger_page(&ends, after, wanted, LedgerOrder::NewestFirst).await?;
        page.next = ends
            .last()
            .filter(|_| ends.len() == wanted)
            .map(|last| CallCursor::Recorded(last.position.clone()));
        let (ended, events) = self.ended_calls(ends).await?;
        // A call may have ended between the two queries.
        page.calls.retain(|call| ended.iter().all(|other| other.id != call.id));
        page.calls.extend(ended);
        Ok(CallsRead { page, events })
    }

    /// The calls of these end events, in the same order, and all their events.
    async fn ended_calls(&self, ends: Vec<RecordedEvent>) -> Result<(Vec<CallEntry>, EventsOf), StoreError> {
        let ids: Vec<CallId> = ends.iter().filter_map(|end| end.event.about.call.clone()).collect();
        let events = self.events_of(&ids).await?;
        let entry = |end: RecordedEvent| {
            let id = end.event.about.call.clone()?;
            Some(CallEntry::ended(id.clone(), &end, events.of(&id)))
        };
        let calls = ends.into_iter().filter_map(entry).collect();
        Ok((calls, events))
    }

    /// By the policy decision, which is in the start of the call or an event of its own.
    async fn decided_calls(
        &self,
        filter: &CallFilter,
        decision: DecisionKind,
        cursor: Option<&CallCursor>,
        limit: usize,
    ) -> Result<CallPage, StoreError> {
        let decisions =
            EventFilter { kind: None, outcomes: Vec::new(), error: None, ..filter.events.clone() };
        let mut after = match cursor {
            Some(CallCursor::Recorded(position)) => Some(position.clone()),
            _ => None,
        };
        let mut calls = Vec::new();
        for _ in 0..HANDFULS_MAX {
            let decided =
                self.ledger_page(&decisions, after.as_ref(), limit, LedgerOrder::NewestFirst).await?;
            let ids: Vec<CallId> = decided.iter().filter_map(|one| one.event.about.call.clone()).collect();
            let events = self.events_of(&ids).await?;
            let is_last = decided.len() < limit;
            for one in decided {
                after = Some(one.position.clone());
                // A call that was judged more than once is listed at its last judgement.
                let is_last =
                    |id: &CallId| events.of(id).decided_last(decision) == Some((&one.stream, one.number));
                let Some(id) = one.event.about.call.clone().filter(is_last) else { continue };
                let call = self.entry(id.clone(), events.of(&id)).await?;
                let call = call.map(|call| CallEntry { decision: Some(decision), ..call });
                calls.extend(call.filter(|call| call.passes(filter)));
                if calls.len() == limit {
                    return Ok(CallPage { calls, next: after.map(CallCursor::Recorded) });
                }
            }
            if is_last {
                return Ok(CallPage { calls, next: None });
            }
        }
        Ok(CallPage { calls, next: after.map(CallCursor::Recorded) })
    }

    /// These calls, as far as the ledger knows them.
    async fn entries(&self, ids: &[CallId]) -> Result<Vec<CallEntry>, StoreError> {
        let events = self.events_of(ids).await?;
        let mut entries = Vec::new();
        for id in ids {
            entries.extend(self.entry(id.clone(), events.of(id)).await?);
        }
        Ok(entries)
    }

    /// One call by its events and, if they do not show its end, by its open state.
    async fn entry(&self, id: CallId, events: CallEvents<'_>) -> Result<Option<CallEntry>, StoreError> {
        if let Some(end) = events.end() {
            return Ok(Some(CallEntry::ended(id, end, events)));
        }
        if let Some(open) = self.open_call(&id).await.map_err(doing("look for a call under way"))? {
            return Ok(Some(open.entry(events)));
        }
        let approval = match events.approval() {
            Some(approval) => self.get_approval(approval).await?,
            None => None,
        };
        Ok(CallEntry::unsent(id, events, approval.map(|approval| approval.state)))
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::event::HybridTime;

    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let position = Position::new(HybridTime::of_ms(7), "one".into(), 7, vec![("two".into(), 3)]);
        for cursor in [CallCursor::Recorded(position), CallCursor::UnderWay(PageCursor::at(12, &"tc_1"))] {
            assert_eq!(cursor.to_string().parse::<CallCursor>().expect("it was written here"), cursor);
        }
        for bad in ["", "r", "rx", "12", "ux.tc_1"] {
            assert!(bad.parse::<CallCursor>().is_err(), "{bad}");
        }
    }
}
