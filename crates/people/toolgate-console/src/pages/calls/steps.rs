//! The path of a call, step by step, with the time between the steps.

use maud::{Markup, html};
use serde_json::Value;
use toolgate_core::moment::rfc3339;

use super::data::{CallData, CallTrail, EventData, RecordedData};
use super::outcome;
use crate::address::PageAddress;
use crate::parts::moment::{ClockForm, clock, left, span};
use crate::parts::{BadgeTone, allowed, links, number, text};
use crate::visit::PageVisit;

/// One step.
struct CallStep {
    at_ms: i64,
    name: &'static str,
    tone: BadgeTone,
    told: Markup,
}

pub(super) fn timeline(visit: &PageVisit, call: &CallData, way: &CallTrail) -> Markup {
    let steps = steps(visit, call, way);
    let mut before: Option<i64> = None;
    html! {
        ol.timeline {
            @for step in &steps {
                @let gap = before.replace(step.at_ms).map(|before| step.at_ms - before);
                li data-tone=(tone_word(step.tone)) {
                    div.row {
                        strong { (step.name) }
                        span.when { (clock(step.at_ms, ClockForm::Precise)) @if let Some(gap) = gap.filter(|gap| *gap > 0) { " · " (span(gap)) " later" } }
                    }
                    (step.told)
                }
            }
            @if call.ended_at.is_none() && call.state != "abandoned" {
                li data-tone="waiting" { strong { "…" } " " span.soft { (outcome::sentence(call)) } }
            }
        }
    }
}

fn tone_word(tone: BadgeTone) -> &'static str {
    match tone {
        BadgeTone::Plain => "plain",
        BadgeTone::Good => "good",
        BadgeTone::Waiting => "waiting",
        BadgeTone::Bad => "bad",
    }
}

fn steps(visit: &PageVisit, call: &CallData, way: &CallTrail) -> Vec<CallStep> {
    let own = own_steps(visit, call, &way.own);
    let mut before = way.before.iter().filter_map(|event| step(visit, call, event)).peekable();
    let mut steps = Vec::new();
    for step in own {
        while let Some(earlier) = before.next_if(|earlier| earlier.at_ms <= step.at_ms) {
            steps.push(earlier);
        }
        steps.push(step);
    }
    steps.extend(before);
    let mut decided = steps.iter_mut().filter(|step| step.name == "Decided");
    decided.next();
    decided.for_each(|again| again.name = "Decided again");
    steps
}

fn own_steps(visit: &PageVisit, call: &CallData, events: &[EventData]) -> Vec<CallStep> {
    let first_ms = events.first().map_or(0, |event| event.at_ms);
    let received_ms = call.started_ms().unwrap_or(first_ms).min(first_ms);
    let told = html! { p { "From " (allowed::principal(visit, &call.principal)) "." } };
    let mut steps = vec![CallStep { at_ms: received_ms, name: "Received", tone: BadgeTone::Plain, told }];
    if let Some(judged) = events.iter().find(|event| event.decision.is_some()) {
        let told = html! { p.soft { "The arguments match the tool's schema." } };
        steps.push(CallStep { at_ms: judged.at_ms, name: "Validated", tone: BadgeTone::Good, told });
    }
    for event in events {
        steps.extend(permitted(visit, event));
        steps.extend(step(visit, call, event));
    }
    steps
}

/// The decision on a call that policy simply permits is in the event that follows it.
fn permitted(visit: &PageVisit, event: &EventData) -> Option<CallStep> {
    let is_told = event.kind != "policy.decided" && event.decision.is_some();
    is_told.then(|| CallStep {
        at_ms: event.at_ms,
        name: "Decided",
        tone: decision_tone(event),
        told: decided(visit, event),
    })
}

fn step(visit: &PageVisit, call: &CallData, event: &EventData) -> Option<CallStep> {
    let detail = &event.detail;
    let (name, tone, told) = match event.kind.as_str() {
        "policy.decided" => ("Decided", decision_tone(event), decided(visit, event)),
        "approval.requested" => ("Asked", BadgeTone::Waiting, asked(visit, call, event)),
        "approval.joined" => ("Joined", BadgeTone::Waiting, joined(event)),
        "approval.voted" => {
            ("Voted", vote_tone(detail), voted(event, allowed::principal(visit, &event.principal)))
        }
        "approval.escalated" => ("Escalated", BadgeTone::Waiting, escalated(detail)),
        "approval.resolved" => ("Resolved", BadgeTone::of(word(detail, "state")), resolved(detail)),
        "approval.consumed" => {
            ("Approval used", BadgeTone::Good, html! { p.soft { "The approval covers only this call." } })
        }
        "grant.used" => ("Grant used", BadgeTone::Good, grant(detail)),
        "grant.created" => ("Grant given", BadgeTone::Good, grant(detail)),
        "tool.call.started" => ("Sent", BadgeTone::Good, sent(visit, detail)),
        "tool.call.paused" => {
            ("Waits for its client", BadgeTone::Waiting, html! { p.soft { "The server asked a question." } })
        }
        "tool.call.resumed" => ("Continued", BadgeTone::Good, html! { p.soft { "The client answered." } }),
        "tool.call.completed" => ended(event),
        "input.requested" => ("Asked a person", BadgeTone::Waiting, html! {}),
        "input.resolved" => ("Answered", BadgeTone::Good, html! {}),
        _ => return None,
    };
    Some(CallStep { at_ms: event.at_ms, name, tone, told })
}

