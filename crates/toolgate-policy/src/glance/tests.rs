//! The first look never says "false" where Cedar would not.

use cedar_policy::{Authorizer, Context, Entities, Policy as CedarPolicy, PolicySet, Request};
use proptest::prelude::*;
use serde_json::json;
use toolgate_core::{Kind, Role};

use super::*;
use crate::entity::{entities, principal_entity, principal_uid, tool_entity, uid};
use crate::fixture::{principal, tool};
use crate::usage::Fields;

fn glance(condition: &str) -> Glance {
    Glance::of(&policy(condition).to_json().unwrap())
}

fn policy(condition: &str) -> CedarPolicy {
    CedarPolicy::parse(None, format!("forbid(principal, action, resource) {condition};")).unwrap()
}

fn agent() -> Principal {
    principal("helper", Kind::Agent, Role::Agent, &["payments"])
}

fn schema() -> Value {
    json!({"properties": {"amount": {"type": "number"}, "count": {"type": "integer"}, "deep": {"properties": {"amount": {"type": "number"}}}}})
}

fn looked(condition: &str, arguments: &Value) -> Option<bool> {
    let tool = tool("bank:transfer", Effects::WRITE.and(Effects::EXTERNAL), schema());
    let shape = Shape::of_schema(&schema());
    glance(condition).look(Sight { arguments, shape: &shape, tool: &tool, principal: &agent() })
}

/// What Cedar says: matched, not matched, or an error.
fn judged(condition: &str, arguments: &Value) -> Option<bool> {
    let tool = tool("bank:transfer", Effects::WRITE.and(Effects::EXTERNAL), schema());
    let shape = Shape::of_schema(&schema());
    let input = crate::value::input(arguments.as_object().unwrap(), &shape, &Fields::All);
    let context = Context::from_pairs([("input".to_owned(), input)]).unwrap();
    let entities: Entities = entities(principal_entity(&agent()), tool_entity(&tool));
    let name = "bank:transfer";
    let request =
        Request::new(principal_uid(&agent()), uid("Action", name), uid("Tool", name), context, None).unwrap();
    let set = PolicySet::from_policies([policy(condition)]).unwrap();
    let response = Authorizer::new().is_authorized(&request, &set, &entities);
    if response.diagnostics().errors().next().is_some() {
        return None;
    }
    Some(response.diagnostics().reason().next().is_some())
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

fn operand() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "context.input.amount",
        "context.input.count",
        "context.input.who",
        "context.input.on",
        "context.input.deep.amount",
        "context.input.free",
        "resource.name",
        "resource.write",
        "principal.name",
        "principal.role",
    ])
    .prop_map(str::to_owned)
}

fn literal() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "1",
        "-3",
        "500",
        "\"x\"",
        "\"transfer\"",
        "true",
        "decimal(\"1.5\")",
        "decimal(\"500.0\")",
    ])
    .prop_map(str::to_owned)
}

fn pattern() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["*", "x", "tr", "s", "r", "\\*"]), 0..5)
        .prop_map(|pieces| pieces.concat())
}

fn membership() -> impl Strategy<Value = String> {
    let entities = [
        "Group::\"payments\"",
        "Group::\"finance\"",
        "Role::\"agent\"",
        "Agent::\"helper\"",
        "Human::\"helper\"",
        "Server::\"bank\"",
        "Server::\"shop\"",
        "Tool::\"bank:transfer\"",
        "Action::\"bank:transfer\"",
    ];
    let entity = prop::sample::select(entities.to_vec());
    let variable = prop::sample::select(vec!["principal", "resource", "action"]);
    let types = prop::sample::select(vec!["Agent", "Human", "Tool", "Action"]);
    prop_oneof![
        (variable.clone(), prop::sample::select(vec!["==", "!=", "in"]), entity.clone())
            .prop_map(|(variable, operator, entity)| format!("{variable} {operator} {entity}")),
        (variable.clone(), entity.clone(), entity.clone())
            .prop_map(|(variable, a, b)| format!("{variable} in [{a}, {b}]")),
        (variable.clone(), types.clone()).prop_map(|(variable, name)| format!("{variable} is {name}")),
        (variable, types, entity)
            .prop_map(|(variable, name, entity)| format!("{variable} is {name} in {entity}")),
    ]
}

fn atom() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let method =
        prop::sample::select(vec!["lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"]);
    prop_oneof![
        (operand(), operator.clone(), literal()).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        (literal(), operator, operand()).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        (operand(), method.clone(), literal()).prop_map(|(a, method, b)| format!("{a}.{method}({b})")),
        (literal(), method, operand()).prop_map(|(a, method, b)| format!("({a}).{method}({b})")),
        (literal(), literal(), operand()).prop_map(|(a, b, c)| format!("[{a}, {b}].contains({c})")),
        prop::sample::select(vec!["amount", "free", "deep.amount", "deep.free", "who", "who.deep"])
            .prop_map(|field| format!("context.input has {field}")),
        membership(),
        operand(),
        Just("true".to_owned()),
        (operand(), pattern()).prop_map(|(operand, pattern)| format!("{operand} like \"{pattern}\"")),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let whole = atom().prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) && ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) || ({b})")),
            inner.prop_map(|a| format!("!({a})")),
        ]
    });
    (whole, any::<bool>()).prop_map(|(whole, plain)| {
        if plain { format!("when {{ {whole} }}") } else { format!("unless {{ {whole} }}") }
    })
}

fn value() -> impl Strategy<Value = Value> {
    let plain = vec![
        json!(null),
        json!(1),
        json!(1.5),
        json!(500),
        json!(500.0),
        json!("x"),
        json!(true),
        json!(1e300),
        json!(-3),
    ];
    let deep = vec![json!({}), json!({"amount": 1.5}), json!({"amount": null}), json!([1])];
    prop::sample::select([plain, deep].concat())
}

fn arguments() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec!["amount", "count", "who", "on", "deep", "free"]);
    prop::collection::btree_map(names, value(), 0..6).prop_map(|fields| json!(fields))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_look_that_is_certain_is_what_cedar_says(condition in condition(), arguments in arguments()) {
        if policy_parses(&condition) && let Some(certain) = looked(&condition, &arguments) {
            prop_assert_eq!(judged(&condition, &arguments), Some(certain));
        }
    }
}

/// Some literals cannot be called on, which the parser already says.
fn policy_parses(condition: &str) -> bool {
    CedarPolicy::parse(None, format!("forbid(principal, action, resource) {condition};")).is_ok()
}
