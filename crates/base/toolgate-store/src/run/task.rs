//! Tasks: definitions of work.

use toolgate_core::PrincipalId;
use toolgate_core::id::TaskId;
use toolgate_core::run::{Task, TaskPlan};

use super::error::RunError;
use super::held::ActionStamp;
use super::row::{json, push_budget, read_agent, read_budget};
use super::{events, task_version};
use crate::books::Books;
use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::{PageQuery, RUN_PAGE_MAX};
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, name, description, agent, budget_calls, budget_seconds, budget_bytes, budget_turns, budget_tokens, \
             budget_cost, created_by, created_at_ms, updated_at_ms, row_version, plan FROM tasks",
            $conditions
        )
    };
}

const SELECT: &str = select!("");
const READ: &str = select!(" WHERE tenant = $1 AND id = $2");
const INSERT: &str =
    "INSERT INTO tasks (tenant, id, name, description, agent, budget_calls, budget_seconds, budget_bytes,
        budget_turns, budget_tokens, budget_cost, created_by, created_at_ms, updated_at_ms, row_version, plan)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
const CHANGE: &str =
    "UPDATE tasks SET name = $3, description = $4, agent = $5, budget_calls = $6, budget_seconds = $7,
        budget_bytes = $8, budget_turns = $9, budget_tokens = $10, budget_cost = $11, updated_at_ms = $12,
        row_version = $13, plan = $14
    WHERE tenant = $1 AND id = $2";
const DELETE: &str = "DELETE FROM tasks WHERE tenant = $1 AND id = $2";

/// The version of a task to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskVersion {
    Any,
    /// The version that the editor has seen.
    Seen(u64),
}

impl Books {
    /// Stores a new task.
    pub async fn create_task(&self, task: &Task, act: ActionStamp<'_>) -> Result<(), RunError> {
        let doing = doing("create a task");
        let mut tx = self.begin().await.map_err(&doing)?;
        let mut insert = tx.sql(INSERT).bind(self.store().tenant).bind(without_nul(task.id.as_str()));
        insert = insert.bind(without_nul(&task.name)).bind(without_nul(&task.description));
        insert = insert.bind(task.agent.as_ref().map(|agent| agent.as_str().to_owned()));
        push_budget(&task.budget, &mut insert);
        insert = insert.bind(without_nul(task.created_by.as_str())).bind(task.created_at_ms);
        insert = insert.bind(task.updated_at_ms).bind(stored_count(task.row_version));
        insert = insert.bind(task.plan.as_ref().map(|plan| without_nul(&json(plan))));
        insert.execute().await.map_err(&doing)?;
        task_version::keep(&mut tx, self.store().tenant, task, act.by).await.map_err(&doing)?;
        self.record(tx, vec![events::task_changed(task, act)]).await.map_err(doing)?;
        Ok(())
    }

    /// Changes a task: `change` gets the current one.
    pub async fn change_task(
        &self,
        id: &TaskId,
        version: TaskVersion,
        change: impl FnOnce(Task) -> Task,
        act: ActionStamp<'_>,
    ) -> Result<Task, RunError> {
        const DOING: &str = "change a task";
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let tenant = self.store().tenant;
        let read = tx.sql_for_update(READ).bind(tenant).bind(without_nul(id.as_str()));
        let row: Option<TaskRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        let before = row.ok_or_else(|| RunError::UnknownTask(id.clone()))?.read(DOING)?;
        let current = before.row_version;
        if let TaskVersion::Seen(seen) = version
            && seen != current
        {
            return Err(RunError::Stale { current });
        }
        // Versions of earlier releases were not kept.
        task_version::keep(&mut tx, tenant, &before, &before.created_by).await.map_err(doing(DOING))?;
        let (created_by, created_at_ms) = (before.created_by.clone(), before.created_at_ms);
        let task = Task {
            id: id.clone(),
            created_by,
            created_at_ms,
            updated_at_ms: act.at_ms,
            row_version: current + 1,
            ..change(before)
        };
        let mut update = tx.sql(CHANGE).bind(tenant).bind(without_nul(id.as_str()));
        update = update.bind(without_nul(&task.name)).bind(without_nul(&task.description));
        update = update.bind(task.agent.as_ref().map(|agent| agent.as_str().to_owned()));
        push_budget(&task.budget, &mut update);
        update = update.bind(task.updated_at_ms).bind(stored_count(task.row_version));
        update = update.bind(task.plan.as_ref().map(|plan| without_nul(&json(plan))));
        update.execute().await.map_err(doing(DOING))?;
        task_version::keep(&mut tx, tenant, &task, act.by).await.map_err(doing(DOING))?;
        self.record(tx, vec![events::task_changed(&task, act)]).await.map_err(doing(DOING))?;
        Ok(task)
    }

    /// Deletes a task and its versions; its runs stay.
    pub async fn delete_task(&self, id: &TaskId, act: ActionStamp<'_>) -> Result<(), RunError> {
        let doing = doing("delete a task");
        let mut tx = self.begin().await.map_err(&doing)?;
        let delete = tx.sql(DELETE).bind(self.store().tenant).bind(without_nul(id.as_str()));
        if delete.execute().await.map_err(&doing)? == 0 {
            return Err(RunError::UnknownTask(id.clone()));
        }
        task_version::forget(&mut tx, self.store().tenant, id).await.map_err(&doing)?;
        self.record(tx, vec![events::task_deleted(id, act)]).await.map_err(doing)?;
        Ok(())
    }
}

impl Store {
    pub async fn task(&self, id: &TaskId) -> Result<Option<Task>, StoreError> {
        const DOING: &str = "read a task";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<TaskRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn tasks(
        &self,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<Task>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the tasks";
        let page = PageQuery::new(cursor, limit, RUN_PAGE_MAX);
        let (rows, more) = page.fetch::<TaskRow>(self, SELECT).await.map_err(doing(DOING))?;
        let tasks: Vec<Task> = rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = tasks.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((tasks, next))
    }
}

row! {
    struct TaskRow {
        id: String,
        name: String,
        description: String,
        agent: Option<String>,
        budget_calls: Option<i64>,
        budget_seconds: Option<i64>,
        budget_bytes: Option<i64>,
        budget_turns: Option<i64>,
        budget_tokens: Option<i64>,
        budget_cost: Option<i64>,
        created_by: String,
        created_at_ms: i64,
        updated_at_ms: i64,
        row_version: i64,
        plan: Option<String>,
    }
}

impl TaskRow {
    fn read(self, doing: &'static str) -> Result<Task, StoreError> {
        Ok(Task {
            id: TaskId::new(self.id),
            name: self.name,
            description: self.description,
            agent: self.agent.as_deref().map(|agent| read_agent(agent, doing)).transpose()?,
            budget: read_budget([
                self.budget_calls,
                self.budget_seconds,
                self.budget_bytes,
                self.budget_turns,
                self.budget_tokens,
                self.budget_cost,
            ]),
            plan: self.plan.map(|plan| read_plan(&plan, doing)).transpose()?,
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            row_version: read_count(self.row_version),
        })
    }
}

fn read_plan(text: &str, doing: &'static str) -> Result<TaskPlan, StoreError> {
    serde_json::from_str(text).map_err(|_| unreadable(doing, "plan of a task"))
}
