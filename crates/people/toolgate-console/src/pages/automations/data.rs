//! The API's data about automations, and their causes in words.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::parts::text;

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

#[derive(Deserialize)]
pub(super) struct FireData {
    pub(super) cause: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) run: Option<String>,
    pub(super) at: String,
}

impl AutomationData {
    /// The cause of its starts, in words.
    pub(super) fn cause(&self) -> String {
        let own = |key: &str| self.trigger[key].as_str().unwrap_or_default();
        match own("on") {
            "cron" => format!("{} ({})", own("pattern"), own("timezone")),
            "interval" => {
                format!("every {} seconds", self.trigger["seconds"].as_u64().unwrap_or_default())
            }
            "once" => "once".to_owned(),
            "event" => format!("after the event {}", own("kind")),
            "webhook" => "for a signed request".to_owned(),
            "pointer" => format!("when files arrive at {}", own("pattern")),
            "run_ended" => "when a run ends".to_owned(),
            "unreadable" => format!("none: this release cannot read it ({})", own("why")),
            other => other.to_owned(),
        }
    }

    pub(super) fn next(&self) -> Markup {
        html! {
            @match (&self.paused, &self.next) {
                (Some(note), _) => { "paused: " (text::short(note)) }
                (None, Some(next)) => (text::short(next)),
                (None, None) => span.soft { "when its cause comes" },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn automation(trigger: Value, paused: Option<&str>) -> AutomationData {
        let data = json!({ "id": "aut_1", "name": "a", "task": "task_1", "trigger": trigger, "overlap": "skip",
            "catch_up_seconds": 3600, "jitter_seconds": 0, "pause_on_failure": false, "paused": paused,
            "principal": "bot", "created_by": "ann", "created_at": "2026-01-01T00:00:00Z" });
        serde_json::from_value(data).expect("an automation")
    }

    #[test]
    fn a_cause_is_said_in_words() {
        let cron = json!({ "on": "cron", "pattern": "0 9 * * *", "timezone": "UTC" });
        assert_eq!(automation(cron, None).cause(), "0 9 * * * (UTC)");
        assert_eq!(automation(json!({ "on": "interval", "seconds": 60 }), None).cause(), "every 60 seconds");
        assert_eq!(automation(json!({ "on": "webhook" }), None).cause(), "for a signed request");
    }

    #[test]
    fn one_that_is_paused_says_why() {
        let paused = automation(json!({ "on": "run_ended" }), Some("too loud")).next().into_string();
        assert!(paused.contains("paused: <bdi>too loud</bdi>"), "{paused}");
    }
}
