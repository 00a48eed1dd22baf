//! Records the use of sessions, and closes idle ones.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::id::SessionId;
use toolgate_store::{IdleCriteria, Outage, StoreError};

use crate::desk::SessionDesk;
use crate::events::SessionEvent;
use crate::usage::SessionUsage;

const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The time after which every gateway has recorded a use.
const HEARD_AFTER_MS: i64 = 5_000;
/// A default seat that was not used for this long is created again on the next use.
const FORGET_AFTER_MS: i64 = 3_600_000;

/// The time since which this process could hear and record the use of sessions. Before that no session counts
/// as idle.
struct UsageHearing {
    since_ms: i64,
    /// The store was down, or is.
    is_lost: bool,
}

pub(crate) async fn run(desk: Arc<SessionDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    let mut hearing = UsageHearing { since_ms: desk.clock.now_ms(), is_lost: false };
    while desk.rest(LOOK_EVERY, &shutdown).await {
        let looked = desk.look_after(&mut hearing).await;
        outage.note("unused sessions are not closed", &looked);
    }
    if let Err(error) = desk.write_usage().await {
        tracing::warn!(%error, "the last uses of sessions were not written down");
    }
}

impl SessionDesk {
    async fn look_after(&self, hearing: &mut UsageHearing) -> Result<(), StoreError> {
        let was_lost = std::mem::replace(&mut hearing.is_lost, true);
        // Before any are closed: sessions in use here are not idle.
        self.write_usage().await?;
        if was_lost {
            hearing.since_ms = self.clock.now_ms();
        }
        self.close_unused(hearing.since_ms).await?;
        hearing.is_lost = false;
        Ok(())
    }

    async fn close_unused(&self, since_ms: i64) -> Result<(), StoreError> {
        let now_ms = self.clock.now_ms();
        self.defaults.forget_unused_since(now_ms.saturating_sub(FORGET_AFTER_MS));
        let unused = IdleCriteria { now_ms, heard_ms: now_ms.saturating_sub(HEARD_AFTER_MS), since_ms };
        let gateway = PrincipalId::gateway();
        let telling = SessionEvent { at_ms: now_ms, by: &gateway };
        loop {
            let tell =
                |session: &_, closing: &toolgate_store::SessionEnd| telling.closed(session, &closing.reason);
            let closed = self.books.close_unused_sessions(unused, tell).await?;
            if closed.is_empty() {
                return Ok(());
            }
            for id in &closed {
                self.live.end(id);
            }
            tracing::info!(count = closed.len(), "unused sessions and those past their lifetime are closed");
        }
    }

    pub(crate) async fn write_usage(&self) -> Result<(), StoreError> {
        let unwritten = self.unwritten();
        let used: Vec<(SessionId, i64)> =
            unwritten.iter().map(|(id, at_ms, _)| (id.clone(), *at_ms)).collect();
        if used.is_empty() {
            return Ok(());
        }
        self.store.touch_sessions(&used).await?;
        for (_, at_ms, usage) in &unwritten {
            usage.set_written(*at_ms);
        }
        Ok(())
    }

    fn unwritten(&self) -> Vec<(SessionId, i64, Arc<SessionUsage>)> {
        let live = self.live.all().into_iter().map(|one| (one.seat.session.clone(), Arc::clone(&one.usage)));
        let defaults =
            self.defaults.all().into_iter().map(|one| (one.seat.session.clone(), Arc::clone(&one.usage)));
        live.chain(defaults).filter_map(|(id, usage)| Some((id, usage.unwritten()?, usage))).collect()
    }
}

#[cfg(test)]
mod tests;
