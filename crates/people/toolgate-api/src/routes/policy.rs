//! Policy: the policies in force, their decision on every tool, the explanation of one decision, and the
//! decisions of policies in shadow mode.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::codes;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{PolicyRequest, PolicyTemplate};
use toolgate_core::event::{EventFilter, EventKind, RecordedEvent};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, PrincipalId, PrincipalKind, Role, Tool};
use toolgate_store::LedgerOrder;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::template_name::TemplateName;
use crate::blocking::run_blocking;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit};
use crate::similar::nearest;
use crate::{ApiContext, PolicyFile, PolicyRow};

const TABLE_TOOLS_USUAL: usize = 100;
const TABLE_TOOLS_MAX: usize = 1_000;
const UNNAMED: &str = "someone";

/// The policies in force
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PolicyInForce)]
pub(crate) struct InForceView {
    /// The digest of all texts and the template; the same as in decisions and approvals.
    version: String,
    /// The gateway's own template.
    #[schema(value_type = TemplateName)]
    template: PolicyTemplate,
    /// True if there are policies in shadow mode, which decide nothing and are only compared.
    shadow: bool,
    /// When this version came into force.
    #[serde(skip_serializing_if = "Option::is_none")]
    loaded_at: Option<String>,
    /// The reason why the files are not in force: they do not load, and the previous policies stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// The places where the configuration file does not load, if it does not: what it said before is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "toolgate.toml:12:1")]
    config_refused: Option<String>,
    /// Policies in force that fail on current tools, and deny the calls they apply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
    files: Vec<PolicyFile>,
}

/// Show the policies in force
#[utoipa::path(get, path = "/policy", tag = "policy",
    responses((status = 200, description = "All texts with their rules", body = InForceView)))]
pub(crate) async fn show(State(context): State<ApiContext>) -> ApiResult<Response> {
    let desk = context.policy.clone();
    let in_force = run_blocking(move || desk.in_force()).await;
    let loaded = EventFilter { kind: Some(EventKind::PolicyLoaded), ..EventFilter::default() };
    let loaded = context.store.ledger_page(&loaded, None, 1, LedgerOrder::NewestFirst).await?;
    let of_this = |one: &&RecordedEvent| one.event.policy_version == Some(in_force.version);
    let loaded_at = loaded.first().filter(of_this).map(|one| rfc3339(one.event.at_ms));
    let view = InForceView {
        version: in_force.version.to_string(),
        template: in_force.template,
        shadow: in_force.files.iter().any(|file| file.set.ends_with("_shadow")),
        loaded_at,
        refused: in_force.refused,
        config_refused: context.registry.refused_config(),
        broken: in_force.broken,
        files: in_force.files,
    };
    Ok(json(StatusCode::OK, &view))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableQuery {
    /// Only tools whose names contain this
    #[serde(default)]
    q: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of tools on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Option<String>,
}

/// The decisions on calls without arguments
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicyTable {
    /// The templates, from the least strict to the strictest: the cells of every row.
    templates: Vec<&'static str>,
    /// The template that applies unless a session asks for a stricter one.
    #[schema(value_type = TemplateName)]
    in_force: PolicyTemplate,
    /// By tool, then by actor.
    rows: Vec<PolicyRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Show the decision table
///
/// The decision for every role that calls tools, for each tool and template, without arguments.
#[utoipa::path(get, path = "/policy/table", tag = "policy", params(TableQuery),
    responses((status = 200, description = "A page of tools", body = PolicyTable)))]
pub(crate) async fn table(
    State(context): State<ApiContext>,
    Query(query): Query<TableQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), TABLE_TOOLS_USUAL, TABLE_TOOLS_MAX)?;
    let mut tools = tools(&context);
    tools.retain(|tool| {
        let name = tool.name.as_str();
        query.q.as_deref().is_none_or(|part| name.contains(part))
            && query.cursor.as_deref().is_none_or(|after| name > after)
    });
    let more = tools.len() > limit;
    tools.truncate(limit);
    let next_cursor = tools.last().filter(|_| more).map(|last| last.name.to_string());
    let policy = context.policy.clone();
    let (template, mut rows) = run_blocking(move || (policy.in_force().template, policy.table(&tools))).await;
    rows.sort_by(|one, other| one.tool.cmp(&other.tool));
    let templates = PolicyTemplate::NAMES.to_vec();
    Ok(json(StatusCode::OK, &PolicyTable { templates, in_force: template, rows, next_cursor }))
}

