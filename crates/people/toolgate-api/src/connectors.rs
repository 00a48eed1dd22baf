//! Connectors, from the view of the API: their health, their last sync, and what to do next.

use serde::Serialize;
use toolgate_core::Refusal;
use toolgate_core::port::BoxFuture;
use utoipa::ToSchema;

/// A connector
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ConnectorView {
    pub provider: String,
    pub connection: String,
    pub server: String,
    /// starting, healthy, degraded or disabled.
    pub health: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The pointer to what was synced.
    pub pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_sync: Option<ConnectorSyncView>,
    /// Requests that the provider still takes, as it said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_remaining: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_resets_at: Option<String>,
    /// Writes whose answer was lost, and that nobody has judged yet.
    pub doubts: usize,
    /// What a person should do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
}

/// The newest sync of a connector
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct ConnectorSyncView {
    /// queued, running, done, partial or failed.
    pub state: &'static str,
    pub run: String,
    /// When it last got on.
    pub at: String,
    /// Records that were read.
    pub records: u64,
    /// The first of what was left out, or was not as before.
    pub problems: Vec<String>,
    pub problem_count: u64,
    /// The reason why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The port to connectors.
pub trait ConnectorPort: Send + Sync {
    /// All of them, in order of their names.
    fn connectors(&self) -> BoxFuture<'_, Result<Vec<ConnectorView>, Refusal>>;
}
