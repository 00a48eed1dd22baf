//! The quick check never says "false" unless Cedar would.

use cedar_policy::{Authorizer, Context, Entities, Policy as CedarPolicy, PolicySet, RestrictedExpression};
use proptest::prelude::*;
use serde_json::json;
use toolgate_core::{PrincipalKind, Role};

use super::*;
use crate::entity::{CallUids, entities, principal_entity, tool_entity};
use crate::fixture::conditions::{arguments, condition, parses};
use crate::fixture::{principal, tool};
use crate::usage::UsedArguments;

fn glance(condition: &str) -> PartialCondition {
    PartialCondition::of(&policy(condition).to_json().unwrap())
}

fn policy(condition: &str) -> CedarPolicy {
    CedarPolicy::parse(None, format!("forbid(principal, action, resource) {condition};")).unwrap()
}

fn agent() -> Principal {
    principal("helper", PrincipalKind::Agent, Role::Agent, &["payments"])
}

fn schema() -> Value {
    json!({"properties": {"amount": {"type": "number"}, "count": {"type": "integer"}, "deep": {"properties": {"amount": {"type": "number"}}}}})
}

/// The inputs of a check.
#[derive(Clone, Debug)]
struct ConditionScene {
    tool: Tool,
    agent: Option<&'static str>,
    template: PolicyTemplate,
}

fn transfer() -> ConditionScene {
    let tool = tool("bank:transfer", Effects::WRITE.and(Effects::EXTERNAL), schema());
    ConditionScene { tool, agent: None, template: PolicyTemplate::Exploratory }
}

fn promotion() -> ConditionScene {
    let tool = tool("bank:promote", Effects::READ, schema());
    ConditionScene { tool, agent: Some("clerk"), template: PolicyTemplate::Regulated }
}

impl ConditionScene {
    /// The certain result, before there is a call or with it.
    fn looked(&self, condition: &str, arguments: Option<&Value>) -> Option<bool> {
        let shape = SchemaShape::of_schema(&schema());
        let call = arguments.map(|arguments| VisibleCall { arguments, shape: &shape });
        let (principal, ConditionScene { tool, agent, template }) = (agent(), self);
        glance(condition).look(VisibleData {
            call,
            tool,
            principal: &principal,
            agent: *agent,
            template: *template,
        })
    }

    /// Cedar's result: matched, not matched, or an error.
    fn judged(&self, condition: &str, arguments: &Value) -> Option<bool> {
        let shape = SchemaShape::of_schema(&schema());
        let input = crate::value::input(arguments.as_object().unwrap(), &shape, &UsedArguments::All);
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let agent_name = self.agent.map(|name| ("agent".to_owned(), text(name)));
        let template = ("template".to_owned(), text(self.template.as_str()));
        let pairs = [("input".to_owned(), input), template].into_iter().chain(agent_name);
        let entities: Entities = entities(principal_entity(&agent()), tool_entity(&self.tool));
        let request = CallUids::of(&agent(), &self.tool).request(Context::from_pairs(pairs).unwrap());
        let set = PolicySet::from_policies([policy(condition)]).unwrap();
        let response = Authorizer::new().is_authorized(&request, &set, &entities);
        if response.diagnostics().errors().next().is_some() {
            return None;
        }
        Some(response.diagnostics().reason().next().is_some())
    }
}

fn looked(condition: &str, arguments: &Value) -> Option<bool> {
    transfer().looked(condition, Some(arguments))
}

fn judged(condition: &str, arguments: &Value) -> Option<bool> {
    transfer().judged(condition, arguments)
}

