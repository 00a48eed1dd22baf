//! The reason why each tool is in a session or not.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::decision::ApprovalLikelihood;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, Seat, TokenBudget};
use toolgate_discovery::{CostTally, ScopeExplanation};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::definitions::Warning;
use super::seat::oversees;
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::{Query, limit, word};

const PAGE_USUAL: usize = 1_000;
const PAGE_MAX: usize = 10_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainQuery {
    /// true: only tools that the session sees; false: only those that it does not see
    #[serde(default, rename = "in")]
    #[param(rename = "in", value_type = Option<bool>)]
    is_in: Option<String>,
    /// Only the tools of this server
    #[serde(default)]
    server: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 10000)]
    limit: Option<String>,
}

/// The tools that a session sees, and why
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Explanation {
    session: String,
    agent: String,
    /// full (all tools are listed) or search (pinned tools, and three tools to find the others).
    surface: &'static str,
    /// The number of tokens that its list of tools may cost; beyond it, tools are searched for instead. A
    /// number, or "off".
    #[schema(value_type = Object)]
    token_budget: TokenBudget,
    /// The cost of listing all tools.
    tokens_full: usize,
    /// The cost of the list that is shown.
    tokens_listed: usize,
    /// The number of tools that the session sees.
    tools_in: usize,
    /// The number of tools that it does not see; only for admins, operators and auditors.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_out: Option<usize>,
    /// By canonical name. Agents get only the tools that the session sees.
    tools: Vec<ExplainedTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Rules that match no tool; only for admins, operators and auditors.
    warnings: Vec<Warning>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExplainedTool {
    /// The canonical name.
    #[schema(example = "bank:transfer")]
    tool: String,
    #[serde(rename = "in")]
    is_in: bool,
    /// The deciding rule: capability, blocked, mounts, session, policy or registry; everything if nothing
    /// restricts the tool.
    by: &'static str,
    /// The rule, in words.
    #[schema(example = "capability \"git\" of agent \"writer\": tools `github:*`")]
    reason: String,
    /// The need for approval: never, sometimes or always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    approval: Option<ApprovalLikelihood>,
    /// True if it is listed with its schema regardless of the budget.
    pinned: bool,
}

/// The parsed request.
struct ExplainRequest {
    is_in: Option<bool>,
    server: Option<String>,
    after: Option<String>,
    limit: usize,
    oversees: bool,
}

/// Explain a session
///
/// Says for each tool whether the session sees it, and by which rule.
#[utoipa::path(get, path = "/sessions/{id}/explain", tag = "sessions",
    params(("id" = String, Path, description = "ses_…"), ExplainQuery),
    responses((status = 200, description = "The explanation", body = Explanation),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn explain(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<ExplainQuery>,
) -> ApiResult<Response> {
    let asked = query.read(&credential)?;
    let session = context.sessions.get(&SessionId::new(id), &credential).await?;
    let explanation = run_blocking(move || asked.explain(&context, &session.seat())).await;
    Ok(json(StatusCode::OK, &explanation))
}

impl ExplainQuery {
    fn read(self, credential: &Credential) -> ApiResult<ExplainRequest> {
        let parse = |word: &str| word.parse().ok();
        Ok(ExplainRequest {
            is_in: word("in", self.is_in.as_deref(), &["true", "false"], parse)?,
            limit: limit(self.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?,
            server: self.server,
            after: self.cursor,
            oversees: oversees(credential),
        })
    }
}

impl ExplainRequest {
    fn explain(&self, context: &ApiContext, seat: &Seat) -> Explanation {
        let discovery = &context.discovery;
        let view = discovery.view(seat);
        let CostTally { full, listed } = discovery.tally(&view);
        let mut all = discovery.explain(seat);
        let tools_in = all.iter().filter(|one| one.is_in).count();
        let tools_out = self.oversees.then_some(all.len() - tools_in);
        all.retain(|one| self.wants(one));
        let more = all.len() > self.limit;
        all.truncate(self.limit);
        let unmatched = if self.oversees { discovery.unmatched(&seat.scope) } else { Vec::new() };
        Explanation {
            session: seat.session.to_string(),
            agent: seat.agent.to_string(),
            surface: discovery.surface(&view).as_str(),
            token_budget: seat.scope.token_budget,
            tokens_full: full,
            tokens_listed: listed,
            tools_in,
            tools_out,
            next_cursor: all.last().filter(|_| more).map(|last| last.tool.to_string()),
            tools: all.into_iter().map(ExplainedTool::from).collect(),
            warnings: unmatched.into_iter().map(Warning::from).collect(),
        }
    }

    /// An agent gets only tools that it sees.
    fn wants(&self, one: &ScopeExplanation) -> bool {
        let name = one.tool.as_str();
        let server = name.split_once(':').map_or(name, |(server, _)| server);
        (one.is_in || self.oversees)
            && self.is_in.is_none_or(|is_in| one.is_in == is_in)
            && self.server.as_deref().is_none_or(|wanted| server == wanted)
            && self.after.as_deref().is_none_or(|after| name > after)
    }
}

impl From<ScopeExplanation> for ExplainedTool {
    fn from(explained: ScopeExplanation) -> Self {
        let ScopeExplanation { tool, is_in, by, reason, approval, pinned } = explained;
        Self { tool: tool.to_string(), is_in, by, reason, approval, pinned }
    }
}
