//! The rules in force, for people who want to read them all.

use std::collections::BTreeMap;

use toolgate_core::decision::PolicyTemplate;

use crate::compiled::CompiledPolicies;
use crate::rule::CompiledRule;
use crate::source::{PolicyAuthor, PolicyPurpose};

/// One rule as it was written.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct ListedRule {
    pub id: String,
    /// The path inside the policy folder, or the name from the settings.
    pub file: String,
    pub line: usize,
    pub set: PolicyPurpose,
    /// True if it comes with the gateway.
    pub built_in: bool,
    /// The least strict level of care that it is part of.
    pub level: PolicyTemplate,
    /// `permit` or `forbid`.
    pub effect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// As written, by name.
    pub annotations: BTreeMap<String, String>,
    pub text: String,
}

impl ListedRule {
    /// All rules that apply at this level, in order.
    pub(crate) fn all(compiled: &CompiledPolicies) -> Vec<ListedRule> {
        compiled.rules().map(ListedRule::of).collect()
    }

    fn of(rule: &CompiledRule) -> Self {
        let annotations = rule.policy.annotations();
        Self {
            id: rule.reference.id.clone(),
            file: rule.file.clone(),
            line: rule.line,
            set: rule.set,
            built_in: rule.author == PolicyAuthor::BuiltIn,
            level: rule.level,
            effect: if rule.is_permit() { "permit" } else { "forbid" },
            reason: rule.reference.reason.clone(),
            annotations: annotations.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            text: rule.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::engine;

    #[test]
    fn the_rules_in_force_are_listed_with_what_was_written_at_them() {
        let gate = "@id(\"large\") @reason(\"money leaves\") @approvers(\"finance\")\nforbid(principal, action, resource);";
        let engine = engine(&[(PolicyPurpose::Gates, gate)]);
        let rules = engine.rules();
        let mine: Vec<&ListedRule> = rules.iter().filter(|rule| !rule.built_in).collect();
        assert_eq!(mine.len(), 1, "{rules:#?}");
        assert_eq!(
            (mine[0].id.as_str(), mine[0].effect, mine[0].set),
            ("large", "forbid", PolicyPurpose::Gates)
        );
        assert_eq!(mine[0].reason.as_deref(), Some("money leaves"));
        assert_eq!(mine[0].annotations["approvers"], "finance");
        assert!(mine[0].text.contains("forbid(principal"));
        assert!(rules.iter().all(|rule| rule.level <= engine.template()), "{rules:#?}");
        let strict = engine.under(PolicyTemplate::AuditCritical).unwrap();
        assert!(strict.rules().len() > rules.len(), "a stricter level has more rules");
    }
}
