//! Checks, explanations and test results as a person reads them.

use std::time::Duration;

use toolgate_core::decision::{ApprovalRequirement, OnTimeout};
use toolgate_core::{Principal, Tool};
use toolgate_policy::{MatchedPolicy, PolicyExplanation, PolicyProblem, PolicyReport, TestOutcome};

use crate::command::shown::{ADMINS_COUNT, indented, needs, several, span};
use crate::output::printable;
use crate::table::clean;

pub(super) fn report(report: &PolicyReport, tools: usize) -> String {
    let mut text = String::new();
    let kinds = [("error", &report.errors), ("warning", &report.warnings)];
    for (kind, problem) in
        kinds.iter().flat_map(|(kind, problems)| problems.iter().map(move |one| (kind, one)))
    {
        text.push_str(&told(kind, problem));
    }
    let against = match tools {
        0 => "no tools".to_owned(),
        tools => several(tools as u64, "tool"),
    };
    let (errors, warnings) = (report.errors.len() as u64, report.warnings.len() as u64);
    let counts = format!("{}, {}", several(errors, "error"), several(warnings, "warning"));
    let verdict = if errors == 0 { "ok" } else { "not ok" };
    text.push_str(&format!("{verdict}: {counts}, checked against {against}\n"));
    text
}

fn told(kind: &str, problem: &PolicyProblem) -> String {
    printable(&format!("{kind}: {problem}\n"))
}

pub(super) fn explanation(told: &PolicyExplanation, principal: &Principal, tool: &Tool) -> String {
    let mut text = printable(&format!("{}\n\n", told.summary));
    for (name, value) in facts(told, principal, tool) {
        text.push_str(&format!("{name:<9} {}\n", clean(&value)));
    }
    let sections = [
        ("guard", lines(&told.guard)),
        ("gates", lines(&told.gates)),
        ("in shadow mode", lines(&told.shadow_policies)),
        ("could not be evaluated", failures(told)),
        ("who must agree", told.requirement.as_ref().map(terms).unwrap_or_default()),
        (
            "with the policies in shadow mode",
            told.shadow.as_ref().map(|one| one.summary.clone()).unwrap_or_default(),
        ),
    ];
    for (title, body) in sections.iter().filter(|(_, body)| !body.is_empty()) {
        text.push_str(&format!("\n{title}\n{}", indented(&printable(body))));
    }
    text
}

fn facts(told: &PolicyExplanation, principal: &Principal, tool: &Tool) -> [(&'static str, String); 4] {
    let groups = match &principal.groups[..] {
        [] => String::new(),
        groups => format!(", in {}", groups.join(" and ")),
    };
    let effects: Vec<&str> = tool.effects.names().collect();
    let effects = if effects.is_empty() { "no effects".to_owned() } else { effects.join(", ") };
    let kind = format!("{}, role {}{groups}", principal.kind.as_str(), principal.role.as_str());
    [
        ("caller", format!("{} ({kind})", principal.id)),
        ("tool", format!("{} ({effects})", tool.name)),
        ("template", told.template.as_str().to_owned()),
        ("policy", told.policy_version.to_string()),
    ]
}

fn lines(policies: &[MatchedPolicy]) -> String {
    policies.iter().map(|policy| format!("{}\n", line(policy))).collect()
}

/// `forbid  no-transfers  guard.cedar:3  the reason`
fn line(policy: &MatchedPolicy) -> String {
    let place = format!("{}:{}", policy.file, policy.line);
    let id = if policy.id == place { String::new() } else { format!("{}  ", clean(&policy.id)) };
    let reason = policy.reason.as_deref().map(|reason| format!("  {}", clean(reason))).unwrap_or_default();
    format!("{}  {id}{}{reason}", policy.effect, clean(&place))
}

fn failures(told: &PolicyExplanation) -> String {
    told.failed
        .iter()
        .map(|failed| format!("{}\n  {}\n", line(&failed.policy), clean(&failed.error)))
        .collect()
}

fn terms(requirement: &ApprovalRequirement) -> String {
    let time = requirement.timeout().map(|timeout| format!("within {}", span(milliseconds(timeout))));
    let then = match requirement.on_timeout {
        OnTimeout::Deny => "otherwise the answer is no",
        OnTimeout::Escalate => "otherwise others are asked as well",
    };
    let editable =
        if requirement.editable { "arguments may be changed" } else { "arguments must stay as they are" };
    let admins = (!requirement.approvers.is_empty()).then(|| ADMINS_COUNT.to_owned());
    let words = [Some(needs(requirement)), admins, time, Some(then.to_owned()), Some(editable.to_owned())];
    words.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Only the failures, and the number of successes.
pub(super) fn tests(outcomes: &[TestOutcome]) -> String {
    let failed: Vec<&TestOutcome> = outcomes.iter().filter(|outcome| !outcome.passed()).collect();
    let mut text: String = failed.iter().map(|outcome| printable(&format!("{outcome}\n"))).collect();
    text.push_str(&format!("{} passed, {} failed\n", outcomes.len() - failed.len(), failed.len()));
    text
}

#[cfg(test)]
mod tests;
