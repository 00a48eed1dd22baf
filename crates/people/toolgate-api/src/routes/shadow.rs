//! The decisions of policies in shadow mode that differ from the actual ones, call by call and counted: read from the ledger.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::event::{EventFilter, EventKind, Position, RecordedEvent};
use toolgate_core::moment::rfc3339;
use toolgate_store::{LEDGER_PAGE_MAX, LedgerOrder};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, limit};
use crate::{ApiContext, PolicyFile, PolicyInForce, PolicyRule};

const PAGE_USUAL: usize = 50;
const PAGE_MAX: usize = 500;
/// Pages of decisions that one request looks through.
const LOOKS_MAX: usize = 10;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShadowQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShadowPage {
    /// Newest first.
    differences: Vec<ShadowDifference>,
    /// The number of decisions that were checked for this page.
    looked_at: usize,
    /// The cursor of the next page; absent once everything was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A call that the policies in shadow mode would have decided differently
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShadowDifference {
    stream: String,
    number: i64,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_version: Option<String>,
    /// The decision: permit, approve or deny.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<&'static str>,
    /// The decision in shadow mode: permit, approve or deny.
    shadow: String,
    /// The policies that would have asked or forbidden, with their reasons.
    #[schema(value_type = Vec<Object>)]
    policies: Vec<Value>,
}

/// List what policies in shadow mode would have changed
///
/// Checks the decisions in the ledger, newest first, up to ten thousand at a time.
#[utoipa::path(get, path = "/policy/shadow", tag = "policy", params(ShadowQuery),
    responses((status = 200, description = "Decisions that differ", body = ShadowPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<ShadowQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let mut page = ShadowPage { differences: Vec::new(), looked_at: 0, next_cursor: None };
    let decided = EventFilter { kind: Some(EventKind::PolicyDecided), ..EventFilter::default() };
    let mut after = query.after()?;
    for _ in 0..LOOKS_MAX {
        let events = context
            .store
            .ledger_page(&decided, after.as_ref(), LEDGER_PAGE_MAX, LedgerOrder::NewestFirst)
            .await?;
        let more = events.len() == LEDGER_PAGE_MAX;
        page.next_cursor = events.last().filter(|_| more).map(|last| last.position.to_string());
        for event in &events {
            page.looked_at += 1;
            page.differences.extend(ShadowDifference::of(event));
            if page.differences.len() == limit {
                page.next_cursor = Some(event.position.to_string());
                return Ok(json(StatusCode::OK, &page));
            }
        }
        if !more {
            break;
        }
        after = events.last().map(|last| last.position.clone());
    }
    Ok(json(StatusCode::OK, &page))
}

/// How often policies in shadow mode would have had an effect
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShadowCounts {
    /// Every policy in shadow mode, those with the most effect first.
    policies: Vec<ShadowCount>,
    /// Calls that a guard in shadow mode would have refused because none of its policies permits them.
    unpermitted: u64,
    /// The number of decisions that were checked, the latest first.
    looked_at: usize,
    /// The time of the earliest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// False if there are earlier decisions, which are not counted.
    complete: bool,
}

/// The effect that a policy in shadow mode would have had
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShadowCount {
    id: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Calls that it would have helped to refuse.
    refused: u64,
    /// Calls that it would have asked a person about.
    asked: u64,
}

/// Count what policies in shadow mode would have changed
///
/// Goes through the last ten thousand decisions that are recorded on their own. A decision of several policies counts for each.
#[utoipa::path(get, path = "/policy/shadow/counts", tag = "policy",
    responses((status = 200, description = "Counts by policy", body = ShadowCounts)))]
pub(crate) async fn counts(State(context): State<ApiContext>) -> ApiResult<Response> {
    let policy = context.policy.clone();
    let in_force = run_blocking(move || policy.in_force()).await;
    let mut counts = ShadowCounts::of(&in_force);
    let decided = EventFilter { kind: Some(EventKind::PolicyDecided), ..EventFilter::default() };
    let mut after = None;
    for _ in 0..LOOKS_MAX {
        let events = context
            .store
            .ledger_page(&decided, after.as_ref(), LEDGER_PAGE_MAX, LedgerOrder::NewestFirst)
            .await?;
        events.iter().for_each(|event| counts.add(event));
        counts.complete = events.len() < LEDGER_PAGE_MAX;
        if counts.complete {
            break;
        }
        after = events.last().map(|last| last.position.clone());
    }
    counts.policies.sort_by_key(|one| std::cmp::Reverse(one.refused + one.asked));
    Ok(json(StatusCode::OK, &counts))
}

impl ShadowCounts {
    fn of(in_force: &PolicyInForce) -> Self {
        let shadow = in_force.files.iter().filter(|file| file.set.ends_with("_shadow"));
        let count = |(file, rule): (&PolicyFile, &PolicyRule)| ShadowCount {
            id: rule.id.clone(),
            file: file.name.clone(),
            reason: rule.reason.clone(),
            refused: 0,
            asked: 0,
        };
        let rules = shadow.flat_map(|file| file.rules.iter().map(move |rule| (file, rule)));
        // A permit refuses nothing and asks nobody.
        let policies = rules.filter(|(_, rule)| rule.effect == "forbid").map(count).collect();
        Self { policies, unpermitted: 0, looked_at: 0, since: None, complete: true }
    }

    fn add(&mut self, recorded: &RecordedEvent) {
        self.looked_at += 1;
        self.since = Some(rfc3339(recorded.event.at_ms));
        let Some(one) = ShadowDifference::of(recorded) else { return };
        if one.shadow == "deny" && one.policies.is_empty() {
            self.unpermitted += 1;
        }
        let ids: BTreeSet<&str> = one.policies.iter().filter_map(|policy| policy["id"].as_str()).collect();
        for count in self.policies.iter_mut().filter(|count| ids.contains(count.id.as_str())) {
            match one.shadow.as_str() {
                "deny" => count.refused += 1,
                "approve" => count.asked += 1,
                _ => {}
            }
        }
    }
}

impl ShadowQuery {
    fn after(&self) -> ApiResult<Option<Position>> {
        let Some(cursor) = self.cursor.as_deref() else { return Ok(None) };
        let bad = |_| bad_parameter("cursor", cursor, "a cursor that this list gave out");
        cursor.parse().map(Some).map_err(bad)
    }
}

impl ShadowDifference {
    fn of(recorded: &RecordedEvent) -> Option<Self> {
        let event = &recorded.event;
        let detail: Value = event.detail.as_ref()?.decode().ok()?;
        let shadow = detail.get("shadow")?.as_str()?.to_owned();
        let about = &event.about;
        Some(Self {
            stream: recorded.stream.to_string(),
            number: recorded.number,
            at: rfc3339(event.at_ms),
            call: about.call.as_ref().map(ToString::to_string),
            tool: about.tool.as_ref().map(ToString::to_string),
            principal: event.principal.to_string(),
            session: about.session.as_ref().map(ToString::to_string),
            run: about.run.as_ref().map(ToString::to_string),
            policy_version: event.policy_version.as_ref().map(ToString::to_string),
            decided: event.decision.map(|decision| decision.as_str()),
            shadow,
            policies: detail["shadow_policies"].as_array().cloned().unwrap_or_default(),
        })
    }
}
