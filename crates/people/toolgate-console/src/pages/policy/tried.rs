//! The answers to a change of policies: its problems, or what it would have changed.

use maud::{Markup, html};
use serde::Deserialize;

use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::ApiProblem;
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct CheckedData {
    errors: Vec<PolicyFaultData>,
    warnings: Vec<PolicyFaultData>,
}

#[derive(Deserialize)]
struct PolicyFaultData {
    file: String,
    #[serde(default)]
    line: Option<u64>,
    #[serde(default)]
    column: Option<u64>,
    message: String,
    #[serde(default)]
    hint: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct TrialData {
    summary: String,
    looked_at: u64,
    judged: u64,
    without_arguments: u64,
    without_tool: u64,
    not_decided: u64,
    redacted: u64,
    supposed_callers: u64,
    #[serde(default)]
    since: Option<String>,
    complete: bool,
    refused: u64,
    asked: u64,
    permitted: u64,
    changes: Vec<ChangedCallData>,
    warnings: Vec<PolicyFaultData>,
}

#[derive(Deserialize)]
struct ChangedCallData {
    call: String,
    tool: String,
    principal: String,
    at: String,
    #[serde(default)]
    outcome: Option<String>,
    now: String,
    then: String,
    summary: String,
}

pub(super) fn checked(checked: &CheckedData) -> Markup {
    if !checked.errors.is_empty() {
        return uncompiled(&checked.errors, &checked.warnings);
    }
    html! {
        section.card #checked role="status" aria-labelledby="checked-title" {
            h2 #checked-title { "The policies compile" }
            p { "They fit the arguments of the current tools. Nothing has changed yet." }
            (warnings(&checked.warnings))
        }
    }
}

/// A refusal; one of a trial has every problem.
pub(super) fn refused(problem: &ApiProblem) -> Markup {
    let errors = problem.more.get("errors").cloned().unwrap_or_default();
    if let Ok(errors) = serde_json::from_value::<Vec<PolicyFaultData>>(errors) {
        return uncompiled(&errors, &[]);
    }
    html! {
        section.card.error role="alert" {
            @if problem.status == 412 {
                h2 { "Changed by someone else" }
                p { "Someone else put policies in force while you had this open: see the versions below. If your text still makes sense, put it in force again." }
            } @else {
                h2 { "Nothing was changed" }
                p { (text::long(&problem.detail)) }
                @if let Some(hint) = problem.hint.as_deref().filter(|hint| !hint.is_empty()) {
                    p.hint { strong { "Hint: " } (text::long(hint)) }
                }
            }
        }
    }
}

fn uncompiled(errors: &[PolicyFaultData], others: &[PolicyFaultData]) -> Markup {
    html! {
        section.card.error #checked role="alert" aria-labelledby="checked-title" {
            h2 #checked-title { "The policies do not compile" }
            (faults(errors))
            (warnings(others))
        }
    }
}

fn warnings(warnings: &[PolicyFaultData]) -> Markup {
    html! { @if !warnings.is_empty() { h3 { "Warnings" } (faults(warnings)) } }
}

fn faults(faults: &[PolicyFaultData]) -> Markup {
    html! {
        ul {
            @for fault in faults {
                li {
                    strong { (text::short(fault.file.trim_start_matches("setting policy."))) @if let Some(line) = fault.line { ", line " (line) }
                        @if let Some(column) = fault.column { ", column " (column) } }
                    ": " (text::long(&fault.message))
                    @if let Some(hint) = &fault.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
                }
            }
        }
    }
}

pub(super) fn trial(visit: &PageVisit, trial: &TrialData) -> Markup {
    html! {
        section.card #trial role="status" aria-labelledby="trial-title" {
            h2 #trial-title { (trial.summary) }
            p { "Of the last " (parts::number(trial.looked_at)) " calls"
                @if let Some(since) = &trial.since { ", since " (ago(visit, since)) }
                ", " (parts::number(trial.judged)) " were judged twice with their recorded arguments: by the policies in force today, and by this change." }
            (left_out(trial))
            (warnings(&trial.warnings))
            @if !trial.changes.is_empty() { (changes(visit, trial)) }
        }
    }
}

/// What the figures do not say.
fn left_out(trial: &TrialData) -> Markup {
    let lines = [
        (
            trial.without_arguments,
            "could not be judged: their arguments are not kept any more, or were too large to keep",
        ),
        (trial.without_tool, "could not be judged: their tool is no longer there"),
        (trial.not_decided, "were refused before policy was asked, or have no caller"),
        (trial.redacted, "were judged with some values redacted"),
        (
            trial.supposed_callers,
            "were judged as an agent without groups: role and groups of the caller are not known any more",
        ),
    ];
    html! {
        @if !trial.complete { p.notice { "The trial ran out of time before it judged all calls." } }
        @if lines.iter().any(|(count, _)| *count > 0) {
            ul.left-out { @for (count, told) in lines.iter().filter(|(count, _)| *count > 0) { li { (parts::number(*count)) " " (told) } } }
        }
    }
}

fn changes(visit: &PageVisit, trial: &TrialData) -> Markup {
    let all = trial.refused + trial.asked + trial.permitted;
    html! {
        h3 { "Calls with a different decision" }
        table.list {
            thead { tr {
                th scope="col" { "Call" } th scope="col" { "Tool" } th scope="col" { "Principal" } th scope="col" { "Today" }
                th scope="col" { "With this change" } th scope="col" { "Because" } th scope="col" { "Ended" } th scope="col" { "When" }
            } }
            tbody {
                @for one in &trial.changes {
                    tr data-entry=(one.call) {
                        td data-name="Call" { (links::id(&one.call)) }
                        td data-name="Tool" { (links::tool(&one.tool)) }
                        td data-name="Principal" { (links::principal(&one.principal)) }
                        td data-name="Today" { (parts::state(&one.now)) }
                        td data-name="With this change" { (parts::state(&one.then)) }
                        td data-name="Because" { (text::long(&one.summary)) }
                        td data-name="Ended" { @if let Some(outcome) = &one.outcome { (parts::state(outcome)) } }
                        td data-name="When" { (ago(visit, &one.at)) }
                    }
                }
            }
        }
        @if all > trial.changes.len() as u64 {
            p.help { "The latest " (trial.changes.len()) " of " (parts::number(all)) "." }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_are_told_with_their_places_and_hostile_text_stays_text() {
        let data: CheckedData = serde_json::from_value(json!({ "warnings": [], "errors": [
            { "file": "setting policy.gates", "line": 3, "column": 7, "message": "<script>alert(1)</script>", "hint": "did you mean `amount`?" }] }))
        .expect("a check");
        let shown = checked(&data).into_string();
        assert!(shown.contains("gates") && shown.contains("line 3") && shown.contains("column 7"), "{shown}");
        assert!(!shown.contains("<script>") && shown.contains("did you mean"), "{shown}");
    }
}
