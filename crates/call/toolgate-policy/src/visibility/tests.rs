//! The visibility of tools, and decisions that agree with it.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_core::decision::{Policy, PolicyRequest};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::{Effects, PrincipalKind, Role};

use super::*;
use crate::fixture::conditions::{arguments, condition, parses};
use crate::fixture::*;
use crate::{DESCRIBE_TOOL, PolicyEngine, PolicyPurpose, SEARCH_TOOL, discovery};

fn seen(texts: &[(PolicyPurpose, &str)], tool: &Tool) -> Visibility {
    let (engine, principal) =
        (engine(texts), principal("helper", PrincipalKind::Agent, Role::Agent, &["payments"]));
    let clerk = AgentName::new("clerk").unwrap();
    let glimpse = VisibilityRequest { principal: &principal, tool, agent: Some(&clerk), template: None };
    let visibility = engine.visibility(&glimpse);
    assert_eq!(engine.visibility(&glimpse), visibility, "the second time it is remembered");
    visibility
}

fn hidden(visibility: Visibility) -> Denial {
    match visibility {
        Visibility::Hidden(denial) => denial,
        Visibility::Visible(asking) => panic!("it is visible: {asking:?}"),
    }
}

const NEVER: Visibility = Visibility::Visible(ApprovalLikelihood::Never);
const SOMETIMES: Visibility = Visibility::Visible(ApprovalLikelihood::Sometimes);
const ALWAYS: Visibility = Visibility::Visible(ApprovalLikelihood::Always);

#[test]
fn a_tool_that_no_call_could_reach_is_hidden_and_says_why() {
    assert_eq!(seen(&[], &transfer()), NEVER);
    assert_eq!(hidden(seen(&[(PolicyPurpose::Guard, "")], &transfer())), Denial::default());
    let forbid =
        r#"@id("no") @reason("not here") forbid(principal, action, resource) when { resource.write };"#;
    let denial =
        hidden(seen(&[(PolicyPurpose::Guard, PERMIT_ALL), (PolicyPurpose::Guard, forbid)], &transfer()));
    assert_eq!(denial.policies[0].id, "no");
    assert_eq!(denial.policies[0].reason.as_deref(), Some("not here"));
    assert_eq!(
        seen(&[(PolicyPurpose::Guard, PERMIT_ALL), (PolicyPurpose::Guard, forbid)], &balance()),
        NEVER
    );
    // A policy that fails for any arguments denies every call, in either set.
    let broken = "forbid(principal, action, resource) when { resource.nothing };";
    for set in [PolicyPurpose::Guard, PolicyPurpose::Gates] {
        let denial = hidden(seen(&[(PolicyPurpose::Guard, PERMIT_ALL), (set, broken)], &transfer()));
        assert!(denial.error.unwrap().contains("nothing"));
    }
}

#[test]
fn what_depends_on_the_call_hides_nothing() {
    for (guard, expected) in [
        ("permit(principal, action, resource) when { context.input has amount };", NEVER),
        ("permit(principal, action, resource) when { context has task };", NEVER),
        ("permit(principal, action, resource) when { context.input.nothing };", NEVER),
        (
            r#"permit(principal, action, resource);
            forbid(principal, action, resource) when { context.input has amount };"#,
            NEVER,
        ),
        (
            r#"permit(principal, action, resource);
            forbid(principal, action, resource) unless { context has session };"#,
            NEVER,
        ),
    ] {
        assert_eq!(seen(&[(PolicyPurpose::Guard, guard)], &transfer()), expected, "{guard}");
    }
    // It is for others, and that is known without a call.
    for guard in [
        r#"permit(principal in Group::"finance", action, resource) when { context.input has amount };"#,
        r#"permit(principal, action, resource) when { principal in Group::"finance" && context.input has amount };"#,
        r#"permit(principal, action, resource) when { context.agent == "other" && context.input has amount };"#,
    ] {
        assert_eq!(hidden(seen(&[(PolicyPurpose::Guard, guard)], &transfer())), Denial::default(), "{guard}");
    }
}

