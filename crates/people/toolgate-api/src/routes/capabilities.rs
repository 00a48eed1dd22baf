//! Capabilities: named sets of tools for agent definitions.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::Principal;
use toolgate_core::codes;
use toolgate_core::scope::{
    AgentDefinition, AgentName, Capability, CapabilityName, CapabilityRule, Definitions, NamePattern, Scope,
};
use toolgate_registry::{DefinitionKind, DefinitionsInForce};
use utoipa::ToSchema;

use super::answer::json;
use super::definitions::{KnownDefinitions, Warning, meant, problems, same_name, source_word, warnings};
use super::settings::refused;
use super::tag::{expected_version, tagged};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, bad_parameter};

const SETTING: &str = "capabilities";

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CapabilitiesPage {
    capabilities: Vec<CapabilityView>,
}

/// A named set of tools
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CapabilityView {
    #[schema(example = "git")]
    name: String,
    /// file or settings.
    #[schema(example = "settings")]
    source: &'static str,
    /// Parts of it that do not take effect as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The agents that have it.
    agents: Vec<String>,
    /// The definition as it was written.
    #[schema(value_type = CapabilityBody)]
    definition: Capability,
}

/// A named set of tools, with those that belong to it now
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CapabilityDetail {
    #[serde(flatten)]
    capability: CapabilityView,
    tools: Vec<MemberView>,
    /// Its rules that match no tool.
    warnings: Vec<Warning>,
}

/// A tool that belongs to a capability
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MemberView {
    /// The canonical name.
    tool: String,
    /// The list that includes the tool: servers, tools or tags.
    by: &'static str,
    /// The entry of that list.
    rule: String,
}

/// The rules of a capability; without any it has the tools that are tagged with its name
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CapabilityBody {
    /// If given, the same as in the path.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    /// Patterns for canonical names.
    #[serde(default)]
    #[schema(value_type = Vec<String>, example = json!(["github:*", "*:read_*"]))]
    tools: Vec<NamePattern>,
    /// Tags that tools carry (`capabilities` of a tool).
    #[serde(default)]
    tags: Vec<String>,
    /// Patterns for names of servers.
    #[serde(default)]
    #[schema(value_type = Vec<String>, example = json!(["git*"]))]
    servers: Vec<NamePattern>,
}

