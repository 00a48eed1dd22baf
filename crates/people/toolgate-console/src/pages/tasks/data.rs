//! The API's data about tasks, their versions and their runs.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub(super) struct TaskPageData {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    #[serde(default)]
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) budget: Map<String, Value>,
    #[serde(default)]
    pub(super) goal: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) instructions: Option<String>,
    #[serde(default)]
    pub(super) input: Vec<TaskFileData>,
    #[serde(default)]
    pub(super) outcome_schema: Option<Value>,
    pub(super) created_by: String,
    pub(super) created_at: String,
    pub(super) updated_at: String,
    pub(super) version: u64,
}

#[derive(Deserialize)]
pub(super) struct TaskFileData {
    pub(super) path: String,
    pub(super) file_id: String,
}

#[derive(Default, Deserialize)]
pub(super) struct TaskVersionsData {
    /// Newest first.
    pub(super) versions: Vec<TaskVersionData>,
}

#[derive(Deserialize)]
pub(super) struct TaskVersionData {
    pub(super) version: u64,
    pub(super) by: String,
    pub(super) at: String,
    /// Everything else: the task as it was.
    #[serde(flatten)]
    pub(super) words: Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct TaskRunsData {
    pub(super) runs: Vec<TaskRunData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct TaskRunData {
    pub(super) id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) summary: Option<String>,
    pub(super) principal: String,
    pub(super) created_at: String,
}

#[derive(Deserialize)]
pub(super) struct StartedRunData {
    pub(super) id: String,
}

impl TaskVersionData {
    /// The task as it was, in lines that can be compared.
    pub(super) fn written(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.words).unwrap_or_default();
        text.push('\n');
        text
    }
}
