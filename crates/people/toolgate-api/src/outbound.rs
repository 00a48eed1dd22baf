//! Whom the gateway tells what happened, as the API sees it: webhooks and how deliveries to them go. No secret leaves.

use serde::Serialize;
use toolgate_core::event::EventKind;
use toolgate_core::port::BoxFuture;
use toolgate_store::StoreError;
use utoipa::ToSchema;

/// Whoever implements it knows the webhooks of the configuration.
pub trait OutboundDesk: Send + Sync {
    fn webhooks(&self) -> BoxFuture<'static, Result<Vec<OutgoingWebhook>, StoreError>>;

    /// Sends one message that says only that it is a test. `None` where there is no such webhook; an error says why it
    /// did not arrive.
    fn test(&self, name: &str) -> BoxFuture<'static, Option<Result<(), String>>>;
}

/// How deliveries to one receiver go, as this gateway has seen it since it started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutgoingWebhook {
    pub name: String,
    /// Scheme and host. What comes after them may be a secret.
    pub address: String,
    pub events: Vec<EventKind>,
    /// Whether people may decide through it.
    pub decisions: bool,
    /// What their decisions count for.
    pub groups: Vec<String>,
    /// Events that are still to be delivered.
    pub waiting: u64,
    pub delivered: u64,
    pub delivered_at_ms: Option<i64>,
    /// Attempts that failed since it last took something.
    pub failures: u64,
    /// Events that it would not have.
    pub passed_over: u64,
    pub last_error: Option<String>,
    pub failed_at_ms: Option<i64>,
}

/// How long things are kept, as the configuration says it
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct Retention {
    /// Arguments and results of calls, in days. The events themselves are kept for ever.
    pub bodies_days: u64,
    /// The same for tools whose audit level is detailed.
    pub detailed_bodies_days: u64,
    /// How large a body may be to be kept, in bytes.
    pub body_bytes_max: u64,
    pub detailed_body_bytes_max: u64,
    /// Uploaded files, in days; absent where they are kept until somebody deletes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_days: Option<u64>,
    /// What was taken out of a result, in seconds.
    pub refs_seconds: u64,
    /// Addresses for downloads, in seconds.
    pub urls_seconds: u64,
    /// Addresses for uploads, in seconds.
    pub upload_urls_seconds: u64,
}
