//! Connectors, with their last syncs.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::connectors::ConnectorView;
use crate::problem::ApiResult;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorsPage {
    connectors: Vec<ConnectorView>,
}

/// List connectors with their last sync and what to do next
#[utoipa::path(get, path = "/connectors", tag = "servers",
    responses((status = 200, description = "All connectors", body = ConnectorsPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let connectors = context.connectors.connectors().await?;
    Ok(json(StatusCode::OK, &ConnectorsPage { connectors }))
}
