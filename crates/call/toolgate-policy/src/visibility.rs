//! The visibility of a tool before there are arguments: whether any call of it could be permitted, and
//! whether people would be asked. It never promises more than `decide` delivers for any arguments.
//!
//! Whole lists are checked, thousands of tools at a time. So this does not use the plans of calls, which are
//! large and few, and caches only the answers.

use cedar_policy::{Entities, Request};
use toolgate_core::decision::{
    ApprovalLikelihood, Denial, PolicyTemplate, Verdict, Visibility, VisibilityRequest,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, Tool};

use crate::compiled::CompiledPolicies;
use crate::entity::{self, CallUids};
use crate::glance::VisibleData;
use crate::plan::ToolKey;
use crate::rule::CompiledRule;
use crate::verdict::PolicyFindings;

/// An answer, and its question.
#[derive(Debug)]
pub(crate) struct CachedVisibility {
    principal: Principal,
    tool: ToolKey,
    agent: Option<AgentName>,
    template: PolicyTemplate,
    visibility: Visibility,
}

/// The results of policies without a call.
#[derive(Default)]
struct PolicyOutlook<'a> {
    findings: PolicyFindings<'a>,
    /// Rules whose answer depends on the call.
    open: Vec<&'a CompiledRule>,
}

impl CompiledPolicies {
    pub(crate) fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        if self.permits_all {
            return Visibility::Visible(ApprovalLikelihood::Never);
        }
        let VisibilityRequest { principal, tool, .. } = *glimpse;
        let agent = self.agent_that_matters(glimpse.agent);
        let answers = &self.remembered.answers;
        let of_principal = (&principal.id, principal.kind, principal.role, &principal.groups);
        let of_tool = (&tool.version, tool.name.as_str(), tool.effects);
        let hash = answers.hash((of_principal, of_tool, agent, self.template));
        let known = answers.get(hash, |one: &CachedVisibility| {
            one.tool.is(tool)
                && one.principal == *principal
                && one.agent.as_ref() == agent
                && one.template == self.template
        });
        let answered = known.unwrap_or_else(|| {
            let visibility = self.outlook(principal, tool, agent).visibility();
            let (principal, tool, agent) = (principal.clone(), ToolKey::of(tool), agent.cloned());
            answers
                .put(hash, CachedVisibility { principal, tool, agent, template: self.template, visibility })
        });
        answered.visibility.clone()
    }

    fn outlook(&self, principal: &Principal, tool: &Tool, agent: Option<&AgentName>) -> PolicyOutlook<'_> {
        let agent_name = agent.map(AgentName::as_str);
        let sight = VisibleData { call: None, tool, principal, agent: agent_name, template: self.template };
        let mut outlook = PolicyOutlook::default();
        let mut before_cedar: Option<(Request, Entities)> = None;
        // A policy in shadow mode neither hides nor asks.
        for (_, rule) in self.fitting(principal, tool).filter(|(_, rule)| !rule.set.is_shadow()) {
            match rule.glance.look(sight) {
                Some(true) => outlook.findings.matched.push(rule),
                Some(false) => {}
                None if rule.usage.call => outlook.open.push(rule),
                None => {
                    let (request, entities) = before_cedar.get_or_insert_with(|| {
                        let of_tool = entity::tool_entity(tool);
                        let entities = entity::entities(entity::principal_entity(principal), of_tool);
                        (CallUids::of(principal, tool).request(self.known_context(agent)), entities)
                    });
                    self.evaluate(rule, request, entities, &mut outlook.findings);
                }
            }
        }
        outlook
    }
}

impl PolicyOutlook<'_> {
    fn visibility(&self) -> Visibility {
        let matched =
            |wanted: fn(&CompiledRule) -> bool| self.findings.matched.iter().any(|rule| wanted(rule));
        let open = |wanted: fn(&CompiledRule) -> bool| self.open.iter().any(|rule| wanted(rule));
        let is_gate = |rule: &CompiledRule| rule.set.is_gates();
        let asking = match () {
            () if matched(is_gate) => ApprovalLikelihood::Always,
            () if open(is_gate) => ApprovalLikelihood::Sometimes,
            () => ApprovalLikelihood::Never,
        };
        match self.findings.verdict(|_| true) {
            // Nothing forbids it, and the call may still have what permits it.
            Verdict::Deny(denial) if denial == Denial::default() && open(CompiledRule::is_permit) => {
                Visibility::Visible(asking)
            }
            Verdict::Deny(denial) => Visibility::Hidden(denial),
            Verdict::Permit | Verdict::Approve(_) => Visibility::Visible(asking),
        }
    }
}

#[cfg(test)]
mod tests;
