//! The limits of spending: those of agents from their quotas, of models from their definitions, of tasks from their rows, and that over
//! all runs; and the turns in the store that count towards each.

use std::sync::Arc;

use toolgate_core::governance::Clock;
use toolgate_core::id::TaskId;
use toolgate_core::model::{ModelName, Models, ReachedSpend, SpendLimit};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::Run;
use toolgate_core::{Refusal, codes};
use toolgate_edge::Quotas;
use toolgate_store::{SpendBy, SpendQuery, SpendRow, Store, StoreError};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The limits of a day. All gateways of a store count together, and the turns that other runs wait for count as much as those of the day
/// cost. Only runs that come between another's look and its request, or before the first answer of the day, may go over them, by one turn
/// each.
pub(crate) struct DaySpendLimits {
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    /// Over all runs.
    pub(crate) total_micros: Option<u64>,
}

/// One limit, and the turns that count towards it.
struct DayLimit {
    /// For people.
    holder: String,
    max_micros: u64,
    counted: SpendQuery,
}

impl SpendLimit for DaySpendLimits {
    fn reached<'a>(
        &'a self,
        run: &'a Run,
        model: &'a ModelName,
    ) -> BoxFuture<'a, Result<Option<ReachedSpend>, Refusal>> {
        Box::pin(async move { self.first_reached(run, model).await.map_err(|error| down(&error)) })
    }
}

impl DaySpendLimits {
    async fn first_reached(&self, run: &Run, model: &ModelName) -> Result<Option<ReachedSpend>, StoreError> {
        let now_ms = self.clock.now_ms();
        let midnight_ms = now_ms - now_ms.rem_euclid(DAY_MS);
        for DayLimit { holder, max_micros, counted } in self.limits(run, model).await? {
            let query = SpendQuery { from_ms: Some(midnight_ms), ..counted };
            let rows = self.store.spend(&query).await?;
            let under_way = self.store.turns_under_way(&query, &run.id, now_ms).await?;
            let spent_micros = with_those_under_way(&rows, under_way);
            if spent_micros >= max_micros {
                let until_ms = midnight_ms + DAY_MS;
                return Ok(Some(ReachedSpend { holder, spent_micros, max_micros, until_ms }));
            }
        }
        Ok(None)
    }

    /// The limits that hold for a turn of this run, the narrowest holder first.
    async fn limits(&self, run: &Run, model: &ModelName) -> Result<Vec<DayLimit>, StoreError> {
        let task = match &run.task {
            Some(task) => self.of_task(task).await?,
            None => None,
        };
        let all = [task, self.of_agent(run), self.of_model(model), self.total()];
        Ok(all.into_iter().flatten().collect())
    }

    /// The limit of its present version, so that raising it lets its runs go on.
    async fn of_task(&self, task: &TaskId) -> Result<Option<DayLimit>, StoreError> {
        let plan = self.store.task(task).await?.and_then(|task| task.plan);
        Ok(plan.and_then(|plan| plan.spend_per_day_micros).map(|max_micros| DayLimit {
            holder: format!("task {task}"),
            max_micros,
            counted: SpendQuery { by: SpendBy::Task, task: Some(task.clone()), ..SpendQuery::default() },
        }))
    }

    fn of_agent(&self, run: &Run) -> Option<DayLimit> {
        Some(DayLimit {
            holder: format!("agent {}", run.agent),
            max_micros: self.quotas.of_agent(&run.agent)?.spend_per_day_micros?,
            counted: SpendQuery {
                by: SpendBy::Agent,
                agent: Some(run.agent.clone()),
                ..SpendQuery::default()
            },
        })
    }

    fn of_model(&self, model: &ModelName) -> Option<DayLimit> {
        Some(DayLimit {
            holder: format!("model {model}"),
            max_micros: self.models.definition(model)?.limits.spend_per_day_micros?,
            counted: SpendQuery { by: SpendBy::Model, model: Some(model.clone()), ..SpendQuery::default() },
        })
    }

    fn total(&self) -> Option<DayLimit> {
        Some(DayLimit {
            holder: "all agents together".to_owned(),
            max_micros: self.total_micros?,
            counted: SpendQuery::default(),
        })
    }
}

/// What the answered turns cost, and what so many others will, if they are like these.
fn with_those_under_way(rows: &[SpendRow], under_way: u64) -> u64 {
    let spent = rows.iter().map(|row| row.cost_micros).fold(0, u64::saturating_add);
    let turns = rows.iter().map(|row| row.turns).fold(0, u64::saturating_add);
    let usual = spent.checked_div(turns).unwrap_or(0);
    spent.saturating_add(usual.saturating_mul(under_way))
}

fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "the spending of models cannot be read");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

#[cfg(test)]
mod tests {
    use toolgate_core::model::ModelUsage;

    use super::*;

    #[test]
    fn turns_under_way_count_as_much_as_those_that_were_answered() {
        let row = |turns, cost_micros| SpendRow {
            key: "writer".to_owned(),
            turns,
            runs: 1,
            usage: ModelUsage::default(),
            cost_micros,
        };
        assert_eq!(with_those_under_way(&[], 3), 0, "nobody knows what they cost");
        assert_eq!(with_those_under_way(&[row(2, 100)], 0), 100);
        assert_eq!(with_those_under_way(&[row(2, 100), row(2, 300)], 3), 700);
        assert_eq!(with_those_under_way(&[row(1, u64::MAX)], 2), u64::MAX);
        assert_eq!(with_those_under_way(&[row(0, 40)], 2), 40, "a summary is no turn");
    }
}
