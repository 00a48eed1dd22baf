//! The spending of models: sums over the turns that were answered, and the summaries between them.

use toolgate_core::id::{RunId, TaskId};
use toolgate_core::model::{ModelName, ModelUsage};
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::AgentName;

use super::row::read_usage;
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::read_count;
use crate::row::row;
use crate::{Store, StoreError};

/// The maximum number of sums that are returned: those with the highest cost, or the latest days.
pub const SPEND_ROWS_MAX: usize = 1_000;

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// A summary is no turn.
const SUMS: &str = "CAST(SUM(t.is_turn) AS BIGINT) AS turns, COUNT(DISTINCT t.run) AS runs, CAST(SUM(t.input) AS BIGINT) AS input, \
     CAST(SUM(t.cached) AS BIGINT) AS cached, CAST(SUM(t.written) AS BIGINT) AS written, \
     CAST(SUM(t.output) AS BIGINT) AS output, CAST(SUM(t.cost) AS BIGINT) AS cost \
     FROM (SELECT tenant, run, model, answered_at_ms, input, cached, written, output, cost, 1 AS is_turn \
         FROM run_turns WHERE answered_at_ms IS NOT NULL \
         UNION ALL SELECT tenant, run, model, answered_at_ms, input, cached, written, output, cost, 0 AS is_turn \
         FROM run_summaries) t \
     JOIN runs r ON r.tenant = t.tenant AND r.id = t.run \
     WHERE t.tenant = $1 AND t.answered_at_ms >= $2 AND t.answered_at_ms < $3 \
     AND (CAST($4 AS TEXT) IS NULL OR r.agent = $4) AND (CAST($5 AS TEXT) IS NULL OR r.task = $5) \
     AND (CAST($6 AS TEXT) IS NULL OR t.model = $6) AND (CAST($7 AS TEXT) IS NULL OR t.run = $7)";

/// A loop whose gateway is dead asks nothing.
const UNDER_WAY: &str = "SELECT COUNT(*) FROM run_loops l \
     JOIN run_turns t ON t.tenant = l.tenant AND t.run = l.run AND t.turn = l.turn \
     JOIN runs r ON r.tenant = l.tenant AND r.id = l.run \
     WHERE l.tenant = $1 AND l.owner IS NOT NULL AND l.lease_until_ms > $2 AND l.run <> $3 AND t.phase = 'asked' \
     AND (CAST($4 AS TEXT) IS NULL OR r.agent = $4) AND (CAST($5 AS TEXT) IS NULL OR r.task = $5) \
     AND (CAST($6 AS TEXT) IS NULL OR t.model = $6)";

/// The thing that spending is summed by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendBy {
    Agent,
    Task,
    Model,
    /// Days in UTC.
    #[default]
    Day,
}

impl SpendBy {
    pub const ALL: [SpendBy; 4] = [SpendBy::Agent, SpendBy::Task, SpendBy::Model, SpendBy::Day];

    pub fn as_str(self) -> &'static str {
        match self {
            SpendBy::Agent => "agent",
            SpendBy::Task => "task",
            SpendBy::Model => "model",
            SpendBy::Day => "day",
        }
    }

    pub fn parse(text: &str) -> Option<SpendBy> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }

    /// As a text. Runs without a task have an empty one.
    fn key(self) -> &'static str {
        match self {
            SpendBy::Agent => "r.agent",
            SpendBy::Task => "COALESCE(r.task, '')",
            SpendBy::Model => "t.model",
            SpendBy::Day => "CAST(t.answered_at_ms / 86400000 AS TEXT)",
        }
    }

    fn order(self) -> &'static str {
        match self {
            SpendBy::Agent | SpendBy::Task | SpendBy::Model => "cost DESC, name",
            // All days since 1997 have as many digits.
            SpendBy::Day => "name DESC",
        }
    }
}

