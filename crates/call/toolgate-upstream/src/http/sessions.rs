//! The sessions of the older era at one server.
//!
//! The gateway has its own session for lists and subscriptions; calls run in one session per principal, so
//! that one principal's server state is never shown to another. A server without session ids has no sessions,
//! and everyone uses the gateway's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::Era;
use toolgate_core::{FaultKind, PrincipalId};

use super::session::{HttpSession, OpenFailure, SendAttempt};
use super::{Endpoint, timed_out};
use crate::answer;
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::probe::ServerIntroduction;

/// Sessions of principals that may be open at one server.
const SESSIONS_MAX: usize = 1024;
/// A principal's session without requests is closed after this.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(10 * 60);

/// The owner of a session: the gateway, or a principal.
type SessionOwner = Option<PrincipalId>;

pub(crate) struct HttpSessions {
    ctx: Arc<ServerContext>,
    endpoint: Endpoint,
    slots: Mutex<BTreeMap<SessionOwner, Arc<SessionSlot>>>,
    /// Counts how often the gateway's own session had to be opened: a new one has no subscriptions.
    generation: watch::Sender<u64>,
    /// Cancelled when the link is dropped.
    stop: CancellationToken,
}

/// The place of one session, which may be reopened.
#[derive(Default)]
struct SessionSlot {
    current: Mutex<Option<Arc<HttpSession>>>,
    opening: tokio::sync::Mutex<()>,
}

impl HttpSessions {
    /// Opens the gateway's own session.
    pub(crate) async fn open(
        ctx: &Arc<ServerContext>,
        endpoint: &Endpoint,
    ) -> Result<(Self, ServerIntroduction), OpenFailure> {
        let stop = ctx.stop.child_token();
        let own = HttpSession::open(ctx, endpoint, None, &stop).await?;
        own.hear_gateway().await;
        let opening = own.opening().clone();
        let slot = SessionSlot { current: Mutex::new(Some(own)), ..SessionSlot::default() };
        let slots = Mutex::new(BTreeMap::from([(None, Arc::new(slot))]));
        let generation = watch::Sender::new(0);
        Ok((Self { ctx: ctx.clone(), endpoint: endpoint.clone(), slots, generation, stop }, opening))
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        let key = caller.as_ref().map(|caller| caller.principal().clone());
        let mut again = true;
        loop {
            let session = match deadline.limit(self.session(&key)).await {
                Ok(session) => session?,
                Err(DeadlinePassed) => return Err(timed_out(&self.ctx, deadline.length())),
            };
            match session.request(request, caller.as_ref(), deadline).await {
                SendAttempt::Answered(answer) => return answer::reply(&self.ctx, Era::Legacy, answer?),
                SendAttempt::Expired if again => again = false,
                SendAttempt::Expired => {
                    return Err(self.ctx.fault(FaultKind::Refused {
                        status: 404,
                        body: "the session is gone again".into(),
                    }));
                }
            }
        }
    }

    /// The open session of `key`, opened if need be.
    async fn session(&self, key: &SessionOwner) -> Result<Arc<HttpSession>, ServerError> {
        let slot = self.slot(key)?;
        if let Some(session) = slot.usable() {
            return Ok(session);
        }
        let _only = slot.opening.lock().await;
        if let Some(session) = slot.usable() {
            return Ok(session);
        }
        let opening = HttpSession::open(&self.ctx, &self.endpoint, key.clone(), &self.stop);
        let session = Box::pin(opening).await.map_err(|failure| {
            self.ctx.signals.suspect();
            failure.0.fault(&self.ctx)
        })?;
        let before = slot.put(session.clone());
        if key.is_none() {
            session.hear_gateway().await;
            self.generation.send_modify(|generation| *generation += 1);
        }
        if before.is_some() {
            // A server that forgot a session was probably restarted, and may offer something else.
            self.ctx.signals.look();
        }
        Ok(session)
    }

    fn slot(&self, key: &SessionOwner) -> Result<Arc<SessionSlot>, ServerError> {
        let mut slots = self.slots.lock();
        let own = slots.get(&None).expect("the gateway's own slot is made first and never removed").clone();
        if key.is_none() || own.is_without_id() {
            return Ok(own);
        }
        if let Some(slot) = slots.get(key) {
            return Ok(slot.clone());
        }
        if slots.len() > SESSIONS_MAX {
            return Err(self.ctx.fault(FaultKind::Busy { limit: SESSIONS_MAX }));
        }
        let slot = Arc::new(SessionSlot::default());
        slots.insert(key.clone(), slot.clone());
        Ok(slot)
    }

    /// True if the server distinguishes sessions.
    pub(crate) fn gives_ids(&self) -> bool {
        self.slots.lock().get(&None).is_some_and(|own| !own.is_without_id())
    }

    /// Changes when the gateway's own session has been reopened.
    pub(crate) fn generation(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// Every session that is open now.
    pub(crate) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.slots.lock().values().filter_map(|slot| slot.usable()).collect()
    }

    /// Sends a notification that concerns the whole server: in the gateway's own session, if it is open.
    pub(crate) async fn notify(&self, message: String) {
        let own = self.slots.lock().get(&None).and_then(|own| own.usable());
        if let Some(session) = own {
            session.notify(message).await;
        }
    }

    /// Closes the sessions of principals that have not been used for `idle`.
    pub(crate) async fn close_idle(&self, idle: Duration) {
        self.endpoint.client.sweep();
        let mut closing = Vec::new();
        self.slots.lock().retain(|key, slot| {
            let stays = key.is_none() || slot.usable().is_none_or(|session| !session.is_idle(idle));
            // An empty slot is kept only while someone is opening it.
            let stays = stays && (key.is_none() || slot.usable().is_some() || Arc::strong_count(slot) > 1);
            if !stays {
                closing.extend(slot.usable());
            }
            stays
        });
        futures_util::future::join_all(closing.iter().map(|session| session.close())).await;
    }

    /// Says goodbye to the server for every session.
    pub(crate) async fn close(&self) {
        let all = self.all();
        futures_util::future::join_all(all.iter().map(|session| session.close())).await;
        self.stop.cancel();
        self.endpoint.client.close_idle();
    }
}

impl Drop for HttpSessions {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl SessionSlot {
    fn usable(&self) -> Option<Arc<HttpSession>> {
        let current = self.current.lock();
        current.as_ref().filter(|session| !session.is_expired()).cloned()
    }

    fn put(&self, session: Arc<HttpSession>) -> Option<Arc<HttpSession>> {
        self.current.lock().replace(session)
    }

    fn is_without_id(&self) -> bool {
        let current = self.current.lock();
        current.as_ref().is_some_and(|session| !session.has_id())
    }
}
