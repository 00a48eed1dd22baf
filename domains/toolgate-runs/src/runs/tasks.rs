//! Definitions of work.

use toolgate_core::id::TaskId;
use toolgate_core::run::Task;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{RunError, StoredTaskVersion, TaskVersion};

use super::Runs;
use crate::checks;
use crate::refusal::{down, refusal};
use crate::view::{NewTask, TaskPage};

impl Runs {
    /// Creates a task, or replaces an existing one. The version before is kept.
    pub async fn put_task(&self, new: NewTask, by: &PrincipalId) -> Result<Task, Refusal> {
        checks::name(&new.name)?;
        checks::description(&new.description)?;
        let act = self.desk.act(by);
        let NewTask { id, name, description, agent, budget, plan, if_version } = new;
        let plan = plan.map(checks::plan).transpose()?;
        if let Some(id) = id {
            let version = if_version.map_or(TaskVersion::Any, TaskVersion::Seen);
            let change = |before| Task { name, description, agent, budget, plan, ..before };
            return self.desk.books.change_task(&id, version, change, act).await.map_err(refusal);
        }
        let task = Task {
            id: TaskId::new(self.desk.clock.fresh_id(TaskId::PREFIX)),
            name,
            description,
            agent,
            budget,
            plan,
            created_by: by.clone(),
            created_at_ms: act.at_ms,
            updated_at_ms: act.at_ms,
            row_version: 1,
        };
        self.desk.books.create_task(&task, act).await.map_err(refusal)?;
        Ok(task)
    }

    pub async fn task(&self, id: &TaskId) -> Result<Task, Refusal> {
        let task = self.desk.store.task(id).await.map_err(|error| down(&error))?;
        task.ok_or_else(|| refusal(RunError::UnknownTask(id.clone())))
    }

    /// One page, newest first. `cursor` is the `next` of the page before.
    pub async fn tasks(&self, cursor: Option<&str>, limit: usize) -> Result<TaskPage, Refusal> {
        let cursor = checks::cursor(cursor)?;
        let (tasks, next) =
            self.desk.store.tasks(cursor.as_ref(), limit).await.map_err(|error| down(&error))?;
        Ok(TaskPage { tasks, next: next.map(|next| next.to_string()) })
    }

    /// The kept versions of a task, newest first: the current one, and those before it.
    pub async fn task_versions(&self, id: &TaskId) -> Result<Vec<StoredTaskVersion>, Refusal> {
        self.task(id).await?;
        self.desk.store.task_versions(id).await.map_err(|error| down(&error))
    }

    /// Its runs stay.
    pub async fn delete_task(&self, id: &TaskId, by: &PrincipalId) -> Result<(), Refusal> {
        self.desk.books.delete_task(id, self.desk.act(by)).await.map_err(refusal)
    }
}
