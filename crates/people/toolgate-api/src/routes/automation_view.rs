//! The public data of automations and their fires. Times are RFC 3339.

use serde::{Deserialize, Serialize};
use toolgate_core::PrincipalId;
use toolgate_core::automation::{Automation, Fire, FireState, Overlap, Trigger};
use toolgate_core::id::TaskId;
use toolgate_core::moment::rfc3339;
use toolgate_tasks::NewAutomation;
use utoipa::ToSchema;

/// A new automation
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AutomationBody {
    /// Unique among automations.
    #[schema(example = "every-morning")]
    name: String,
    /// The task that it starts.
    #[schema(example = "task_0198f5c2a4b07c3d8e1f")]
    task: String,
    /// The cause of its starts; `on` is cron, interval, once, event, webhook, pointer or run_ended.
    #[schema(value_type = Object, example = json!({ "on": "cron", "pattern": "0 9 * * MON-FRI", "timezone": "Europe/Berlin" }))]
    trigger: Trigger,
    /// For a start while the run before has not ended: skip (the default), buffer_one, cancel_other or allow_all.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    overlap: Overlap,
    /// A start that is late by no more than this still happens, the latest one only; an hour by default.
    #[serde(default)]
    catch_up_seconds: Option<u64>,
    /// Each start is delayed by a part of this, and by at most half of the time to the next instant.
    #[serde(default)]
    jitter_seconds: u64,
    #[serde(default)]
    pause_on_failure: bool,
    /// The principal whose rights its runs have; the caller by default. Only admins name another.
    #[serde(default)]
    principal: Option<String>,
}

impl AutomationBody {
    pub(super) fn read(self) -> NewAutomation {
        let Self { name, task, trigger, overlap, catch_up_seconds, .. } = self;
        NewAutomation {
            name,
            task: TaskId::new(task),
            trigger,
            overlap,
            catch_up_seconds,
            jitter_seconds: self.jitter_seconds,
            pause_on_failure: self.pause_on_failure,
            principal: self.principal.as_deref().map(PrincipalId::new),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AutomationsPage {
    pub(super) automations: Vec<AutomationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// An automation: a rule that starts runs of a task
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Automation)]
pub(crate) struct AutomationView {
    #[schema(example = "aut_0198f5c2a4b07c3d8e1f")]
    id: String,
    name: String,
    task: String,
    #[schema(value_type = Object)]
    trigger: Trigger,
    #[schema(value_type = String)]
    overlap: Overlap,
    catch_up_seconds: u64,
    jitter_seconds: u64,
    pause_on_failure: bool,
    /// The reason, while it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<String>,
    /// The principal whose rights its runs have.
    principal: String,
    /// The next instant, if it is known and it is not paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    created_by: String,
    created_at: String,
    updated_at: String,
    /// The number of the version, from 1.
    version: u64,
}

impl AutomationView {
    pub(super) fn of(automation: Automation, next_ms: Option<i64>) -> Self {
        let next = next_ms.filter(|_| automation.paused.is_none()).map(rfc3339);
        Self {
            id: automation.id.to_string(),
            name: automation.name,
            task: automation.task.to_string(),
            trigger: automation.trigger,
            overlap: automation.overlap,
            catch_up_seconds: automation.catch_up_seconds,
            jitter_seconds: automation.jitter_seconds,
            pause_on_failure: automation.pause_on_failure,
            paused: automation.paused,
            principal: automation.principal.to_string(),
            next,
            created_by: automation.created_by.to_string(),
            created_at: rfc3339(automation.created_at_ms),
            updated_at: rfc3339(automation.updated_at_ms),
            version: automation.row_version,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FiresPage {
    pub(super) fires: Vec<FireView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// One instant or cause of an automation, and what came of it
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fire)]
pub(crate) struct FireView {
    automation: String,
    /// The instant in milliseconds since 1970, the position of an event, or the id of a request or of a run.
    cause: String,
    /// claimed, started, buffered, skipped, missed or failed.
    #[schema(value_type = String)]
    state: FireState,
    /// The reason of a start that did not happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    at: String,
}

impl From<Fire> for FireView {
    fn from(fire: Fire) -> Self {
        Self {
            automation: fire.automation.to_string(),
            cause: fire.cause,
            state: fire.state,
            reason: fire.reason,
            run: fire.run.map(|run| run.to_string()),
            at: rfc3339(fire.at_ms),
        }
    }
}

/// The next instants of an automation
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InstantsView {
    /// Earliest first; none if its starts are not known before.
    pub(super) instants: Vec<String>,
}

/// The reason of a pause
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PauseBody {
    #[serde(default)]
    pub(super) note: Option<String>,
}

/// A span of time whose instants are started now
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackfillBody {
    #[schema(example = "2027-01-01T00:00:00Z")]
    pub(super) from: String,
    /// Exclusive.
    #[schema(example = "2027-01-08T00:00:00Z")]
    pub(super) until: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BackfilledView {
    pub(super) fires: Vec<FireView>,
}
