//! One set of policies, ready to decide. It never changes: a reload makes another one.

use std::sync::Arc;

use cedar_policy::{Authorizer, Context, Request, RestrictedExpression};
use serde_json::Value;
use toolgate_core::decision::{Decision, Denial, Question, Verdict};
use toolgate_core::{Digest, Principal, Tool};

use crate::glance::Sight;
use crate::plan::{Cache, Plan, ToolFacts, ToolKey};
use crate::problem::{PolicyError, Problem};
use crate::rule::{Rule, rules_of};
use crate::source::{Set, Text, version};
use crate::template::{Template, built_in_guard};
use crate::usage::Fields;
use crate::value;
use crate::verdict::{Failure, Findings};

pub(crate) struct Compiled {
    pub(crate) version: Digest,
    pub(crate) template: Template,
    /// What was written, without what is built in.
    pub(crate) written: Arc<[Text]>,
    pub(crate) rules: Vec<Rule>,
    /// Whether everything is permitted, whoever asks for whatever.
    permits_all: bool,
    has_shadow: bool,
    /// The built-in guard, where a guard in shadow mode would take its place.
    replaced: Option<usize>,
    authorizer: Authorizer,
    tools: Cache<(ToolKey, Arc<ToolFacts>)>,
    plans: Cache<Plan>,
}

/// All rules of some texts under a level of care, and everything that is wrong with them.
pub(crate) fn assemble(written: &[Text], template: Template) -> (Vec<Text>, Vec<Rule>, Vec<Problem>) {
    let has_guard = written.iter().any(|text| text.set == Set::Guard);
    let guard = (!has_guard).then(built_in_guard);
    let all: Vec<Text> = guard.into_iter().chain(template.texts()).chain(written.iter().cloned()).collect();
    let (rules, problems) = rules_of(&all);
    (all, rules, problems)
}

impl Compiled {
    pub(crate) fn new(written: Arc<[Text]>, template: Template) -> Result<Self, PolicyError> {
        let (all, rules, problems) = assemble(&written, template);
        PolicyError::unless_empty(problems)?;
        let shadow_guard = written.iter().any(|text| text.set == Set::GuardShadow);
        let has_guard = written.iter().any(|text| text.set == Set::Guard);
        Ok(Self {
            version: version(&all, template),
            template,
            permits_all: matches!(rules.as_slice(), [rule] if rule.is_permit() && rule.is_unconditional() && rule.set == Set::Guard),
            has_shadow: written.iter().any(|text| text.set.is_shadow()),
            // The built-in guard is the first of all rules.
            replaced: (shadow_guard && !has_guard).then_some(0),
            written,
            rules,
            authorizer: Authorizer::new(),
            tools: Cache::default(),
            plans: Cache::default(),
        })
    }

    pub(crate) fn decide(&self, question: &Question<'_>) -> Decision {
        if self.permits_all {
            return Decision { verdict: Verdict::Permit, policy_version: self.version, shadow: None };
        }
        let plan = self.plan(question.principal, question.tool);
        let mut findings = self.found(&plan);
        match self.look(&plan, question, &mut findings) {
            Ok(()) => self.decision(&findings),
            Err(error) => self.refusal(error),
        }
    }

    /// Evaluates every policy whose scope fits, without shortcuts.
    pub(crate) fn examine(&self, question: &Question<'_>) -> Result<Findings<'_>, String> {
        let facts = Arc::new(ToolFacts::of(question.tool));
        let plan = Plan::blank(question.principal, question.tool, facts);
        let request = plan.request(self.context(&plan, question, &Fields::All)?);
        let mut findings = Findings::default();
        for rule in self.rules.iter().filter(|rule| rule.scope.fits(question.principal, question.tool)) {
            self.evaluate(rule, &request, &plan, &mut findings);
        }
        Ok(findings)
    }

    pub(crate) fn decision(&self, findings: &Findings<'_>) -> Decision {
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

    /// What the plan knows beforehand.
    fn found(&self, plan: &Plan) -> Findings<'_> {
        let failure =
            |(place, error): &(usize, String)| Failure { rule: &self.rules[*place], error: error.clone() };
        Findings {
            matched: plan.matched.iter().map(|place| &self.rules[*place]).collect(),
            failed: plan.failed.iter().map(failure).collect(),
        }
    }

    /// Adds what the policies that look at the call find.
    fn look<'a>(
        &'a self,
        plan: &Plan,
        question: &Question<'_>,
        findings: &mut Findings<'a>,
    ) -> Result<(), String> {
        let Question { principal, tool, arguments, .. } = *question;
        let sight = Sight { arguments, shape: &plan.facts.shape, tool, principal };
        let open = plan.open.iter().map(|place| &self.rules[*place]);
        let mut request = None;
        for rule in open.filter(|rule| !rule.glance.is_certainly_false(sight)) {
            let request = match &request {
                Some(request) => request,
                None => request.insert(plan.request(self.context(plan, question, &plan.fields)?)),
            };
            self.evaluate(rule, request, plan, findings);
        }
        Ok(())
    }

