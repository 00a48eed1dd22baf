//! Tools: the list, and calling one.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_catalog::CatalogEntry;
use toolgate_core::codes;
use toolgate_core::decision::ApprovalLikelihood;
use toolgate_core::event::Outcome;
use toolgate_core::port::InputRounds;
use toolgate_core::scope::{Credential, Seat};
use toolgate_core::{Blame, RawJson};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, CallRefusal, Envelope};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::seat::SeatQuery;
use super::tool_view::{OtherNames, ToolDetail, ToolTokens, ToolView, missing};
use crate::blocking::run_blocking;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit};
use crate::{ApiContext, HoldMode, NotCalled, ToolCallRequest};

const PAGE_USUAL: usize = 100;
const PAGE_MAX: usize = 1_000;
const TRACE: &str = "traceparent";
/// RFC 7240: `respond-async` asks not to be held.
const PREFER: &str = "prefer";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolsQuery {
    /// Only the tools of this server
    #[serde(default)]
    server: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Option<String>,
    /// View as this agent; never more than the token's own agent sees
    #[serde(default)]
    agent: Option<String>,
    /// View as this session of the caller
    #[serde(default)]
    session: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolsPage {
    tools: Vec<ToolView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A call
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCallBody {
    /// Canonical name, wire name or alias.
    #[schema(example = "bank:transfer")]
    name: String,
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    arguments: Option<RawJson>,
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    task_id: Option<String>,
}

/// The result of a call
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvelopeView {
    /// succeeded, tool_error, pending_approval, denied, …
    #[schema(value_type = String, example = "succeeded")]
    pub(super) status: Outcome,
    /// The server's result, byte for byte.
    #[schema(value_type = Option<Object>)]
    pub(super) data: Option<RawJson>,
    /// Refs to parts of the result that were taken out.
    #[schema(value_type = Vec<Object>)]
    pub(super) refs: Vec<RawJson>,
    #[schema(value_type = Vec<Object>)]
    pub(super) warnings: Vec<toolgate_pipeline::CallWarning>,
    #[schema(example = "tc_0198f5c2a4b07c3d8e1f")]
    tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_id: Option<String>,
    /// The error, if there is no result: code, fault, retry, message, hint, and details such as the list of
    /// problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(super) error: Option<Value>,
}

/// List tools, by name
///
/// Lists the tools that the session of the credential sees.
#[utoipa::path(get, path = "/tools", tag = "tools", params(ToolsQuery),
    responses((status = 200, description = "A page", body = ToolsPage),
        (status = 404, description = "There is no such agent or session")))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<ToolsQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?;
    let who = SeatQuery { agent: query.agent, session: query.session };
    let view = context.discovery.view(&*who.seat(&context, &credential).await?);
    let names = OtherNames::in_use(view.snapshot(), context.clock.now_ms());
    let after = query.cursor.as_deref().unwrap_or_default();
    let wanted = |(entry, _): &(&Arc<CatalogEntry>, ApprovalLikelihood)| {
        entry.wire.as_str() > after
            && query.server.as_deref().is_none_or(|server| entry.server.as_str() == server)
    };
    // Sorted by wire name, which is the cursor.
    let shown = view.tools().filter(wanted).take(limit + 1);
    let mut tools: Vec<ToolView> = shown.map(|(entry, asking)| ToolView::of(entry, asking, &names)).collect();
    let more = tools.len() > limit;
    tools.truncate(limit);
    let next_cursor = tools.last().filter(|_| more).map(|last| last.wire_name.clone());
    Ok(json(StatusCode::OK, &ToolsPage { tools, next_cursor }))
}

