//! The versions of a task, as they were stored.

use toolgate_core::PrincipalId;
use toolgate_core::id::TaskId;
use toolgate_core::run::{RunBudget, Task, TaskPlan};
use toolgate_core::scope::AgentName;

use super::row::json;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

/// The number of versions of a task that are kept, the current one included.
pub const TASK_VERSIONS_MAX: u64 = 100;

const KEEP: &str = "INSERT INTO task_versions (tenant, task, version, body, made_by, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const DROP_OLD: &str = "DELETE FROM task_versions WHERE tenant = $1 AND task = $2 AND version <= $3";
const FORGET: &str = "DELETE FROM task_versions WHERE tenant = $1 AND task = $2";
const LIST: &str = "SELECT version, body, made_by, created_at_ms FROM task_versions
    WHERE tenant = $1 AND task = $2 ORDER BY version DESC";

/// A task as it was at one version.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct StoredTaskVersion {
    pub version: u64,
    #[serde(flatten)]
    pub words: TaskWords,
    pub by: PrincipalId,
    pub at_ms: i64,
}

/// The part of a task that people change.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TaskWords {
    pub name: String,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    pub budget: RunBudget,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<TaskPlan>,
}

/// Keeps the version that a task has, unless it is kept already.
pub(super) async fn keep(
    tx: &mut Transaction,
    tenant: &'static str,
    task: &Task,
    by: &PrincipalId,
) -> Result<(), sqlx::Error> {
    let words = TaskWords {
        name: task.name.clone(),
        description: task.description.clone(),
        agent: task.agent.clone(),
        budget: task.budget,
        plan: task.plan.clone(),
    };
    let id = without_nul(task.id.as_str());
    let keep = tx.sql(KEEP).bind(tenant).bind(&*id).bind(stored_count(task.row_version));
    let keep = keep.bind(without_nul(&json(&words))).bind(without_nul(by.as_str())).bind(task.updated_at_ms);
    keep.execute().await?;
    let old = task.row_version.saturating_sub(TASK_VERSIONS_MAX);
    tx.sql(DROP_OLD).bind(tenant).bind(id).bind(stored_count(old)).execute().await.map(drop)
}

pub(super) async fn forget(
    tx: &mut Transaction,
    tenant: &'static str,
    task: &TaskId,
) -> Result<(), sqlx::Error> {
    tx.sql(FORGET).bind(tenant).bind(without_nul(task.as_str())).execute().await.map(drop)
}

impl Store {
    /// The kept versions of a task, newest first. A task of an earlier release has none before its next change.
    pub async fn task_versions(&self, id: &TaskId) -> Result<Vec<StoredTaskVersion>, StoreError> {
        const DOING: &str = "list the versions of a task";
        let list = self.db.sql(LIST).bind(self.tenant).bind(without_nul(id.as_str()));
        let rows: Vec<TaskVersionRow> = list.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

row! {
    struct TaskVersionRow {
        version: i64,
        body: String,
        made_by: String,
        created_at_ms: i64,
    }
}

impl TaskVersionRow {
    fn read(self, doing: &'static str) -> Result<StoredTaskVersion, StoreError> {
        Ok(StoredTaskVersion {
            version: read_count(self.version),
            words: serde_json::from_str(&self.body).map_err(|_| unreadable(doing, "version of a task"))?,
            by: PrincipalId::new(&self.made_by),
            at_ms: self.created_at_ms,
        })
    }
}
