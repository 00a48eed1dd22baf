//! The same written policies under every level of care: a session may ask for more care than the gateway
//! does. All levels are made at once from rules that were parsed once, so that none can fail on first use.

use std::borrow::Cow;
use std::sync::Arc;

use toolgate_core::decision::{PolicyRequest, PolicyTemplate};
use toolgate_core::{Effects, Tool};

use crate::compiled::{CompiledPolicies, PolicyCaches};
use crate::explain::PolicyExplanation;
use crate::problem::{PolicyError, PolicyProblem};
use crate::rule::{CompiledRule, rules_of};
use crate::source::{PolicyPurpose, PolicyText};
use crate::template;

pub(crate) struct TemplateLevels {
    /// The gateway's level: it applies if a session has none, or a lower one.
    own: PolicyTemplate,
    /// The operator's texts, without the built-in ones.
    written: Arc<[PolicyText]>,
    /// In the order of the levels.
    levels: [CompiledPolicies; PolicyTemplate::ALL.len()],
}

/// All rules of some texts at every level of care, and all their errors.
pub(crate) fn assemble(written: &[PolicyText]) -> (Vec<PolicyText>, Vec<CompiledRule>, Vec<PolicyProblem>) {
    let has_guard = written.iter().any(|text| text.set == PolicyPurpose::Guard);
    let guard = (!has_guard).then(template::guard);
    let built_in = guard.into_iter().chain([template::discovery()]).chain(template::gates());
    let all: Vec<PolicyText> = built_in.chain(written.iter().cloned()).collect();
    let (rules, problems) = rules_of(&all);
    (all, rules, problems)
}

impl TemplateLevels {
    pub(crate) fn new(written: Arc<[PolicyText]>, own: PolicyTemplate) -> Result<Self, PolicyError> {
        let (texts, rules, problems) = assemble(&written);
        PolicyError::unless_empty(problems)?;
        let (rules, remembered): (Arc<[CompiledRule]>, _) = (rules.into(), Arc::new(PolicyCaches::default()));
        let level = |level| CompiledPolicies::new(&texts, Arc::clone(&rules), level, Arc::clone(&remembered));
        Ok(Self { own, written, levels: PolicyTemplate::ALL.map(level) })
    }

    /// The same under another level of the gateway's own.
    pub(crate) fn under(&self, own: PolicyTemplate) -> Result<Self, PolicyError> {
        Self::new(Arc::clone(&self.written), own)
    }

    pub(crate) fn own(&self) -> &CompiledPolicies {
        self.of(None)
    }

    /// Every policy that matched, under the session's level.
    pub(crate) fn explain(&self, question: &PolicyRequest<'_>) -> PolicyExplanation {
        let level = self.of(question.template);
        let tool = seen(level.template, question.tool);
        PolicyExplanation::of(level, &PolicyRequest { tool: &tool, ..*question })
    }

    /// The operator's texts.
    pub(crate) fn written(&self) -> &[PolicyText] {
        &self.written
    }

    /// The level that judges a session: it may be stricter than the gateway, never less strict.
    pub(crate) fn of(&self, session: Option<PolicyTemplate>) -> &CompiledPolicies {
        let level = session.map_or(self.own, |session| PolicyTemplate::strictest(self.own, session));
        &self.levels[level as usize]
    }
}

/// A tool as a level of care sees it: a strict one believes only the operator and the gateway about effects.
pub(crate) fn seen(template: PolicyTemplate, tool: &Tool) -> Cow<'_, Tool> {
    if template.believes_hints() || !tool.hinted {
        return Cow::Borrowed(tool);
    }
    Cow::Owned(Tool { effects: Effects::ALL, ..tool.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_stands_at_its_place() {
        let levels = TemplateLevels::new(Arc::default(), PolicyTemplate::Exploratory).unwrap();
        for template in PolicyTemplate::ALL {
            assert_eq!(levels.of(Some(template)).template, template);
            let own = levels.under(template).unwrap();
            assert_eq!(own.own().version, levels.of(Some(template)).version);
            for session in PolicyTemplate::ALL {
                assert_eq!(own.of(Some(session)).template, template.max(session));
            }
        }
    }
}
