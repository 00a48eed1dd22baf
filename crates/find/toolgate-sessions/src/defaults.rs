//! Default sessions: those of credentials that name none. Each is created here on first use, and again when
//! the definitions change.

use std::hash::{BuildHasher, BuildHasherDefault, RandomState};
use std::sync::Arc;

use tokio::sync::mpsc;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentName, Credential, Definitions, Mounts, Seat};
use toolgate_core::{Principal, Refusal};
use toolgate_store::{SessionKind, StoredSession};

use crate::choice::{self, AgentChoice};
use crate::shards::{IdentityHasher, Shards};
use crate::usage::SessionUsage;
use crate::view::idle_before;

/// Further ones are made again on every request.
const SEATS_MAX: usize = 16_384;
/// The maximum number of rows that wait to be written. A request that finds no room asks again next time.
pub(crate) const UNKEPT_MAX: usize = 1_024;

pub(crate) struct DefaultSeats {
    hasher: RandomState,
    /// By the hash of credential and agent. Two that have the same one push each other out, which costs time only.
    seats: Shards<u64, Arc<DefaultSeat>, BuildHasherDefault<IdentityHasher>>,
    unkept: mpsc::Sender<Arc<DefaultSeat>>,
}

pub(crate) struct DefaultSeat {
    credential: Credential,
    wanted: Option<AgentName>,
    /// Its definitions. Held, so that no others can have the same address.
    definitions: Arc<Definitions>,
    agent: AgentName,
    idle_seconds: u64,
    pub(crate) seat: Arc<Seat>,
    pub(crate) usage: Arc<SessionUsage>,
}

impl DefaultSeats {
    /// Returns the receiver of seats whose rows are to be written.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Arc<DefaultSeat>>) {
        let (unkept, receiver) = mpsc::channel(UNKEPT_MAX);
        (Self { hasher: RandomState::new(), seats: Shards::default(), unkept }, receiver)
    }

    /// The seat of a credential, without using it.
    pub(crate) fn find(
        &self,
        definitions: Arc<Definitions>,
        credential: &Credential,
        wanted: Option<&AgentName>,
        now_ms: i64,
    ) -> Result<Arc<DefaultSeat>, Refusal> {
        let key = self.key(credential, wanted);
        let known = self.seats.get(&key).filter(|known| known.is_for(credential, wanted));
        match known {
            Some(known) if Arc::ptr_eq(&known.definitions, &definitions) => Ok(known),
            outdated => self.make(key, definitions, credential, wanted, outdated.as_deref(), now_ms),
        }
    }

    /// Uses it: records the use, and on the first use requests its row.
    pub(crate) fn sit(&self, found: &Arc<DefaultSeat>, now_ms: i64) -> Arc<Seat> {
        found.usage.note(now_ms);
        if !found.usage.is_kept() && self.unkept.try_send(Arc::clone(found)).is_ok() {
            found.usage.set_kept();
        }
        Arc::clone(&found.seat)
    }

    fn make(
        &self,
        key: u64,
        definitions: Arc<Definitions>,
        credential: &Credential,
        wanted: Option<&AgentName>,
        outdated: Option<&DefaultSeat>,
        now_ms: i64,
    ) -> Result<Arc<DefaultSeat>, Refusal> {
        let AgentChoice { agent, scope, limits } = choice::choose(&definitions, credential, wanted)?;
        let session = choice::derived_id(&credential.principal, &scope);
        let same = outdated.filter(|one| one.seat.session == session);
        let usage = same.map_or_else(|| Arc::new(SessionUsage::new(now_ms)), |one| Arc::clone(&one.usage));
        let made = Arc::new(DefaultSeat {
            credential: credential.clone(),
            wanted: wanted.cloned(),
            definitions,
            agent: agent.name.clone(),
            idle_seconds: limits.idle_seconds,
            seat: Arc::new(choice::seat(credential.principal.clone(), session, Arc::new(scope))),
            usage,
        });
        let is_recent = |one: &Arc<DefaultSeat>| one.usage.last_ms() >= idle_before(now_ms);
        self.seats.insert_within(SEATS_MAX, key, Arc::clone(&made), is_recent);
        Ok(made)
    }

    fn key(&self, credential: &Credential, wanted: Option<&AgentName>) -> u64 {
        let Credential { principal: Principal { id, kind, role, groups }, agent, session: _, token: _ } =
            credential;
        self.hasher.hash_one((id, kind, role, groups, agent, wanted))
    }

    /// The default session of this id under changed definitions.
    pub(crate) fn renewed(&self, definitions: &Arc<Definitions>, id: &SessionId) -> Option<Arc<Seat>> {
        let known = self.seats.values().into_iter().find(|one| one.seat.session == *id)?;
        if Arc::ptr_eq(&known.definitions, definitions) {
            return Some(Arc::clone(&known.seat));
        }
        let choice = choice::choose(definitions, &known.credential, known.wanted.as_ref()).ok()?;
        let session = choice::derived_id(&known.credential.principal, &choice.scope);
        let principal = known.credential.principal.clone();
        (session == *id).then(|| Arc::new(choice::seat(principal, session, Arc::new(choice.scope))))
    }

    /// The default session of this id, if it was used here.
    pub(crate) fn used(&self, id: &SessionId) -> Option<Arc<DefaultSeat>> {
        self.seats.values().into_iter().find(|one| one.seat.session == *id && one.usage.is_kept())
    }

    pub(crate) fn all(&self) -> Vec<Arc<DefaultSeat>> {
        self.seats.values()
    }

    /// Drops seats that were not used since, and whose use is written.
    pub(crate) fn forget_unused_since(&self, at_ms: i64) {
        self.seats.retain(|one| one.usage.last_ms() >= at_ms || one.usage.unwritten().is_some());
    }
}

impl DefaultSeat {
    fn is_for(&self, credential: &Credential, wanted: Option<&AgentName>) -> bool {
        self.credential.principal == credential.principal
            && self.credential.agent == credential.agent
            && self.wanted.as_ref() == wanted
    }

    /// Its row, which explains the id to readers of the ledger.
    pub(crate) fn row(&self, now_ms: i64) -> StoredSession {
        let scope = &self.seat.scope;
        let asked = scope.layers.iter().find(|layer| layer.agent == self.agent);
        let version = asked.expect("it was made of the definition that was asked for").version;
        StoredSession {
            id: self.seat.session.clone(),
            kind: SessionKind::Default,
            principal: self.seat.principal.clone(),
            agent: self.agent.clone(),
            agent_version: version,
            scope: Arc::clone(scope),
            base_mounts: scope.mounts.clone(),
            mounts: Mounts::default(),
            task: None,
            run: None,
            opened_by: self.seat.principal.id.clone(),
            closing: None,
            created_at_ms: now_ms,
            last_used_at_ms: self.usage.last_ms(),
            idle_seconds: self.idle_seconds,
            lifetime_seconds: None,
            row_version: 1,
        }
    }
}
