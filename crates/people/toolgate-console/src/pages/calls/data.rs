//! The API's data about calls.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_core::moment::parse_rfc3339;

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
    pub(super) fn started_ms(&self) -> Option<i64> {
        parse_rfc3339(&self.started_at)
    }
}
