//! The start, change and end of a session. Each happens together with its token and its events.

use toolgate_core::event::Event;
use toolgate_core::id::{SessionId, TokenId};
use toolgate_core::scope::{AgentName, Mounts, Scope};

use super::row::{self, SessionRow};
use super::stored::{COUNT_OPEN, COUNT_WORKING, READ, SessionEnd, StoredSession};
use crate::StoreError;
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::revisions::{RevisionTopic, TopicChange};
use crate::token::{self, NewToken};

const CHANGE: &str = "UPDATE sessions SET scope = $3, mounts = $4, row_version = $5, revision = $6
    WHERE tenant = $1 AND id = $2";
const CLOSE: &str = "UPDATE sessions SET state = 'closed', closed_reason = $3, closed_at_ms = $4,
        row_version = row_version + 1, revision = $5
    WHERE tenant = $1 AND id = $2";
const DUE: &str = "WHERE tenant = $1 AND state = 'open' AND kind = 'explicit' AND (
        CASE WHEN last_used_at_ms < $3 THEN $3 ELSE last_used_at_ms END + idle_seconds * 1000 <= $4
        OR created_at_ms + lifetime_seconds * 1000 <= $2
        OR id IN (
            SELECT own.session FROM tokens AS own
            JOIN tokens AS openers ON openers.tenant = own.tenant AND openers.id = own.opener
            WHERE own.tenant = $1 AND own.revoked_at_ms IS NULL
                AND (openers.revoked_at_ms IS NOT NULL OR openers.expires_at_ms <= $2)
        )
    ) ORDER BY id LIMIT $5";

/// The number of sessions that are closed in one transaction.
const DUE_MAX: i64 = 100;

const CLOSING: &str = "close a session";

