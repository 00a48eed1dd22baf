//! Separate connections for principals, if the operator wants a server's state kept apart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{FutureExt, Shared};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};
use toolgate_core::port::{BoxFuture, ServerError};
use toolgate_core::server::Era;
use toolgate_core::{FaultKind, PrincipalId};

use crate::context::ServerContext;
use crate::http::Endpoint;
use crate::http::pair::SsePair;
use crate::keys;
use crate::link::{LiveLink, ServerLink};
use crate::probe::{OpenError, open_another};

/// The maximum number of principals with their own connection to one server.
const OWN_MAX: usize = 64;
/// The idle time after which one is closed.
pub(crate) const OWN_IDLE: Duration = Duration::from_secs(10 * 60);

#[derive(Default)]
pub(crate) struct OwnConnections {
    slots: Mutex<BTreeMap<PrincipalId, Arc<LinkSlot>>>,
}

type LinkAttempt = Shared<BoxFuture<'static, Result<Arc<LiveLink>, ServerError>>>;

struct LinkSlot {
    current: Mutex<Option<Arc<LiveLink>>>,
    /// The attempt in progress. Concurrent requests wait for the same one, as long as their time allows.
    opening: Mutex<Option<LinkAttempt>>,
    used: Mutex<Instant>,
}

impl LinkSlot {
    fn new() -> Self {
        Self { current: Mutex::default(), opening: Mutex::default(), used: Mutex::new(Instant::now()) }
    }

    /// The live connection, if it still is.
    fn usable(&self) -> Option<Arc<LiveLink>> {
        *self.used.lock() = Instant::now();
        self.current().filter(|live| live.pipe().is_some_and(|pipe| !pipe.is_closed()))
    }

    fn current(&self) -> Option<Arc<LiveLink>> {
        self.current.lock().clone()
    }

    /// The attempt in progress, or a new one. It continues when its waiters give up, so that a server that
    /// starts more slowly than one request allows is ready for the next.
    fn attempt(
        self: &Arc<Self>,
        ctx: &Arc<ServerContext>,
        main: &LiveLink,
        owner: &PrincipalId,
    ) -> LinkAttempt {
        let mut opening = self.opening.lock();
        if let Some(attempt) = opening.as_ref().filter(|attempt| attempt.peek().is_none()) {
            return attempt.clone();
        }
        if let Some(live) = self.usable() {
            let there: BoxFuture<'static, _> = Box::pin(std::future::ready(Ok(live)));
            return there.shared();
        }
        let way = LinkRoute {
            is_pair: matches!(main.link, ServerLink::Pair(_)),
            era: main.era(),
            owner: owner.clone(),
        };
        let (slot, of) = (self.clone(), ctx.clone());
        let task = ctx.tasks.spawn(async move {
            let opened = open(&of, way).await;
            if let Ok(live) = &opened {
                *slot.current.lock() = Some(live.clone());
            }
            slot.opening.lock().take();
            opened
        });
        let failed = ctx.down("it could not be started");
        let attempt: BoxFuture<'static, _> = Box::pin(async move { task.await.unwrap_or(Err(failed)) });
        opening.insert(attempt.shared()).clone()
    }

    fn is_idle(&self, idle: Duration) -> bool {
        let rests = self.used.lock().elapsed() >= idle;
        rests && self.current().is_none_or(|live| live.pipe().is_none_or(|pipe| pipe.pending.is_idle()))
    }
}

impl OwnConnections {
    /// The principal's own connection, opened in the way `main` is.
    pub(crate) async fn of(
        &self,
        ctx: &Arc<ServerContext>,
        main: &LiveLink,
        principal: &PrincipalId,
    ) -> Result<Arc<LiveLink>, ServerError> {
        let slot = self.slot(ctx, principal)?;
        let attempt = match slot.usable() {
            Some(live) => return Ok(live),
            None => slot.attempt(ctx, main, principal),
        };
        attempt.await
    }

