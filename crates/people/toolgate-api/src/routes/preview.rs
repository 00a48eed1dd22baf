//! The list of tools exactly as an agent is given it.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::RawJson;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, Seat};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::seat::SeatQuery;
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// `nextCursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewQuery {
    /// View as this agent; never more than the token's own agent sees
    #[serde(default)]
    agent: Option<String>,
    /// View as this session of the caller
    #[serde(default)]
    session: Option<String>,
    /// `nextCursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
}

/// The answer to an agent that lists its tools
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PreviewView {
    agent: String,
    session: String,
    /// full (all tools are listed) or search (pinned tools, and three tools to find the others).
    surface: &'static str,
    /// The result of `tools/list`, byte for byte, without tools that a client has found and added to its
    /// list.
    #[schema(value_type = Object)]
    list: RawJson,
}

/// Show the list of tools that an agent gets
#[utoipa::path(get, path = "/tools/preview", tag = "tools", params(PreviewQuery),
    responses((status = 200, description = "The list", body = PreviewView),
        (status = 404, description = "There is no such agent or session")))]
pub(crate) async fn of_tools(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<PreviewQuery>,
) -> ApiResult<Response> {
    let who = SeatQuery { agent: query.agent, session: query.session };
    let seat = who.seat(&context, &credential).await?;
    shown(context, Seat::clone(&seat), query.cursor).await
}

/// Show the list of tools that a session gets
#[utoipa::path(get, path = "/sessions/{id}/preview", tag = "sessions",
    params(("id" = String, Path, description = "ses_…"), PageQuery),
    responses((status = 200, description = "The list", body = PreviewView), (status = 404, description = "Not found")))]
pub(crate) async fn of_session(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Response> {
    let session = context.sessions.get(&SessionId::new(id), &credential).await?;
    shown(context, session.seat(), query.cursor).await
}

async fn shown(context: ApiContext, seat: Seat, cursor: Option<String>) -> ApiResult<Response> {
    let preview = run_blocking(move || -> ApiResult<PreviewView> {
        let view = context.discovery.view(&seat);
        let list = context.discovery.page(&view, &[], cursor.as_deref(), context.limits.page_size);
        let list = list.map_err(|_| {
            bad_parameter("cursor", cursor.as_deref().unwrap_or_default(), "a cursor that this list gave out")
        })?;
        let surface = context.discovery.surface(&view).as_str();
        Ok(PreviewView { agent: seat.agent.to_string(), session: seat.session.to_string(), surface, list })
    });
    Ok(json(StatusCode::OK, &preview.await?))
}
