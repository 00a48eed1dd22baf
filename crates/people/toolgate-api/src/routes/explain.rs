//! Why each tool is in a session or not.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::decision::Asking;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, Seat, TokenBudget};
use toolgate_discovery::{Explained, Tally};
use utoipa::{IntoParams, ToSchema};

use super::definitions::Warning;
use super::seat::oversees;
use super::{apart, json};
use crate::Context;
use crate::problem::Answered;
use crate::read::{Query, limit, word};

const PAGE_USUAL: usize = 1_000;
const PAGE_MAX: usize = 10_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainQuery {
    /// true: only tools that are in; false: only those that are out
    #[serde(default, rename = "in")]
    #[param(rename = "in", value_type = Option<bool>)]
    is_in: Option<String>,
    /// Only the tools of this server
    #[serde(default)]
    server: Option<String>,
    /// `next_cursor` of the page before
    #[serde(default)]
    cursor: Option<String>,
    /// Entries on a page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 10000)]
    limit: Option<String>,
}

/// What a session sees, and why
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Explanation {
    session: String,
    agent: String,
    /// full (everything is listed) or search (pinned tools, and three to find the others).
    surface: &'static str,
    /// How many tokens its list may cost before it is searched instead: a number, or "off".
    #[schema(value_type = Object)]
    token_budget: TokenBudget,
    /// What listing everything costs.
    tokens_full: usize,
    /// What the list that is shown costs.
    tokens_listed: usize,
    /// How many tools are in.
    tools_in: usize,
    /// How many are out; told to those who run the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_out: Option<usize>,
    /// By canonical name. Agents are told only of those that are in.
    tools: Vec<ExplainedTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Rules that no tool fits; told to those who run the gateway.
    warnings: Vec<Warning>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExplainedTool {
    /// The canonical name.
    #[schema(example = "bank:transfer")]
    tool: String,
    #[serde(rename = "in")]
    is_in: bool,
    /// What decided: capability, blocked, mounts, session, policy or registry; everything where nothing restricts it.
    by: &'static str,
    /// The rule, in words.
    #[schema(example = "capability \"git\" of agent \"writer\": tools `github:*`")]
    reason: String,
    /// Whether people are asked when it is called: never, sometimes or always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    approval: Option<Asking>,
    /// Whether it is listed with its schema whatever the budget.
    pinned: bool,
}

/// What was asked, read.
struct Asked {
    is_in: Option<bool>,
    server: Option<String>,
    after: Option<String>,
    limit: usize,
    oversees: bool,
}

/// Explain a session
///
/// For each tool whether it is in or out, and by which rule.
#[utoipa::path(get, path = "/sessions/{id}/explain", tag = "sessions",
    params(("id" = String, Path, description = "ses_…"), ExplainQuery),
    responses((status = 200, description = "The explanation", body = Explanation),
        (status = 404, description = "There is none that the caller sees")))]
pub(crate) async fn explain(
    State(context): State<Context>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<ExplainQuery>,
) -> Answered<Response> {
    let asked = query.read(&credential)?;
    let session = context.sessions.get(&SessionId::new(id), &credential).await?;
    let explanation = apart(move || asked.explain(&context, &session.seat())).await;
    Ok(json(StatusCode::OK, &explanation))
}

impl ExplainQuery {
    fn read(self, credential: &Credential) -> Answered<Asked> {
        let parse = |word: &str| word.parse().ok();
        Ok(Asked {
            is_in: word("in", self.is_in.as_deref(), &["true", "false"], parse)?,
            limit: limit(self.limit.as_deref(), PAGE_USUAL, PAGE_MAX)?,
            server: self.server,
            after: self.cursor,
            oversees: oversees(credential),
        })
    }
}

impl Asked {
    fn explain(&self, context: &Context, seat: &Seat) -> Explanation {
        let discovery = &context.discovery;
        let view = discovery.view(seat);
        let Tally { full, listed } = discovery.tally(&view);
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

    /// An agent hears of nothing that it does not see.
    fn wants(&self, one: &Explained) -> bool {
        let name = one.tool.as_str();
        let server = name.split_once(':').map_or(name, |(server, _)| server);
        (one.is_in || self.oversees)
            && self.is_in.is_none_or(|is_in| one.is_in == is_in)
            && self.server.as_deref().is_none_or(|wanted| server == wanted)
            && self.after.as_deref().is_none_or(|after| name > after)
    }
}

impl From<Explained> for ExplainedTool {
    fn from(explained: Explained) -> Self {
        let Explained { tool, is_in, by, reason, approval, pinned } = explained;
        Self { tool: tool.to_string(), is_in, by, reason, approval, pinned }
    }
}
