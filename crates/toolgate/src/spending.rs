//! The limits of spending, from the quotas of agents and the turns in the store.

use std::sync::Arc;

use toolgate_core::governance::Clock;
use toolgate_core::model::{ReachedSpend, SpendLimit};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::Run;
use toolgate_core::{Refusal, codes};
use toolgate_edge::Quotas;
use toolgate_store::{SpendBy, SpendQuery, Store};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The limit of an agent's day. All gateways of a store count together. Runs that are asked for at the same moment may go over it by
/// one turn each.
pub(crate) struct AgentSpendLimit {
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
}

impl SpendLimit for AgentSpendLimit {
    fn reached<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<Option<ReachedSpend>, Refusal>> {
        Box::pin(async move {
            let quota = self.quotas.of_agent(&run.agent);
            let Some(max_micros) = quota.and_then(|quota| quota.spend_per_day_micros) else {
                return Ok(None);
            };
            let now_ms = self.clock.now_ms();
            let midnight_ms = now_ms - now_ms.rem_euclid(DAY_MS);
            let query = SpendQuery {
                by: SpendBy::Agent,
                from_ms: Some(midnight_ms),
                agent: Some(run.agent.clone()),
                ..SpendQuery::default()
            };
            let rows = self.store.spend(&query).await.map_err(|error| {
                tracing::warn!(%error, "the spending of an agent cannot be read");
                Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
            })?;
            let spent_micros = rows.iter().map(|row| row.cost_micros).fold(0, u64::saturating_add);
            Ok((spent_micros >= max_micros).then(|| ReachedSpend {
                holder: format!("agent {}", run.agent),
                spent_micros,
                max_micros,
                until_ms: midnight_ms + DAY_MS,
            }))
        })
    }
}
