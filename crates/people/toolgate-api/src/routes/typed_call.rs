//! A tool by its own path: the body is its arguments. A tool of the platform answers with its own data and statuses.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use toolgate_core::codes::{self, Retry};
use toolgate_core::port::InputRounds;
use toolgate_core::scope::Credential;
use toolgate_core::{CanonicalName, RawJson};

use super::answer::json;
use super::seat::SeatQuery;
use super::tools::{EnvelopeView, envelope, hold, not_called, trace};
use crate::problem::ApiResult;
use crate::read::{JsonObject, Query};
use crate::{ApiContext, ToolCallRequest};

/// Call a tool by its path
///
/// The body is the object of arguments. The call takes the path of every call; `data` of a tool of the platform is what
/// its own schema says, and its refusals have their own status.
#[utoipa::path(post, path = "/tools/{name}", tag = "tools", request_body = Object,
    params(("name" = String, Path, description = "Canonical name, wire name or alias"), SeatQuery,
        ("prefer" = Option<String>, Header, description = "`respond-async`: do not wait for people"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context")),
    responses((status = 200, description = "The tool ran", body = EnvelopeView),
        (status = 202, description = "It waits for people, or the server continues it as a task", body = EnvelopeView),
        (status = 403, description = "Policy or a person said no", body = EnvelopeView),
        (status = 404, description = "There is no such tool, agent or session, or nothing that the arguments name"),
        (status = 409, description = "It cannot continue", body = EnvelopeView),
        (status = 410, description = "The name is no longer in use"),
        (status = 422, description = "The arguments do not fit the tool", body = EnvelopeView)))]
pub(crate) async fn call(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(name): Path<String>,
    Query(query): Query<SeatQuery>,
    headers: HeaderMap,
    JsonObject(arguments): JsonObject,
) -> ApiResult<Response> {
    let request = ToolCallRequest {
        name: name.clone(),
        arguments: Some(arguments),
        run_id: None,
        task_id: None,
        trace: trace(&headers),
        rounds: InputRounds::Closed,
        listener: None,
    };
    let seat = query.seat(&context, &credential).await?;
    let called = context.caller.call(seat.clone(), request, hold(&headers)).await;
    let answer = called.map_err(|why| not_called(&context, &seat, &name, &why))?;
    let is_platform = is_platform(&context, &answer.tool);
    let (status, view) = envelope(answer);
    let (status, view) = if is_platform { unwrapped(status, view) } else { (status, view) };
    Ok(json(status, &view))
}

fn is_platform(context: &ApiContext, tool: &CanonicalName) -> bool {
    context.platform.iter().any(|one| one.tool.name == *tool)
}

/// The tool's data in place of the result in the form of MCP.
fn unwrapped(status: StatusCode, mut view: EnvelopeView) -> (StatusCode, EnvelopeView) {
    let result: Value = view.data.as_ref().and_then(|data| data.decode().ok()).unwrap_or_default();
    match result.get("structuredContent") {
        Some(data) if data["error"]["code"].is_string() && result["isError"] == true => {
            let code = data["error"]["code"].as_str().and_then(codes::find);
            let own = code.and_then(|code| StatusCode::from_u16(code.status()?).ok());
            view.data = None;
            let mut error = data["error"].clone();
            if let Some(code) = code {
                error["fault"] = json!(code.fault);
                error["retry"] = json!(code.retry == Retry::Yes);
            }
            view.error = Some(error);
            (own.unwrap_or(StatusCode::UNPROCESSABLE_ENTITY), view)
        }
        Some(data) => {
            view.data = Some(RawJson::from(data.clone()));
            (status, view)
        }
        None => (prepared_status(status, &view), view),
    }
}

/// The status of a refusal while the tool looked up what its arguments name.
fn prepared_status(status: StatusCode, view: &EnvelopeView) -> StatusCode {
    let code = view.error.as_ref().and_then(|error| codes::find(error["code"].as_str()?));
    let own = code.and_then(|code| StatusCode::from_u16(code.status()?).ok());
    own.filter(|_| status == StatusCode::UNPROCESSABLE_ENTITY).unwrap_or(status)
}
