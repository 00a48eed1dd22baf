//! The traffic in the ledger: the ends of calls as they come in, each read once.

use toolgate_core::event::{EventFilter, EventKind, Outcome, Position, RecordedEvent};
use toolgate_core::{PrincipalId, ServerName};

use super::block::BLOCK;
use super::read::{LedgerOrder, end};
use super::row;
use super::scan::{Horizon, Search};
use super::terms::LineFilter;
use crate::error::doing;
use crate::{Store, StoreError};

/// The maximum number of ends per read; the next follows at once.
pub const CALL_ENDS_MAX: usize = 5_000;

const SIZE: &str = "SELECT CAST(COALESCE(SUM(number), 0) AS BIGINT) FROM ledger_heads WHERE tenant = $1";

/// The end of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEnd {
    pub at_ms: i64,
    pub principal: PrincipalId,
    pub server: Option<String>,
    pub outcome: Outcome,
    pub duration_us: Option<i64>,
    /// True if people were asked about it, and may have taken their time.
    pub asked_people: bool,
}

/// Some ends, and the place up to which the ledger was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEnds {
    pub ends: Vec<CallEnd>,
    pub last: Position,
    pub is_complete: bool,
}

impl Store {
    /// The calls that ended after a position, oldest first. Continuing after `last` misses none.
    pub async fn call_ends(&self, after: &Position) -> Result<CallEnds, StoreError> {
        self.read_ends(after).await.map_err(doing("read the ends of calls"))
    }

    async fn read_ends(&self, after: &Position) -> Result<CallEnds, sqlx::Error> {
        let horizon = self.horizon().await?;
        let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..EventFilter::default() };
        let ends = self.page(&ends, Some(after), &horizon, CALL_ENDS_MAX, LedgerOrder::OldestFirst).await?;
        let is_complete = ends.len() < CALL_ENDS_MAX;
        let last = match ends.last() {
            Some(last) if !is_complete => last.position.clone(),
            _ => end(&horizon),
        };
        Ok(CallEnds { ends: ends.into_iter().map(call_end).collect(), last, is_complete })
    }

    /// A position before which there is nothing of this time or later.
    pub async fn ledger_before(&self, at_ms: i64) -> Result<Position, StoreError> {
        const DOING: &str = "find a moment in the ledger";
        let mut horizon = self.horizon().await.map_err(doing(DOING))?;
        for head in &mut horizon {
            head.number = self.number_before(head, at_ms).await.map_err(doing(DOING))?;
        }
        Ok(end(&horizon))
    }

    /// The last number of a stream before the first complete part with events of this time or later, or before
    /// the first such event of the open one.
    async fn number_before(&self, head: &Horizon, at_ms: i64) -> Result<i64, sqlx::Error> {
        let wanted = LineFilter::of(&EventFilter { from_ms: Some(at_ms), ..EventFilter::default() });
        let (stream, last) = (&*head.stream, head.part.saturating_sub(1));
        let search = Search {
            stream,
            first: 1,
            last,
            since: None,
            until: None,
            wanted: &wanted,
            terms: &[],
            either: &[],
        };
        if let Some(part) = self.parts(&search, LedgerOrder::OldestFirst, 1).await?.first() {
            return Ok(part.first.saturating_sub(1));
        }
        let Some(open) = head.open() else { return Ok(head.number) };
        for (number, _, line) in self.lines(stream, &open, LedgerOrder::OldestFirst, BLOCK).await? {
            if row::fields(&line)?.at_ms >= at_ms {
                return Ok(number - 1);
            }
        }
        Ok(head.number)
    }

    /// The number of events.
    pub async fn ledger_size(&self) -> Result<u64, StoreError> {
        let size = self.db.sql(SIZE).bind(self.tenant).fetch_one::<(i64,)>().await;
        let (size,) = size.map_err(doing("count the events of the ledger"))?;
        Ok(size.unsigned_abs())
    }
}

fn call_end(one: RecordedEvent) -> CallEnd {
    let event = one.event;
    CallEnd {
        at_ms: event.at_ms,
        principal: event.principal,
        server: event.about.server.as_ref().map(ServerName::as_str).map(str::to_owned),
        outcome: event.outcome.unwrap_or(Outcome::Unknown),
        duration_us: event.duration_us,
        asked_people: event.approval.is_some(),
    }
}
