//! The questions about automations, and the answers.

use std::sync::Arc;

use toolgate_core::automation::{Automation, Fire, Overlap, Trigger};
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputFile, RunBudget};
use toolgate_core::scope::{AgentName, Scope};
use toolgate_core::{PrincipalId, Refusal};

/// The catch-up window of an automation that names none.
pub const CATCH_UP_SECONDS_USUAL: u64 = 3_600;

/// The properties of a requested automation.
#[derive(Clone, PartialEq, Debug)]
pub struct NewAutomation {
    pub name: String,
    pub task: TaskId,
    pub trigger: Trigger,
    pub overlap: Overlap,
    /// An hour, if not said.
    pub catch_up_seconds: Option<u64>,
    pub jitter_seconds: u64,
    pub pause_on_failure: bool,
    /// The principal whose rights its runs have: the caller itself, if not said. Whoever offers this to callers checks that they may.
    pub principal: Option<PrincipalId>,
}

/// The instants at which a task is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskSchedule {
    /// Five fields.
    pub cron: String,
    /// An IANA name. UTC, if not said.
    pub timezone: Option<String>,
}

/// The parts of a run that differ from its task.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskStart {
    /// The principal that asks for it, and whose rights it has.
    pub by: PrincipalId,
    /// The task's, if not said.
    pub agent: Option<AgentName>,
    /// Within that of the task and of the parent.
    pub budget: RunBudget,
    /// Files besides those of the plan.
    pub input: Vec<InputFile>,
    pub parent: Option<RunId>,
    /// It has no more rights than this: the view of the session that asks for it.
    pub within: Option<Arc<Scope>>,
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct AutomationPage {
    pub automations: Vec<Automation>,
    pub next: Option<String>,
}

/// Newest first.
#[derive(Clone, PartialEq, Debug)]
pub struct FirePage {
    pub fires: Vec<Fire>,
    pub next: Option<String>,
}

/// A signed request, with its headers as they came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookRequest {
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: String,
    /// `webhook-signature`.
    pub signature: String,
    pub body: Vec<u8>,
}

/// The secrets that sign requests.
pub trait WebhookKeys: Send + Sync {
    /// The secret of this name in the vault.
    fn secret<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, Refusal>>;
}
