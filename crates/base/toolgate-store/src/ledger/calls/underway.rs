//! Calls in progress: those that were sent, and those that wait for approval.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::event::{EventFilter, EventKind, EventSubject};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

use super::entry::{CallEntry, CallState};
use super::events::CallEvents;
use super::{CallCursor, CallFilter, CallPage, CallStanding};
use crate::db::without_nul;
use crate::error::doing;
use crate::ledger::read::LedgerOrder;
use crate::row::row;
use crate::{ApprovalFilter, PageCursor, Store, StoreError};

/// The maximum number of open approvals, and of calls that joined one, that are read. Beyond it there is the
/// page of approvals.
const WAITING_MAX: usize = 200;

const OPEN: &str =
    "SELECT call, started_at_ms, paused_at_ms, principal, session, run, task, tool, server FROM open_calls";

row! {
    pub(super) struct OpenCall {
        call: String,
        started_at_ms: i64,
        paused_at_ms: Option<i64>,
        principal: String,
        session: Option<String>,
        run: Option<String>,
        task: Option<String>,
        tool: Option<String>,
        server: Option<String>,
    }
}

impl OpenCall {
    pub(super) fn entry(self, events: CallEvents<'_>) -> CallEntry {
        let about = EventSubject {
            session: self.session.map(SessionId::new),
            run: self.run.map(RunId::new),
            task: self.task.map(Into::into),
            call: Some(CallId::new(self.call.as_str())),
            tool: self.tool.as_deref().map(CanonicalName::recorded),
            // An invalid name says nothing about the call.
            server: self.server.as_deref().and_then(|name| ServerName::new(name).ok()),
            ..EventSubject::default()
        };
        let first = events.first().map_or(self.started_at_ms, |event| event.at_ms);
        CallEntry {
            id: CallId::new(self.call),
            state: if self.paused_at_ms.is_some() { CallState::InputRequired } else { CallState::Dispatched },
            principal: PrincipalId::new(&self.principal),
            about: Arc::new(about),
            started_at_ms: first.min(self.started_at_ms),
            ended_at_ms: None,
            duration_us: None,
            decision: events.decision(),
            approval: events.approval().cloned(),
            asked: None,
            error: None,
        }
    }
}

/// The start of a call, and its id: the sort key of calls in progress.
type CallSortKey = (i64, String);

impl Store {
    pub(super) async fn calls_under_way(
        &self,
        filter: &CallFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<CallPage, StoreError> {
        let ended = Some(CallStanding::Ended);
        let is_of_ends = !filter.events.outcomes.is_empty() || filter.events.error.is_some();
        if filter.standing == ended || is_of_ends {
            return Ok(CallPage::default());
        }
        let open = self.open_calls(filter).await.map_err(doing("read the calls under way"))?;
        let mut keys: Vec<CallSortKey> =
            open.iter().map(|one| (one.started_at_ms, one.call.clone())).collect();
        keys.extend(self.asking(filter).await?);
        keys.sort_unstable_by(|one, other| other.cmp(one));
        keys.dedup();
        if let Some(PageCursor { created_at_ms, id }) = cursor {
            keys.retain(|key| (key.0, key.1.as_str()) < (*created_at_ms, id.as_str()));
        }
        self.page_of(filter, open, &keys, limit).await
    }

    /// Walks through the keys until the page is full: most calls with an open approval were answered long ago
    /// that they must wait, and are no longer in progress.
    async fn page_of(
        &self,
        filter: &CallFilter,
        mut open: Vec<OpenCall>,
        keys: &[CallSortKey],
        limit: usize,
    ) -> Result<CallPage, StoreError> {
        let mut page = CallPage::default();
        for some in keys.chunks(limit) {
            let ids: Vec<CallId> = some.iter().map(|(_, id)| CallId::new(id.as_str())).collect();
            let events = self.events_of(&ids).await?;
            for (key, id) in some.iter().zip(ids) {
                if page.calls.len() == limit {
                    return Ok(page);
                }
                page.next = Some(CallCursor::UnderWay(PageCursor::at(key.0, &key.1)));
                let found = match open.iter().position(|one| one.call == key.1) {
                    Some(place) => Some(open.swap_remove(place).entry(events.of(&id))),
                    None => still_asking(id.clone(), events.of(&id)),
                };
                page.calls.extend(found.filter(|call| fits(call, filter)));
            }
        }
        page.next = None;
        Ok(page)
    }

    /// All that were sent. There are not more than calls at the same time.
    async fn open_calls(&self, filter: &CallFilter) -> Result<Vec<OpenCall>, sqlx::Error> {
        if filter.standing == Some(CallStanding::Waiting) {
            return self
                .db
                .sql(sqlx::AssertSqlSafe(format!("{OPEN} WHERE paused_at_ms IS NOT NULL")))
                .fetch_all()
                .await;
        }
        let wanted = wanted(&filter.events);
        let mut text = format!("{OPEN} WHERE tenant = $1");
        for (place, (column, _)) in (2..).zip(&wanted) {
            write!(text, " AND {column} = ${place}").expect("writing to a string does not fail");
        }
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(text)).bind(self.tenant);
        wanted.iter().for_each(|(_, value)| statement.push(without_nul(value)));
        statement.fetch_all().await
    }

