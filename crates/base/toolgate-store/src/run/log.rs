//! The events of a run in its own order: numbers 1, 2, 3 without a gap, each given in the transaction that holds the run.

use serde_json::Value;
use toolgate_core::PrincipalId;
use toolgate_core::event::{Event, EventKind};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::Run;

use super::row::json;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

/// The maximum number of a run's events on a page.
pub const RUN_EVENTS_PAGE_MAX: usize = 200;

const INSERT: &str = "INSERT INTO run_events (tenant, run, number, kind, at_ms, principal, call, detail)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const SELECT: &str = "SELECT number, kind, at_ms, principal, call, detail FROM run_events
    WHERE tenant = $1 AND run = $2 AND number > $3";

/// An event of a run under its number.
#[derive(Clone, PartialEq, Debug)]
pub struct NumberedEvent {
    pub number: u64,
    pub kind: EventKind,
    pub at_ms: i64,
    pub principal: PrincipalId,
    /// The call that caused it.
    pub call: Option<CallId>,
    /// An object with the members of its kind.
    pub detail: Value,
}

impl Store {
    /// The events of a run after a number, oldest first. No kinds mean all of them.
    pub async fn run_events(
        &self,
        run: &RunId,
        after: u64,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<Vec<NumberedEvent>, StoreError> {
        const DOING: &str = "read the events of a run";
        let text = sqlx::AssertSqlSafe(page_text(kinds.len()));
        let mut read = self.db.sql(text).bind(self.tenant).bind(without_nul(run.as_str()));
        read.push(stored_count(after));
        for kind in kinds {
            read.push(kind.as_str());
        }
        read.push(i64::try_from(limit.clamp(1, RUN_EVENTS_PAGE_MAX)).expect("a page is limited"));
        let rows: Vec<LoggedRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

fn page_text(kinds: usize) -> String {
    let places: Vec<String> = (4..kinds + 4).map(|place| format!("${place}")).collect();
    let chosen = match places.is_empty() {
        true => String::new(),
        false => format!(" AND kind IN ({})", places.join(", ")),
    };
    format!("{SELECT}{chosen} ORDER BY number LIMIT ${}", kinds + 4)
}

/// Writes the event under the number that the run has reached; the caller has counted it, and holds the run.
pub(super) async fn insert(
    tx: &mut Transaction,
    tenant: &'static str,
    run: &Run,
    event: &Event,
    shown: Option<&Value>,
) -> Result<(), sqlx::Error> {
    let told = || event.detail.as_ref().map_or_else(|| "{}".to_owned(), |detail| detail.as_str().to_owned());
    let mut insert = tx.sql(INSERT).bind(tenant).bind(without_nul(run.id.as_str()));
    insert.push(stored_count(run.events));
    insert.push(event.kind.as_str());
    insert.push(event.at_ms);
    insert.push(without_nul(event.principal.as_str()));
    insert.push(event.about.call.as_ref().map(|call| without_nul(call.as_str())));
    insert.push(shown.map_or_else(told, json));
    insert.execute().await.map(drop)
}

row! {
    struct LoggedRow {
        number: i64,
        kind: String,
        at_ms: i64,
        principal: String,
        call: Option<String>,
        detail: String,
    }
}

impl LoggedRow {
    fn read(self, doing: &'static str) -> Result<NumberedEvent, StoreError> {
        Ok(NumberedEvent {
            number: read_count(self.number),
            kind: EventKind::parse(&self.kind).ok_or(unreadable(doing, "kind of an event"))?,
            at_ms: self.at_ms,
            principal: PrincipalId::new(&self.principal),
            call: self.call.map(CallId::new),
            detail: serde_json::from_str(&self.detail)
                .map_err(|_| unreadable(doing, "detail of an event"))?,
        })
    }
}
