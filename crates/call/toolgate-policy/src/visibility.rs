//! The visibility of a tool before there are arguments: whether any call of it could be permitted, and
//! whether people would be asked. It never promises more than `decide` delivers for any arguments.
//!
//! Whole lists are checked, thousands of tools at a time. So this does not use the plans of calls, which are
//! large and few, and caches only the answers.

use cedar_policy::{Entities, Request};
use toolgate_core::decision::{Asking, Denial, Glimpse, Template, Verdict, Visibility};
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, Tool};

use crate::compiled::Compiled;
use crate::entity::{self, Uids};
use crate::glance::Sight;
use crate::plan::ToolKey;
use crate::rule::Rule;
use crate::verdict::Findings;

/// An answer, and its question.
#[derive(Debug)]
pub(crate) struct Answered {
    principal: Principal,
    tool: ToolKey,
    agent: Option<AgentName>,
    template: Template,
    visibility: Visibility,
}

/// The results of policies without a call.
#[derive(Default)]
struct Outlook<'a> {
    findings: Findings<'a>,
    /// Rules whose answer depends on the call.
    open: Vec<&'a Rule>,
}

impl Compiled {
    pub(crate) fn visibility(&self, glimpse: &Glimpse<'_>) -> Visibility {
        if self.permits_all {
            return Visibility::Visible(Asking::Never);
        }
        let Glimpse { principal, tool, .. } = *glimpse;
        let agent = self.agent_that_matters(glimpse.agent);
        let answers = &self.remembered.answers;
        let of_principal = (&principal.id, principal.kind, principal.role, &principal.groups);
        let of_tool = (&tool.version, tool.name.as_str(), tool.effects);
        let hash = answers.hash((of_principal, of_tool, agent, self.template));
        let known = answers.get(hash, |one: &Answered| {
            one.tool.is(tool)
                && one.principal == *principal
                && one.agent.as_ref() == agent
                && one.template == self.template
        });
        let answered = known.unwrap_or_else(|| {
            let visibility = self.outlook(principal, tool, agent).visibility();
            let (principal, tool, agent) = (principal.clone(), ToolKey::of(tool), agent.cloned());
            answers.put(hash, Answered { principal, tool, agent, template: self.template, visibility })
        });
        answered.visibility.clone()
    }

    fn outlook(&self, principal: &Principal, tool: &Tool, agent: Option<&AgentName>) -> Outlook<'_> {
        let agent_name = agent.map(AgentName::as_str);
        let sight = Sight { call: None, tool, principal, agent: agent_name, template: self.template };
        let mut outlook = Outlook::default();
        let mut before_cedar: Option<(Request, Entities)> = None;
        // A policy in shadow mode hides nothing and asks nobody.
        for (_, rule) in self.fitting(principal, tool).filter(|(_, rule)| !rule.set.is_shadow()) {
            match rule.glance.look(sight) {
                Some(true) => outlook.findings.matched.push(rule),
                Some(false) => {}
                None if rule.usage.call => outlook.open.push(rule),
                None => {
                    let (request, entities) = before_cedar.get_or_insert_with(|| {
                        let of_tool = entity::tool_entity(tool);
                        let entities = entity::entities(entity::principal_entity(principal), of_tool);
                        (Uids::of(principal, tool).request(self.known_context(agent)), entities)
                    });
                    self.evaluate(rule, request, entities, &mut outlook.findings);
                }
            }
        }
        outlook
    }
}

impl Outlook<'_> {
    fn visibility(&self) -> Visibility {
        let matched = |wanted: fn(&Rule) -> bool| self.findings.matched.iter().any(|rule| wanted(rule));
        let open = |wanted: fn(&Rule) -> bool| self.open.iter().any(|rule| wanted(rule));
        let is_gate = |rule: &Rule| rule.set.is_gates();
        let asking = match () {
            () if matched(is_gate) => Asking::Always,
            () if open(is_gate) => Asking::Sometimes,
            () => Asking::Never,
        };
        match self.findings.verdict(|_| true) {
            // Nothing forbids it, and the call may still have what permits it.
            Verdict::Deny(denial) if denial == Denial::default() && open(Rule::is_permit) => {
                Visibility::Visible(asking)
            }
            Verdict::Deny(denial) => Visibility::Hidden(denial),
            Verdict::Permit | Verdict::Approve(_) => Visibility::Visible(asking),
        }
    }
}

#[cfg(test)]
mod tests;
