//! The API's data about calls.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_core::moment::parse_rfc3339;

#[derive(Default, Deserialize)]
pub(super) struct CallsData {
    pub(super) calls: Vec<CallData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

/// One call, in short.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct CallData {
    pub(super) id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) server: Option<String>,
    pub(super) principal: String,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) run: Option<String>,
    pub(super) started_at: String,
    #[serde(default)]
    pub(super) ended_at: Option<String>,
    #[serde(default)]
    pub(super) duration_ms: Option<f64>,
    #[serde(default)]
    pub(super) decision: Option<String>,
    #[serde(default)]
    pub(super) approval: Option<String>,
    /// What became of the approval that the caller was told to wait for.
    #[serde(default)]
    pub(super) approval_state: Option<String>,
    /// The call that ran under it.
    #[serde(default)]
    pub(super) used_by: Option<String>,
    /// The error message.
    #[serde(default)]
    pub(super) message: Option<String>,
}

/// Everything that the ledger has of one.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RecordedData {
    /// The raw events.
    pub(super) events: Vec<Value>,
    /// By digest.
    #[serde(default)]
    pub(super) bodies: Map<String, Value>,
    /// Digests of bodies that were changed in the database.
    #[serde(default)]
    pub(super) changed: Vec<String>,
    /// True if only the archive has the events.
    #[serde(default)]
    pub(super) archived: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct EventData {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) at_ms: i64,
    #[serde(default)]
    pub(super) principal: String,
    #[serde(default)]
    pub(super) call: Option<String>,
    #[serde(default)]
    pub(super) tool_version: Option<String>,
    #[serde(default)]
    pub(super) policy_version: Option<String>,
    #[serde(default)]
    pub(super) trace: Option<String>,
    #[serde(default)]
    pub(super) approval: Option<String>,
    #[serde(default)]
    pub(super) decision: Option<String>,
    #[serde(default)]
    pub(super) outcome: Option<String>,
    #[serde(default)]
    pub(super) input: Option<String>,
    #[serde(default)]
    pub(super) output: Option<String>,
    #[serde(default)]
    pub(super) meta: Option<String>,
    #[serde(default)]
    pub(super) detail: Value,
}

/// The events of a call.
#[derive(Debug, Default)]
pub(super) struct CallTrail {
    /// In the order of recording.
    pub(super) own: Vec<EventData>,
    /// The events about the same call, which had asked for the approval before.
    pub(super) before: Vec<EventData>,
}

/// The needed parts of an approval.
#[derive(Debug, Deserialize)]
pub(super) struct CallApprovalData {
    /// The call that asked first.
    pub(super) call: String,
    pub(super) state: String,
    pub(super) arguments: Value,
    /// The proposed arguments, if an approver changed them.
    #[serde(default)]
    pub(super) proposed_arguments: Option<Value>,
    #[serde(default)]
    pub(super) used_by: Option<String>,
}

impl RecordedData {
    /// The events of the approval that an earlier call asked for.
    pub(super) fn of_approval(&self) -> Vec<EventData> {
        let told = ["approval.requested", "approval.voted", "approval.escalated", "approval.resolved"];
        self.read().into_iter().filter(|event| told.contains(&event.kind.as_str())).collect()
    }

    /// The readable events.
    pub(super) fn read(&self) -> Vec<EventData> {
        self.events.iter().filter_map(|event| serde_json::from_value(event.clone()).ok()).collect()
    }
}

impl CallData {
    /// A call that only the archive has, as its events tell it.
    pub(super) fn of_events(id: &str, events: &[Value]) -> Self {
        let end = events.iter().rfind(|event| event["kind"] == "tool.call.completed");
        let word = |name: &str| events.iter().find_map(|event| event[name].as_str()).map(str::to_owned);
        let of_end = |name: &str| end.and_then(|end| end[name].as_str()).map(str::to_owned);
        Self {
            id: id.to_owned(),
            state: of_end("outcome").unwrap_or_else(|| "unknown".to_owned()),
            tool: word("tool"),
            server: word("server"),
            principal: word("principal").unwrap_or_default(),
            session: word("session"),
            run: word("run"),
            started_at: word("at").unwrap_or_default(),
            ended_at: of_end("at"),
            duration_ms: end.and_then(|end| end["duration_us"].as_f64()).map(|us| us / 1_000.0),
            decision: word("decision"),
            approval: word("approval"),
            approval_state: None,
            used_by: None,
            message: None,
        }
    }

    /// A call in the database, for somebody who may read it and no list of calls.
    pub(super) fn of_current_events(id: &str, events: &[Value]) -> Self {
        let mut call = Self::of_events(id, events);
        let has = |kind: &str| events.iter().any(|event| event["kind"] == kind);
        if call.ended_at.is_none() && has("tool.call.started") {
            call.state = "dispatched".to_owned();
        } else if call.ended_at.is_none() && (has("approval.requested") || has("approval.joined")) {
            call.state = "awaiting_approval".to_owned();
        }
        call
    }

    pub(super) fn started_ms(&self) -> Option<i64> {
        parse_rfc3339(&self.started_at)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_archived_call_is_what_its_events_tell() {
        let start = json!({ "kind": "tool.call.started", "at": "2026-08-01T12:00:00.000Z", "principal": "ann", "tool": "bank:transfer",
            "decision": "permit" });
        let end = json!({ "kind": "tool.call.completed", "at": "2026-08-01T12:00:01.000Z", "principal": "toolgate", "outcome": "failed",
            "duration_us": 1_500 });
        let call = CallData::of_events("tc_1", &[start.clone(), end]);
        assert_eq!((call.state.as_str(), call.principal.as_str()), ("failed", "ann"));
        assert_eq!((call.tool.as_deref(), call.decision.as_deref()), (Some("bank:transfer"), Some("permit")));
        assert_eq!(
            (call.duration_ms, call.ended_at.as_deref()),
            (Some(1.5), Some("2026-08-01T12:00:01.000Z"))
        );
        let open = CallData::of_events("tc_1", &[start]);
        assert_eq!((open.state.as_str(), open.ended_at), ("unknown", None));
    }

    #[test]
    fn a_call_that_has_not_ended_waits_for_a_person_or_for_its_server() {
        let event =
            |kind: &str| json!({ "kind": kind, "at": "2026-08-01T12:00:00.000Z", "principal": "ann" });
        let state = |events: &[Value]| CallData::of_current_events("tc_1", events).state;
        let (asked, sent) = (event("approval.requested"), event("tool.call.started"));
        assert_eq!(state(std::slice::from_ref(&asked)), "awaiting_approval");
        assert_eq!(state(&[asked.clone(), sent.clone()]), "dispatched");
        let mut end = event("tool.call.completed");
        end["outcome"] = json!("succeeded");
        assert_eq!(state(&[asked, sent, end]), "succeeded");
    }
}
