//! The API's data about automations, and their triggers in words.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::pages::task_names::TaskNames;
use crate::parts::moment::{ClockForm, ago, clock};
use crate::parts::{number, text};
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct AutomationData {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) task: String,
    pub(super) trigger: Value,
    pub(super) overlap: String,
    pub(super) catch_up_seconds: u64,
    pub(super) jitter_seconds: u64,
    pub(super) pause_on_failure: bool,
    #[serde(default)]
    pub(super) paused: Option<String>,
    pub(super) principal: String,
    #[serde(default)]
    pub(super) next: Option<String>,
    pub(super) created_by: String,
    pub(super) created_at: String,
}

/// The next instants, earliest first.
#[derive(Default, Deserialize)]
pub(super) struct InstantsData {
    pub(super) instants: Vec<String>,
}

impl AutomationData {
    /// The cause of its starts, in words.
    pub(super) fn trigger(&self, tasks: &TaskNames) -> Markup {
        let own = |key: &str| self.trigger[key].as_str().unwrap_or_default();
        match own("on") {
            "cron" => html! { (text::short(own("pattern"))) " (" (text::short(own("timezone"))) ")" },
            "interval" => html! { "every " (every(self.trigger["seconds"].as_u64().unwrap_or_default())) },
            "once" => {
                html! { "once" @if let Some(at) = self.trigger["at_ms"].as_i64() { ", at " (clock(at, ClockForm::Full)) } }
            }
            "event" => html! { "after the event " (text::short(own("kind"))) (filters(&self.trigger)) },
            "webhook" => {
                html! { "for a signed request" @if !own("secret").is_empty() { " (secret " (text::short(own("secret"))) ")" } }
            }
            "pointer" => html! { "when files arrive at " (text::short(own("pattern"))) },
            "run_ended" => self.run_ended(tasks),
            "unreadable" => {
                html! { "never: this release cannot read its trigger (" (text::short(own("why"))) ")" }
            }
            other => text::short(other),
        }
    }

    fn run_ended(&self, tasks: &TaskNames) -> Markup {
        let states = self.trigger["states"].as_array().map(Vec::as_slice).unwrap_or_default();
        let states: Vec<&str> = states.iter().filter_map(Value::as_str).collect();
        html! {
            "when a run "
            @if let Some(task) = self.trigger["task"].as_str() { "of " (tasks.link(task)) " " }
            @if states.is_empty() { "ends" } @else { "is " (text::short(&states.join(" or "))) }
        }
    }

    /// True if its starts are known before.
    pub(super) fn is_timed(&self) -> bool {
        matches!(self.trigger["on"].as_str(), Some("cron" | "interval" | "once"))
    }

    pub(super) fn next(&self, visit: &PageVisit) -> Markup {
        html! {
            @match (&self.paused, &self.next) {
                (Some(note), _) => { "paused: " (text::short(note)) }
                (None, Some(next)) => (ago(visit, next)),
                (None, None) if self.is_timed() => span.soft { "not again" },
                (None, None) => span.soft { "when it is triggered" },
            }
        }
    }
}

/// The further conditions of an event.
fn filters(trigger: &Value) -> Markup {
    html! {
        @for name in ["tool", "server", "outcome", "principal"] {
            @if let Some(value) = trigger[name].as_str() { ", " (name) " " (text::short(value)) }
        }
    }
}

/// 5 minutes, 90 seconds, 1 day.
pub(super) fn every(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = UNITS.into_iter().find(|(length, _)| seconds > 0 && seconds.is_multiple_of(*length));
    let (length, name) = unit.unwrap_or((1, "second"));
    let count = seconds / length;
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {name}{ending}", number(count))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(trigger: Value) -> String {
        let data = json!({ "id": "aut_1", "name": "a", "task": "task_1", "trigger": trigger, "overlap": "skip",
            "catch_up_seconds": 3600, "jitter_seconds": 0, "pause_on_failure": false,
            "principal": "bot", "created_by": "ann", "created_at": "2026-01-01T00:00:00Z" });
        let automation: AutomationData = serde_json::from_value(data).expect("an automation");
        let tasks = serde_json::from_value(json!({ "tasks": [{ "id": "task_1", "name": "Tidy up" }] }));
        let shown = automation.trigger(&tasks.expect("tasks")).into_string();
        shown.replace("<bdi>", "").replace("</bdi>", "")
    }

    #[test]
    fn a_trigger_is_said_in_words() {
        let cron = json!({ "on": "cron", "pattern": "0 9 * * *", "timezone": "UTC" });
        assert_eq!(said(cron), "0 9 * * * (UTC)");
        assert_eq!(said(json!({ "on": "interval", "seconds": 300 })), "every 5 minutes");
        assert_eq!(said(json!({ "on": "webhook" })), "for a signed request");
        let once = said(json!({ "on": "once", "at_ms": 0 }));
        assert!(once.starts_with("once, at <time") && once.contains(">1970-01-01 00:00:00<"), "{once}");
        let event = json!({ "on": "event", "kind": "tool.call.completed", "outcome": "failed" });
        assert_eq!(said(event), "after the event tool.call.completed, outcome failed");
    }

    #[test]
    fn a_task_whose_end_starts_another_is_called_by_its_name() {
        let ended = said(json!({ "on": "run_ended", "task": "task_1", "states": ["completed", "partial"] }));
        assert!(ended.starts_with("when a run of <a") && ended.contains("Tidy up"), "{ended}");
        assert!(ended.ends_with("is completed or partial"), "{ended}");
        assert_eq!(said(json!({ "on": "run_ended" })), "when a run ends");
    }

    #[test]
    fn spans_are_told_in_their_largest_whole_unit() {
        assert_eq!(
            [60, 90, 7_200, 86_400, 0].map(every),
            ["1 minute", "90 seconds", "2 hours", "1 day", "0 seconds"]
        );
    }
}
