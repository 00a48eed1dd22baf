//! The API's data about sessions.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct SessionsData {
    pub(super) sessions: Vec<SessionData>,
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SessionData {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) state: String,
    pub(super) agent: String,
    pub(super) agent_version: String,
    pub(super) principal: String,
    pub(super) opened_by: String,
    pub(super) created_at: String,
    pub(super) last_used_at: String,
    pub(super) closed_at: Option<String>,
    pub(super) closed_because: Option<String>,
    pub(super) idle_seconds: i64,
    pub(super) lifetime_seconds: Option<i64>,
    #[serde(default)]
    pub(super) mounts: Value,
    pub(super) policy_template: Option<String>,
    pub(super) task: Option<String>,
    pub(super) run: Option<String>,
    #[serde(default)]
    pub(super) token_budget: Value,
    pub(super) scope: Option<Value>,
}
