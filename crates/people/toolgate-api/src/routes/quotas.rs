//! Quotas: the rules in force, and how much of them is used.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::PrincipalId;
use toolgate_store::SpendBy;
use utoipa::ToSchema;

use super::answer::json;
use super::spend::{DAY_MS, spent};
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::quotas::{QuotaFor, QuotaHolderEntry, QuotaLimits, QuotaRuleEntry};

/// The busiest ones; the answer has the number of all.
const HOLDERS_MAX: usize = 100;

/// Quotas and their usage
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Quotas)]
pub(crate) struct QuotasView {
    /// In the order of the configuration: a later rule goes before an earlier one.
    rules: Vec<QuotaRuleEntry>,
    /// The limits of each principal that no rule is about.
    usual: QuotaLimits,
    /// Principals and agents that called since this gateway started, the busiest first; at most a hundred.
    holders: Vec<QuotaHolderView>,
    holders_total: usize,
}

/// A principal or an agent with its limits, and what is used of them
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuotaHolder)]
pub(crate) struct QuotaHolderView {
    #[serde(rename = "for")]
    who: QuotaFor,
    limits: QuotaLimits,
    used: QuotaUsedView,
}

/// Calls, waiting calls and streams are those of this gateway; everything else counts all gateways of the database
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = QuotaUsed)]
pub(crate) struct QuotaUsedView {
    /// Calls under way.
    calls: u64,
    waiting: u64,
    streams: u64,
    /// Absent if the calls of a day are not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_today: Option<u64>,
    /// Absent if the spending of a day is not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    spend_today_micros: Option<u64>,
    /// Calls that wait for people; only of principals.
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals: Option<u64>,
    /// Absent if stored bytes are not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes: Option<u64>,
}

/// Show the quotas
///
/// The rules of `[[quotas]]`, and how much of them principals and agents use.
#[utoipa::path(get, path = "/quotas", tag = "settings",
    responses((status = 200, description = "The quotas", body = QuotasView)))]
pub(crate) async fn show(State(context): State<ApiContext>) -> ApiResult<Response> {
    let now_ms = context.clock.now_ms();
    let mut all = context.quotas.holders(now_ms);
    let holders_total = all.len();
    all.sort_by(|one, other| busy(other).cmp(&busy(one)).then_with(|| one.who.cmp(&other.who)));
    all.truncate(HOLDERS_MAX);
    let spent = spent_today(&context, now_ms, &all).await?;
    let mut holders = Vec::with_capacity(all.len());
    for one in all {
        holders.push(used(&context, now_ms, &spent, one).await?);
    }
    let (rules, usual) = (context.quotas.rules(), context.quotas.usual());
    Ok(json(StatusCode::OK, &QuotasView { rules, usual, holders, holders_total }))
}

fn busy(one: &QuotaHolderEntry) -> (u64, u64) {
    (one.running + one.waiting, one.calls_today.unwrap_or_default() + one.streams)
}

/// The spending of agents since midnight, if one of them has a limit.
async fn spent_today(
    context: &ApiContext,
    now_ms: i64,
    holders: &[QuotaHolderEntry],
) -> ApiResult<BTreeMap<String, u64>> {
    if holders.iter().all(|one| one.limits.spend_per_day_micros.is_none()) {
        return Ok(BTreeMap::new());
    }
    let midnight_ms = now_ms - now_ms.rem_euclid(DAY_MS);
    let rows = context.store.spend(&spent(SpendBy::Agent, midnight_ms, now_ms)).await?;
    Ok(rows.into_iter().map(|row| (row.key, row.cost_micros)).collect())
}

async fn used(
    context: &ApiContext,
    now_ms: i64,
    spent: &BTreeMap<String, u64>,
    one: QuotaHolderEntry,
) -> ApiResult<QuotaHolderView> {
    let QuotaHolderEntry { who, limits, running, waiting, streams, calls_today } = one;
    let mut used =
        QuotaUsedView { calls: running, waiting, streams, calls_today, ..QuotaUsedView::default() };
    match &who {
        QuotaFor::Principal(name) => {
            let principal = PrincipalId::new(name.as_str());
            used.approvals = Some(context.store.count_pending_approvals(&principal).await?);
            if limits.stored_bytes_max.is_some() {
                used.stored_bytes = Some(context.store.bytes_of_files(&principal, now_ms).await?);
            }
        }
        QuotaFor::Agent(name) => {
            let own = spent.get(name).copied().unwrap_or_default();
            used.spend_today_micros = limits.spend_per_day_micros.map(|_| own);
        }
    }
    Ok(QuotaHolderView { who, limits, used })
}
