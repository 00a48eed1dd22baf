//! Policy, from the view of the API: the policies in force, their decision on every tool, the explanation
//! of one decision, and a change that is tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolgate_core::decision::{PolicyRequest, PolicyTemplate};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, Principal, Tool};
use toolgate_registry::PolicyTexts;
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

    /// Checks a change beside everything that stays. If it compiles, it can judge past calls; nothing of it counts.
    fn check(&self, change: &PolicyChange) -> (CheckedPolicies, Option<Arc<dyn TrialJudge>>);
}

/// Judges past calls by the policies in force and by a change of them.
pub trait TrialJudge: Send + Sync {
    /// One for each call, in their order.
    fn judge(&self, calls: &[PastCall]) -> Vec<TrialVerdict>;
}

/// A change of policies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicyChange {
    /// In place of all texts of the setting `policy`.
    pub texts: PolicyTexts,
    /// Other texts for policy files, by their paths inside the folder.
    pub files: BTreeMap<String, String>,
}

/// What a check of policies found
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct CheckedPolicies {
    /// The version that they would have; absent if they do not compile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Problems that keep them from being put in force.
    pub errors: Vec<PolicyFault>,
    /// Policies that apparently have no effect.
    pub warnings: Vec<PolicyFault>,
}

/// A problem of a policy
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct PolicyFault {
    /// The path of the file, or the name of the text.
    #[schema(example = "setting policy.gates")]
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// In characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A call that was made, as policy sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct PastCall {
    pub principal: Principal,
    pub tool: Arc<Tool>,
    pub arguments: Value,
    pub session: Option<SessionId>,
    pub agent: Option<AgentName>,
    pub template: Option<PolicyTemplate>,
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
}

impl PastCall {
    /// The credentials that it used are not known any more.
    pub fn question(&self) -> PolicyRequest<'_> {
        PolicyRequest {
            session: self.session.as_ref(),
            agent: self.agent.as_ref(),
            template: self.template,
            run: self.run.as_ref(),
            task: self.task.as_deref(),
            ..PolicyRequest::alone(&self.principal, &self.tool, &self.arguments)
        }
    }
}

/// Two decisions on one call: permit, approve or deny.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrialVerdict {
    /// By the policies in force.
    pub now: &'static str,
    /// By the change.
    pub then: &'static str,
    /// The decision of the change, in a sentence.
    pub summary: String,
    /// The ids of the policies that ask, forbid or fail then.
    pub because: Vec<String>,
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
    pub home: PolicyHome,
    /// The whole text; absent for those that ship with the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub rules: Vec<PolicyRule>,
}

/// The place where a policy text is changed
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyHome {
    BuiltIn,
    /// A file of the policy folder.
    File,
    /// The configuration file.
    Configuration,
    /// The setting `policy`, which changes while the gateway runs.
    Setting,
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
