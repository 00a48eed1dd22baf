//! The follower of the ledger that opens a doubt for each lost answer, at this gateway or another, before a crash or after.

use std::sync::Arc;

use toolgate_core::event::{EventKind, Position};
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{Actor, Outage, StoreError, WorkFilter};
use toolgate_work::WorkOrder;

use super::doubt::LostCall;
use super::worker::DOUBT_KIND;
use crate::connectors::Connectors;
use crate::limits::{FOLLOW_EVERY, FOLLOWED_AT_ONCE};
use crate::refusal::down;

/// The position in the ledger is stored under this name.
const SINK: &str = "connector-doubts";
const KINDS: [EventKind; 1] = [EventKind::CallCompleted];
/// Looks at an unchanged end of the ledger before ends are asked for all the same: another gateway may have given some back.
const QUIET_LOOKS_MAX: u32 = 20;

#[derive(Default)]
struct DoubtPlace {
    /// The end of the ledger up to which there was nothing to do.
    nothing_until: Option<Position>,
    quiet_looks: u32,
}

/// Follows the ends of calls for as long as it is polled.
pub async fn follow(connectors: Arc<Connectors>) {
    let (mut outage, mut place) = (Outage::default(), DoubtPlace::default());
    loop {
        let more = place.round(&connectors).await;
        outage.note("lost answers of connectors are not asked about", &more);
        if !matches!(more, Ok(true)) {
            connectors.clock.sleep(FOLLOW_EVERY).await;
        }
    }
}

impl DoubtPlace {
    /// Deals with the next ends of calls. Returns true if there may be more.
    async fn round(&mut self, connectors: &Connectors) -> Result<bool, StoreError> {
        if connectors.all().is_empty() {
            // A gateway without connectors does not read its ledger.
            return Ok(false);
        }
        let end = connectors.store.ledger_end().await?;
        if self.nothing_until.as_ref() == Some(&end) && self.quiet_looks < QUIET_LOOKS_MAX {
            self.quiet_looks += 1;
            return Ok(false);
        }
        self.quiet_looks = 0;
        let batch = connectors.store.outbox(SINK, &KINDS, FOLLOWED_AT_ONCE).await?;
        if batch.is_empty() {
            self.nothing_until = Some(end);
            return Ok(false);
        }
        self.nothing_until = None;
        for lost in batch.events.iter().filter_map(|recorded| LostCall::of(&recorded.event)) {
            if let Err(refusal) = connectors.doubt(&lost).await {
                tracing::warn!(call = %lost.call, %refusal, "a lost answer is not asked about yet");
                connectors.store.not_delivered(SINK, &batch).await?;
                return Ok(false);
            }
        }
        connectors.store.delivered(SINK, &batch).await.map(|()| true)
    }
}

impl Connectors {
    /// Opens the doubt about a call, once. An agent that runs here asks about its own calls.
    async fn doubt(&self, lost: &LostCall) -> Result<(), Refusal> {
        if let Some(run) = &lost.run {
            let driven = self.store.agent_loop(run).await.map_err(|error| down(&error))?;
            if driven.is_some() {
                return Ok(());
            }
        }
        let key = lost.call.to_string();
        let filter =
            WorkFilter { kind: Some(DOUBT_KIND.to_owned()), key: Some(key.clone()), ..WorkFilter::default() };
        if !self.store.works(&filter, 1).await.map_err(|error| down(&error))?.is_empty() {
            return Ok(());
        }
        let new = WorkOrder {
            kind: DOUBT_KIND.to_owned(),
            key,
            input: serde_json::to_value(lost).expect("names and numbers are JSON"),
            name: format!("did {} happen?", lost.tool),
            actor: Actor::person(&PrincipalId::gateway()),
            input_manifest: None,
        };
        self.work.start(new).await.map(drop)
    }
}
