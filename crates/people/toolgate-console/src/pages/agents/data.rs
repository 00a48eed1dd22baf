//! The API's data about agents and capabilities.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::text;

#[derive(Deserialize)]
pub(super) struct AgentsData {
    pub(super) agents: Vec<AgentData>,
}

#[derive(Deserialize)]
pub(super) struct AgentData {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) version: String,
    pub(super) number: Option<u64>,
    #[serde(default)]
    pub(super) problems: Vec<String>,
    pub(super) definition: DefinitionData,
    #[serde(default)]
    pub(super) warnings: Vec<AgentWarningData>,
}

#[derive(Deserialize)]
pub(super) struct DefinitionData {
    pub(super) description: Option<String>,
    pub(super) capabilities: Option<Vec<String>>,
    #[serde(default)]
    pub(super) pinned: Vec<String>,
    #[serde(default)]
    pub(super) blocked: Vec<String>,
    #[serde(default)]
    pub(super) mounts: Value,
    pub(super) policy_template: Option<String>,
    #[serde(default)]
    pub(super) token_budget: Value,
    #[serde(default)]
    pub(super) schema_diet: bool,
    #[serde(default)]
    pub(super) reveal_found: bool,
    #[serde(default)]
    pub(super) limits: LimitsData,
    #[serde(default)]
    pub(super) principals: Vec<String>,
    #[serde(default)]
    pub(super) groups: Vec<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct LimitsData {
    pub(super) idle_seconds: Option<i64>,
    pub(super) lifetime_seconds: Option<i64>,
    pub(super) sessions_max: Option<u64>,
}

/// A rule that no tool fits.
#[derive(Deserialize)]
pub(super) struct AgentWarningData {
    pub(super) message: String,
}

#[derive(Deserialize)]
pub(super) struct CapabilitiesData {
    pub(super) capabilities: Vec<CapabilityData>,
}

#[derive(Deserialize)]
pub(super) struct CapabilityData {
    pub(super) name: String,
    pub(super) source: String,
    #[serde(default)]
    pub(super) problems: Vec<String>,
    #[serde(default)]
    pub(super) agents: Vec<String>,
    pub(super) definition: CapabilityRules,
    #[serde(default)]
    pub(super) tools: Vec<CapabilityMember>,
    #[serde(default)]
    pub(super) warnings: Vec<AgentWarningData>,
}

#[derive(Deserialize)]
pub(super) struct CapabilityRules {
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) tools: Vec<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) servers: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct CapabilityMember {
    pub(super) tool: String,
    pub(super) by: String,
    pub(super) rule: String,
}

pub(super) fn capability(name: &str) -> Markup {
    html! { a href=(PageAddress::of(["console", "capabilities", name])) { (text::short(name)) } }
}

pub(super) fn agent(name: &str) -> Markup {
    html! { a href=(PageAddress::of(["console", "agents", name])) { (text::short(name)) } }
}

/// The source of a definition.
pub(super) fn source(word: &str) -> &str {
    match word {
        "file" => "configuration file",
        "built_in" => "built in",
        other => other,
    }
}

pub(super) fn rules(rules: &CapabilityRules) -> Markup {
    let is_by_tag = rules.tools.is_empty() && rules.tags.is_empty() && rules.servers.is_empty();
    html! {
        ul.chips {
            @for one in &rules.tools { li { code { (text::short(one)) } } }
            @for one in &rules.servers { li { "all of " code { (text::short(one)) } } }
            @for one in &rules.tags { li { "tagged " code { (text::short(one)) } } }
            @if is_by_tag { li.soft { "tagged with its name" } }
        }
    }
}

pub(super) fn warnings(problems: &[String], warnings: &[AgentWarningData]) -> Markup {
    html! {
        @for problem in problems { p.error { (text::long(problem)) } }
        @for warning in warnings { p.notice { (text::long(&warning.message)) } }
    }
}