fn word<'a>(detail: &'a Value, name: &str) -> &'a str {
    detail[name].as_str().unwrap_or_default()
}

fn decision_tone(event: &EventData) -> BadgeTone {
    BadgeTone::of(event.decision.as_deref().unwrap_or_default())
}

fn decided(visit: &PageVisit, event: &EventData) -> Markup {
    let detail = &event.detail;
    let said = event.decision.as_deref().unwrap_or_default();
    let policies = match said {
        "approve" => &detail["requirement"]["gates"],
        _ => &detail["denial"]["policies"],
    };
    html! {
        p { "Policy decided: " (outcome::decision(said))
            @if let Some(template) = detail["template"].as_str() { ", at level of care " code { (text::short(template)) } }
            "." }
        (self::policies(policies))
        @if let Some(error) = detail["denial"]["error"].as_str() { p.error { "A policy could not be evaluated, so the call is denied: " (text::long(error)) } }
        @if let Some(shadow) = detail["shadow"].as_str() {
            p.notice { "Policies in shadow mode would have decided: " (outcome::decision(shadow)) ". " @if visit.audits() { a href="/console/policy" { "See what differs" } } }
        }
    }
}

fn policies(policies: &Value) -> Markup {
    html! {
        @if let Some(policies) = policies.as_array().filter(|policies| !policies.is_empty()) {
            ul {
                @for policy in policies {
                    li { code { (text::short(word(policy, "id"))) } @if let Some(reason) = policy["reason"].as_str() { " " (text::long(reason)) } }
                }
            }
        }
    }
}

fn asked(visit: &PageVisit, call: &CallData, event: &EventData) -> Markup {
    let detail = &event.detail;
    let before = event.call.as_deref().filter(|other| *other != call.id);
    html! {
        p { (people(detail)) @if let Some(approval) = &event.approval { " · " (links::id(approval)) } }
        @if let Some(before) = before { p.soft { "The same call had asked for approval before, as " (links::brief(before)) "." } }
        @if let Some(until) = detail["expires_at_ms"].as_i64() { p.soft { "Time to decide: " (left(visit, &rfc3339(until))) "." } }
    }
}

/// The required people.
fn people(detail: &Value) -> Markup {
    let quorum = detail["quorum"].as_u64().unwrap_or(1);
    let groups = detail["approvers"].as_array().into_iter().flatten();
    let groups = groups.map(|group| match group {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        other => other.as_str().unwrap_or_default().to_owned(),
    });
    let groups: Vec<String> = groups.filter(|group| !group.is_empty()).collect();
    html! {
        @if quorum == 1 { "One person must approve" } @else { (number(quorum)) " people must approve" }
        @if !groups.is_empty() { ": " (text::long(&groups.join(", and "))) }
    }
}

fn joined(event: &EventData) -> Markup {
    let said = match word(&event.detail, "state") {
        "approved" => "The same call was approved before; this call uses that approval.",
        _ => "The same call already waits for approval; this call waits with it.",
    };
    html! { p { (said) @if let Some(approval) = &event.approval { " " (links::brief(approval)) } } }
}

fn vote_tone(detail: &Value) -> BadgeTone {
    match word(detail, "ballot") {
        "approve" | "edit" => BadgeTone::Good,
        "deny" => BadgeTone::Bad,
        _ => BadgeTone::Waiting,
    }
}

fn voted(event: &EventData, who: Markup) -> Markup {
    let detail = &event.detail;
    let ballot = match word(detail, "ballot") {
        "approve" => "approved",
        "edit" => "changed the arguments and approved",
        "deny" => "denied",
        "request_changes" => "asked for changes",
        other => other,
    };
    html! {
        p { (who) " " (text::short(ballot))
            @if let Some(via) = detail["via"].as_str() { span.soft { " through " (text::short(via)) } } }
        @if let Some(reason) = detail["reason"].as_str().filter(|reason| !reason.is_empty()) { blockquote { (text::long(reason)) } }
    }
}