/// The turns that are summed. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpendQuery {
    pub by: SpendBy,
    pub from_ms: Option<i64>,
    /// Exclusive.
    pub until_ms: Option<i64>,
    pub agent: Option<AgentName>,
    pub task: Option<TaskId>,
    pub model: Option<ModelName>,
    pub run: Option<RunId>,
}

/// The spending of one agent, task or model, or of one day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpendRow {
    /// The name of the agent or the model, the id of the task, or the day as `2026-11-17`. Empty for runs without a task.
    pub key: String,
    /// Answers of models.
    pub turns: u64,
    /// Runs that had one.
    pub runs: u64,
    pub usage: ModelUsage,
    pub cost_micros: u64,
}

impl Store {
    /// Sums of the answered turns and the summaries: those with the highest cost first, or the latest day first.
    pub async fn spend(&self, query: &SpendQuery) -> Result<Vec<SpendRow>, StoreError> {
        let text = sqlx::AssertSqlSafe(text(query.by));
        let mut read = self.db.sql(text).bind(self.tenant);
        read.push(query.from_ms.unwrap_or(i64::MIN));
        read.push(query.until_ms.unwrap_or(i64::MAX));
        read.push(query.agent.as_ref().map(|agent| agent.as_str().to_owned()));
        read.push(query.task.as_ref().map(|task| without_nul(task.as_str())));
        read.push(query.model.as_ref().map(|model| model.as_str().to_owned()));
        read.push(query.run.as_ref().map(|run| without_nul(run.as_str())));
        read.push(i64::try_from(SPEND_ROWS_MAX).expect("a page is limited"));
        let rows: Vec<SumRow> = read.fetch_all().await.map_err(doing("sum up the spending"))?;
        Ok(rows.into_iter().map(|row| row.read(query.by)).collect())
    }

    /// The number of turns whose answers other runs than this one wait for now, at any gateway. Times and the run of the query do not
    /// count.
    pub async fn turns_under_way(
        &self,
        query: &SpendQuery,
        besides: &RunId,
        now_ms: i64,
    ) -> Result<u64, StoreError> {
        let besides = without_nul(besides.as_str());
        let mut read = self.db.sql(UNDER_WAY).bind(self.tenant).bind(now_ms).bind(besides);
        read.push(query.agent.as_ref().map(|agent| agent.as_str().to_owned()));
        read.push(query.task.as_ref().map(|task| without_nul(task.as_str())));
        read.push(query.model.as_ref().map(|model| model.as_str().to_owned()));
        let (count,): (i64,) = read.fetch_one().await.map_err(doing("count the turns under way"))?;
        Ok(read_count(count))
    }
}

fn text(by: SpendBy) -> String {
    let (key, order) = (by.key(), by.order());
    format!("SELECT {key} AS name, {SUMS} GROUP BY {key} ORDER BY {order} LIMIT $8")
}

row! {
    struct SumRow {
        name: String,
        turns: i64,
        runs: i64,
        input: i64,
        cached: i64,
        written: i64,
        output: i64,
        cost: i64,
    }
}

impl SumRow {
    fn read(self, by: SpendBy) -> SpendRow {
        let key = match by {
            SpendBy::Agent | SpendBy::Task | SpendBy::Model => self.name,
            SpendBy::Day => day(&self.name),
        };
        SpendRow {
            key,
            turns: read_count(self.turns),
            runs: read_count(self.runs),
            usage: read_usage([self.input, self.cached, self.written, self.output]),
            cost_micros: read_count(self.cost),
        }
    }
}

/// `2026-11-17` for the number of a day.
fn day(number: &str) -> String {
    let start_ms = number.parse::<i64>().unwrap_or_default().saturating_mul(DAY_MS);
    rfc3339(start_ms).chars().take_while(|letter| *letter != 'T').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_as_a_date() {
        assert_eq!(day("0"), "1970-01-01");
        assert_eq!(day("20774"), "2026-11-17");
    }
}
