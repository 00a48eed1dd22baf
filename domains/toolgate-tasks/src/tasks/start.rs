//! Runs of a task that somebody asks for.

use toolgate_core::id::{RunId, TaskId};
use toolgate_core::run::RunStart;
use toolgate_core::{Refusal, codes};

use super::Tasks;
use crate::view::TaskStart;

impl Tasks {
    /// Starts a run of a task that has a plan.
    pub async fn start_run(&self, id: &TaskId, start: TaskStart) -> Result<RunId, Refusal> {
        let task = self.desk.runs.task(id).await?;
        let plan = task.plan.ok_or_else(|| {
            let message = format!("task {id} has no goal: the gateway does not know what its agent shall do");
            Refusal::new(&codes::TASK_WITHOUT_PLAN, message)
        })?;
        let TaskStart { by, agent, budget, input, parent, within } = start;
        let task = Some(id.clone());
        let (automation, cause) = (None, None);
        let start = RunStart { task, plan, agent, budget, input, parent, within, by, automation, cause };
        self.desk.starter.start(start).await
    }
}