/// The limit on an agent's open sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenSessions {
    pub agent: AgentName,
    pub max: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum NewSessionError {
    #[error("{max} sessions of the agent are open, and no more are allowed")]
    TooMany { max: u32 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeSessionError {
    #[error("there is no such session")]
    Unknown,
    #[error("the session is closed")]
    Closed,
    #[error("the session is at version {current} now")]
    Stale { current: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The criteria for sessions to close.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdleCriteria {
    pub now_ms: i64,
    /// The moment at which idleness is judged: a little earlier, for others may not have said yet that they used it.
    pub heard_ms: i64,
    /// Sessions do not count as idle before this time: their use could not have been recorded.
    pub since_ms: i64,
}

impl Books {
    /// Keeps a new session and makes the token it is reached with. Both end with the token that opened it.
    pub async fn create_session(
        &self,
        session: &StoredSession,
        opener: Option<&TokenId>,
        limit: &OpenSessions,
        events: Vec<Event>,
    ) -> Result<NewToken, NewSessionError> {
        let doing = doing("open a session");
        let mut change = TopicChange::begin(self, RevisionTopic::Sessions).await.map_err(&doing)?;
        if is_full(&mut change, limit).await.map_err(&doing)? {
            return Err(NewSessionError::TooMany { max: limit.max });
        }
        let (tenant, revision) = (change.tenant, change.revision);
        let mut insert = change.tx.sql(row::INSERT);
        row::push(tenant, session, revision, &mut insert);
        insert.execute().await.map_err(&doing)?;
        let token = token::insert_for_session(&mut change.tx, tenant, session, opener).await?;
        change.finish(events).await.map_err(&doing)?;
        self.store().forget_verdicts();
        Ok(token)
    }

    /// Creates the default session of a credential. `false` if it exists; then there are no events either.
    pub async fn keep_default_session(
        &self,
        session: &StoredSession,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("keep a default session");
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(&doing)?;
        let mut insert = transaction.sql(row::INSERT);
        row::push(tenant, session, 0, &mut insert);
        if insert.execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        self.record(transaction, events).await.map_err(&doing)?;
        Ok(true)
    }

    /// Changes the mounts and the scope of an open session, if its version is still the `expected` one;
    /// `None` is any.
    pub async fn change_session(
        &self,
        id: &SessionId,
        expected: Option<u64>,
        mounts: &Mounts,
        scope: &Scope,
        events: impl FnOnce(u64) -> Vec<Event>,
    ) -> Result<u64, ChangeSessionError> {
        const DOING: &str = "change a session";
        let doing = doing(DOING);
        let mut change = TopicChange::begin(self, RevisionTopic::Sessions).await.map_err(&doing)?;
        let session = read(&mut change, id, DOING).await?.ok_or(ChangeSessionError::Unknown)?;
        if session.closing.is_some() {
            return Err(ChangeSessionError::Closed);
        }
        let current = session.row_version;
        if expected.is_some_and(|expected| expected != current) {
            return Err(ChangeSessionError::Stale { current });
        }
        let version = current + 1;
        let write = change.tx.sql(CHANGE).bind(change.tenant).bind(without_nul(id.as_str()));
        let write = write.bind(row::json(scope)).bind(row::json(mounts)).bind(stored_count(version));
        write.bind(change.revision).execute().await.map_err(&doing)?;
        change.finish(events(version)).await.map_err(&doing)?;
        Ok(version)
    }

    /// Ends a session and its token. Returns whether it was open; if not, there are no events either.
    pub async fn close_session(
        &self,
        id: &SessionId,
        closing: &SessionEnd,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let mut change = TopicChange::begin(self, RevisionTopic::Sessions).await.map_err(doing(CLOSING))?;
        match read(&mut change, id, CLOSING).await? {
            Some(session) if session.closing.is_none() => {}
            _ => return Ok(false),
        }
        close(&mut change, id, closing).await.map_err(doing(CLOSING))?;
        change.finish(events).await.map_err(doing(CLOSING))?;
        self.store().forget_verdicts();
        Ok(true)
    }

    /// Ends sessions that were idle for too long (`idle`), that are too old (`lifetime`) or whose opener's
    /// token was revoked or has expired (`revoked`): as many as fit into one transaction, which may be none.
    /// `event` makes the event of each.
    pub async fn close_unused_sessions(
        &self,
        unused: IdleCriteria,
        event: impl Fn(&StoredSession, &SessionEnd) -> Event,
    ) -> Result<Vec<SessionId>, StoreError> {
        let doing = doing("close unused sessions");
        // Most of the time there are none, so no lock is taken for that.
        let tenant = self.store().tenant;
        let any = due(self.store().db.sql(sqlx::AssertSqlSafe(row::select(DUE))), tenant, unused, 1);
        let any: Option<SessionRow> = any.fetch_optional().await.map_err(&doing)?;
        if any.is_none() {
            return Ok(Vec::new());
        }
        let mut change = TopicChange::begin(self, RevisionTopic::Sessions).await.map_err(&doing)?;
        let rows = due(change.tx.sql(sqlx::AssertSqlSafe(row::select(DUE))), tenant, unused, DUE_MAX);
        let rows: Vec<SessionRow> = rows.fetch_all().await.map_err(&doing)?;
        let (mut ids, mut events) = (Vec::new(), Vec::new());
        for row in rows {
            let session = row.read(CLOSING)?;
            let closing = closing_of(&session, unused);
            close(&mut change, &session.id, &closing).await.map_err(&doing)?;
            events.push(event(&session, &closing));
            ids.push(session.id);
        }
        change.finish(events).await.map_err(&doing)?;
        self.store().forget_verdicts();
        Ok(ids)
    }
}

/// True if the agent has as many sessions as it may. Only where that seems so, each is looked at.
async fn is_full(change: &mut TopicChange<'_>, limit: &OpenSessions) -> Result<bool, sqlx::Error> {
    for statement in [COUNT_OPEN, COUNT_WORKING] {
        let count = change.tx.sql(statement).bind(change.tenant).bind(limit.agent.as_str());
        let (count,): (i64,) = count.fetch_one().await?;
        if read_count(count) < u64::from(limit.max) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn due<'s>(
    statement: SqlStatement<'s>,
    tenant: &'static str,
    unused: IdleCriteria,
    limit: i64,
) -> SqlStatement<'s> {
    statement.bind(tenant).bind(unused.now_ms).bind(unused.since_ms).bind(unused.heard_ms).bind(limit)
}

fn closing_of(
    session: &StoredSession,
    IdleCriteria { now_ms, heard_ms, since_ms }: IdleCriteria,
) -> SessionEnd {
    let has_passed = |from_ms: i64, to_ms: i64, seconds: u64| {
        to_ms >= from_ms && read_count(to_ms.saturating_sub(from_ms)) >= seconds.saturating_mul(1000)
    };
    let is_old =
        session.lifetime_seconds.is_some_and(|seconds| has_passed(session.created_at_ms, now_ms, seconds));
    let is_idle = has_passed(session.last_used_at_ms.max(since_ms), heard_ms, session.idle_seconds);
    let reason = match (is_old, is_idle) {
        (true, _) => "lifetime",
        (false, true) => "idle",
        (false, false) => "revoked",
    };
    SessionEnd { at_ms: now_ms, reason: reason.into() }
}

/// Reads a session and locks everything except its time of use.
async fn read(
    change: &mut TopicChange<'_>,
    id: &SessionId,
    at: &'static str,
) -> Result<Option<StoredSession>, StoreError> {
    let read = change.tx.sql(sqlx::AssertSqlSafe(row::select(READ))).bind(change.tenant);
    let row: Option<SessionRow> =
        read.bind(without_nul(id.as_str())).fetch_optional().await.map_err(doing(at))?;
    row.map(|row| row.read(at)).transpose()
}

async fn close(
    change: &mut TopicChange<'_>,
    id: &SessionId,
    closing: &SessionEnd,
) -> Result<(), sqlx::Error> {
    let id = without_nul(id.as_str());
    let close = change.tx.sql(CLOSE).bind(change.tenant).bind(&id).bind(&closing.reason);
    close.bind(closing.at_ms).bind(change.revision).execute().await?;
    token::revoke_of_session(&mut change.tx, change.tenant, &id, now_ms()).await
}
