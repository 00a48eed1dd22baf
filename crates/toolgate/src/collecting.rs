//! The collection of what nothing reaches, now and then.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::Actor;
use toolgate_substrate::{CollectionMode, CollectionSummary, Substrate};

/// Collects for as long as the gateway runs. Of several gateways on one database, one collects at a time.
pub(crate) async fn keep_up(substrate: Arc<Substrate>, every: Duration) {
    let by = Actor::person(&PrincipalId::gateway());
    let mut tick = tokio::time::interval(every);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // The first tick is at once, when a gateway has other things to do.
    tick.tick().await;
    loop {
        tick.tick().await;
        tell(&substrate.collect(&by, CollectionMode::Remove).await);
    }
}

fn tell(collected: &Result<CollectionSummary, Refusal>) {
    match collected {
        Ok(summary) if summary.is_empty() => {}
        Ok(summary) => tracing::info!(
            manifests = summary.manifests.count,
            nodes = summary.nodes.count,
            artifacts = summary.artifacts.count,
            "what nothing reaches was removed"
        ),
        Err(refusal) if refusal.code == &codes::COLLECTION_UNDER_WAY => {}
        Err(refusal) => tracing::warn!(%refusal, "what nothing reaches is not collected"),
    }
}