/// Show a tool
#[utoipa::path(get, path = "/tools/{name}", tag = "tools",
    params(("name" = String, Path, description = "Canonical name, wire name or alias"), SeatQuery),
    responses((status = 200, description = "The tool", body = ToolDetail),
        (status = 404, description = "Not found, or not visible to the session"),
        (status = 409, description = "It is withheld until it is reviewed"),
        (status = 410, description = "The name is no longer in use")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(name): Path<String>,
    Query(query): Query<SeatQuery>,
) -> ApiResult<Response> {
    let seat = query.seat(&context, &credential).await?;
    let view = context.discovery.view(&seat);
    let now_ms = context.clock.now_ms();
    let entry = view.find(&name, now_ms).map(|found| found.entry);
    let entry = entry.ok_or_else(|| missing(&context, &seat, &name))?;
    let asking = view.asking(&entry).expect("what is found is seen");
    let tool = ToolView::of(&entry, asking, &OtherNames::in_use(view.snapshot(), now_ms));
    let asked = entry.tool.as_ref().map(|tool| context.policy.asking(tool)).unwrap_or_default();
    let renamed = view.snapshot().renamed.iter().find(|(name, _)| *name == entry.canonical);
    let renamed = renamed.map(|(_, why)| why.clone());
    let looking = move || {
        let unchecked = entry.tool.as_deref().and_then(toolgate_pipeline::schema::unchecked);
        (context.discovery.bill_of(&view, &entry), unchecked)
    };
    let (bill, unchecked) = run_blocking(looking).await;
    let tokens = bill.map(ToolTokens::from);
    Ok(json(StatusCode::OK, &ToolDetail { tool, renamed, asked, unchecked, tokens }))
}

/// Call a tool
///
/// The call takes the path of every call: validation, policy, approval, execution, ledger. With `prefer:
/// respond-async` it does not wait for people; repeating it attaches to the same approval.
#[utoipa::path(post, path = "/tools/call", tag = "tools", request_body = ToolCallBody,
    params(SeatQuery, ("prefer" = Option<String>, Header, description = "`respond-async`: do not wait for people"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context")),
    responses((status = 200, description = "The tool ran", body = EnvelopeView),
        (status = 202, description = "It waits for people, or the server continues it as a task", body = EnvelopeView),
        (status = 403, description = "Policy or a person said no", body = EnvelopeView),
        (status = 404, description = "There is no such tool, agent or session"),
        (status = 409, description = "It cannot continue: changes requested, expired, cancelled, or the tool is withheld", body = EnvelopeView),
        (status = 410, description = "The name is no longer in use"),
        (status = 422, description = "The arguments do not fit the tool", body = EnvelopeView),
        (status = 502, description = "The server failed", body = EnvelopeView),
        (status = 503, description = "It could not be recorded, or the server is not available; nothing was sent", body = EnvelopeView),
        (status = 504, description = "The server did not answer in time", body = EnvelopeView)))]
pub(crate) async fn call(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<SeatQuery>,
    headers: HeaderMap,
    Json(body): Json<ToolCallBody>,
) -> ApiResult<Response> {
    let request = ToolCallRequest {
        name: body.name.clone(),
        arguments: body.arguments,
        run_id: body.run_id,
        task_id: body.task_id,
        trace: trace(&headers),
        rounds: InputRounds::Closed,
        listener: None,
    };
    let seat = query.seat(&context, &credential).await?;
    let called = context.caller.call(seat.clone(), request, hold(&headers)).await;
    let answer = called.map_err(|why| not_called(&context, &seat, &body.name, &why))?;
    Ok(answered(answer))
}

