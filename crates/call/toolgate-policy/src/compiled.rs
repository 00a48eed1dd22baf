//! One set of policies at one level of care, ready to decide. It never changes: a reload makes another one.

use std::sync::Arc;

use cedar_policy::{Authorizer, Context, Entities, Request, RestrictedExpression};
use serde_json::Value;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{Decision, Denial, PolicyRequest, PolicyTemplate, Verdict};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, Principal, Tool};

use crate::glance::{VisibleCall, VisibleData};
use crate::plan::{DecisionPlan, HashCache, ToolFacts, ToolKey};
use crate::rule::CompiledRule;
use crate::source::{PolicyAuthor, PolicyPurpose, PolicyText, version};
use crate::usage::UsedArguments;
use crate::value;
use crate::verdict::{PolicyFailure, PolicyFindings};
use crate::visibility::CachedVisibility;

pub(crate) struct CompiledPolicies {
    pub(crate) version: Digest,
    pub(crate) template: PolicyTemplate,
    /// The rules of every level of care.
    rules: Arc<[CompiledRule]>,
    /// True if every call by anyone is permitted.
    pub(crate) permits_all: bool,
    has_shadow: bool,
    /// True if any rule depends on the agent.
    looks_at_agent: bool,
    /// The built-in guard, if a guard in shadow mode would replace it.
    replaced: Option<usize>,
    authorizer: Authorizer,
    plans: HashCache<DecisionPlan>,
    pub(crate) remembered: Arc<PolicyCaches>,
}

/// The results that all levels of care share. The sizes suit some thousand tools in use, and lists of many
/// more.
pub(crate) struct PolicyCaches {
    tools: HashCache<(ToolKey, Arc<ToolFacts>)>,
    pub(crate) answers: HashCache<CachedVisibility>,
}

const TOOLS_MAX: usize = 4096;
/// Each is some kilobytes.
const PLANS_MAX: usize = 4096;
/// Each is some hundred bytes.
const ANSWERS_MAX: usize = 32_768;

impl Default for PolicyCaches {
    fn default() -> Self {
        Self { tools: HashCache::holding(TOOLS_MAX), answers: HashCache::holding(ANSWERS_MAX) }
    }
}

impl CompiledPolicies {
    pub(crate) fn new(
        texts: &[PolicyText],
        rules: Arc<[CompiledRule]>,
        template: PolicyTemplate,
        remembered: Arc<PolicyCaches>,
    ) -> Self {
        let part = || rules.iter().filter(|rule| rule.level <= template);
        let is_plain_permit =
            |rule: &CompiledRule| rule.set == PolicyPurpose::Guard && rule.is_permit() && rule.is_plain();
        let is_there =
            |set| texts.iter().any(|text| text.set == set && text.author == PolicyAuthor::Operator);
        Self {
            version: version(texts, template),
            template,
            permits_all: part().all(is_plain_permit) && part().any(CompiledRule::is_unconditional),
            has_shadow: texts.iter().any(|text| text.set.is_shadow()),
            looks_at_agent: part().any(|rule| rule.usage.agent),
            // The built-in guard is the first of all rules.
            replaced: (is_there(PolicyPurpose::GuardShadow) && !is_there(PolicyPurpose::Guard)).then_some(0),
            rules,
            authorizer: Authorizer::new(),
            plans: HashCache::holding(PLANS_MAX),
            remembered,
        }
    }

