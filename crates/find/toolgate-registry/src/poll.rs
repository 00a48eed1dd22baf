//! Detects changes by other processes: other gateways on the same database, and the command line. Also
//! removes instances whose lease has run out.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_store::{Outage, Revisions, StoreError};

use crate::desk::RegistryDesk;
use crate::events::RegistryEvent;
use crate::leases::{LOOK_EVERY, RunOut};

const RAN_OUT: &str = "its lease ran out";

pub(crate) async fn watch_revisions(
    desk: Arc<RegistryDesk>,
    mut seen: Revisions,
    shutdown: CancellationToken,
) {
    let mut outage = Outage::default();
    while rest(&desk, desk.store.until_next_look(), &shutdown).await {
        let followed = desk.follow(&mut seen).await;
        outage.note("changes by other processes are not noticed", &followed);
    }
}

pub(crate) async fn watch_leases(desk: Arc<RegistryDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    while rest(&desk, LOOK_EVERY, &shutdown).await {
        let looked = desk.look_at_leases().await;
        outage.note("leases are not looked at", &looked);
    }
}

async fn rest(desk: &RegistryDesk, period: Duration, shutdown: &CancellationToken) -> bool {
    tokio::select! {
        () = desk.clock.sleep(period) => true,
        () = shutdown.cancelled() => false,
    }
}

impl RegistryDesk {
    /// Reads the changed topics. A failed read is tried again: a topic counts as seen only afterwards.
    async fn follow(&self, seen: &mut Revisions) -> Result<(), StoreError> {
        let now = self.store.look_at_revisions().await?;
        if now.settings != seen.settings {
            self.load_settings().await?;
            seen.settings = now.settings;
        }
        if now.registrations != seen.registrations {
            self.load_registrations().await?;
            seen.registrations = now.registrations;
        }
        if now.tools != seen.tools {
            self.follow_tools().await?;
            seen.tools = now.tools;
        }
        Ok(())
    }

    /// The worker's own writes move the revision too, and it keeps count of them.
    pub(crate) async fn follow_tools(&self) -> Result<(), StoreError> {
        let mut known = self.tools_revision.lock().await;
        let now = self.store.read_revisions().await?.tools;
        if now != *known {
            self.load_rows().await?;
            *known = now;
        }
        Ok(())
    }

    async fn look_at_leases(&self) -> Result<(), StoreError> {
        let _held = self.registrations.lock().await;
        let beats = self.store.read_beats().await?;
        let run_out = {
            let mut state = self.state();
            let known = beats.into_iter().filter_map(|(server, instance, beat)| {
                let lease = state.lease_of(&server, &instance)?;
                Some(((server, instance), beat, lease))
            });
            let known: Vec<_> = known.collect();
            let now = self.since_start();
            state.leases.see(known, now);
            state.leases.look(now)
        };
        for one in run_out {
            self.take_out(one).await?;
        }
        Ok(())
    }

    /// Only if no gateway has heard of it since; the remover records the event.
    async fn take_out(&self, run_out: RunOut) -> Result<(), StoreError> {
        let RunOut { place: (server, instance), beat } = run_out;
        let gateway = PrincipalId::gateway();
        let telling = RegistryEvent { at_ms: self.clock.now_ms(), by: &gateway };
        let event = telling.instance_left(&server, instance.as_str(), RAN_OUT);
        if self.books.remove_instance_if(&server, &instance, Some(beat), vec![event]).await? {
            tracing::warn!(%server, %instance, "taken out: {RAN_OUT}");
            let mut state = self.state();
            state.leave(&server, &instance);
            self.changed(state);
        }
        Ok(())
    }
}
