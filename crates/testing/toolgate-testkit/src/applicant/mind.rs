//! The run as a whole: who applies, which job is next, and when to end.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::attempt::Attempt;
use super::desk::{ApplicantGoal, taken};
use super::memory::{DoneCall, done};
use super::says::{self, BROWSER, JOBS};
use crate::model::{AskedModel, ModelScript, ModelStep};

/// Tools without which nothing can be done.
const NEEDED: [(&str, &str); 4] =
    [(BROWSER, "navigate"), (BROWSER, "click"), (JOBS, "get_pending_jobs"), (JOBS, "record_application")];

/// A script that applies for jobs as its goal says: `Apply for the pending jobs of ada. At most 5 applications.`
pub fn applicant() -> ModelScript {
    Arc::new(next)
}

fn next(asked: &AskedModel) -> ModelStep {
    let calls = done(asked);
    if !asked.may_call {
        return ModelStep::say(&report(&calls));
    }
    let missing = NEEDED.iter().find(|(server, tool)| !asked.offers(&format!("{server}__{tool}")));
    if let Some((server, _)) = missing {
        return ModelStep::complete(&format!("Nothing was done: {server} is away."));
    }
    let goal = ApplicantGoal::read(asked.goal());
    let Some(profile) = answer_of(&calls, "get_user_profile") else {
        return says::jobs("get_user_profile", &json!({ "user": goal.user }));
    };
    work(&goal, &profile, &calls)
}

fn work(goal: &ApplicantGoal, profile: &Value, calls: &[DoneCall<'_>]) -> ModelStep {
    let more = || says::jobs("get_pending_jobs", &json!({ "user": goal.user, "limit": 1 }));
    let Some(at) = calls.iter().rposition(|call| call.tool == "get_pending_jobs") else { return more() };
    let Some(answer) = calls[at].data() else { return more() };
    let Some(job) = taken(&answer) else { return ModelStep::complete(&report(calls)) };
    let attempt = Attempt { goal, profile, job: &job, calls: &calls[at + 1..] };
    match attempt.is_over() {
        true if recorded(calls).len() >= goal.most => ModelStep::complete(&report(calls)),
        true => more(),
        false => attempt.next(),
    }
}

fn answer_of(calls: &[DoneCall<'_>], tool: &str) -> Option<Value> {
    calls.iter().filter(|call| call.tool == tool).find_map(DoneCall::data)
}

/// The statuses that were recorded, in order.
fn recorded<'a>(calls: &[DoneCall<'a>]) -> Vec<&'a str> {
    let told = calls.iter().filter(|call| call.tool == "record_application" && call.went_well());
    told.map(|call| call.argument("status")).collect()
}

/// `2 confirmed, 1 needs_person`
fn report(calls: &[DoneCall<'_>]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for status in recorded(calls) {
        *counts.entry(status).or_default() += 1;
    }
    if counts.is_empty() {
        return "There was no job to apply for.".to_owned();
    }
    let parts: Vec<String> = counts.into_iter().map(|(status, count)| format!("{count} {status}")).collect();
    format!("Applications: {}.", parts.join(", "))
}