    pub(crate) fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        if self.permits_all {
            return Decision { verdict: Verdict::Permit, policy_version: self.version, shadow: None };
        }
        let agent = self.agent_that_matters(question.agent);
        let plan = self.plan(question.principal, question.tool, agent);
        let mut findings = self.found(&plan);
        match self.look(&plan, question, &mut findings) {
            Ok(()) => self.decision(&findings),
            Err(error) => self.refusal(error),
        }
    }

    /// The rules of this level, in order.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &CompiledRule> {
        self.rules.iter().filter(|rule| rule.level <= self.template)
    }

    /// Evaluates every policy whose scope fits, without shortcuts.
    pub(crate) fn examine(&self, question: &PolicyRequest<'_>) -> Result<PolicyFindings<'_>, String> {
        let facts = Arc::new(ToolFacts::of(question.tool));
        let plan = DecisionPlan::blank(question.principal, question.tool, question.agent, facts);
        let request = plan.uids.request(self.context(&plan, question, &UsedArguments::All)?);
        let mut findings = PolicyFindings::default();
        for (_, rule) in self.fitting(question.principal, question.tool) {
            self.evaluate(rule, &request, &plan.entities, &mut findings);
        }
        Ok(findings)
    }

    pub(crate) fn decision(&self, findings: &PolicyFindings<'_>) -> Decision {
        let verdict = findings.verdict(|rule| !rule.set.is_shadow());
        let shadow = self.has_shadow.then(|| {
            let replaced = self.replaced.map(|place| &self.rules[place]);
            findings.verdict(|rule| !replaced.is_some_and(|other| std::ptr::eq(rule, other)))
        });
        let shadow = shadow.filter(|shadow| *shadow != verdict);
        Decision { verdict, policy_version: self.version, shadow }
    }

    pub(crate) fn refusal(&self, error: String) -> Decision {
        let denial = Denial { policies: Vec::new(), error: Some(error) };
        Decision { verdict: Verdict::Deny(denial), policy_version: self.version, shadow: None }
    }

    /// The findings that the plan has in advance.
    fn found(&self, plan: &DecisionPlan) -> PolicyFindings<'_> {
        let failure = |(place, error): &(usize, String)| PolicyFailure {
            rule: &self.rules[*place],
            error: error.clone(),
        };
        PolicyFindings {
            matched: plan.matched.iter().map(|place| &self.rules[*place]).collect(),
            failed: plan.failed.iter().map(failure).collect(),
        }
    }

    /// Adds the findings of the policies that depend on the call.
    fn look<'a>(
        &'a self,
        plan: &DecisionPlan,
        question: &PolicyRequest<'_>,
        findings: &mut PolicyFindings<'a>,
    ) -> Result<(), String> {
        let PolicyRequest { principal, tool, arguments, agent, .. } = *question;
        let call = Some(VisibleCall { arguments, shape: &plan.facts.shape });
        let agent = agent.map(AgentName::as_str);
        let sight = VisibleData { call, tool, principal, agent, template: self.template };
        let open = plan.open.iter().map(|place| &self.rules[*place]);
        let mut request = None;
        for rule in open.filter(|rule| !rule.glance.is_certainly_false(sight)) {
            let request = match &request {
                Some(request) => request,
                None => request.insert(plan.uids.request(self.context(plan, question, &plan.fields)?)),
            };
            self.evaluate(rule, request, &plan.entities, findings);
        }
        Ok(())
    }

    pub(crate) fn evaluate<'a>(
        &self,
        rule: &'a CompiledRule,
        request: &Request,
        entities: &Entities,
        findings: &mut PolicyFindings<'a>,
    ) {
        let response = self.authorizer.is_authorized(request, &rule.alone, entities);
        if response.diagnostics().reason().next().is_some() {
            findings.matched.push(rule);
        }
        let errors = response.diagnostics().errors().map(|error| {
            let cedar_policy::AuthorizationError::PolicyEvaluationError(error) = error;
            PolicyFailure { rule, error: error.inner().to_string() }
        });
        findings.failed.extend(errors);
    }

    fn context(
        &self,
        plan: &DecisionPlan,
        question: &PolicyRequest<'_>,
        fields: &UsedArguments,
    ) -> Result<Context, String> {
        let input = match question.arguments {
            Value::Object(arguments) => value::input(arguments, &plan.facts.shape, fields),
            Value::Null => value::input(&serde_json::Map::new(), &plan.facts.shape, fields),
            _ => return Err("the arguments are not an object".to_owned()),
        };
        let call = [
            ("session", question.session.map(|id| id.as_str())),
            ("run", question.run.map(|id| id.as_str())),
            ("task", question.task),
        ];
        let given = call.into_iter().filter_map(|(name, value)| Some((name.to_owned(), text(value?))));
        let used = credentials(question.credentials);
        let pairs = self.known(question.agent).chain(given).chain(used).chain([("input".to_owned(), input)]);
        Context::from_pairs(pairs).map_err(|error| format!("the arguments cannot be judged: {error}"))
    }

    /// The context of every call of an agent.
    fn known(&self, agent: Option<&AgentName>) -> impl Iterator<Item = (String, RestrictedExpression)> {
        let agent = agent.map(|agent| ("agent".to_owned(), text(agent.as_str())));
        [("template".to_owned(), text(self.template.as_str()))].into_iter().chain(agent)
    }

    /// The context for rules that do not look at the call.
    pub(crate) fn known_context(&self, agent: Option<&AgentName>) -> Context {
        Context::from_pairs(self.known(agent)).expect("two texts with two names")
    }

    /// Calls of several agents have the same plan as long as no policy distinguishes agents.
    pub(crate) fn agent_that_matters<'a>(&self, agent: Option<&'a AgentName>) -> Option<&'a AgentName> {
        agent.filter(|_| self.looks_at_agent)
    }

    /// The rules of this level that may concern a principal and a tool, with their places.
    pub(crate) fn fitting(
        &self,
        principal: &Principal,
        tool: &Tool,
    ) -> impl Iterator<Item = (usize, &CompiledRule)> {
        let rules = self.rules.iter().enumerate();
        rules.filter(|(_, rule)| rule.level <= self.template && rule.scope.fits(principal, tool))
    }

    fn plan(&self, principal: &Principal, tool: &Tool, agent: Option<&AgentName>) -> Arc<DecisionPlan> {
        let of_principal = (&principal.id, principal.kind, principal.role, &principal.groups);
        let of_call = (of_principal, &tool.version, tool.name.as_str(), tool.effects);
        let hash = match agent {
            None => self.plans.hash(of_call),
            Some(agent) => self.plans.hash((of_call, agent)),
        };
        let known = self.plans.get(hash, |plan| plan.is_for(principal, tool, agent));
        known.unwrap_or_else(|| self.plans.put(hash, self.make_plan(principal, tool, agent)))
    }

    fn make_plan(&self, principal: &Principal, tool: &Tool, agent: Option<&AgentName>) -> DecisionPlan {
        let mut plan = DecisionPlan::blank(principal, tool, agent, self.facts(tool));
        let request = plan.uids.request(self.known_context(agent));
        let mut findings = PolicyFindings::default();
        for (place, rule) in self.fitting(principal, tool) {
            if rule.usage.call {
                plan.open.push(place);
                plan.fields = std::mem::replace(&mut plan.fields, UsedArguments::All).and(&rule.usage.fields);
                continue;
            }
            self.evaluate(rule, &request, &plan.entities, &mut findings);
            plan.matched.extend(findings.matched.drain(..).map(|_| place));
            plan.failed.extend(findings.failed.drain(..).map(|failure| (place, failure.error)));
        }
        plan
    }

    fn facts(&self, tool: &Tool) -> Arc<ToolFacts> {
        let tools = &self.remembered.tools;
        let hash = tools.hash((&tool.version, tool.name.as_str(), tool.effects));
        let known = tools.get(hash, |(key, _)| key.is(tool));
        let entry =
            known.unwrap_or_else(|| tools.put(hash, (ToolKey::of(tool), Arc::new(ToolFacts::of(tool)))));
        Arc::clone(&entry.1)
    }
}

/// The credentials of a call: their ids, their origins, and the ids of those that the session has not used before. Each is
/// absent where it would be empty.
fn credentials(used: &[CredentialUse]) -> impl Iterator<Item = (String, RestrictedExpression)> {
    let all = |part: fn(&CredentialUse) -> &str| used.iter().map(part).map(text).collect::<Vec<_>>();
    let new = used.iter().filter(|one| one.is_new).map(|one| text(one.id.as_str())).collect();
    let sets = [
        ("credentials", all(|one| one.id.as_str())),
        ("credential_origins", all(|one| one.origin.as_str())),
        ("new_credentials", new),
    ];
    let filled = sets.into_iter().filter(|(_, set)| !set.is_empty());
    filled.map(|(name, set)| (name.to_owned(), RestrictedExpression::new_set(set)))
}

fn text(value: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(value.to_owned())
}
