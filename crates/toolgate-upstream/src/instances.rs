//! Connections of their own for principals, where the operator wants a server's state kept apart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use toolgate_core::port::ServerError;
use toolgate_core::server::Era;
use toolgate_core::{FaultKind, PrincipalId};

use crate::context::Context;
use crate::http::Endpoint;
use crate::http::pair::Pair;
use crate::link::{Link, Live};
use crate::probe::{OpenError, open_another};

/// Principals that may have a connection of their own to one server.
const INSTANCES_MAX: usize = 64;
/// One without requests is ended after this.
pub(crate) const INSTANCE_IDLE: Duration = Duration::from_secs(10 * 60);

#[derive(Default)]
pub(crate) struct Instances {
    slots: Mutex<BTreeMap<PrincipalId, Arc<Slot>>>,
}

struct Slot {
    current: Mutex<Option<Arc<Live>>>,
    opening: tokio::sync::Mutex<()>,
    used: Mutex<Instant>,
}

impl Slot {
    fn new() -> Self {
        Self {
            current: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    /// The live connection, if it still is.
    fn usable(&self) -> Option<Arc<Live>> {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.current().filter(|live| live.pipe().is_some_and(|pipe| !pipe.is_closed()))
    }

    fn current(&self) -> Option<Arc<Live>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_idle(&self, idle: Duration) -> bool {
        let rests = self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= idle;
        rests && self.current().is_none_or(|live| live.pipe().is_none_or(|pipe| pipe.pending.is_idle()))
    }
}

impl Instances {
    /// The principal's own connection, opened in the way `main` is.
    pub(crate) async fn of(
        &self,
        ctx: &Arc<Context>,
        main: &Live,
        principal: &PrincipalId,
    ) -> Result<Arc<Live>, ServerError> {
        let slot = self.slot(ctx, principal)?;
        if let Some(live) = slot.usable() {
            return Ok(live);
        }
        let _only = slot.opening.lock().await;
        if let Some(live) = slot.usable() {
            return Ok(live);
        }
        let opening = tokio::time::timeout(ctx.spec.connect_timeout, open_like(ctx, main));
        let live = match opening.await {
            Ok(opened) => opened.map_err(|error| ctx.down(error.to_string()))?,
            Err(_) => return Err(ctx.down("it did not start in time")),
        };
        let level = ctx.house.level.borrow().clone();
        if let Some(level) = level {
            live.set_level(&level).await;
        }
        *slot.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(live.clone());
        Ok(live)
    }

    fn slot(&self, ctx: &Context, principal: &PrincipalId) -> Result<Arc<Slot>, ServerError> {
        let mut slots = self.slots();
        if let Some(slot) = slots.get(principal) {
            return Ok(slot.clone());
        }
        if slots.len() >= INSTANCES_MAX && !evict_oldest(&mut slots) {
            return Err(ctx.fault(FaultKind::Busy { limit: INSTANCES_MAX }));
        }
        let slot = Arc::new(Slot::new());
        slots.insert(principal.clone(), slot.clone());
        Ok(slot)
    }

    pub(crate) fn all(&self) -> Vec<Arc<Live>> {
        self.slots().values().filter_map(|slot| slot.current()).collect()
    }

    /// Ends the connections that have not been used for `idle`.
    pub(crate) async fn close_idle(&self, idle: Duration) {
        let mut closing = Vec::new();
        self.slots().retain(|_, slot| {
            let stays = !slot.is_idle(idle) || Arc::strong_count(slot) > 1;
            if !stays {
                closing.extend(slot.current());
            }
            stays
        });
        futures_util::future::join_all(closing.iter().map(|live| live.end())).await;
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<PrincipalId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room by letting go of the connection that has rested longest. Dropping it ends it.
fn evict_oldest(slots: &mut BTreeMap<PrincipalId, Arc<Slot>>) -> bool {
    let resting =
        slots.iter().filter(|(_, slot)| slot.is_idle(Duration::ZERO) && Arc::strong_count(slot) == 1);
    let oldest = resting.min_by_key(|(_, slot)| *slot.used.lock().unwrap_or_else(PoisonError::into_inner));
    let Some(oldest) = oldest.map(|(principal, _)| principal.clone()) else { return false };
    slots.remove(&oldest).is_some()
}

async fn open_like(ctx: &Arc<Context>, main: &Live) -> Result<Arc<Live>, OpenError> {
    let (link, opening) = match (&main.link, main.era()) {
        (Link::Pair(_), _) => {
            let (pair, opening) = Pair::open(ctx, &Endpoint::new(ctx)?).await?;
            (Link::Pair(pair), opening)
        }
        (_, era @ (Era::Legacy | Era::Modern)) => {
            let (process, opening) = open_another(ctx, era).await?;
            (Link::Process(process), opening)
        }
    };
    Ok(Live::new(ctx.clone(), link, opening))
}
