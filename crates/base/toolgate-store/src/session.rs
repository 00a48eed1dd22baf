//! Sessions as rows. The `Store` reads them; changes are methods of the `Books` (`session/write.rs`), which
//! write the ledger event in the same transaction.

mod row;
mod stored;
mod write;

use toolgate_core::event::Durability;
use toolgate_core::id::SessionId;
use toolgate_core::scope::AgentName;
use toolgate_core::{PrincipalId, RawJson};

pub use stored::{SessionEnd, SessionKind, SessionMark, StoredSession};
pub use write::{ChangeSessionError, IdleCriteria, NewSessionError, OpenSessions};

use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::PageQuery;
use crate::registry::{read_count, stored_count};
use crate::{Store, StoreError};
use row::{MarkRow, SessionRow};
use stored::{COUNT_OPEN, READ};

const MARKS: &str =
    "SELECT id, revision, row_version, state FROM sessions WHERE tenant = $1 AND revision > $2
    ORDER BY revision, id LIMIT $3";
/// Takes the tenant, and a JSON array of arrays: the id of a session, and when it was last used.
const TOUCH_SQLITE: &str = "UPDATE sessions SET last_used_at_ms = max(last_used_at_ms, used.at_ms)
    FROM (SELECT value ->> 0 AS id, value ->> 1 AS at_ms FROM json_each($2)) AS used
    WHERE sessions.tenant = $1 AND sessions.id = used.id";
/// Locks them in the order of their ids, so that two gateways never wait for each other in a circle.
const TOUCH_POSTGRES: &str = "WITH used AS (
        SELECT value ->> 0 AS id, (value ->> 1)::bigint AS at_ms FROM json_array_elements($2::json)
    ), locked AS (
        SELECT id FROM sessions WHERE tenant = $1 AND id IN (SELECT id FROM used) ORDER BY id FOR UPDATE
    )
    UPDATE sessions SET last_used_at_ms = greatest(last_used_at_ms, used.at_ms)
    FROM used JOIN locked ON locked.id = used.id
    WHERE sessions.tenant = $1 AND sessions.id = used.id";

/// The maximum number of sessions on a page.
pub const SESSIONS_PAGE_MAX: usize = 500;
/// The number of sessions that one statement touches.
const TOUCHED_MAX: usize = 500;

/// A filter for sessions. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionFilter {
    pub id: Option<SessionId>,
    pub agent: Option<AgentName>,
    pub principal: Option<PrincipalId>,
    pub standing: Option<SessionStanding>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionStanding {
    Open,
    /// Open, and used at this moment or later.
    UsedSince(i64),
    /// Open, and not used since this moment.
    UnusedSince(i64),
    Closed,
}

impl Store {
    pub async fn get_session(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        const DOING: &str = "read a session";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(READ))).bind(self.tenant);
        let row: Option<SessionRow> =
            read.bind(without_nul(id.as_str())).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn list_sessions(
        &self,
        filter: &SessionFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<StoredSession>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the sessions";
        let page = page(filter, cursor, limit);
        let (rows, more) = page.fetch::<SessionRow>(self, &row::select("")).await.map_err(doing(DOING))?;
        let sessions: Vec<StoredSession> =
            rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = sessions.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((sessions, next))
    }

    /// The number of an agent's explicitly opened sessions that are still open.
    pub async fn count_open_sessions(&self, agent: &AgentName) -> Result<u64, StoreError> {
        let count = self.db.sql(COUNT_OPEN).bind(self.tenant).bind(agent.as_str());
        let (count,): (i64,) = count.fetch_one().await.map_err(doing("count the open sessions"))?;
        Ok(read_count(count))
    }

    /// The changes after a revision of the topic, in order: at most `limit`.
    pub async fn sessions_changed(&self, after: u64, limit: usize) -> Result<Vec<SessionMark>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = self.db.sql(MARKS).bind(self.tenant).bind(stored_count(after)).bind(limit);
        let rows: Vec<MarkRow> = read.fetch_all().await.map_err(doing("look for changed sessions"))?;
        Ok(rows.into_iter().map(MarkRow::read).collect())
    }

    /// Records when sessions were used, unless a later use is known. Readers are not notified.
    pub async fn touch_sessions(&self, used: &[(SessionId, i64)]) -> Result<(), StoreError> {
        const DOING: &str = "note that sessions were used";
        for used in used.chunks(TOUCHED_MAX) {
            let used: Vec<(String, i64)> =
                used.iter().map(|(id, at_ms)| (without_nul(id.as_str()), *at_ms)).collect();
            let mut transaction = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
            let text = transaction.dialect().pick(TOUCH_SQLITE, TOUCH_POSTGRES);
            let touch = transaction.sql(text).bind(self.tenant);
            let touch = touch.bind(RawJson::from_serialize(&used).as_str().to_owned());
            touch.execute().await.map_err(doing(DOING))?;
            transaction.commit().await.map_err(doing(DOING))?;
        }
        Ok(())
    }
}

fn page<'c>(filter: &SessionFilter, cursor: Option<&'c PageCursor>, limit: usize) -> PageQuery<'c> {
    let (state, used_since, unused_since) = match filter.standing {
        None => (None, None, None),
        Some(SessionStanding::Open) => (Some(row::OPEN), None, None),
        Some(SessionStanding::UsedSince(at_ms)) => (Some(row::OPEN), Some(at_ms), None),
        Some(SessionStanding::UnusedSince(at_ms)) => (Some(row::OPEN), None, Some(at_ms)),
        Some(SessionStanding::Closed) => (Some(row::CLOSED), None, None),
    };
    PageQuery::new(cursor, limit, SESSIONS_PAGE_MAX)
        .text(" AND id = ?", filter.id.as_ref().map(SessionId::as_str))
        .text(" AND agent = ?", filter.agent.as_ref().map(AgentName::as_str))
        .text(" AND principal = ?", filter.principal.as_ref().map(PrincipalId::as_str))
        .text(" AND state = ?", state)
        .number(" AND last_used_at_ms >= ?", used_since)
        .number(" AND last_used_at_ms < ?", unused_since)
}