    pub(super) async fn open_call(&self, id: &CallId) -> Result<Option<OpenCall>, sqlx::Error> {
        let text = sqlx::AssertSqlSafe(format!("{OPEN} WHERE call = $1"));
        self.db.sql(text).bind(without_nul(id.as_str())).fetch_optional().await
    }

    /// The calls that open approvals are about.
    async fn asking(&self, filter: &CallFilter) -> Result<Vec<CallSortKey>, StoreError> {
        if filter.standing == Some(CallStanding::Running) {
            return Ok(Vec::new());
        }
        let EventFilter { principal, tool, session, run, .. } = filter.events.clone();
        let pending = ApprovalFilter { state: Some(ApprovalState::Pending), except: None, principal, tool };
        let (mut pending, _) = self.list_approvals(&pending, None, WAITING_MAX).await?;
        pending.retain(|one| session.is_none() || one.session == session);
        pending.retain(|one| run.is_none() || one.run == run);
        if pending.is_empty() {
            return Ok(Vec::new());
        }
        let mut keys: Vec<CallSortKey> =
            pending.iter().map(|one| (one.created_at_ms, one.call.to_string())).collect();
        keys.extend(self.joined(&pending).await?);
        Ok(keys)
    }

    /// Identical calls that attached to one of them.
    async fn joined(&self, pending: &[Approval]) -> Result<Vec<CallSortKey>, StoreError> {
        let pending: HashSet<&ApprovalId> = pending.iter().map(|approval| &approval.id).collect();
        let joined = EventFilter { kind: Some(EventKind::ApprovalJoined), ..EventFilter::default() };
        let joined = self.ledger_page(&joined, None, WAITING_MAX, LedgerOrder::NewestFirst).await?;
        let events = joined.into_iter().map(|recorded| recorded.event);
        let of_pending =
            events.filter(|event| event.approval.as_ref().is_some_and(|id| pending.contains(id)));
        Ok(of_pending
            .filter_map(|event| Some((event.at_ms, event.about.call.as_ref()?.to_string())))
            .collect())
    }
}

/// A call whose approval is open. Its client may have been told so, and have left.
fn still_asking(id: CallId, events: CallEvents<'_>) -> Option<CallEntry> {
    match events.end() {
        Some(end) => Some(CallEntry::ended(id, end, events)),
        None => CallEntry::unsent(id, events, Some(ApprovalState::Pending)),
    }
}

/// Calls whose client was told to come back still wait for a person, but are listed among the ended ones.
fn fits(call: &CallEntry, filter: &CallFilter) -> bool {
    match filter.standing {
        Some(CallStanding::Waiting) if call.was_told_to_wait() => {
            call.passes(&CallFilter { standing: None, ..filter.clone() })
        }
        _ => call.stands() != CallStanding::Ended && call.passes(filter),
    }
}

fn wanted(filter: &EventFilter) -> Vec<(&'static str, &str)> {
    let all = [
        ("principal", filter.principal.as_ref().map(PrincipalId::as_str)),
        ("session", filter.session.as_ref().map(SessionId::as_str)),
        ("run", filter.run.as_ref().map(RunId::as_str)),
        ("tool", filter.tool.as_ref().map(CanonicalName::as_str)),
        ("server", filter.server.as_ref().map(ServerName::as_str)),
    ];
    all.into_iter().filter_map(|(column, value)| Some((column, value?))).collect()
}
