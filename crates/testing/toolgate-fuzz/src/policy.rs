//! Policy decisions with shortcuts against Cedar's full evaluation. An input is read as choices of policies,
//! a tool, a principal and calls.
//!
//! Each set of policies is loaded twice: once with scopes in the heads, which the gateway checks itself, and
//! once with the same scopes as conditions behind a head that fits everything, so that Cedar alone decides.

use serde_json::{Value, json};
use toolgate_core::decision::{
    ApprovalLikelihood, Policy, PolicyRequest, PolicyTemplate, Verdict, Visibility, VisibilityRequest,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{
    Digest, Effects, Principal, PrincipalId, PrincipalKind, RawJson, Role, ServerName, Tool,
};
use toolgate_policy::{PolicyEngine, PolicyPurpose, Sources};

use crate::choices::Choices;

const POLICIES_MAX: usize = 5;
const CALLS_MAX: usize = 4;
const DEPTH_MAX: usize = 4;

const SETS: [(PolicyPurpose, &str); 6] = [
    (PolicyPurpose::Guard, "permit"),
    (PolicyPurpose::Guard, "permit"),
    (PolicyPurpose::Guard, "forbid"),
    (PolicyPurpose::Gates, "forbid"),
    (PolicyPurpose::GuardShadow, "permit"),
    (PolicyPurpose::GatesShadow, "forbid"),
];
const PRINCIPALS: [&str; 6] = [
    "principal",
    "principal == Agent::\"helper\"",
    "principal in Group::\"payments\"",
    "principal in Role::\"operator\"",
    "principal is Human",
    "principal is Agent in Group::\"payments\"",
];
const ACTIONS: [&str; 4] = [
    "action",
    "action == Action::\"bank:transfer\"",
    "action == Action::\"shop:drop_table\"",
    "action in [Action::\"bank:transfer\", Action::\"bank:promote\"]",
];
const RESOURCES: [&str; 5] = [
    "resource",
    "resource == Tool::\"bank:transfer\"",
    "resource in Server::\"bank\"",
    "resource is Tool",
    "resource is Tool in Server::\"shop\"",
];
const OPERANDS: [&str; 15] = [
    "context.input.amount",
    "context.input.count",
    "context.input.who",
    "context.input.on",
    "context.input.deep.amount",
    "context.input.free",
    "resource.name",
    "resource.server",
    "resource.write",
    "principal.name",
    "principal.role",
    "context.agent",
    "context.template",
    "context.task",
    "context.session",
];
const LITERALS: [&str; 12] = [
    "1",
    "-3",
    "500",
    "9223372036854775807",
    "\"x\"",
    "\"transfer\"",
    "\"clerk\"",
    "\"regulated\"",
    "true",
    "decimal(\"1.5\")",
    "decimal(\"500.0\")",
    "decimal(\"-0.0001\")",
];
const OPERATORS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const METHODS: [&str; 4] = ["lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"];
const FIELDS: [&str; 7] = ["amount", "free", "deep.amount", "deep.free", "who", "who.deep", "\"a b\""];
const WHOLE: [&str; 12] = [
    "true",
    "false",
    "context has agent",
    "context has template",
    "context has task",
    "context has run",
    "resource.traits.contains(\"promotion\")",
    "resource.effects.contains(\"write\")",
    "resource.effects.contains(1)",
    "resource.nothing",
    "context.input.count + 1 > 1",
    "if resource.write then context.input.on else true",
];
const AGENTS: [&str; 2] = ["clerk", "x"];
const PIECES: [&str; 6] = ["*", "x", "tr", "s", "r", "\\*"];

pub(crate) fn try_one(input: &[u8]) {
    let mut choices = Choices::new(input);
    let template = *choices.pick(&PolicyTemplate::ALL);
    let rules: Vec<Rule> = (0..choices.below(POLICIES_MAX)).map(|_| Rule::chosen(&mut choices)).collect();
    // A method of a literal does not always parse, which is the author's mistake.
    let Ok(quick) = load(&rules, Rule::with_scope, template) else { return };
    let slow = load(&rules, Rule::without_scope, template).expect("a scope is a condition, too");
    let (principal, tool) = (principal(&mut choices), tool(&mut choices));
    let agent = choices.flip().then(|| AgentName::new(choices.pick::<&str>(&AGENTS)).expect("it is a name"));
    let care = choices.flip().then(|| *choices.pick(&PolicyTemplate::ALL));
    let glimpse =
        VisibilityRequest { principal: &principal, tool: &tool, agent: agent.as_ref(), template: care };
    let visibility = quick.visibility(&glimpse);
    for _ in 0..=choices.below(CALLS_MAX) {
        let task = choices.flip().then_some("x");
        let arguments = arguments(&mut choices);
        let mut question = PolicyRequest::alone(&principal, &tool, &arguments);
        (question.agent, question.template, question.task) = (agent.as_ref(), care, task);
        let decision = quick.decide(&question);
        agree(decision.verdict.as_str(), slow.explain(&question).verdict.as_str(), &rules);
        agree(decision.verdict.as_str(), quick.explain(&question).verdict.as_str(), &rules);
        assert_eq!(quick.decide(&question), decision, "the second time it is another decision");
        holds(&visibility, &decision.verdict);
    }
}

fn agree(decided: &str, judged: &str, rules: &[Rule]) {
    assert_eq!(decided, judged, "Cedar says otherwise: {rules:#?}");
}

/// The decision does not contradict the visibility before the call.
fn holds(visibility: &Visibility, verdict: &Verdict) {
    let contradicts = match visibility {
        Visibility::Hidden(_) => !matches!(verdict, Verdict::Deny(_)),
        Visibility::Visible(ApprovalLikelihood::Never) => matches!(verdict, Verdict::Approve(_)),
        Visibility::Visible(ApprovalLikelihood::Sometimes) => false,
        Visibility::Visible(ApprovalLikelihood::Always) => *verdict == Verdict::Permit,
    };
    assert!(!contradicts, "{visibility:?} was said, and then {verdict:?}");
}

#[derive(Debug)]
struct Rule {
    set: PolicyPurpose,
    effect: &'static str,
    scope: [&'static str; 3],
    condition: String,
}

impl Rule {
    fn chosen(choices: &mut Choices<'_>) -> Self {
        let (set, effect) = *choices.pick(&SETS);
        let scope = [*choices.pick(&PRINCIPALS), *choices.pick(&ACTIONS), *choices.pick(&RESOURCES)];
        let condition = match choices.below(5) {
            0 => String::new(),
            kind => {
                let word = if kind % 2 == 0 { "when" } else { "unless" };
                format!(" {word} {{ {} }}", condition(choices, DEPTH_MAX))
            }
        };
        Self { set, effect, scope, condition }
    }

    fn with_scope(&self) -> String {
        format!("{}({}){};", self.effect, self.scope.join(", "), self.condition)
    }

    fn without_scope(&self) -> String {
        let bare = |part: &&str| !matches!(*part, "principal" | "action" | "resource");
        let conditions =
            self.scope.iter().filter(|part| bare(part)).map(|part| format!(" when {{ {part} }}"));
        let conditions: String = conditions.collect();
        format!("{}(principal, action, resource){conditions}{};", self.effect, self.condition)
    }
}

fn load(
    rules: &[Rule],
    text: impl Fn(&Rule) -> String,
    template: PolicyTemplate,
) -> Result<PolicyEngine, ()> {
    let named = rules.iter().enumerate().map(|(at, rule)| (format!("{at}.cedar"), rule.set, text(rule)));
    let sources = Sources { folder: None, extra: named.collect(), template };
    PolicyEngine::load(sources).map_err(drop)
}

fn condition(choices: &mut Choices<'_>, depth: usize) -> String {
    match choices.below(12) {
        0 if depth > 0 => {
            format!("({}) && ({})", condition(choices, depth - 1), condition(choices, depth - 1))
        }
        1 if depth > 0 => {
            format!("({}) || ({})", condition(choices, depth - 1), condition(choices, depth - 1))
        }
        2 if depth > 0 => format!("!({})", condition(choices, depth - 1)),
        3 => format!("{} {} {}", choices.pick(&OPERANDS), choices.pick(&OPERATORS), choices.pick(&LITERALS)),
        4 => format!("{} {} {}", choices.pick(&LITERALS), choices.pick(&OPERATORS), choices.pick(&OPERANDS)),
        5 => format!("{}.{}({})", choices.pick(&OPERANDS), choices.pick(&METHODS), choices.pick(&LITERALS)),
        6 => format!(
            "[{}, {}].contains({})",
            choices.pick(&LITERALS),
            choices.pick(&LITERALS),
            choices.pick(&OPERANDS)
        ),
        7 => format!("context.input has {}", choices.pick(&FIELDS)),
        8 => {
            let pattern: String = (0..choices.below(5)).map(|_| *choices.pick(&PIECES)).collect();
            format!("{} like \"{pattern}\"", choices.pick(&OPERANDS))
        }
        9 => (*choices.pick(&PRINCIPALS[1..])).to_owned(),
        10 => (*choices.pick(&RESOURCES[1..])).to_owned(),
        _ => (*choices.pick(&WHOLE)).to_owned(),
    }
}

fn principal(choices: &mut Choices<'_>) -> Principal {
    let groups = if choices.flip() { vec!["payments".to_owned()] } else { Vec::new() };
    let (id, kind, role) = *choices.pick(&[
        ("helper", PrincipalKind::Agent, Role::Agent),
        ("ada", PrincipalKind::Human, Role::Operator),
        ("helper", PrincipalKind::Human, Role::Agent),
    ]);
    Principal { id: PrincipalId::new(id), kind, role, groups: groups.into() }
}

fn tool(choices: &mut Choices<'_>) -> Tool {
    let (server, own, effects) = *choices.pick(&[
        ("bank", "transfer", Effects::WRITE),
        ("bank", "promote", Effects::READ),
        ("shop", "drop_table", Effects::ALL),
        ("shop", "transfer", Effects::NONE),
    ]);
    let number = *choices.pick(&["number", "integer", "string"]);
    let schema = json!({"properties": {
        "amount": {"type": number},
        "count": {"type": "integer"},
        "deep": {"properties": {"amount": {"type": number}}},
    }});
    let server = ServerName::new(server).expect("it is a name");
    Tool {
        version: Digest::of(format!("{own} {schema}")),
        effects,
        hinted: choices.flip(),
        input_schema: Some(RawJson::from(schema)),
        ..Tool::unread(&server, own)
    }
}

fn arguments(choices: &mut Choices<'_>) -> Value {
    let names = ["amount", "count", "who", "on", "deep", "free", "a b"];
    let fields = (0..choices.below(6)).map(|_| (choices.pick(&names).to_string(), value(choices)));
    Value::Object(fields.collect())
}

fn value(choices: &mut Choices<'_>) -> Value {
    match choices.below(16) {
        0 => json!(null),
        1 => json!(1),
        2 => json!(1.5),
        3 => json!(500),
        4 => json!(500.0),
        5 => json!("x"),
        6 => json!(true),
        7 => json!(1e300),
        8 => json!(-3),
        9 => json!({}),
        10 => json!({"amount": 1.5}),
        11 => json!({"amount": null}),
        12 => json!([1]),
        13 => json!(i64::MAX),
        14 => json!(u64::MAX),
        _ => json!(-0.000_1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "Cedar says otherwise")]
    fn a_decision_that_cedar_does_not_make_is_a_finding() {
        agree("permit", "deny", &[]);
    }

    #[test]
    #[should_panic(expected = "was said, and then")]
    fn a_decision_that_contradicts_what_was_said_is_a_finding() {
        holds(&Visibility::Visible(ApprovalLikelihood::Always), &Verdict::Permit);
    }
}
