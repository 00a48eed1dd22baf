//! Servers: how each of them does.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::server::{Era, ServerHealth};
use toolgate_store::{Counts, ServerStatus};
use utoipa::ToSchema;

use super::json;
use crate::Context;
use crate::problem::Answered;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServersPage {
    servers: Vec<ServerView>,
}

/// How a server did when the gateway last looked
#[derive(Debug, Serialize, ToSchema)]
struct ServerView {
    name: String,
    /// starting, healthy or degraded.
    #[schema(value_type = String)]
    health: ServerHealth,
    /// Why it is not healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// legacy or modern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    era: Option<Era>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    restarts: u32,
    tools: usize,
    prompts: usize,
    resources: usize,
    updated_at: String,
}

/// List servers, by name
#[utoipa::path(get, path = "/servers", tag = "servers", responses((status = 200, description = "The servers", body = ServersPage)))]
pub(crate) async fn list(State(context): State<Context>) -> Answered<Response> {
    let servers = context.store.read_statuses().await?.into_iter().map(ServerView::from).collect();
    Ok(json(StatusCode::OK, &ServersPage { servers }))
}

impl From<ServerStatus> for ServerView {
    fn from(status: ServerStatus) -> Self {
        let Counts { tools, prompts, resources } = status.counts;
        Self {
            name: status.name.to_string(),
            health: status.state.health,
            reason: status.state.reason,
            era: status.state.era,
            protocol_version: status.state.protocol_version,
            transport: status.state.transport,
            restarts: status.state.restarts,
            tools,
            prompts,
            resources,
            updated_at: rfc3339(status.updated_at_ms),
        }
    }
}
