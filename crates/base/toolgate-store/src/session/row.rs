//! One session as columns.

use std::sync::Arc;

use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, PrincipalId};

use super::stored::{SessionEnd, SessionKind, SessionMark, StoredSession};
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;

pub(super) const OPEN: &str = "open";
pub(super) const CLOSED: &str = "closed";

/// Longer than any real wait, and short enough to be added to a time.
const SECONDS_MAX: u64 = 100 * 365 * 24 * 3600;

/// In the order of `push`.
pub(super) const INSERT: &str = "INSERT INTO sessions (tenant, id, kind, principal, identity, agent, agent_version, scope,
        base_mounts, mounts, task, run, opened_by, state, closed_reason, closed_at_ms, created_at_ms,
        last_used_at_ms, idle_seconds, lifetime_seconds, row_version, revision)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
    ON CONFLICT DO NOTHING";

pub(super) fn select(condition: &'static str) -> String {
    format!(
        "SELECT id, kind, identity, agent, agent_version, scope, base_mounts, mounts, task, run, opened_by, \
         closed_reason, closed_at_ms, created_at_ms, last_used_at_ms, idle_seconds, lifetime_seconds, row_version \
         FROM sessions {condition}"
    )
}

pub(super) fn push(tenant: &'static str, session: &StoredSession, revision: i64, to: &mut SqlStatement<'_>) {
    let closing = session.closing.as_ref();
    to.push(tenant);
    to.push(without_nul(session.id.as_str()));
    to.push(session.kind.as_str());
    to.push(without_nul(session.principal.id.as_str()));
    to.push(json(&session.principal));
    to.push(session.agent.as_str());
    to.push(&session.agent_version.as_bytes()[..]);
    to.push(json(&*session.scope));
    to.push(json(&session.base_mounts));
    to.push(json(&session.mounts));
    to.push(session.task.as_deref().map(without_nul));
    to.push(session.run.as_ref().map(|run| without_nul(run.as_str())));
    to.push(without_nul(session.opened_by.as_str()));
    to.push(if closing.is_some() { CLOSED } else { OPEN });
    to.push(closing.map(|closing| closing.reason.clone()));
    to.push(closing.map(|closing| closing.at_ms));
    to.push(session.created_at_ms);
    to.push(session.last_used_at_ms);
    to.push(stored_count(session.idle_seconds.min(SECONDS_MAX)));
    to.push(session.lifetime_seconds.map(|seconds| stored_count(seconds.min(SECONDS_MAX))));
    to.push(stored_count(session.row_version));
    to.push(revision);
}

pub(super) fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("our own types serialise: string keys, no failing impls")
}

row! {
    pub(super) struct SessionRow {
        id: String,
        kind: String,
        identity: String,
        agent: String,
        agent_version: Vec<u8>,
        scope: String,
        base_mounts: String,
        mounts: String,
        task: Option<String>,
        run: Option<String>,
        opened_by: String,
        closed_reason: Option<String>,
        closed_at_ms: Option<i64>,
        created_at_ms: i64,
        last_used_at_ms: i64,
        idle_seconds: i64,
        lifetime_seconds: Option<i64>,
        row_version: i64,
    }
}

row! {
    pub(super) struct MarkRow {
        id: String,
        revision: i64,
        row_version: i64,
        state: String,
    }
}

impl MarkRow {
    pub(super) fn read(self) -> SessionMark {
        SessionMark {
            id: SessionId::new(self.id),
            revision: read_count(self.revision),
            row_version: read_count(self.row_version),
            is_open: self.state == OPEN,
        }
    }
}

impl SessionRow {
    pub(super) fn read(self, doing: &'static str) -> Result<StoredSession, StoreError> {
        let bad = |what| move |_| unreadable(doing, what);
        Ok(StoredSession {
            id: SessionId::new(self.id),
            kind: SessionKind::parse(&self.kind).ok_or(unreadable(doing, "kind of a session"))?,
            principal: serde_json::from_str(&self.identity).map_err(bad("principal of a session"))?,
            agent: AgentName::new(&self.agent).map_err(|_| unreadable(doing, "agent of a session"))?,
            agent_version: read_digest(&self.agent_version, doing)?,
            scope: Arc::new(serde_json::from_str(&self.scope).map_err(bad("scope of a session"))?),
            base_mounts: serde_json::from_str(&self.base_mounts).map_err(bad("mounts of a session"))?,
            mounts: serde_json::from_str(&self.mounts).map_err(bad("mounts of a session"))?,
            task: self.task,
            run: self.run.map(RunId::new),
            opened_by: PrincipalId::new(&self.opened_by),
            closing: self
                .closed_at_ms
                .map(|at_ms| SessionEnd { at_ms, reason: self.closed_reason.unwrap_or_default() }),
            created_at_ms: self.created_at_ms,
            last_used_at_ms: self.last_used_at_ms,
            idle_seconds: read_count(self.idle_seconds),
            lifetime_seconds: self.lifetime_seconds.map(read_count),
            row_version: read_count(self.row_version),
        })
    }
}

fn read_digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "version of an agent"))
}