    fn slot(&self, ctx: &ServerContext, principal: &PrincipalId) -> Result<Arc<LinkSlot>, ServerError> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(principal) {
            return Ok(slot.clone());
        }
        if slots.len() >= OWN_MAX && !evict_oldest(&mut slots) {
            return Err(ctx.fault(FaultKind::Busy { limit: OWN_MAX }));
        }
        let slot = Arc::new(LinkSlot::new());
        slots.insert(principal.clone(), slot.clone());
        Ok(slot)
    }

    pub(crate) fn all(&self) -> Vec<Arc<LiveLink>> {
        self.slots.lock().values().filter_map(|slot| slot.current()).collect()
    }

    /// Ends the connections that have not been used for `idle`.
    pub(crate) async fn close_idle(&self, idle: Duration) {
        let mut closing = Vec::new();
        self.slots.lock().retain(|_, slot| {
            let stays = !slot.is_idle(idle) || Arc::strong_count(slot) > 1;
            if !stays {
                closing.extend(slot.current());
            }
            stays
        });
        futures_util::future::join_all(closing.iter().map(|live| live.end())).await;
    }

    /// Closes the processes whose secrets are outdated, when their requests in progress have finished. The
    /// next request opens another.
    pub(crate) async fn close_outdated(&self, ctx: &Arc<ServerContext>) {
        for live in self.all() {
            let ServerLink::Process(process) = &live.link else { continue };
            if process.pipe.is_closed() || !process.is_outdated(ctx).await {
                continue;
            }
            self.slots
                .lock()
                .retain(|_, slot| slot.current().is_none_or(|current| !Arc::ptr_eq(&current, &live)));
            ctx.tasks.spawn(finish(ctx.clone(), live));
        }
    }
}

/// Ends a connection that can no longer be found. A request that found it just before has been sent by the
/// first check.
async fn finish(ctx: Arc<ServerContext>, live: Arc<LiveLink>) {
    let finished = async {
        loop {
            sleep(keys::LOOK).await;
            if live.pipe().is_none_or(|pipe| pipe.pending.is_idle()) {
                return;
            }
        }
    };
    tokio::select! {
        _ = timeout(ctx.spec.timeout, finished) => {}
        () = ctx.stop.cancelled() => {}
    }
    live.end().await;
}

/// Makes room by dropping the connection that has been idle longest, which ends it.
fn evict_oldest(slots: &mut BTreeMap<PrincipalId, Arc<LinkSlot>>) -> bool {
    let resting =
        slots.iter().filter(|(_, slot)| slot.is_idle(Duration::ZERO) && Arc::strong_count(slot) == 1);
    let oldest = resting.min_by_key(|(_, slot)| *slot.used.lock());
    let Some(oldest) = oldest.map(|(principal, _)| principal.clone()) else { return false };
    slots.remove(&oldest).is_some()
}

/// The way to open a connection like the shared one.
struct LinkRoute {
    is_pair: bool,
    era: Era,
    owner: PrincipalId,
}

async fn open(ctx: &Arc<ServerContext>, way: LinkRoute) -> Result<Arc<LiveLink>, ServerError> {
    let opened = tokio::select! {
        opened = timeout(ctx.spec.connect_timeout, open_like(ctx, way)) => opened,
        () = ctx.stop.cancelled() => return Err(ctx.down("the gateway is letting go of it")),
    };
    let live = match opened {
        Ok(opened) => opened.map_err(|error| error.fault(ctx))?,
        Err(_) => return Err(ctx.down("it did not start in time")),
    };
    let level = ctx.house.level.borrow().clone();
    if let Some(level) = level {
        live.set_level(&level).await;
    }
    Ok(live)
}

async fn open_like(ctx: &Arc<ServerContext>, way: LinkRoute) -> Result<Arc<LiveLink>, OpenError> {
    let (link, opening) = if way.is_pair {
        let (pair, opening) = SsePair::open(ctx, &Endpoint::new(ctx)?, Some(way.owner)).await?;
        (ServerLink::Pair(pair), opening)
    } else {
        let (process, opening) = open_another(ctx, way.era, way.owner).await?;
        (ServerLink::Process(process), opening)
    };
    Ok(LiveLink::new(ctx.clone(), link, opening))
}
