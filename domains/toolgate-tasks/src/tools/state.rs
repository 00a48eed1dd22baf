//! The state of the tools. It is there before the rest of the gateway is, and is connected once that stands.

use std::sync::{Arc, OnceLock};

use toolgate_core::run::RunStarter;
use toolgate_core::{Refusal, codes};
use toolgate_runs::Runs;
use toolgate_store::Store;

use super::ports::{ActionDesk, ForcedCalls, TaskFiles};
use crate::Tasks;

/// The tools of one gateway process. A process that lives as long as one command runs no agents: there it stays unconnected, and its
/// tools say so.
#[derive(Default)]
pub struct TaskTools {
    parts: OnceLock<TaskToolParts>,
}

/// All that the tools work on.
pub struct TaskToolParts {
    pub tasks: Arc<Tasks>,
    pub runs: Arc<Runs>,
    /// For the messages of runs.
    pub store: Store,
    pub starter: Arc<dyn RunStarter>,
    pub forced: Arc<dyn ForcedCalls>,
    pub actions: Arc<dyn ActionDesk>,
    pub files: Arc<dyn TaskFiles>,
}

impl TaskTools {
    /// Connects the tools, once, during assembly.
    pub fn connect(&self, parts: TaskToolParts) {
        drop(self.parts.set(parts));
    }

    /// The tasks and automations, if this process runs them.
    pub fn tasks(&self) -> Result<&Arc<Tasks>, Refusal> {
        Ok(&self.parts()?.tasks)
    }

    pub(super) fn parts(&self) -> Result<&TaskToolParts, Refusal> {
        let none = || Refusal::new(&codes::NOT_DRIVEN_HERE, "this process does not run agents");
        self.parts.get().ok_or_else(none)
    }
}
