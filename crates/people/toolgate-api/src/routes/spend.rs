//! The cost of models: by agent, task, model or day.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::model::ModelUsage;
use toolgate_core::moment::{parse_rfc3339, rfc3339};
use toolgate_store::{SpendBy, SpendQuery, SpendRow};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, word};

pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// The days that are counted if the request does not say.
const DAYS_USUAL: i64 = 30;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpendParameters {
    /// agent (the default), task, model or day
    #[serde(default)]
    by: Option<String>,
    /// RFC 3339, or a date; 30 days ago by default
    #[serde(default)]
    from: Option<String>,
    /// Exclusive; now by default
    #[serde(default)]
    until: Option<String>,
}

/// The cost of models in a span of time
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Spend)]
pub(crate) struct SpendView {
    /// agent, task, model or day.
    by: &'static str,
    from: String,
    until: String,
    /// The most expensive first; days from the latest on. At most 1,000.
    rows: Vec<SpendEntry>,
    total: SpendSums,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SpendEntry {
    /// The agent, task, model or day; empty for runs without a task.
    key: String,
    /// The number of runs.
    runs: u64,
    #[serde(flatten)]
    sums: SpendSums,
}

/// Tokens, and their price in millionths of a currency unit
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct SpendSums {
    /// Answers of models.
    turns: u64,
    /// All input; cached and written tokens are parts of it.
    input_tokens: u64,
    cached_tokens: u64,
    written_tokens: u64,
    output_tokens: u64,
    /// The share of the input that came from the provider's cache: 0 to 1.
    cached_share: f64,
    cost_micros: u64,
}

/// Show the cost of models
///
/// Of the runs that the gateway drives, from the turns of their models.
#[utoipa::path(get, path = "/spend", tag = "runs", params(SpendParameters),
    responses((status = 200, description = "The cost", body = SpendView)))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Query(query): Query<SpendParameters>,
) -> ApiResult<Response> {
    let by = word("by", query.by.as_deref(), &SpendBy::ALL.map(SpendBy::as_str), SpendBy::parse)?;
    let by = by.unwrap_or(SpendBy::Agent);
    let until_ms = match query.until.as_deref() {
        Some(until) => moment("until", until)?,
        None => context.clock.now_ms(),
    };
    let from_ms = match query.from.as_deref() {
        Some(from) => moment("from", from)?,
        None => until_ms - DAYS_USUAL * DAY_MS,
    };
    let rows = context.store.spend(&spent(by, from_ms, until_ms)).await?;
    let total = SpendSums::of_all(&rows);
    let rows = rows.into_iter().map(SpendEntry::from).collect();
    let view = SpendView { by: by.as_str(), from: rfc3339(from_ms), until: rfc3339(until_ms), rows, total };
    Ok(json(StatusCode::OK, &view))
}

/// All that was spent in a span of time.
pub(super) fn spent(by: SpendBy, from_ms: i64, until_ms: i64) -> SpendQuery {
    SpendQuery { by, from_ms: Some(from_ms), until_ms: Some(until_ms), ..SpendQuery::default() }
}

pub(super) fn moment(name: &str, text: &str) -> ApiResult<i64> {
    let read = parse_rfc3339(text).or_else(|| parse_rfc3339(&format!("{text}T00:00:00Z")));
    read.ok_or_else(|| {
        bad_parameter(name, text, "a time").hint("write it as 2027-01-31 or 2027-01-31T09:00:00Z")
    })
}

impl SpendSums {
    pub(super) fn of_all(rows: &[SpendRow]) -> Self {
        let sum = |part: fn(&SpendRow) -> u64| rows.iter().map(part).fold(0, u64::saturating_add);
        let usage = ModelUsage {
            input: sum(|row| row.usage.input),
            cached: sum(|row| row.usage.cached),
            written: sum(|row| row.usage.written),
            output: sum(|row| row.usage.output),
        };
        Self::of(sum(|row| row.turns), usage, sum(|row| row.cost_micros))
    }

    fn of(turns: u64, usage: ModelUsage, cost_micros: u64) -> Self {
        let cached_share = match usage.input {
            0 => 0.0,
            input => usage.cached as f64 / input as f64,
        };
        Self {
            turns,
            input_tokens: usage.input,
            cached_tokens: usage.cached,
            written_tokens: usage.written,
            output_tokens: usage.output,
            cached_share,
            cost_micros,
        }
    }
}

impl From<SpendRow> for SpendEntry {
    fn from(row: SpendRow) -> Self {
        Self { sums: SpendSums::of(row.turns, row.usage, row.cost_micros), runs: row.runs, key: row.key }
    }
}
