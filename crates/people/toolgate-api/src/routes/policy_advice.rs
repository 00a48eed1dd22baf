//! Gates that people always say yes to: they cost people time and stop nothing, and could be narrower.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::moment::rfc3339;
use toolgate_core::{CanonicalName, PrincipalId, PrincipalKind};
use toolgate_store::{APPROVALS_PAGE_MAX, ApprovalFilter};
use utoipa::ToSchema;

use super::answer::json;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::{ApiContext, PolicyFile, PolicyHome, PolicyRule};

/// The latest decisions of each gate that are looked at; all of them must be a yes.
const DECISIONS: usize = 50;
/// Pages of approvals that one request goes through.
const PAGES_MAX: usize = 4;
/// Tools and callers that are named.
const NAMES_MAX: usize = 5;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicyAdviceView {
    /// Gates whose last 50 decisions were all a yes.
    gates: Vec<GateAdvice>,
    /// The number of approvals that were looked at, the latest first, up to 2,000.
    looked_at: usize,
}

/// A gate that could be relaxed
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GateAdvice {
    /// The id of the policy.
    gate: String,
    /// The text that has it, and its line.
    file: String,
    line: usize,
    home: PolicyHome,
    /// The number of decisions, all of them a yes.
    approved: usize,
    /// The time of the first of them.
    since: String,
    /// The tools they were about, up to five.
    tools: Vec<String>,
    /// The callers that asked, up to five.
    principals: Vec<String>,
    /// The change that would stop the asking, in words.
    change: String,
    /// The condition to add to the policy, in Cedar, if one caller made all of the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "unless { principal == Agent::\"helper\" }")]
    condition: Option<String>,
}

/// Suggest gates to relax
///
/// Lists gates in force whose last 50 decisions by people were all a yes. An approval that ran out of time is no yes.
#[utoipa::path(get, path = "/policy/suggestions", tag = "policy",
    responses((status = 200, description = "Gates and the words to change", body = PolicyAdviceView)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let decided = ApprovalFilter { except: Some(ApprovalState::Pending), ..ApprovalFilter::default() };
    let mut records: BTreeMap<String, GateRecord> = BTreeMap::new();
    let (mut cursor, mut looked_at) = (None, 0);
    for _ in 0..PAGES_MAX {
        let (page, next) =
            context.store.list_approvals(&decided, cursor.as_deref(), APPROVALS_PAGE_MAX).await?;
        looked_at += page.len();
        page.iter().for_each(|approval| count(&mut records, approval));
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    let policy = context.policy.clone();
    let in_force = run_blocking(move || policy.in_force()).await;
    let rules = in_force.files.iter().filter(|file| file.set == "gates");
    let rules = rules.flat_map(|file| file.rules.iter().map(move |rule| (file, rule)));
    let gates = rules.filter_map(|(file, rule)| records.get(&rule.id)?.advice(file, rule)).collect();
    Ok(json(StatusCode::OK, &PolicyAdviceView { gates, looked_at }))
}

/// Adds a decision to every gate that asked for it.
fn count(records: &mut BTreeMap<String, GateRecord>, approval: &Approval) {
    let is_yes = match approval.state {
        ApprovalState::Approved | ApprovalState::Used | ApprovalState::Lapsed => true,
        ApprovalState::Denied | ApprovalState::ChangesRequested | ApprovalState::Expired => false,
        // Nobody decided.
        ApprovalState::Pending | ApprovalState::Cancelled => return,
    };
    for gate in &approval.requirement.gates {
        let record = records.entry(gate.id.clone()).or_default();
        if record.decisions == DECISIONS {
            continue;
        }
        record.decisions += 1;
        record.approved += usize::from(is_yes);
        record.since_ms = approval.created_at_ms;
        record.tools.insert(approval.binding.tool.clone());
        record.callers.insert((approval.requester.id.clone(), cedar_type(approval.requester.kind)));
    }
}

/// The latest decisions of one gate.
#[derive(Default)]
struct GateRecord {
    decisions: usize,
    approved: usize,
    since_ms: i64,
    tools: BTreeSet<CanonicalName>,
    /// With their types in Cedar.
    callers: BTreeSet<(PrincipalId, &'static str)>,
}

impl GateRecord {
    fn advice(&self, file: &PolicyFile, rule: &PolicyRule) -> Option<GateAdvice> {
        if self.approved < DECISIONS {
            return None;
        }
        let condition = self.condition().filter(|_| file.home != PolicyHome::BuiltIn);
        Some(GateAdvice {
            gate: rule.id.clone(),
            file: file.name.clone(),
            line: rule.line,
            home: file.home,
            approved: self.approved,
            since: rfc3339(self.since_ms),
            tools: self.tools.iter().take(NAMES_MAX).map(ToString::to_string).collect(),
            principals: self.callers.iter().take(NAMES_MAX).map(|(id, _)| id.to_string()).collect(),
            change: change(file, rule, condition.is_some()),
            condition,
        })
    }

    /// Excepts the only caller.
    fn condition(&self) -> Option<String> {
        let mut callers = self.callers.iter();
        let (Some((id, kind)), None) = (callers.next(), callers.next()) else { return None };
        let id = serde_json::to_string(id.as_str()).ok()?;
        Some(format!("unless {{ principal == {kind}::{id} }}"))
    }
}

fn cedar_type(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::Human => "Human",
        PrincipalKind::Agent => "Agent",
        PrincipalKind::Service => "Service",
    }
}

fn change(file: &PolicyFile, rule: &PolicyRule, has_condition: bool) -> String {
    let place = format!("{}, line {}", file.name, rule.line);
    match (file.home, has_condition) {
        (PolicyHome::BuiltIn, _) => format!(
            "This gate comes with the level of care {}. A grant lets the same call run without asking.",
            rule.level.as_str()
        ),
        (_, true) => {
            format!(
                "In {place}, add the condition before the semicolon: this caller is no longer asked about."
            )
        }
        (_, false) => {
            format!("In {place}, narrow the policy with `unless {{ … }}`, or move it into shadow mode first.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(callers: &[&str]) -> GateRecord {
        let callers =
            callers.iter().map(|id| (PrincipalId::new(id), cedar_type(PrincipalKind::Agent))).collect();
        GateRecord { decisions: DECISIONS, approved: DECISIONS, callers, ..GateRecord::default() }
    }

    #[test]
    fn the_only_caller_is_excepted_and_hostile_names_stay_names() {
        assert_eq!(
            record(&["helper"]).condition().as_deref(),
            Some("unless { principal == Agent::\"helper\" }")
        );
        let hostile = record(&["a\" } || true"]).condition().expect("one caller");
        assert_eq!(hostile, r#"unless { principal == Agent::"a\" } || true" }"#);
        assert_eq!(record(&["a", "b"]).condition(), None);
    }
}