pub(super) fn trace(headers: &HeaderMap) -> Option<String> {
    headers.get(TRACE).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

pub(super) fn hold(headers: &HeaderMap) -> HoldMode {
    let mut wishes = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let respond_async = |wish: &str| wish.trim().eq_ignore_ascii_case("respond-async");
    if wishes.any(|value| value.split(',').any(respond_async)) {
        HoldMode::NotAtAll
    } else {
        HoldMode::AsConfigured
    }
}

pub(super) fn not_called(context: &ApiContext, seat: &Seat, name: &str, why: &NotCalled) -> Box<Problem> {
    match why {
        NotCalled::UnknownTool => missing(context, seat, name),
        NotCalled::TooMany { limit } => {
            let detail = format!("you already have {limit} calls under way");
            Problem::new(&codes::TOO_MANY_CALLS, detail).hint("repeat the call when others have finished")
        }
        NotCalled::Refused(error) => Problem::new(&codes::CALL_REFUSED, error.message.to_string()),
        NotCalled::ShuttingDown => Problem::new(&codes::SHUTTING_DOWN, "the gateway is shutting down"),
    }
}

fn answered(answer: CallAnswer) -> Response {
    let (status, view) = envelope(answer);
    json(status, &view)
}

/// The whole envelope, and its status.
pub(super) fn envelope(answer: CallAnswer) -> (StatusCode, EnvelopeView) {
    let CallAnswer { envelope, body, .. } = answer;
    let (data, error) = match body {
        CallAnswerBody::Result(result) | CallAnswerBody::Task(result) => (Some(result), None),
        CallAnswerBody::InputRequired { result, .. } => (Some(result), Some(input_required())),
        CallAnswerBody::Error(error) => (None, Some(server_error(&error))),
        CallAnswerBody::Refusal(refusal) => (None, Some(refusal_value(&refusal))),
        CallAnswerBody::Handle(_) => (None, None),
    };
    let status = status_of(&envelope, error.as_ref());
    (status, view(envelope, data, error))
}

fn view(envelope: Envelope, data: Option<RawJson>, error: Option<Value>) -> EnvelopeView {
    EnvelopeView {
        status: envelope.status,
        data,
        refs: envelope.refs,
        warnings: envelope.warnings,
        tool_call_id: envelope.tool_call_id.to_string(),
        approval_id: envelope.approval_id.map(|id| id.to_string()),
        error,
    }
}

fn refusal_value(refusal: &CallRefusal) -> Value {
    serde_json::to_value(refusal).expect("texts serialise")
}

fn server_error(error: &toolgate_core::RpcError) -> Value {
    serde_json::json!({ "code": codes::SERVER_ERROR, "fault": Blame::Server, "retry": false, "message": error.to_string(),
        "hint": "the server answered with an error of its protocol", "details": { "rpc_code": error.code } })
}

fn input_required() -> Value {
    serde_json::json!({ "code": codes::INPUT_REQUIRED, "fault": Blame::Caller, "retry": false,
        "message": "the server asks its client something, which cannot be answered over this API",
        "hint": "call the tool over MCP" })
}

/// The status for programs that know HTTP and nothing of envelopes.
fn status_of(envelope: &Envelope, error: Option<&Value>) -> StatusCode {
    match envelope.status {
        // The same call was sent before, and its result is not available.
        Outcome::Joined if error.is_some() => StatusCode::CONFLICT,
        Outcome::Unknown if is_callers(error) => StatusCode::CONFLICT,
        Outcome::Succeeded | Outcome::ToolError | Outcome::Joined => StatusCode::OK,
        Outcome::Accepted | Outcome::PendingApproval | Outcome::PendingInput => StatusCode::ACCEPTED,
        Outcome::Denied | Outcome::Rejected => StatusCode::FORBIDDEN,
        Outcome::ChangesRequested | Outcome::Expired => StatusCode::CONFLICT,
        Outcome::Cancelled | Outcome::InputRequired => StatusCode::CONFLICT,
        Outcome::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        // The run has ended or is paused, or the like: the gateway is healthy.
        Outcome::Refused if is_callers(error) => StatusCode::CONFLICT,
        Outcome::Refused if is_too_much(error) => StatusCode::TOO_MANY_REQUESTS,
        Outcome::Refused => StatusCode::SERVICE_UNAVAILABLE,
        Outcome::Failed | Outcome::Unknown => failure_status(error),
    }
}

fn is_callers(error: Option<&Value>) -> bool {
    error.is_some_and(|error| error["fault"] == "caller" && error["retry"] == false)
}

/// True if the caller has exhausted a quota that will be available again later.
fn is_too_much(error: Option<&Value>) -> bool {
    error.is_some_and(|error| error["fault"] == "caller" && error["retry"] == true)
}

fn failure_status(error: Option<&Value>) -> StatusCode {
    let member = |name: &str| error.and_then(|error| error.get(name));
    if member("retry") == Some(&Value::Bool(true)) {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    match member("code").and_then(Value::as_str) == Some(codes::SERVER_TIMEOUT.name) {
        true => StatusCode::GATEWAY_TIMEOUT,
        false => StatusCode::BAD_GATEWAY,
    }
}
