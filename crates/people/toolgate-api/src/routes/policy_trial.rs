//! A change of policies before it counts: checked, and tried on the calls that were made last.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::event::{EventFilter, EventKind, Position};
use toolgate_core::moment::rfc3339;
use toolgate_registry::PolicyTexts;
use toolgate_store::LedgerOrder;
use utoipa::ToSchema;

use super::answer::json;
use super::past_calls::{JudgeableCall, PastCalls, PastEnd, Unjudged};
use crate::blocking::run_blocking;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;
use crate::{ApiContext, CheckedPolicies, PolicyChange, TrialJudge, TrialVerdict};

/// The maximum number of calls that one trial judges.
const CALLS_MAX: usize = 1_000;
/// Calls whose arguments are in memory at once.
const CALLS_AT_ONCE: usize = 100;
/// The maximum number of changed calls in an answer; all of them are counted.
const CHANGES_MAX: usize = 200;
/// A trial that takes longer answers for the calls so far.
const TIME_US_MAX: i64 = 15_000_000;

/// A change of policies
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyChangeBody {
    /// Permits and forbids, in Cedar, in place of those of the setting `policy`; without it there are none.
    #[serde(default)]
    guard: Option<String>,
    /// Policies whose match asks a person.
    #[serde(default)]
    #[schema(
        example = "@approvers(\"finance\") forbid(principal, action == Action::\"bank:transfer\", resource);"
    )]
    gates: Option<String>,
    /// A guard that is only compared.
    #[serde(default)]
    guard_shadow: Option<String>,
    /// Gates that are only compared.
    #[serde(default)]
    gates_shadow: Option<String>,
    /// Other texts for policy files, by their paths inside the folder. They are tried, and changed in the files.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// Check a change of policies
///
/// Parses it and checks its types against the schemas of the current tools, beside the policies that stay. Nothing changes.
#[utoipa::path(post, path = "/policy/check", tag = "policy", request_body = PolicyChangeBody,
    responses((status = 200, description = "The problems, each with its place and a hint", body = CheckedPolicies)))]
pub(crate) async fn check(
    State(context): State<ApiContext>,
    Json(body): Json<PolicyChangeBody>,
) -> ApiResult<Response> {
    let (checked, _) = body.drafted(&context).await?;
    Ok(json(StatusCode::OK, &checked))
}

/// The effect of a change on past calls
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct PolicyTrialView {
    /// In a sentence.
    #[schema(example = "This change would have refused 14 calls and asked a person about 3.")]
    summary: String,
    /// The number of past calls that were looked at, the latest first, up to a thousand.
    looked_at: usize,
    /// The number that both judged, the policies in force today and the change.
    judged: usize,
    /// Calls that the change would refuse and the policies in force do not.
    refused: usize,
    /// Calls that the change would ask a person about and the policies in force do not.
    asked: usize,
    /// Calls that the change would permit and the policies in force refuse or ask about.
    permitted: usize,
    /// Not judged: the arguments are not kept any more, were too large to keep, or were changed.
    without_arguments: usize,
    /// Not judged: the tool is no longer there.
    without_tool: usize,
    /// Not judged: refused before policy was asked, or without a caller, such as calls that a crash left open.
    not_decided: usize,
    /// Judged with arguments of which some values are redacted.
    redacted: usize,
    /// Judged as an agent without groups, because role and groups of the caller are not known any more.
    supposed_callers: usize,
    /// The end of the earliest call that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// False if the time for one trial ended before all calls were judged.
    complete: bool,
    /// Calls that would be decided otherwise, the latest first, up to 200.
    changes: Vec<ChangedCall>,
    /// Policies that apparently have no effect.
    warnings: Vec<crate::PolicyFault>,
}

/// A past call that a change would decide otherwise
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangedCall {
    #[schema(example = "tc_0198f5c2a4b07c3d8e1f")]
    call: String,
    tool: String,
    principal: String,
    at: String,
    /// The recorded outcome: succeeded, denied, …
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    /// The decision of the policies in force today: permit, approve or deny.
    now: &'static str,
    /// The decision of the change.
    then: &'static str,
    /// The decision of the change, in a sentence.
    summary: String,
    /// The ids of the policies that ask, forbid or fail then.
    because: Vec<String>,
}

/// Try a change of policies on past calls
///
/// Judges up to a thousand calls of the ledger with their recorded arguments, the latest first: by the policies in force today
/// and by the change, both with today's tools. Credentials, grants and filters are not considered. Nothing is called, asked or
/// recorded.
#[utoipa::path(post, path = "/policy/trial", tag = "policy", request_body = PolicyChangeBody,
    responses((status = 200, description = "Counts, and the calls that would be decided otherwise", body = PolicyTrialView),
        (status = 422, description = "It does not compile; `errors` has every problem with its place"),
        (status = 429, description = "Two trials are under way")))]
pub(crate) async fn trial(
    State(context): State<ApiContext>,
    Json(body): Json<PolicyChangeBody>,
) -> ApiResult<Response> {
    let _place = context.0.trials.begin()?;
    let (checked, judge) = body.drafted(&context).await?;
    let Some(judge) = judge else { return Err(uncompiled(&checked)) };
    let mut view = PolicyTrialView { warnings: checked.warnings, ..PolicyTrialView::default() };
    view.run(&context, judge).await?;
    view.summary = view.told();
    Ok(json(StatusCode::OK, &view))
}