/// Every tool, by name.
fn tools(context: &ApiContext) -> Vec<Arc<Tool>> {
    let snapshot = context.catalog.snapshot();
    let mut tools: Vec<Arc<Tool>> =
        snapshot.tools.entries().iter().filter_map(|entry| entry.tool.clone()).collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// A hypothetical call
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainBody {
    /// Canonical name, wire name or alias.
    #[schema(example = "bank:transfer")]
    tool: String,
    /// The arguments; by default none.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    arguments: Option<Map<String, Value>>,
    /// The calling principal.
    #[serde(default)]
    principal: Option<String>,
    /// The role of the caller's token; by default agent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    role: Option<Role>,
    /// human, agent or service; by default what usually holds a token of that role.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    kind: Option<PrincipalKind>,
    /// The groups of the caller.
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    agent: Option<AgentName>,
    /// The policy template of the session; never less strict than the gateway's.
    #[serde(default)]
    #[schema(value_type = Option<TemplateName>)]
    template: Option<PolicyTemplate>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    run: Option<String>,
    #[serde(default)]
    task: Option<String>,
    /// The credentials that the arguments name.
    #[serde(default)]
    credentials: Vec<SupposedCredential>,
}

/// A credential that a hypothetical call uses
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupposedCredential {
    #[serde(default)]
    #[schema(example = "cred_0198f5c2a4b07c3d8e1f")]
    id: Option<String>,
    /// Scheme, host and port.
    #[schema(example = "https://jobs.example")]
    origin: String,
    /// True if no earlier call of the session used it.
    #[serde(default)]
    new: bool,
}

/// Explain the decision on a hypothetical call
///
/// Returns the decision, the policies that matched with their texts, and what a person would be asked.
/// Nothing is called, asked or recorded.
#[utoipa::path(post, path = "/policy/explain", tag = "policy", request_body = ExplainBody,
    responses((status = 200, description = "`tool`, `verdict` (permit, approve or deny), `summary`, `policy_version`, `template`, \
        `requirement` or `denial`; the policies that matched in `guard`, `gates` and `shadow_policies`; `failed`; and `shadow` \
        where policies in shadow mode would say otherwise", body = Object),
        (status = 404, description = "There is no such tool")))]
pub(crate) async fn explain(
    State(context): State<ApiContext>,
    Json(body): Json<ExplainBody>,
) -> ApiResult<Response> {
    let tool = tool(&context, &body.tool)?;
    let explained = run_blocking(move || {
        let mut explained = body.explain(&context, &tool);
        explained["tool"] = tool.name.as_str().into();
        explained
    });
    Ok(json(StatusCode::OK, &explained.await))
}

impl ExplainBody {
    fn explain(self, context: &ApiContext, tool: &Tool) -> Value {
        let role = self.role.unwrap_or(Role::Agent);
        let principal = Principal {
            id: PrincipalId::new(self.principal.as_deref().unwrap_or(UNNAMED)),
            kind: self.kind.unwrap_or(role.usual_kind()),
            role,
            groups: self.groups.into(),
        };
        let arguments = Value::Object(self.arguments.unwrap_or_default());
        let (session, run) = (self.session.map(SessionId::new), self.run.map(RunId::new));
        let supposed =
            |one: &SupposedCredential| CredentialUse::supposed(one.id.as_deref(), &one.origin, one.new);
        let credentials: Vec<CredentialUse> = self.credentials.iter().map(supposed).collect();
        context.policy.explain(&PolicyRequest {
            principal: &principal,
            tool,
            arguments: &arguments,
            session: session.as_ref(),
            agent: self.agent.as_ref(),
            template: self.template,
            run: run.as_ref(),
            task: self.task.as_deref(),
            credentials: &credentials,
        })
    }
}

fn tool(context: &ApiContext, name: &str) -> ApiResult<Arc<Tool>> {
    let snapshot = context.catalog.snapshot();
    if let Some(tool) = snapshot.tools.find(name).and_then(|entry| entry.tool.clone()) {
        return Ok(tool);
    }
    let known = tools(context);
    let hint = match nearest(name, known.iter().map(|tool| tool.name.as_str())) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => "tools are named server:tool; GET /policy/table lists them".to_owned(),
    };
    Err(Problem::new(&codes::UNKNOWN_TOOL, format!("there is no tool {name:?}"))
        .hint(hint)
        .with("field", "tool"))
}
