//! Policy, from the view of the API: the policies in force, their decision on every tool, and the explanation
//! of one decision.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolgate_core::decision::{PolicyRequest, PolicyTemplate};
use toolgate_core::{Digest, Tool};
use utoipa::ToSchema;

/// The port to the policies that judge calls.
pub trait PolicyPort: Send + Sync {
    fn in_force(&self) -> PolicyInForce;

    /// The explanation of a decision on a call: `verdict`, `summary`, every policy that matched.
    fn explain(&self, question: &PolicyRequest<'_>) -> Value;

    /// The likelihood of an approval for a tool, for each role that calls tools.
    fn asking(&self, tool: &Tool) -> Vec<RoleAsking>;

    /// The decisions on calls without arguments: a row for each role that calls tools and each tool, a cell
    /// for each level of care.
    fn table(&self, tools: &[Arc<Tool>]) -> Vec<PolicyRow>;
}

/// The need for approval, for callers of one role
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct RoleAsking {
    /// agent, operator or admin.
    pub role: &'static str,
    /// never, sometimes (it depends on the arguments), always, or forbidden.
    pub asked: &'static str,
}

/// The policies in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyInForce {
    pub version: Digest,
    pub template: PolicyTemplate,
    /// In order; built-in ones come first.
    pub files: Vec<PolicyFile>,
    /// The reason why the last read policies are not in force.
    pub refused: Option<String>,
    /// The policies in force that fail on current tools: affected calls are denied.
    pub broken: Option<String>,
}

/// A policy text
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PolicyFile {
    /// The path inside the policy folder, or the place in the configuration.
    #[schema(example = "money.gates.cedar")]
    pub name: String,
    /// guard, gates, guard_shadow or gates_shadow.
    pub set: String,
    /// True if it ships with the gateway.
    pub built_in: bool,
    pub rules: Vec<PolicyRule>,
}

/// One policy as it was written
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PolicyRule {
    pub id: String,
    pub line: usize,
    /// permit or forbid; a forbid among gates asks a person.
    pub effect: String,
    /// The least strict template that it is part of.
    #[schema(value_type = String, example = "standard")]
    pub level: PolicyTemplate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// As written, by name.
    pub annotations: BTreeMap<String, String>,
    /// In Cedar.
    pub text: String,
}

/// The decisions for one role and one tool
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PolicyRow {
    /// The role of the caller.
    pub actor: String,
    pub tool: String,
    /// By template, from the least strict to the strictest.
    pub cells: Vec<PolicyCell>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PolicyCell {
    #[schema(value_type = String, example = "standard")]
    pub template: PolicyTemplate,
    /// permit, approve or deny.
    pub verdict: String,
    /// In a few words: `permit`, `deny`, `approve by finance`, `by its arguments`.
    pub told: String,
    /// In a sentence.
    pub summary: String,
}
