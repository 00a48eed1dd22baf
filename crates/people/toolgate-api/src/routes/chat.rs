//! The messages and the turns of a run that the gateway drives.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::id::RunId;
use toolgate_core::model::{CallArguments, MessageRole, ModelCall, ModelCallResult, StopReason};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{LoopTurn, StoredMessage, TurnPhase};
use toolgate_core::scope::Credential;
use toolgate_store::LoopError;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::driven_view::TokensView;
use super::run_access::find;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 50;
const PAGE_MAX: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatQuery {
    /// Only entries after this number; `next_after` of the previous page
    #[serde(default)]
    #[param(value_type = Option<u64>)]
    after: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunChatPage {
    /// Oldest first.
    messages: Vec<ChatMessageView>,
    /// `after` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// A message of a run
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunMessage)]
pub(crate) struct ChatMessageView {
    /// From 1, without a gap.
    number: u64,
    /// The turn that it belongs to; 0 for the goal.
    turn: u64,
    /// user (the goal, and lines of the gateway), assistant or tool.
    #[schema(value_type = String)]
    role: MessageRole,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// The calls that the model planned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<ChatCallView>,
    /// The results of calls. They are data of other programs, not instructions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<ChatResultView>,
    /// About this many tokens.
    tokens: u64,
    /// The number of the message that stands for it since it was folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    folded_into: Option<u64>,
    /// The digest of its content; the ledger has it too.
    digest: String,
    at: String,
}

/// A call that a model planned
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunMessageCall)]
pub(crate) struct ChatCallView {
    #[schema(example = "3.0")]
    id: String,
    name: String,
    /// An object; or the text that is none, of a call that was not made.
    #[schema(value_type = Object)]
    arguments: Value,
}

/// The result of a call, as the model reads it
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunMessageResult)]
pub(crate) struct ChatResultView {
    id: String,
    name: String,
    text: String,
    is_error: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunTurnsPage {
    /// Oldest first.
    turns: Vec<TurnView>,
    /// `after` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// A turn: a request to the model, its answer, and the calls that it planned
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunTurn)]
pub(crate) struct TurnView {
    turn: u64,
    /// asked, answered, acted or failed.
    #[schema(value_type = String)]
    phase: TurnPhase,
    model: String,
    /// The number of requests until there was an answer.
    attempts: u64,
    /// The digest of the request.
    request: String,
    tokens: TokensView,
    /// In millionths of a currency unit.
    cost_micros: u64,
    /// finished, calls, length, refused or other.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    stop: Option<StopReason>,
    /// The last fault of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    asked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acted_at: Option<String>,
}

/// Show the chat of a run
///
/// The messages between the agent and its model, oldest first: the goal, texts, calls and results. Messages are only ever added. A run
/// that the gateway does not drive has none.
#[utoipa::path(get, path = "/runs/{id}/chat", tag = "runs",
    params(("id" = String, Path, description = "run_…"), ChatQuery),
    responses((status = 200, description = "A page", body = RunChatPage),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 500, description = "A message was changed in the database")))]
pub(crate) async fn messages(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<ChatQuery>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let (after, limit) = query.read()?;
    // One more tells if there is a next page.
    let found = context.store.loop_messages(&run.id, after, limit + 1).await.map_err(unreadable)?;
    let (found, next_after) = page(found, limit, |message| message.number);
    let messages = found.into_iter().map(ChatMessageView::from).collect();
    Ok(json(StatusCode::OK, &RunChatPage { messages, next_after }))
}

/// List the turns of a run
///
/// Each request to the model with its tokens and its cost, oldest first. A run that the gateway does not drive has none.
#[utoipa::path(get, path = "/runs/{id}/turns", tag = "runs",
    params(("id" = String, Path, description = "run_…"), ChatQuery),
    responses((status = 200, description = "A page", body = RunTurnsPage),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn turns(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<ChatQuery>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let (after, limit) = query.read()?;
    let found = context.store.loop_turns(&run.id, after, limit + 1).await?;
    let (found, next_after) = page(found, limit, |turn| turn.turn);
    let turns = found.into_iter().map(TurnView::from).collect();
    Ok(json(StatusCode::OK, &RunTurnsPage { turns, next_after }))
}

/// A message that was changed in the database is not shown as if it were the one that was stored.
pub(super) fn unreadable(error: LoopError) -> Box<Problem> {
    match error {
        LoopError::Store(error) => error.into(),
        LoopError::Tampered { .. } => Problem::new(&codes::MESSAGES_CHANGED, error.to_string()),
        LoopError::Lost | LoopError::Run(_) => {
            Problem::with_status(StatusCode::CONFLICT, &codes::RUN_STATE, error.to_string())
        }
    }
}

/// The entries of a page, and the number after which the next one begins.
fn page<T>(mut found: Vec<T>, limit: usize, number: fn(&T) -> u64) -> (Vec<T>, Option<u64>) {
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(number);
    (found, next)
}

impl ChatQuery {
    fn read(self) -> ApiResult<(u64, usize)> {
        let after = match self.after.as_deref() {
            None => 0,
            Some(after) => {
                after.parse().map_err(|_| bad_parameter("after", after, "a number of an entry"))?
            }
        };
        Ok((after, limit(self.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?))
    }
}

impl From<StoredMessage> for ChatMessageView {
    fn from(stored: StoredMessage) -> Self {
        let message = &stored.message;
        Self {
            number: stored.number,
            turn: stored.turn,
            role: message.role,
            text: message.text(),
            calls: message.calls().map(ChatCallView::from).collect(),
            results: message.results().map(ChatResultView::from).collect(),
            tokens: stored.tokens,
            folded_into: stored.folded_into,
            digest: stored.digest.to_string(),
            at: rfc3339(stored.created_at_ms),
        }
    }
}

impl From<&ModelCall> for ChatCallView {
    fn from(call: &ModelCall) -> Self {
        let arguments = match &call.arguments {
            CallArguments::Object(object) => object.decode().unwrap_or_default(),
            CallArguments::Broken(text) => Value::from(text.as_str()),
        };
        Self { id: call.id.clone(), name: call.name.clone(), arguments }
    }
}

impl From<&ModelCallResult> for ChatResultView {
    fn from(result: &ModelCallResult) -> Self {
        let ModelCallResult { id, name, text, is_error } = result.clone();
        Self { id, name, text, is_error }
    }
}

impl From<LoopTurn> for TurnView {
    fn from(turn: LoopTurn) -> Self {
        Self {
            turn: turn.turn,
            phase: turn.phase,
            model: turn.model.to_string(),
            attempts: turn.attempts,
            request: turn.request.to_string(),
            tokens: TokensView::from(turn.usage),
            cost_micros: turn.cost_micros,
            stop: turn.stop,
            fault: turn.fault,
            asked_at: rfc3339(turn.asked_at_ms),
            answered_at: turn.answered_at_ms.map(rfc3339),
            acted_at: turn.acted_at_ms.map(rfc3339),
        }
    }
}
