//! Searching for tools in words, as agents do with `search_tools`: the same ranking, the same answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::scope::{Credential, Seat};
use toolgate_discovery::{HITS_MAX, RankedTool, SearchMatches, SearchRequest};
use toolgate_search::{AnswerBudget, DetailLevel, MatchKind, ShownForm, ShownTool};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::seat::SeatQuery;
use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, limit, word};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchQuery {
    /// The purpose of the tool, in any words; or a name, or its beginning
    q: String,
    /// Only tools of these servers: `github,jira`
    #[serde(default)]
    servers: Option<String>,
    /// Maximum number of tools in the answer, regardless of the budget
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
    /// Level of detail for the best matches: signature, name or schema
    #[serde(default)]
    detail: Option<String>,
    /// Maximum number of tokens in the answer: 100 to 10000, by default 500
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    budget_tokens: Option<String>,
    /// View as this agent; never more than the token's own agent sees
    #[serde(default)]
    agent: Option<String>,
    /// View as this session of the caller
    #[serde(default)]
    session: Option<String>,
}

/// The tools that were found, as far as the budget allows
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// Best first.
    results: Vec<SearchResult>,
    /// The number of further matches.
    more: usize,
    /// The cost of `text` in tokens.
    tokens: usize,
    /// The result as an agent reads it.
    text: String,
    /// Servers in the request that do not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_servers: Vec<String>,
}

/// A tool that was found
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchResult {
    /// The canonical name.
    #[schema(example = "bank:transfer")]
    name: String,
    #[schema(example = "bank__transfer")]
    wire_name: String,
    server: String,
    /// Comparable within one answer only.
    score: f32,
    /// The way it was found: exact (by a name), prefix (by the beginning of a name) or words.
    place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    definition: Option<Value>,
}

/// The parsed request.
struct ParsedSearch {
    query: String,
    servers: Option<Vec<String>>,
    count_max: usize,
    detail: DetailLevel,
    budget: AnswerBudget,
}

/// Search tools
///
/// Searches the tools that the session of the credential sees; others are not found, counted or hinted at.
#[utoipa::path(get, path = "/tools/search", tag = "tools", params(SearchQuery),
    responses((status = 200, description = "The result", body = SearchAnswer),
        (status = 400, description = "The query is missing, or a parameter is not valid"),
        (status = 404, description = "There is no such agent or session")))]
pub(crate) async fn search(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<SearchQuery>,
) -> ApiResult<Response> {
    let (asked, who) = query.read()?;
    let seat = who.seat(&context, &credential).await?;
    let answer = run_blocking(move || asked.answer(&context, &seat)).await;
    Ok(json(StatusCode::OK, &answer))
}

impl SearchQuery {
    fn read(self) -> ApiResult<(ParsedSearch, SeatQuery)> {
        if self.q.trim().is_empty() {
            return Err(bad_parameter("q", &self.q, "a query")
                .hint("say in a few words what the tool should do; GET /tools lists all there are"));
        }
        let words = DetailLevel::ALL.map(DetailLevel::as_str);
        let asked = ParsedSearch {
            query: self.q,
            servers: self.servers.as_deref().map(names).filter(|names| !names.is_empty()),
            count_max: limit(self.limit.as_deref(), HITS_MAX, HITS_MAX)?,
            detail: word("detail", self.detail.as_deref(), &words, DetailLevel::named)?.unwrap_or_default(),
            budget: budget(self.budget_tokens.as_deref())?,
        };
        Ok((asked, SeatQuery { agent: self.agent, session: self.session }))
    }
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Clamped to the limits, as for agents.
fn budget(tokens: Option<&str>) -> ApiResult<AnswerBudget> {
    let Some(text) = tokens else { return Ok(AnswerBudget::default()) };
    let tokens = text.parse().map_err(|_| bad_parameter("budget_tokens", text, "a number of tokens"))?;
    Ok(AnswerBudget::of(tokens))
}

impl ParsedSearch {
    fn answer(&self, context: &ApiContext, seat: &Arc<Seat>) -> SearchAnswer {
        let wanted = SearchRequest {
            query: &self.query,
            servers: self.servers.as_deref(),
            detail: self.detail,
            budget: self.budget,
        };
        let view = context.discovery.view(seat);
        SearchAnswer::of(context.discovery.search_best(&view, &wanted, self.count_max))
    }
}

impl SearchAnswer {
    fn of(found: SearchMatches) -> Self {
        let ranked: BTreeMap<&str, &RankedTool> =
            found.ranked.iter().map(|one| (one.entry.wire.as_str(), one)).collect();
        let shown = found.answer.shown.into_iter();
        let result = |shown: ShownTool| Some(SearchResult::of(ranked.get(shown.name.as_str())?, shown.form));
        Self {
            results: shown.filter_map(result).collect(),
            more: found.answer.more,
            tokens: found.answer.tokens,
            text: found.answer.text,
            unknown_servers: found.unknown_servers,
        }
    }
}

impl SearchResult {
    fn of(ranked: &RankedTool, form: ShownForm) -> Self {
        let blank = Self {
            name: ranked.entry.canonical.to_string(),
            wire_name: ranked.entry.wire.clone(),
            server: ranked.entry.server.to_string(),
            score: ranked.score,
            place: match ranked.place {
                MatchKind::Exact => "exact",
                MatchKind::Prefix => "prefix",
                MatchKind::Words => "words",
            },
            signature: None,
            line: None,
            definition: None,
        };
        match form {
            ShownForm::Definition(definition) => Self { definition: Some(definition), ..blank },
            ShownForm::Signature(signature) => Self { signature: Some(signature), ..blank },
            ShownForm::Line(line) => Self { line: Some(line), ..blank },
            ShownForm::Name => blank,
        }
    }
}
