//! The record of a run beside its state: its label, the manifests of what went in and came out, and its report.

use serde_json::Value;

use crate::Digest;
use crate::id::{AutomationId, SessionId};

/// The words that an agent with a loop of its own gives its run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunLabel {
    /// The kind of work, such as `index_ingest`.
    pub run_type: Option<String>,
    pub name: Option<String>,
    pub config: Option<Value>,
    /// The session in which a tool created it. The session that its calls are made in is another matter.
    pub made_in: Option<SessionId>,
}

impl RunLabel {
    /// The `run_type` of runs that an automation started.
    pub const AUTOMATION: &'static str = "automation";

    /// The label of the run that an automation starts for a cause.
    pub fn of_fire(automation: &AutomationId, cause: &str) -> Self {
        Self {
            run_type: Some(Self::AUTOMATION.to_owned()),
            name: Some(format!("{automation} {cause}")),
            ..Self::default()
        }
    }
}

/// The manifests of a run. Runs of earlier versions, and those without input or output, have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunManifests {
    pub input: Option<Digest>,
    pub output: Option<Digest>,
}

/// The end of a run in the words of its agent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunReport {
    pub result: Option<Value>,
    /// An object with `type`, `message` and `details`.
    pub error: Option<Value>,
}