fn uncompiled(checked: &CheckedPolicies) -> Box<Problem> {
    let first = checked.errors.first();
    let place = |fault: &crate::PolicyFault| match fault.line {
        Some(line) => format!("{}:{line}: {}", fault.file, fault.message),
        None => format!("{}: {}", fault.file, fault.message),
    };
    let told = first.map(place).unwrap_or_default();
    let hint = first.and_then(|fault| fault.hint.clone()).unwrap_or_default();
    Problem::new(&codes::INVALID_SETTING, format!("the policies do not compile: {told}"))
        .hint(hint)
        .with("errors", serde_json::to_value(&checked.errors).expect("texts and numbers"))
}

impl PolicyChangeBody {
    async fn drafted(
        self,
        context: &ApiContext,
    ) -> ApiResult<(CheckedPolicies, Option<Arc<dyn TrialJudge>>)> {
        let Self { guard, gates, guard_shadow, gates_shadow, files } = self;
        let texts = serde_json::json!({ "guard": guard, "gates": gates, "guard_shadow": guard_shadow,
            "gates_shadow": gates_shadow });
        let change = PolicyChange { texts: PolicyTexts::read(&texts)?, files };
        let policy = context.policy.clone();
        Ok(run_blocking(move || policy.check(&change)).await)
    }
}

impl PolicyTrialView {
    async fn run(&mut self, context: &ApiContext, judge: Arc<dyn TrialJudge>) -> ApiResult<()> {
        let begun_us = context.clock.monotonic_us();
        let mut past = PastCalls::new(context);
        let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..EventFilter::default() };
        let mut after: Option<Position> = None;
        while self.looked_at < CALLS_MAX {
            if context.clock.monotonic_us() - begun_us > TIME_US_MAX {
                return Ok(());
            }
            let wanted = CALLS_AT_ONCE.min(CALLS_MAX - self.looked_at);
            let page =
                context.store.ledger_page(&ends, after.as_ref(), wanted, LedgerOrder::NewestFirst).await?;
            let is_last = page.len() < wanted;
            after = page.last().map(|last| last.position.clone());
            let mut found = Vec::new();
            for end in &page {
                self.looked_at += 1;
                self.since = Some(rfc3339(end.event.at_ms));
                match past.find(&end.event).await? {
                    Ok(call) => found.push(call),
                    Err(why) => self.leave_out(why),
                }
            }
            self.judge(found, &judge).await;
            if is_last {
                break;
            }
        }
        self.complete = true;
        Ok(())
    }

    fn leave_out(&mut self, why: Unjudged) {
        match why {
            Unjudged::NoArguments => self.without_arguments += 1,
            Unjudged::NoTool => self.without_tool += 1,
            Unjudged::NotDecided => self.not_decided += 1,
        }
    }

    async fn judge(&mut self, found: Vec<JudgeableCall>, judge: &Arc<dyn TrialJudge>) {
        self.judged += found.len();
        self.redacted += found.iter().filter(|one| one.is_redacted).count();
        self.supposed_callers += found.iter().filter(|one| one.is_supposed).count();
        let (ends, calls): (Vec<PastEnd>, Vec<_>) = found.into_iter().map(|one| (one.end, one.call)).unzip();
        let judge = Arc::clone(judge);
        let verdicts = run_blocking(move || judge.judge(&calls)).await;
        for (end, verdict) in ends.into_iter().zip(verdicts).filter(|(_, one)| one.now != one.then) {
            self.count(end, verdict);
        }
    }

    fn count(&mut self, end: PastEnd, verdict: TrialVerdict) {
        match verdict.then {
            "deny" => self.refused += 1,
            "approve" => self.asked += 1,
            _ => self.permitted += 1,
        }
        if self.changes.len() < CHANGES_MAX {
            let TrialVerdict { now, then, summary, because } = verdict;
            let PastEnd { call, tool, principal, at_ms, outcome } = end;
            let at = rfc3339(at_ms);
            self.changes.push(ChangedCall {
                call,
                tool,
                principal,
                at,
                outcome,
                now,
                then,
                summary,
                because,
            });
        }
    }

    fn told(&self) -> String {
        let effects = [
            (self.refused, format!("refused {}", several(self.refused))),
            (self.asked, format!("asked a person about {}", several(self.asked))),
            (self.permitted, format!("permitted {}", several(self.permitted))),
        ];
        let effects: Vec<String> =
            effects.into_iter().filter(|(count, _)| *count > 0).map(|(_, told)| told).collect();
        match effects.as_slice() {
            [] => format!("This change would have decided nothing otherwise, of {}.", several(self.judged)),
            [only] => format!("This change would have {only}."),
            [all @ .., last] => format!("This change would have {} and {last}.", all.join(", ")),
        }
    }
}

fn several(calls: usize) -> String {
    if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effect_is_told_in_a_sentence() {
        let told = |refused, asked, permitted| {
            PolicyTrialView { judged: 20, refused, asked, permitted, ..PolicyTrialView::default() }.told()
        };
        assert_eq!(
            told(14, 3, 0),
            "This change would have refused 14 calls and asked a person about 3 calls."
        );
        assert_eq!(told(0, 1, 0), "This change would have asked a person about 1 call.");
        assert_eq!(
            told(1, 2, 3),
            "This change would have refused 1 call, asked a person about 2 calls and permitted 3 calls."
        );
        assert_eq!(told(0, 0, 0), "This change would have decided nothing otherwise, of 20 calls.");
    }
}