#[test]
fn common_conditions_are_seen_through() {
    let arguments =
        json!({"amount": 500, "count": 3, "who": "x", "on": true, "deep": {"amount": 7}, "none": null});
    for (condition, expected) in [
        ("", true),
        ("when { context.input has amount }", true),
        ("when { context.input has none }", false),
        ("when { context.input has deep.amount }", true),
        ("when { context.input has deep.other }", false),
        ("when { context.input.amount.greaterThan(decimal(\"1000.0\")) }", false),
        ("when { context.input.amount.lessThanOrEqual(decimal(\"500.0\")) }", true),
        ("when { decimal(\"400.0\").lessThan(context.input.amount) }", true),
        ("when { context.input.deep.amount == decimal(\"7.0\") }", true),
        ("when { context.input.count > 3 }", false),
        ("when { 3 >= context.input.count }", true),
        ("when { context.input.who == \"y\" }", false),
        ("when { [\"x\", \"y\"].contains(context.input.who) }", true),
        ("unless { context.input.on }", false),
        ("when { context.input.who like \"x\" && resource.name like \"tr*s*r\" }", true),
        ("when { resource.name like \"transfer*transfer\" || resource.name like \"*x*\" }", false),
        ("when { resource.write && !resource.read }", true),
        ("when { principal in Group::\"payments\" && !(principal in Role::\"admin\") }", true),
        ("when { principal in [Group::\"finance\", Role::\"agent\"] }", true),
        ("when { principal in [] }", false),
        ("when { principal is Human || principal == Human::\"helper\" }", false),
        ("when { principal.name == \"helper\" && principal.role != \"agent\" }", false),
        (
            "when { resource in Server::\"bank\" && resource is Tool && resource != Tool::\"bank:balance\" }",
            true,
        ),
        ("when { resource.name == \"balance\" || resource.server == \"bank\" }", true),
        ("when { context.input has other && context.input.other.greaterThan(decimal(\"1.0\")) }", false),
    ] {
        assert_eq!(looked(condition, &arguments), Some(expected), "{condition}");
        assert_eq!(judged(condition, &arguments), Some(expected), "{condition}");
    }
}

#[test]
fn what_is_an_error_to_cedar_is_not_known() {
    let arguments = json!({"amount": 500, "count": 3, "who": "x"});
    for condition in [
        "when { context.input.other == 1 }",
        "when { context.input.other == 1 && false }",
        "when { context.input.amount > 3 }",
        "when { context.input.amount < decimal(\"1.0\") }",
        "when { context.input.count.greaterThan(decimal(\"1.0\")) }",
        "when { context.input.who.deep == 1 }",
        "when { context.input.who }",
        "when { context.input.who < 3 }",
    ] {
        assert_eq!(looked(condition, &arguments), None, "{condition}");
        assert_eq!(judged(condition, &arguments), None, "{condition}");
    }
}

#[test]
fn what_is_not_understood_is_left_to_cedar() {
    let arguments = json!({"who": "x", "count": 1});
    for condition in ["when { {a: context.input.who} has a }", "when { context.input.count + 1 > 1 }"] {
        assert_eq!(looked(condition, &arguments), None, "{condition}");
        assert_eq!(judged(condition, &arguments), Some(true), "{condition}");
    }
}

#[test]
fn agent_template_effects_and_traits_are_seen_before_there_is_a_call() {
    for (condition, expected) in [
        ("when { context has agent && context.agent == \"clerk\" }", true),
        ("unless { context.agent like \"cl*\" }", false),
        ("when { [\"regulated\", \"audit_critical\"].contains(context.template) }", true),
        ("when { context.template == \"exploratory\" && context.input.amount > 1 }", false),
        ("when { resource.traits.contains(\"promotion\") || context.input has amount }", true),
        ("when { resource.traits.contains(\"schema\") }", false),
        ("when { resource.effects.contains(\"read\") && !resource.effects.contains(\"write\") }", true),
        ("when { resource.effects.contains(\"nothing\") }", false),
        ("when { principal in Group::\"finance\" && context.input has amount }", false),
    ] {
        assert_eq!(promotion().looked(condition, None), Some(expected), "{condition}");
        assert_eq!(promotion().judged(condition, &json!({})), Some(expected), "{condition}");
    }
    assert_eq!(transfer().looked("when { context has agent }", None), Some(false));
    // Without an agent this is an error to Cedar.
    assert_eq!(transfer().looked("when { context.agent != \"clerk\" }", None), None);
    // Data that is not available yet is not absent.
    for condition in ["when { context.input has amount }", "when { context has task }"] {
        assert_eq!(promotion().looked(condition, None), None, "{condition}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_look_that_is_certain_is_what_cedar_says(
        condition in condition(),
        arguments in arguments(),
        scene in prop::sample::select(vec![transfer(), promotion()]),
    ) {
        prop_assume!(parses(&condition));
        let (before, with_it) = (scene.looked(&condition, None), scene.looked(&condition, Some(&arguments)));
        if let Some(certain) = before {
            prop_assert_eq!(with_it, Some(certain));
        }
        if let Some(certain) = with_it {
            prop_assert_eq!(scene.judged(&condition, &arguments), Some(certain));
        }
    }
}
