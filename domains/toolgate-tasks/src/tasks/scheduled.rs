//! A task and the automation beside it, made together.

use toolgate_core::automation::{Automation, Overlap, Trigger};
use toolgate_core::run::Task;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_runs::NewTask;

use super::Tasks;
use crate::checks;
use crate::view::{NewAutomation, TaskSchedule};

const UTC: &str = "UTC";

impl Tasks {
    /// Creates a task and an automation that starts it, whose name is the task's id. Either both are there, or none.
    pub async fn create_scheduled_task(
        &self,
        new: NewTask,
        schedule: TaskSchedule,
        by: &PrincipalId,
    ) -> Result<(Task, Automation), Refusal> {
        let TaskSchedule { cron, timezone } = schedule;
        let timezone = timezone.unwrap_or_else(|| UTC.to_owned());
        let trigger = Trigger::Cron { pattern: cron, timezone };
        // Before anything is stored.
        checks::trigger(&trigger).and_then(|()| self.check_fires(&trigger)).map_err(within_schedule)?;
        let task = self.desk.runs.put_task(new, by).await?;
        let automation = NewAutomation {
            name: task.id.to_string(),
            task: task.id.clone(),
            trigger,
            overlap: Overlap::default(),
            catch_up_seconds: None,
            jitter_seconds: 0,
            pause_on_failure: false,
            principal: Some(by.clone()),
        };
        match self.create_automation(automation, by).await {
            Ok(automation) => Ok((task, automation)),
            Err(refusal) => {
                self.desk.runs.delete_task(&task.id, by).await?;
                Err(refusal)
            }
        }
    }
}

/// Callers know the parts of the trigger by other names.
fn within_schedule(refusal: Refusal) -> Refusal {
    let field = match refusal.field.as_deref() {
        Some("trigger.timezone") => "schedule.timezone",
        _ => "schedule.cron",
    };
    refusal.field(field)
}
