//! The cost of showing tools to a model: by server and by tool, and the savings of search.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, Seat, TokenBudget};
use toolgate_discovery::{ServerBill, TokenBill, ToolBill};
use utoipa::ToSchema;

use super::answer::json;
use super::seat::SeatQuery;
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::Query;

/// The cost of a session's tools in tokens
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CostView {
    agent: String,
    session: String,
    /// The tokenizer that counts the tokens.
    #[schema(example = "o200k_base")]
    tokenizer: &'static str,
    /// full (all tools are listed) or search (pinned tools, and three tools to find the others).
    surface: &'static str,
    /// The number of tokens that the list of tools may cost; beyond it, tools are searched for instead. A
    /// number, or "off".
    #[schema(value_type = Object)]
    token_budget: TokenBudget,
    /// The number of visible tools.
    tools: usize,
    /// The cost of listing all tools.
    tokens_full: usize,
    /// The cost of the list that is shown.
    tokens_listed: usize,
    tokens_saved: usize,
    /// Most expensive first.
    servers: Vec<ServerCost>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerCost {
    server: String,
    tokens_full: usize,
    tokens_signature: usize,
    tokens_line: usize,
    /// Most expensive first.
    tools: Vec<ToolCost>,
}

/// The cost of a tool: listed with its schema, as a signature, as one line
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolCost {
    /// The canonical name.
    tool: String,
    tokens_full: usize,
    tokens_signature: usize,
    tokens_line: usize,
}

/// Show the cost of tools in tokens
#[utoipa::path(get, path = "/tools/cost", tag = "tools", params(SeatQuery),
    responses((status = 200, description = "The tokens", body = CostView),
        (status = 404, description = "There is no such agent or session")))]
pub(crate) async fn of_tools(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<SeatQuery>,
) -> ApiResult<Response> {
    let seat = query.seat(&context, &credential).await?;
    Ok(shown(context, Seat::clone(&seat)).await)
}

/// Show the cost of a session's tools in tokens
#[utoipa::path(get, path = "/sessions/{id}/cost", tag = "sessions", params(("id" = String, Path, description = "ses_…")),
    responses((status = 200, description = "The tokens", body = CostView), (status = 404, description = "Not found")))]
pub(crate) async fn of_session(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let session = context.sessions.get(&SessionId::new(id), &credential).await?;
    Ok(shown(context, session.seat()).await)
}

async fn shown(context: ApiContext, seat: Seat) -> Response {
    let counting = move || {
        let bill = context.discovery.bill(&context.discovery.view(&seat));
        CostView::of(&seat, bill)
    };
    json(StatusCode::OK, &run_blocking(counting).await)
}

impl CostView {
    fn of(seat: &Seat, bill: TokenBill) -> Self {
        Self {
            agent: seat.agent.to_string(),
            session: seat.session.to_string(),
            tokenizer: bill.tokenizer,
            surface: bill.surface,
            token_budget: seat.scope.token_budget,
            tools: bill.tools,
            tokens_full: bill.tokens_full,
            tokens_listed: bill.tokens_listed,
            tokens_saved: bill.tokens_saved,
            servers: bill.servers.into_iter().map(ServerCost::from).collect(),
        }
    }
}

impl From<ServerBill> for ServerCost {
    fn from(bill: ServerBill) -> Self {
        Self {
            server: bill.server.to_string(),
            tokens_full: bill.tokens_full,
            tokens_signature: bill.tokens_signature,
            tokens_line: bill.tokens_line,
            tools: bill.tools.into_iter().map(ToolCost::from).collect(),
        }
    }
}

impl From<ToolBill> for ToolCost {
    fn from(bill: ToolBill) -> Self {
        let ToolBill { tool, tokens_full, tokens_signature, tokens_line } = bill;
        Self { tool: tool.to_string(), tokens_full, tokens_signature, tokens_line }
    }
}
