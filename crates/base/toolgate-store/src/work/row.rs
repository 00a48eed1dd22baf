//! The row of a work.

use serde_json::Value;
use toolgate_core::PrincipalId;
use toolgate_core::id::{CallId, RunId, SessionId, WorkId};

use crate::StoreError;
use crate::file::Actor;
use crate::registry::{read_count, unreadable};
use crate::row::row;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, kind, key, input, run, principal, session, asked_in_run, asked_by_call, state, holder, \
             lease_until_ms, attempts, done, total, result, created_at_ms, updated_at_ms FROM platform_work",
            $conditions
        )
    };
}

pub(super) const SELECT: &str = select!("");
pub(super) const BY_ID: &str = select!(" WHERE tenant = $1 AND id = $2");
pub(super) const OPEN_OF_KEY: &str =
    select!(" WHERE tenant = $1 AND kind = $2 AND key = $3 AND (state = 'queued' OR state = 'running')");

/// `queued → running → done | failed`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkState {
    Queued,
    /// A gateway works on it, or died while it did.
    Running,
    Done,
    Failed,
}

impl WorkState {
    pub const ALL: [WorkState; 4] =
        [WorkState::Queued, WorkState::Running, WorkState::Done, WorkState::Failed];

    pub const fn as_str(self) -> &'static str {
        match self {
            WorkState::Queued => "queued",
            WorkState::Running => "running",
            WorkState::Done => "done",
            WorkState::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    pub fn is_open(self) -> bool {
        matches!(self, WorkState::Queued | WorkState::Running)
    }
}

/// One work.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkRow {
    pub id: WorkId,
    pub kind: String,
    pub key: String,
    pub input: Value,
    /// Its own run.
    pub run: RunId,
    /// The one that asked for it, with session, run and call.
    pub actor: Actor,
    pub state: WorkState,
    /// The ledger stream of the gateway that has the lease, or had it last.
    pub holder: Option<String>,
    pub lease_until_ms: i64,
    /// The number of leases up to now.
    pub attempts: u64,
    pub done: u64,
    /// 0 as long as it is not known.
    pub total: u64,
    pub result: Option<Value>,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

row! {
    pub(super) struct StoredWork {
        id: String,
        kind: String,
        key: String,
        input: String,
        run: String,
        principal: String,
        session: Option<String>,
        asked_in_run: Option<String>,
        asked_by_call: Option<String>,
        state: String,
        holder: Option<String>,
        lease_until_ms: i64,
        attempts: i64,
        done: i64,
        total: i64,
        result: Option<String>,
        created_at_ms: i64,
        updated_at_ms: i64,
    }
}

impl StoredWork {
    pub(super) fn read(self, doing: &'static str) -> Result<WorkRow, StoreError> {
        let input = serde_json::from_str(&self.input);
        let result = self.result.as_deref().map(serde_json::from_str).transpose();
        let actor = Actor {
            principal: PrincipalId::new(&self.principal),
            session: self.session.map(SessionId::new),
            run: self.asked_in_run.map(RunId::new),
            call: self.asked_by_call.map(CallId::new),
        };
        Ok(WorkRow {
            id: WorkId::new(self.id),
            kind: self.kind,
            key: self.key,
            input: input.map_err(|_| unreadable(doing, "input of work"))?,
            run: RunId::new(self.run),
            actor,
            state: WorkState::parse(&self.state).ok_or_else(|| unreadable(doing, "state of work"))?,
            holder: self.holder,
            lease_until_ms: self.lease_until_ms,
            attempts: read_count(self.attempts),
            done: read_count(self.done),
            total: read_count(self.total),
            result: result.map_err(|_| unreadable(doing, "result of work"))?,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
        })
    }
}
