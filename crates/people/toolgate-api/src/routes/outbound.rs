//! The receivers of events, and the retention: the configuration, and the current state.

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use utoipa::ToSchema;

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::{ApiContext, OutgoingWebhook, Retention};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhooksPage {
    /// In the order of the configuration.
    webhooks: Vec<WebhookView>,
}

/// A receiver of events. Deliveries are counted since this gateway started
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    name: String,
    /// Scheme and host; the rest may be a secret.
    #[schema(example = "https://hooks.example.com")]
    address: String,
    events: Vec<&'static str>,
    /// True if people may decide through it.
    decisions: bool,
    /// The groups that their decisions count for.
    groups: Vec<String>,
    /// The number of events that are still to be delivered.
    waiting: u64,
    delivered: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivered_at: Option<String>,
    /// The number of failed attempts since the last success.
    failures: u64,
    /// The number of events that it refused and that were skipped.
    passed_over: u64,
    /// The reason for the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_at: Option<String>,
}

/// The result of a test
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TestedView {
    delivered: bool,
    /// The reason why it did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// List webhooks
#[utoipa::path(get, path = "/webhooks", tag = "webhooks",
    responses((status = 200, description = "The webhooks", body = WebhooksPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let webhooks = context.outbound.webhooks().await?.into_iter().map(WebhookView::from).collect();
    Ok(json(StatusCode::OK, &WebhooksPage { webhooks }))
}

/// Test a webhook
///
/// Sends one signed message of type `dev.toolgate.webhook.test`, once, and says whether it was accepted.
#[utoipa::path(post, path = "/webhooks/{name}/test", tag = "webhooks",
    params(("name" = String, Path, description = "The webhook's name in the configuration")),
    responses((status = 200, description = "The result of the test", body = TestedView), (status = 404, description = "Not found")))]
pub(crate) async fn test(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let Some(tested) = context.outbound.test(&name).await else {
        return Err(Problem::not_found(format!("there is no webhook {name:?}"))
            .hint("GET /webhooks lists those of the configuration"));
    };
    let view = TestedView { delivered: tested.is_ok(), error: tested.err() };
    Ok(json(StatusCode::OK, &view))
}

/// Show the retention periods
///
/// From the configuration; a change takes effect after a restart.
#[utoipa::path(get, path = "/retention", tag = "settings",
    responses((status = 200, description = "Times and sizes", body = Retention)))]
pub(crate) async fn retention(State(context): State<ApiContext>) -> Response {
    json(StatusCode::OK, &context.retention)
}

impl From<OutgoingWebhook> for WebhookView {
    fn from(webhook: OutgoingWebhook) -> Self {
        Self {
            name: webhook.name,
            address: webhook.address,
            events: webhook.events.iter().map(|kind| kind.as_str()).collect(),
            decisions: webhook.decisions,
            groups: webhook.groups,
            waiting: webhook.waiting,
            delivered: webhook.delivered,
            delivered_at: webhook.delivered_at_ms.map(rfc3339),
            failures: webhook.failures,
            passed_over: webhook.passed_over,
            last_error: webhook.last_error,
            failed_at: webhook.failed_at_ms.map(rfc3339),
        }
    }
}
