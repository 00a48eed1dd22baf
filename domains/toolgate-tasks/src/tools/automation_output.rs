//! An automation as tools show it. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::automation::Automation;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;

#[derive(Serialize, JsonSchema)]
pub(super) struct AutomationOutput {
    id: String,
    name: String,
    task_id: String,
    /// The cause of its starts, by its member on
    trigger: Value,
    /// For a start while the run before has not ended: skip, buffer_one, cancel_other or allow_all
    overlap: &'static str,
    catch_up_seconds: u64,
    jitter_seconds: u64,
    pause_on_failure: bool,
    /// Set while it is paused
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<String>,
    /// The principal whose rights its runs have
    principal: String,
    /// The next instants, if they are known
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<String>,
    created_by: String,
    created_at: String,
    version: u64,
}

impl AutomationOutput {
    pub(super) fn of(automation: &Automation, next_ms: &[i64]) -> Self {
        Self {
            id: automation.id.to_string(),
            name: automation.name.clone(),
            task_id: automation.task.to_string(),
            trigger: RawJson::from_serialize(&automation.trigger).decode().unwrap_or_default(),
            overlap: automation.overlap.as_str(),
            catch_up_seconds: automation.catch_up_seconds,
            jitter_seconds: automation.jitter_seconds,
            pause_on_failure: automation.pause_on_failure,
            paused: automation.paused.clone(),
            principal: automation.principal.to_string(),
            next: next_ms.iter().copied().map(rfc3339).collect(),
            created_by: automation.created_by.to_string(),
            created_at: rfc3339(automation.created_at_ms),
            version: automation.row_version,
        }
    }
}

pub(super) fn ref_of(automation: &Automation) -> ObjectRef {
    ObjectRef::Automation { id: automation.id.clone() }
}
