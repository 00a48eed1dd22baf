//! Explicitly opened sessions, as far as this process knows them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use toolgate_core::PrincipalId;
use toolgate_core::id::SessionId;
use toolgate_core::scope::Seat;
use toolgate_store::StoredSession;

use crate::choice;
use crate::shards::Shards;
use crate::usage::SessionUsage;

/// An open session. It is here while it is open.
#[derive(Clone)]
pub(crate) struct LiveSession {
    pub(crate) seat: Arc<Seat>,
    pub(crate) row_version: u64,
    pub(crate) usage: Arc<SessionUsage>,
}

#[derive(Default)]
pub(crate) struct LiveSessions {
    sessions: Shards<SessionId, Arc<LiveSession>>,
    /// Ended sessions, the latest last.
    ended: Mutex<VecDeque<SessionId>>,
    /// The number of changes of scope and of ends.
    changes: AtomicU64,
}

/// The number of ended sessions to remember: longer than any client uses one.
const ENDED_MAX: usize = 1_000;

impl LiveSessions {
    pub(crate) fn get(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.sessions.get(id)
    }

    /// Takes an open session from the store; the known use stays.
    pub(crate) fn take(&self, session: &StoredSession) -> Arc<LiveSession> {
        let known = self.sessions.get(&session.id);
        if known.as_ref().is_some_and(|known| known.seat.scope != session.scope) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        let usage = known.map_or_else(
            || Arc::new(SessionUsage::written(session.last_used_at_ms)),
            |known| Arc::clone(&known.usage),
        );
        let seat = Seat {
            // A reader of the data folder can create any token: asking who opened it gains nothing.
            opened_by: Some(session.opened_by.clone()).filter(|by| *by != PrincipalId::local()),
            run: session.run.clone(),
            task: session.task.as_deref().map(Arc::from),
            ..choice::seat(session.principal.clone(), session.id.clone(), Arc::clone(&session.scope))
        };
        let live = Arc::new(LiveSession { seat: Arc::new(seat), row_version: session.row_version, usage });
        self.sessions.insert(session.id.clone(), Arc::clone(&live));
        live
    }

    pub(crate) fn end(&self, id: &SessionId) {
        if self.sessions.get(id).is_some() {
            let mut ended = self.ended.lock();
            if ended.len() >= ENDED_MAX {
                ended.pop_front();
            }
            ended.push_back(id.clone());
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        self.sessions.remove(id);
    }

    pub(crate) fn all(&self) -> Vec<Arc<LiveSession>> {
        self.sessions.values()
    }

    pub(crate) fn has_ended(&self, id: &SessionId) -> bool {
        self.ended.lock().contains(id)
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }
}
