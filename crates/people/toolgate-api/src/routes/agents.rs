//! Agent definitions: the starting point of sessions of a kind of agent.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::{
    AgentDefinition, AgentLimits, AgentName, CapabilityName, Mounts, NamePattern, TokenBudget,
};
use toolgate_core::{Digest, Principal, RawJson};
use toolgate_registry::{DefinitionKind, DefinitionsInForce};
use toolgate_sessions::AgentVersion;
use utoipa::ToSchema;

use super::answer::json;
use super::definitions::{
    KnownDefinitions, Warning, meant, problems, same_name, source_word, template, warnings,
};
use super::seat::agent_name;
use super::settings::refused;
use super::tag::{expected_version, tagged};
use super::template_name::TemplateName;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, object};

const SETTING: &str = "agents";

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentsPage {
    agents: Vec<AgentView>,
}

/// The definition of an agent
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentView {
    #[schema(example = "writer")]
    name: String,
    /// file, settings, or built_in (the agent `default` if it is not defined).
    #[schema(example = "settings")]
    source: &'static str,
    /// The version in effect.
    #[schema(value_type = String)]
    version: Digest,
    /// The number of that version, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// Parts of it that do not take effect as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The definition as it was written.
    #[schema(value_type = AgentBody)]
    definition: AgentDefinition,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentDetail {
    #[serde(flatten)]
    agent: AgentView,
    /// Its rules that match no tool.
    warnings: Vec<Warning>,
}

/// The start of an agent's sessions; everything may be left out
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentBody {
    /// If given, the same as in the path.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    /// Without the list it has every tool; with an empty list, none.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    capabilities: Option<Vec<CapabilityName>>,
    /// Tools that are listed with their schemas even if the others have to be searched for.
    #[serde(default)]
    #[schema(value_type = Vec<String>, example = json!(["github:*"]))]
    pinned: Vec<NamePattern>,
    #[serde(default)]
    #[schema(value_type = Vec<String>, example = json!(["*:delete_*"]))]
    blocked: Vec<NamePattern>,
    /// servers, providers, pointers, knowledge_bases: names of each.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Object)]
    mounts: Mounts,
    /// The least strict template of its sessions.
    #[serde(default)]
    #[schema(value_type = Option<TemplateName>)]
    policy_template: Option<String>,
    /// The number of tokens that the list of tools may cost; beyond it, tools are searched for instead. A
    /// number, or "off".
    #[serde(default)]
    #[schema(value_type = Object)]
    token_budget: TokenBudget,
    /// True leaves out of lists what schemas say twice.
    #[serde(default)]
    schema_diet: bool,
    /// True adds tools that a client of the older era finds to its list.
    #[serde(default)]
    reveal_found: bool,
    /// idle_seconds, lifetime_seconds, sessions_max.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Object)]
    limits: AgentLimits,
    /// Principals whose credentials use this agent.
    #[serde(default)]
    principals: Vec<String>,
    #[serde(default)]
    groups: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionsPage {
    /// Oldest first.
    versions: Vec<VersionView>,
}

/// A version of a definition that was in effect
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionView {
    number: u64,
    #[schema(value_type = String)]
    version: Digest,
    first_seen: String,
    #[schema(value_type = AgentBody)]
    definition: RawJson,
}

/// List agents, by name
#[utoipa::path(get, path = "/agents", tag = "agents",
    responses((status = 200, description = "All agents; `etag` is the version of the setting `agents`", body = AgentsPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let known = KnownDefinitions::read(&context, SETTING).await?;
    let mut names: Vec<AgentName> = known.defined.definitions.agents.keys().cloned().collect();
    names.push(AgentName::default_agent());
    names.sort();
    names.dedup();
    let agents = names.iter().filter_map(|name| known.show_agent(name)).collect();
    Ok(tagged(known.setting.version, json(StatusCode::OK, &AgentsPage { agents })))
}

/// Show an agent
#[utoipa::path(get, path = "/agents/{name}", tag = "agents", params(("name" = String, Path, description = "The agent's name")),
    responses((status = 200, description = "The agent; `etag` is the version of the setting `agents`", body = AgentDetail),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    let name = agent_name("name", &name)?;
    detail(&context, &name).await
}

/// Define an agent
///
/// Replaces the definition of this name in the settings, and applies to sessions that start from now on.
/// Agents that the configuration file defines are changed there.
#[utoipa::path(put, path = "/agents/{name}", tag = "agents", request_body = AgentBody,
    params(("name" = String, Path, description = "The agent's name"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if no agent has changed since")),
    responses((status = 200, description = "The new definition, with warnings", body = AgentDetail),
        (status = 409, description = "The file defines it, or another agent claims the same principal"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "The definition is not valid; `field` says which part")))]
pub(crate) async fn put(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(body): Json<AgentBody>,
) -> ApiResult<Response> {
    let name = agent_name("name", &name)?;
    let expected = expected_version(&headers)?;
    let definition = body.definition(&name)?;
    match context.registry.put_agent(&principal.id, definition, expected).await {
        Ok(_) => detail(&context, &name).await,
        Err(refusal) => Err(refused(&context, SETTING, refusal).await),
    }
}

/// Remove an agent
///
/// Its sessions stay as they are. Credentials that are bound to it and bring no session see nothing until it
/// is defined again.
#[utoipa::path(delete, path = "/agents/{name}", tag = "agents",
    params(("name" = String, Path, description = "The agent's name"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read")),
    responses((status = 204, description = "Removed"), (status = 404, description = "The settings do not have it"),
        (status = 409, description = "The file defines it"), (status = 412, description = "It was changed in the meantime")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let name = agent_name("name", &name)?;
    let expected = expected_version(&headers)?;
    match context.registry.remove_agent(&principal.id, &name, expected).await {
        Ok(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(refusal) => Err(refused(&context, SETTING, refusal).await),
    }
}

/// List the versions of an agent
///
/// All versions that were ever in effect; a session names the one it was made from.
#[utoipa::path(get, path = "/agents/{name}/versions", tag = "agents", params(("name" = String, Path, description = "The agent's name")),
    responses((status = 200, description = "The versions", body = VersionsPage), (status = 404, description = "Not found")))]
pub(crate) async fn versions(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let name = agent_name("name", &name)?;
    let versions = context.sessions.versions(&name).await?;
    if versions.is_empty() && context.registry.definitions().agent(&name).is_none() {
        return Err(unknown(&context.registry.defined(), &name));
    }
    let versions = versions.into_iter().map(VersionView::from).collect();
    Ok(json(StatusCode::OK, &VersionsPage { versions }))
}

async fn detail(context: &ApiContext, name: &AgentName) -> ApiResult<Response> {
    let known = KnownDefinitions::read(context, SETTING).await?;
    let mut agent = known.show_agent(name).ok_or_else(|| unknown(&known.defined, name))?;
    let versions = context.sessions.versions(name).await?;
    agent.number = versions.iter().find(|one| one.digest == agent.version).map(|one| one.number);
    let definitions = &known.defined.definitions;
    let scope = definitions.agent(name).and_then(|definition| definitions.scope(&definition).ok());
    let warnings = match scope {
        Some(scope) => warnings(context, scope).await,
        None => Vec::new(),
    };
    Ok(tagged(known.setting.version, json(StatusCode::OK, &AgentDetail { agent, warnings })))
}

impl KnownDefinitions {
    fn show_agent(&self, name: &AgentName) -> Option<AgentView> {
        let in_effect = self.defined.definitions.agent(name)?;
        let source = self.defined.agent_sources.get(name).copied();
        let written = self.written(source, name.as_str());
        Some(AgentView {
            name: name.to_string(),
            source: source_word(source),
            version: in_effect.version(),
            number: None,
            problems: problems(&self.defined, DefinitionKind::Agent, name.as_str()),
            definition: written.unwrap_or_else(|| AgentDefinition::clone(&in_effect)),
        })
    }
}

fn unknown(defined: &DefinitionsInForce, name: &AgentName) -> Box<Problem> {
    let names = defined.definitions.agents.keys().map(AgentName::as_str).chain(["default"]);
    let hint = meant(name.as_str(), names, "GET /agents lists what there is");
    Problem::new(&codes::UNKNOWN_AGENT, format!("there is no agent {:?}", name.as_str())).hint(hint)
}

impl AgentBody {
    fn definition(self, name: &AgentName) -> ApiResult<AgentDefinition> {
        same_name(name.as_str(), self.name.as_deref())?;
        Ok(AgentDefinition {
            name: name.clone(),
            policy_template: template(self.policy_template.as_deref())?,
            description: self.description,
            capabilities: self.capabilities,
            pinned: self.pinned,
            blocked: self.blocked,
            mounts: self.mounts,
            token_budget: self.token_budget,
            schema_diet: self.schema_diet,
            reveal_found: self.reveal_found,
            limits: self.limits,
            principals: self.principals,
            groups: self.groups,
        })
    }
}

impl From<AgentVersion> for VersionView {
    fn from(version: AgentVersion) -> Self {
        Self {
            number: version.number,
            version: version.digest,
            first_seen: rfc3339(version.first_seen_at_ms),
            definition: version.definition,
        }
    }
}