#[test]
fn gates_ask_always_sometimes_or_never() {
    for (gate, expected) in [
        ("forbid(principal, action, resource);", ALWAYS),
        ("forbid(principal, action, resource) when { resource.write };", ALWAYS),
        ("forbid(principal, action, resource) when { resource.read };", NEVER),
        ("forbid(principal, action == Action::\"bank:balance\", resource);", NEVER),
        ("forbid(principal, action, resource) when { context.input has amount };", SOMETIMES),
        ("forbid(principal, action, resource) when { context has run };", SOMETIMES),
        ("forbid(principal, action, resource) when { resource.write || context.input has amount };", ALWAYS),
        ("forbid(principal, action, resource) when { resource.read && context.input has amount };", NEVER),
        (
            r#"forbid(principal, action, resource) when { context has agent && context.agent == "clerk" };"#,
            ALWAYS,
        ),
        (r#"forbid(principal, action, resource) when { context.agent == "other" };"#, NEVER),
        (r#"forbid(principal, action, resource) when { context.template == "exploratory" };"#, ALWAYS),
        // Only Cedar understands these.
        (r#"forbid(principal, action, resource) when { if resource.write then true else false };"#, ALWAYS),
        (r#"forbid(principal, action, resource) when { [context.agent].contains("other") };"#, NEVER),
    ] {
        assert_eq!(seen(&[(PolicyPurpose::Gates, gate)], &transfer()), expected, "{gate}");
    }
    let sometimes = "permit(principal, action, resource) when { context.input has amount };";
    let gate = "forbid(principal, action, resource);";
    assert_eq!(seen(&[(PolicyPurpose::Guard, sometimes), (PolicyPurpose::Gates, gate)], &transfer()), ALWAYS);
}

#[test]
fn policies_in_shadow_mode_hide_nothing_and_ask_nobody() {
    let text = "forbid(principal, action, resource);";
    assert_eq!(
        seen(&[(PolicyPurpose::GuardShadow, text), (PolicyPurpose::GatesShadow, text)], &transfer()),
        NEVER
    );
    let broken = "forbid(principal, action, resource) when { resource.nothing };";
    assert_eq!(seen(&[(PolicyPurpose::GuardShadow, broken)], &transfer()), NEVER);
}

#[test]
fn agents_and_levels_of_care_are_told_apart_in_what_is_remembered() {
    let guard =
        r#"permit(principal, action, resource) when { context has agent && context.agent == "clerk" };"#;
    let gate = r#"forbid(principal, action, resource) when { context.template == "regulated" };"#;
    let engine = engine(&[(PolicyPurpose::Guard, guard), (PolicyPurpose::Gates, gate)]);
    let (principal, tool) = (agent(), balance());
    let names = ["clerk", "other"].map(|name| AgentName::new(name).unwrap());
    // Twice: a cached result for one must not be used for another.
    for _ in 0..2 {
        for (agent, template, expected) in [
            (Some(&names[0]), None, Some(ApprovalLikelihood::Never)),
            (Some(&names[0]), Some(PolicyTemplate::Regulated), Some(ApprovalLikelihood::Always)),
            (Some(&names[1]), None, None),
            (None, None, None),
            (None, Some(PolicyTemplate::Regulated), None),
        ] {
            let seen =
                engine.visibility(&VisibilityRequest { principal: &principal, tool: &tool, agent, template });
            let asking = match seen {
                Visibility::Hidden(_) => None,
                Visibility::Visible(asking) => Some(asking),
            };
            assert_eq!(asking, expected, "{agent:?} {template:?}");
        }
    }
}

#[test]
fn a_list_of_ten_thousand_tools_is_remembered_whole() {
    let engine =
        engine(&[(PolicyPurpose::Gates, "forbid(principal, action, resource) when { resource.write };")]);
    let principal = agent();
    for number in 0..10_000 {
        let tool = tool(&format!("bank:tool{number}"), Effects::WRITE, Value::Null);
        let glimpse = VisibilityRequest { principal: &principal, tool: &tool, agent: None, template: None };
        assert_eq!(engine.visibility(&glimpse), ALWAYS);
    }
    assert_eq!(engine.in_force().own().remembered.answers.len(), 10_000);
}

#[test]
fn search_and_describe_are_there_however_narrow_the_guard_is() {
    let narrow = r#"permit(principal, action == Action::"bank:balance", resource);"#;
    for name in [SEARCH_TOOL, DESCRIBE_TOOL] {
        let tool = discovery::tool(name).unwrap();
        assert_eq!(seen(&[(PolicyPurpose::Guard, narrow)], &tool), NEVER);
        let decision =
            decide(&engine(&[(PolicyPurpose::Guard, narrow)]), &agent(), &tool, json!({"query": "x"}));
        assert_eq!(decision.verdict, Verdict::Permit);
        for template in PolicyTemplate::ALL {
            let engine = PolicyEngine::load(sources(&[], template)).unwrap();
            assert_eq!(decide(&engine, &agent(), &tool, json!({})).verdict, Verdict::Permit, "{template}");
        }
        let forbid = format!("@id(\"no-search\") forbid(principal, action == Action::\"{name}\", resource);");
        let denial =
            hidden(seen(&[(PolicyPurpose::Guard, PERMIT_ALL), (PolicyPurpose::Guard, &forbid)], &tool));
        assert_eq!(denial.policies[0].id, "no-search");
    }
    // The name gives access to no one else.
    let server = toolgate_core::ServerName::new("bank").unwrap();
    let impostor = Tool { server, ..discovery::tool(SEARCH_TOOL).unwrap() };
    assert_eq!(hidden(seen(&[(PolicyPurpose::Guard, narrow)], &impostor)), Denial::default());
}

/// A policy of either set, over scopes and conditions of all kinds.
fn policy() -> impl Strategy<Value = (PolicyPurpose, String)> {
    let scopes = [
        "principal, action, resource",
        "principal in Group::\"payments\", action, resource",
        "principal is Human, action, resource",
        "principal, action == Action::\"bank:transfer\", resource",
        "principal, action, resource in Server::\"bank\"",
    ];
    let sets = [
        (PolicyPurpose::Guard, "permit"),
        (PolicyPurpose::Guard, "permit"),
        (PolicyPurpose::Guard, "forbid"),
        (PolicyPurpose::Gates, "forbid"),
        (PolicyPurpose::GuardShadow, "permit"),
        (PolicyPurpose::GatesShadow, "forbid"),
    ];
    let conditions = prop_oneof![
        1 => Just(String::new()),
        4 => condition().prop_filter("it does not parse", |condition| parses(condition)),
    ];
    (prop::sample::select(sets.to_vec()), prop::sample::select(scopes.to_vec()), conditions)
        .prop_map(|((set, effect), scope, condition)| (set, format!("{effect}({scope}) {condition};")))
}

fn somebody() -> impl Strategy<Value = Principal> {
    prop::sample::select(vec![
        principal("helper", PrincipalKind::Agent, Role::Agent, &["payments"]),
        principal("ada", PrincipalKind::Human, Role::Operator, &[]),
    ])
}

fn something() -> impl Strategy<Value = Tool> {
    let schema = json!({"properties": {"amount": {"type": "number"}, "count": {"type": "integer"}}});
    prop::sample::select(vec![
        transfer(),
        tool("bank:promote", Effects::READ, schema.clone()),
        tool("shop:drop_table", Effects::ALL, schema),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_decision_contradicts_what_was_said_beforehand(
        texts in prop::collection::vec(policy(), 0..5),
        principal in somebody(),
        tool in something(),
        agent in prop::option::of(prop::sample::select(vec!["clerk", "x"])),
        own in prop::sample::select(PolicyTemplate::ALL.to_vec()),
        template in prop::option::of(prop::sample::select(PolicyTemplate::ALL.to_vec())),
        calls in prop::collection::vec((arguments(), prop::option::of(Just("x")), any::<bool>()), 1..6),
    ) {
        let texts: Vec<(PolicyPurpose, &str)> = texts.iter().map(|(set, text)| (*set, text.as_str())).collect();
        let engine = PolicyEngine::load(sources(&texts, own)).unwrap();
        let agent = agent.map(|name| AgentName::new(name).unwrap());
        let agent = agent.as_ref();
        let visibility = engine.visibility(&VisibilityRequest { principal: &principal, tool: &tool, agent, template });
        let (session, run) = (SessionId::new("ses_1"), RunId::new("run_1"));
        for (arguments, task, in_session) in &calls {
            let (session, run) = (in_session.then_some(&session), in_session.then_some(&run));
            let question = PolicyRequest {
                session, agent, template, run, task: *task, ..question(&principal, &tool, arguments)
            };
            let decision = engine.decide(&question);
            prop_assert_eq!(decision.policy_version, engine.version_under(template));
            prop_assert_eq!(decision.verdict.as_str(), engine.explain(&question).verdict.as_str());
            let contradicts = match &visibility {
                Visibility::Hidden(_) => !matches!(decision.verdict, Verdict::Deny(_)),
                Visibility::Visible(ApprovalLikelihood::Never) => matches!(decision.verdict, Verdict::Approve(_)),
                Visibility::Visible(ApprovalLikelihood::Sometimes) => false,
                Visibility::Visible(ApprovalLikelihood::Always) => decision.verdict == Verdict::Permit,
            };
            prop_assert!(!contradicts, "{:?}, and then {:?}", visibility, decision.verdict);
        }
    }
}
