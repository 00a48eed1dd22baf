//! Filters, from the view of the API: those in force, and the matches of each.

use serde::Serialize;
use toolgate_pipeline::filter::{FilterAction, FilterRule};
use utoipa::ToSchema;

/// The port to the filters in force.
pub trait FilterPort: Send + Sync {
    /// In the order of the configuration.
    fn in_force(&self) -> Vec<FilterInForce>;
}

/// A filter that calls go through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterInForce {
    pub rule: FilterRule,
    /// The number of matches since it was put in force.
    pub matched: u64,
}

/// A filter as the operator wrote it
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = Filter)]
pub struct FilterView {
    #[schema(example = "no card numbers")]
    pub name: String,
    /// arguments, results or both.
    #[schema(value_type = String, example = "both")]
    pub on: &'static str,
    /// Patterns over canonical names.
    pub tools: Vec<String>,
    /// A regular expression.
    #[serde(rename = "match")]
    pub pattern: Option<String>,
    /// Kinds of personal data and of secrets.
    #[schema(value_type = Vec<String>)]
    pub kinds: Vec<&'static str>,
    /// mask, block or ask.
    #[schema(value_type = String, example = "mask")]
    pub action: FilterAction,
    /// Groups of which a member must agree, where a person is asked.
    pub approvers: Vec<String>,
    /// The number of times it has found something in arguments or in results, since this gateway took up the filters that are in
    /// force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
}

impl From<&FilterRule> for FilterView {
    fn from(rule: &FilterRule) -> Self {
        Self {
            name: rule.name.clone(),
            on: rule.on.as_str(),
            tools: rule.tools.clone(),
            pattern: rule.pattern.clone(),
            kinds: rule.kinds.iter().map(|kind| kind.name()).collect(),
            action: rule.action,
            approvers: rule.approvers.clone(),
            matched: None,
        }
    }
}
