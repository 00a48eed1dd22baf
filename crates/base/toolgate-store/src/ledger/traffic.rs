//! The traffic in the ledger: the ends of calls as they come in, each read once.

use toolgate_core::PrincipalId;
use toolgate_core::event::{EventFilter, Outcome};

use super::read::LAST_SEQ;
use crate::db::Dialect;
use crate::error::doing;
use crate::{Store, StoreError};

/// The maximum number of ends per read; the next follows at once.
pub const CALL_ENDS_MAX: usize = 5_000;

const ENDS: &str = "SELECT seq, at_ms, principal, server, outcome, duration_us, approval FROM ledger_events \
     WHERE seq > $1 AND seq <= $2 AND kind = 'tool.call.completed' ORDER BY seq LIMIT $3";
const SIZE: &str = "SELECT CAST(COALESCE(SUM(stream_seq), 0) AS BIGINT) FROM ledger_heads WHERE tenant = $1";

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

/// Some ends, and the number of the last event that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEnds {
    pub ends: Vec<CallEnd>,
    pub last: i64,
    pub is_complete: bool,
}

type EndRow = (i64, i64, String, Option<String>, Option<String>, Option<i64>, Option<String>);

impl Store {
    /// The calls that ended after an event, oldest first. Continuing after `last` misses none.
    pub async fn call_ends(&self, after: i64) -> Result<CallEnds, StoreError> {
        self.read_ends(after).await.map_err(doing("read the ends of calls"))
    }

    async fn read_ends(&self, after: i64) -> Result<CallEnds, sqlx::Error> {
        let horizon = match self.db.dialect() {
            Dialect::Sqlite => self.db.sql(LAST_SEQ).fetch_one::<(i64,)>().await?.0,
            Dialect::Postgres => self.horizon().await?,
        };
        let limit = i64::try_from(CALL_ENDS_MAX).expect("a page is limited");
        let rows: Vec<EndRow> = self.db.sql(ENDS).bind(after).bind(horizon).bind(limit).fetch_all().await?;
        let is_complete = rows.len() < CALL_ENDS_MAX;
        let last = match rows.last() {
            Some(row) if !is_complete => row.0,
            _ => horizon.max(after),
        };
        Ok(CallEnds { ends: rows.into_iter().map(end).collect(), last, is_complete })
    }

    /// The number of an event before which there is nothing of this time or later.
    pub async fn ledger_before(&self, at_ms: i64) -> Result<i64, StoreError> {
        const DOING: &str = "find a moment in the ledger";
        let since = EventFilter { from_ms: Some(at_ms), ..EventFilter::default() };
        if let Some(span) = self.span_of_time(&since).await.map_err(doing(DOING))? {
            return Ok(span.first - 1);
        }
        let (last,) = self.db.sql(LAST_SEQ).fetch_one::<(i64,)>().await.map_err(doing(DOING))?;
        Ok(last)
    }

    /// The number of events.
    pub async fn ledger_size(&self) -> Result<u64, StoreError> {
        let size = self.db.sql(SIZE).bind(self.tenant).fetch_one::<(i64,)>().await;
        let (size,) = size.map_err(doing("count the events of the ledger"))?;
        Ok(size.unsigned_abs())
    }
}

fn end((_, at_ms, principal, server, outcome, duration_us, approval): EndRow) -> CallEnd {
    let asked_people = approval.is_some();
    let outcome = outcome.as_deref().and_then(Outcome::parse).unwrap_or(Outcome::Unknown);
    CallEnd { at_ms, principal: PrincipalId::new(&principal), server, outcome, duration_us, asked_people }
}
