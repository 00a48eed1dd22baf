//! The receivers of events, from the view of the API: webhooks and the state of deliveries. No secret leaves.

use serde::Serialize;
use toolgate_core::event::EventKind;
use toolgate_core::port::BoxFuture;
use toolgate_store::StoreError;
use utoipa::ToSchema;

/// The port to the configured webhooks.
pub trait WebhookPort: Send + Sync {
    fn webhooks(&self) -> BoxFuture<'static, Result<Vec<OutgoingWebhook>, StoreError>>;

    /// Sends one test message. `None` if there is no such webhook; an error tells why it was not delivered.
    fn test(&self, name: &str) -> BoxFuture<'static, Option<Result<(), String>>>;
}

/// The state of deliveries to one receiver, as seen by this gateway since it started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutgoingWebhook {
    pub name: String,
    /// Scheme and host. The rest may be a secret.
    pub address: String,
    pub events: Vec<EventKind>,
    /// True if people may decide through it.
    pub decisions: bool,
    /// The groups that their decisions count for.
    pub groups: Vec<String>,
    /// Events that are still to be delivered.
    pub waiting: u64,
    pub delivered: u64,
    pub delivered_at_ms: Option<i64>,
    /// The number of failed attempts since the last success.
    pub failures: u64,
    /// Events that it would not have.
    pub passed_over: u64,
    pub last_error: Option<String>,
    pub failed_at_ms: Option<i64>,
}

/// The retention periods of the configuration
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct Retention {
    /// Events of the ledger, in days; absent if they are kept without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_days: Option<u64>,
    /// Arguments and results of calls, in days.
    pub bodies_days: u64,
    /// The same for tools whose audit level is detailed.
    pub detailed_bodies_days: u64,
    /// The largest arguments or result that are kept, in bytes.
    pub body_bytes_max: u64,
    pub detailed_body_bytes_max: u64,
    /// Uploaded files, in days; absent if they are kept until they are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_days: Option<u64>,
    /// Refs, in seconds.
    pub refs_seconds: u64,
    /// Download URLs, in seconds.
    pub urls_seconds: u64,
    /// Upload URLs, in seconds.
    pub upload_urls_seconds: u64,
}