fn escalated(detail: &Value) -> Markup {
    let to = detail["to"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    html! { p { "No one decided in time, so others are asked too: " (text::long(&to)) } }
}

fn resolved(detail: &Value) -> Markup {
    html! { p { (crate::parts::state(word(detail, "state"))) } }
}

fn grant(detail: &Value) -> Markup {
    html! { p { a href="/console/grants" { code { (text::short(word(detail, "grant"))) } } } }
}

fn sent(visit: &PageVisit, detail: &Value) -> Markup {
    let files = detail["files"].as_array();
    let credentials = detail["credentials"].as_array();
    html! {
        @if let Some(credentials) = credentials.filter(|credentials| !credentials.is_empty()) {
            p { "The server received the values of:" }
            ul { @for one in credentials { li { (text::short(word(one, "name"))) " for " (text::short(word(one, "origin"))) " " code.id { (text::short(word(one, "handle"))) } } } }
        }
        @if let Some(files) = files.filter(|files| !files.is_empty()) {
            p { "The server received the content of:" }
            ul { @for file in files { li { (allowed::id(visit, word(file, "id"))) @if let Some(size) = file["size"].as_u64() { " " span.soft { (crate::parts::size(size)) } } } } }
        }
    }
}

fn ended(event: &EventData) -> (&'static str, BadgeTone, Markup) {
    let state = event.outcome.as_deref().unwrap_or("unknown");
    let name = match state {
        "succeeded" | "tool_error" | "accepted" | "joined" => "Answered",
        "pending_approval" | "pending_input" => "Told to wait",
        "invalid" => "Refused by its schema",
        _ => "Ended",
    };
    (name, outcome::tone(state), end(event, state))
}

fn end(event: &EventData, state: &str) -> Markup {
    let detail = &event.detail;
    let message = detail["message"].as_str().or(detail["error"]["message"].as_str());
    html! {
        p { (outcome::badge_of(state)) " " span.soft { (outcome::sentence_of(state)) } }
        @if let Some(message) = message { pre.block tabindex="0" { (text::long(message)) } }
        @if detail["cached"].as_bool() == Some(true) { p.soft { "The gateway answered with the cached result of the same call." } }
        @if detail["swept"].as_bool() == Some(true) { p.soft { "The gateway found it unfinished after a restart." } }
    }
}

/// The division of time: the gateway itself, people, the server.
pub(super) fn spent(call: &CallData, events: &[EventData]) -> Markup {
    let Some(total) = call.duration_ms.map(|ms| ms.round() as i64).filter(|total| *total > 0) else {
        return html! {};
    };
    let at = |kind: &str| events.iter().find(|event| event.kind == kind).map(|event| event.at_ms);
    let begun = at("tool.call.started").or(at("tool.call.resumed"));
    let ended = at("tool.call.completed");
    let waits = |event: &&EventData| match event.kind.as_str() {
        "approval.requested" => true,
        "approval.joined" => word(&event.detail, "state") == "pending",
        _ => false,
    };
    let asked = events.iter().find(waits).map(|event| event.at_ms);
    let people = between(asked, begun.or(ended)).min(total);
    let server = between(begun, ended).min(total - people);
    let parts = [
        ("gateway", "soft", total - people - server),
        ("people", "wait", people),
        ("server", "accent", server),
    ];
    html! {
        svg.chart.spent viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="Where the time went" {
            @for (class, left, width) in pieces(&parts, total) { rect class=(class) x=(left) y="0" width=(width) height="24" {} }
        }
        ul.chips.help {
            @for (name, class, ms) in parts.iter().filter(|part| part.2 > 0) {
                li {
                    svg.sample viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" { rect class=(class) width="14" height="14" {} }
                    " " (span(*ms)) " " (name)
                }
            }
        }
    }
}

fn between(from: Option<i64>, to: Option<i64>) -> i64 {
    from.zip(to).map_or(0, |(from, to)| (to - from).max(0))
}

/// Class, place and width of each part, of a thousand.
fn pieces(parts: &[(&str, &'static str, i64)], total: i64) -> Vec<(&'static str, i64, i64)> {
    let mut left = 0;
    let mut pieces = Vec::new();
    for (_, class, ms) in parts {
        let width = ms * 1_000 / total;
        pieces.push((*class, left, width));
        left += width;
    }
    pieces
}

/// Links to related pages.
pub(super) fn around(call: &CallData, recorded: &RecordedData) -> Markup {
    let source = recorded.archived.then_some("archive");
    let all = PageAddress::of(["console", "ledger"]).with("call", &call.id).maybe("source", source);
    html! { p.help { a href=(all) { "Its events in the ledger" } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, at_ms: i64) -> EventData {
        EventData { kind: kind.into(), at_ms, ..EventData::default() }
    }

    #[test]
    fn time_is_divided_among_gateway_people_and_server() {
        let call = CallData { duration_ms: Some(1_000.0), ..CallData::default() };
        let events = [
            event("policy.decided", 100),
            event("approval.requested", 100),
            event("tool.call.started", 700),
            event("tool.call.completed", 1_000),
        ];
        let shown = spent(&call, &events).into_string();
        for part in ["600 ms people", "300 ms server", "100 ms gateway"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }

    #[test]
    fn what_people_wrote_stays_text() {
        let told = EventData {
            detail: serde_json::json!({ "ballot": "deny", "reason": "<img src=x>\u{202e}" }),
            ..event("approval.voted", 1)
        };
        let shown = voted(&told, text::short("ann")).into_string();
        assert!(
            shown.contains("denied") && shown.contains("&lt;img") && shown.contains("⟨U+202E⟩"),
            "{shown}"
        );
    }
}