    fn evaluate<'a>(&self, rule: &'a Rule, request: &Request, plan: &Plan, findings: &mut Findings<'a>) {
        let response = self.authorizer.is_authorized(request, &rule.alone, &plan.entities);
        if response.diagnostics().reason().next().is_some() {
            findings.matched.push(rule);
        }
        let errors = response.diagnostics().errors().map(|error| {
            let cedar_policy::AuthorizationError::PolicyEvaluationError(error) = error;
            Failure { rule, error: error.inner().to_string() }
        });
        findings.failed.extend(errors);
    }

    fn context(&self, plan: &Plan, question: &Question<'_>, fields: &Fields) -> Result<Context, String> {
        let input = match question.arguments {
            Value::Object(arguments) => value::input(arguments, &plan.facts.shape, fields),
            Value::Null => value::input(&serde_json::Map::new(), &plan.facts.shape, fields),
            _ => return Err("the arguments are not an object".to_owned()),
        };
        let text = |value: &str| RestrictedExpression::new_string(value.to_owned());
        let optional = [
            ("session", question.session.map(|id| id.as_str())),
            ("run", question.run.map(|id| id.as_str())),
            ("task", question.task),
        ];
        let given = optional.into_iter().filter_map(|(name, value)| Some((name, text(value?))));
        let always = [("input", input), ("template", text(self.template.as_str()))];
        let pairs = always.into_iter().chain(given).map(|(name, value)| (name.to_owned(), value));
        Context::from_pairs(pairs).map_err(|error| format!("the arguments cannot be judged: {error}"))
    }

    fn plan(&self, principal: &Principal, tool: &Tool) -> Arc<Plan> {
        let of_principal = (&principal.id, principal.kind, principal.role, &principal.groups);
        let hash = self.plans.hash((of_principal, &tool.version, tool.name.as_str(), tool.effects));
        let known = self.plans.get(hash, |plan| plan.is_for(principal, tool));
        known.unwrap_or_else(|| self.plans.put(hash, self.make_plan(principal, tool)))
    }

    fn make_plan(&self, principal: &Principal, tool: &Tool) -> Plan {
        let mut plan = Plan::blank(principal, tool, self.facts(tool));
        let request = plan.request(Context::empty());
        let mut findings = Findings::default();
        let fitting = self.rules.iter().enumerate().filter(|(_, rule)| rule.scope.fits(principal, tool));
        for (place, rule) in fitting {
            if rule.usage.context {
                plan.open.push(place);
                plan.fields = std::mem::replace(&mut plan.fields, Fields::All).and(&rule.usage.fields);
                continue;
            }
            self.evaluate(rule, &request, &plan, &mut findings);
            plan.matched.extend(findings.matched.drain(..).map(|_| place));
            plan.failed.extend(findings.failed.drain(..).map(|failure| (place, failure.error)));
        }
        plan
    }

    fn facts(&self, tool: &Tool) -> Arc<ToolFacts> {
        let hash = self.tools.hash((&tool.version, tool.name.as_str(), tool.effects));
        let known = self.tools.get(hash, |(key, _)| key.is(tool));
        let entry =
            known.unwrap_or_else(|| self.tools.put(hash, (ToolKey::of(tool), Arc::new(ToolFacts::of(tool)))));
        Arc::clone(&entry.1)
    }
}

impl Plan {
    fn request(&self, context: Context) -> Request {
        let [principal, action, resource] =
            [&self.principal_uid, &self.action_uid, &self.resource_uid].map(Clone::clone);
        Request::new(principal, action, resource, context, None).expect("without a schema nothing is checked")
    }
}