/// List capabilities, by name
#[utoipa::path(get, path = "/capabilities", tag = "agents",
    responses((status = 200, description = "All capabilities; `etag` is the version of the setting `capabilities`", body = CapabilitiesPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let known = KnownDefinitions::read(&context, SETTING).await?;
    let names = known.defined.definitions.capabilities.keys();
    let capabilities = names.filter_map(|name| known.show_capability(name)).collect();
    Ok(tagged(known.setting.version, json(StatusCode::OK, &CapabilitiesPage { capabilities })))
}

/// Show a capability
#[utoipa::path(get, path = "/capabilities/{name}", tag = "agents", params(("name" = String, Path, description = "The capability's name")),
    responses((status = 200, description = "The capability; `etag` is the version of the setting `capabilities`", body = CapabilityDetail),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    detail(&context, &capability_name(&name)?).await
}

/// Define a capability
///
/// Replaces the capability of this name in the settings. Existing sessions keep what they have.
#[utoipa::path(put, path = "/capabilities/{name}", tag = "agents", request_body = CapabilityBody,
    params(("name" = String, Path, description = "The capability's name"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if no capability has changed since")),
    responses((status = 200, description = "The new definition, with warnings", body = CapabilityDetail),
        (status = 409, description = "The file defines it"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "The definition is not valid; `field` says which part")))]
pub(crate) async fn put(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(body): Json<CapabilityBody>,
) -> ApiResult<Response> {
    let name = capability_name(&name)?;
    let expected = expected_version(&headers)?;
    same_name(name.as_str(), body.name.as_deref())?;
    let CapabilityBody { description, tools, tags, servers, .. } = body;
    let capability = Capability { name: name.clone(), description, tools, tags, servers };
    match context.registry.put_capability(&principal.id, capability, expected).await {
        Ok(_) => detail(&context, &name).await,
        Err(refusal) => Err(refused(&context, SETTING, refusal).await),
    }
}

/// Remove a capability
#[utoipa::path(delete, path = "/capabilities/{name}", tag = "agents",
    params(("name" = String, Path, description = "The capability's name"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read")),
    responses((status = 204, description = "Removed"), (status = 404, description = "The settings do not have it"),
        (status = 409, description = "The file defines it, or an agent has it"),
        (status = 412, description = "It was changed in the meantime")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let name = capability_name(&name)?;
    let expected = expected_version(&headers)?;
    match context.registry.remove_capability(&principal.id, &name, expected).await {
        Ok(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(refusal) => Err(refused(&context, SETTING, refusal).await),
    }
}

async fn detail(context: &ApiContext, name: &CapabilityName) -> ApiResult<Response> {
    let known = KnownDefinitions::read(context, SETTING).await?;
    let capability = known.show_capability(name).ok_or_else(|| unknown(&known.defined, name))?;
    let in_effect = &known.defined.definitions.capabilities[name];
    let tools = members(context, in_effect);
    let warnings = warnings(context, alone(in_effect)).await;
    let shown = CapabilityDetail { capability, tools, warnings };
    Ok(tagged(known.setting.version, json(StatusCode::OK, &shown)))
}

fn members(context: &ApiContext, capability: &Capability) -> Vec<MemberView> {
    let snapshot = context.catalog.snapshot();
    let tools = snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_deref());
    let member = |tool: &toolgate_core::Tool| {
        let (by, rule) = match capability.rule_for(tool)? {
            CapabilityRule::Server(pattern) => ("servers", pattern.to_string()),
            CapabilityRule::Tool(pattern) => ("tools", pattern.to_string()),
            CapabilityRule::Tag(tag) => ("tags", tag.to_owned()),
        };
        Some(MemberView { tool: tool.name.to_string(), by, rule })
    };
    let mut members: Vec<MemberView> = tools.filter_map(member).collect();
    members.sort_by(|one, other| one.tool.cmp(&other.tool));
    members
}

/// The scope of an agent with only this capability.
fn alone(capability: &Arc<Capability>) -> Scope {
    let name = capability.name.clone();
    let definitions =
        Definitions { capabilities: [(name.clone(), capability.clone())].into(), ..Definitions::default() };
    let agent = AgentDefinition {
        capabilities: Some(vec![name]),
        ..AgentDefinition::named(AgentName::default_agent())
    };
    definitions.scope(&agent).expect("its only capability is there")
}

impl KnownDefinitions {
    fn show_capability(&self, name: &CapabilityName) -> Option<CapabilityView> {
        let in_effect = self.defined.definitions.capabilities.get(name)?;
        let source = self.defined.capability_sources.get(name).copied();
        let written = self.written(source, name.as_str());
        let agents = self.defined.definitions.agents.values();
        let has_it =
            |agent: &&Arc<AgentDefinition>| agent.capabilities.iter().flatten().any(|one| one == name);
        Some(CapabilityView {
            name: name.to_string(),
            source: source_word(source),
            problems: problems(&self.defined, DefinitionKind::Capability, name.as_str()),
            agents: agents.filter(has_it).map(|agent| agent.name.to_string()).collect(),
            definition: written.unwrap_or_else(|| Capability::clone(in_effect)),
        })
    }
}

fn capability_name(name: &str) -> ApiResult<CapabilityName> {
    CapabilityName::new(name).map_err(|bad| bad_parameter("name", name, "the name of a capability").hint(bad))
}

fn unknown(defined: &DefinitionsInForce, name: &CapabilityName) -> Box<Problem> {
    let names = defined.definitions.capabilities.keys().map(CapabilityName::as_str);
    let hint = meant(name.as_str(), names, "GET /capabilities lists what there is");
    let detail = format!("there is no capability {:?}", name.as_str());
    Problem::new(&codes::UNKNOWN_CAPABILITY, detail).hint(hint)
}
