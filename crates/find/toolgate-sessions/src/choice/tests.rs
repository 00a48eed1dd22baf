//! The agent of a credential.

use serde_json::{Value, json};
use toolgate_core::PrincipalId;
use toolgate_core::scope::Layer;

use super::*;

fn definitions(agents: &[Value]) -> Definitions {
    let agent =
        |value: &Value| -> AgentDefinition { serde_json::from_value(value.clone()).expect("a definition") };
    let agents = agents.iter().map(agent).map(|one| (one.name.clone(), one.into())).collect();
    Definitions { agents, ..Definitions::default() }
}

fn world() -> Definitions {
    definitions(&[
        json!({ "name": "clerk", "principals": ["erna"], "limits": { "idle_seconds": 60, "lifetime_seconds": 100 } }),
        json!({ "name": "cook", "groups": ["kitchen"], "limits": { "lifetime_seconds": 50, "sessions_max": 3 } }),
        json!({ "name": "broken", "capabilities": ["nowhere"] }),
    ])
}

fn credential(name: &str, role: Role, bound: Option<&str>) -> Credential {
    let mut principal = Principal::new(PrincipalId::new(name), role);
    if name == "kurt" {
        principal.groups = vec!["kitchen".to_owned()].into();
    }
    let agent = bound.map(|name| AgentName::new(name).expect("a legal name"));
    Credential { agent, ..Credential::of(principal) }
}

/// The agent and its layers, outermost first, or why not.
fn told(definitions: &Definitions, credential: &Credential, wanted: Option<&str>) -> String {
    let wanted = wanted.map(|name| AgentName::new(name).expect("a legal name"));
    match choose(definitions, credential, wanted.as_ref()) {
        Ok(AgentChoice { agent, scope, .. }) => {
            let layers: Vec<&str> = scope.layers.iter().map(|layer: &Layer| layer.agent.as_str()).collect();
            format!("{}: {}", agent.name, layers.join(" > "))
        }
        Err(refusal) => refusal.code.name.into(),
    }
}

#[test]
fn a_credential_goes_by_its_own_agent_or_within_it() {
    let agent = |name: &str, bound| credential(name, Role::Agent, bound);
    let operator = |name: &str, bound| credential(name, Role::Operator, bound);
    let cases = [
        // No definition claims it: every agent is open to it.
        (agent("bert", None), None, "default: default"),
        (agent("bert", None), Some("cook"), "cook: cook"),
        (agent("bert", None), Some("default"), "default: default"),
        (agent("bert", None), Some("nobody"), "unknown_agent"),
        // Claimed, by its name or by its group.
        (agent("erna", None), None, "clerk: clerk"),
        (agent("erna", None), Some("clerk"), "clerk: clerk"),
        (agent("erna", None), Some("cook"), "cook: clerk > cook"),
        (agent("erna", None), Some("default"), "default: clerk > default"),
        (agent("kurt", None), None, "cook: cook"),
        (agent("kurt", None), Some("clerk"), "clerk: cook > clerk"),
        // An operator chooses, unless the token itself is bound.
        (operator("erna", None), None, "clerk: clerk"),
        (operator("erna", None), Some("cook"), "cook: cook"),
        (operator("erna", Some("clerk")), Some("cook"), "cook: clerk > cook"),
        // The token's binding has precedence over a definition.
        (agent("erna", Some("cook")), None, "cook: cook"),
        (agent("erna", Some("cook")), Some("clerk"), "clerk: cook > clerk"),
        (agent("bert", Some("default")), Some("cook"), "cook: default > cook"),
        // Bound to a removed agent: nothing, rather than more.
        (agent("bert", Some("gone")), None, "agent_undefined"),
        (agent("bert", Some("gone")), Some("cook"), "agent_undefined"),
        (agent("bert", Some("broken")), None, "unknown_capability"),
        (agent("bert", None), Some("broken"), "unknown_capability"),
    ];
    let definitions = world();
    for (credential, wanted, expected) in cases {
        assert_eq!(told(&definitions, &credential, wanted), expected, "{credential:?} {wanted:?}");
    }
}

#[test]
fn a_default_that_somebody_wrote_holds_everybody_but_those_who_run_the_gateway() {
    let definitions = definitions(&[json!({ "name": "default" }), json!({ "name": "cook" })]);
    let told = |role: Role| told(&definitions, &credential("bert", role, None), Some("cook"));
    assert_eq!(told(Role::Agent), "cook: default > cook");
    assert_eq!(told(Role::Operator), "cook: cook");
}

#[test]
fn those_who_run_the_gateway_read_everything_unless_they_ask_as_an_agent() {
    let budget = |role: Role, bound: Option<&str>, wanted: Option<&str>| {
        let wanted = wanted.map(|name| AgentName::new(name).expect("a legal name"));
        let credential = credential("bert", role, bound);
        choose(&world(), &credential, wanted.as_ref()).expect("chosen").scope.token_budget
    };
    assert_eq!(budget(Role::Admin, None, None), TokenBudget::Off);
    assert_eq!(budget(Role::Operator, None, None), TokenBudget::Off);
    assert_eq!(budget(Role::Agent, None, None), TokenBudget::default());
    assert_eq!(budget(Role::Admin, None, Some("default")), TokenBudget::default());
    assert_eq!(budget(Role::Admin, Some("cook"), None), TokenBudget::default());
}

#[test]
fn limits_are_the_strictest_of_both() {
    let wanted = AgentName::new("cook").expect("a legal name");
    let erna = credential("erna", Role::Agent, None);
    let limits = choose(&world(), &erna, Some(&wanted)).expect("chosen").limits;
    assert_eq!(limits, AgentLimits { idle_seconds: 60, lifetime_seconds: Some(50), sessions_max: 3 });
}

#[test]
fn a_derived_id_is_of_the_principal_and_the_agents_it_goes_by() {
    let id = |name: &str, wanted: Option<&str>| {
        let wanted = wanted.map(|name| AgentName::new(name).expect("a legal name"));
        let credential = credential(name, Role::Agent, None);
        let scope = choose(&world(), &credential, wanted.as_ref()).expect("chosen").scope;
        derived_id(&credential.principal, &scope)
    };
    assert_eq!(
        id("bert", None).as_str(),
        "ses_b07a5996a42aea8d2fa03e2636439df6",
        "the same in every version"
    );
    assert_eq!(id("bert", None), id("bert", Some("default")));
    let others = [id("bert", Some("cook")), id("erna", Some("cook")), id("erna", None), id("bart", None)];
    for (place, other) in others.iter().enumerate() {
        assert_ne!(*other, id("bert", None));
        assert!(!others[..place].contains(other));
    }
}

#[test]
fn policy_goes_by_the_outermost_agent() {
    let erna = credential("erna", Role::Agent, None);
    let wanted = AgentName::new("cook").expect("a legal name");
    let scope = choose(&world(), &erna, Some(&wanted)).expect("chosen").scope;
    let seat = seat(erna.principal, SessionId::new("ses_1"), Arc::new(scope));
    assert_eq!(seat.agent.as_str(), "clerk");
    assert_eq!(seat.scope_id, seat.scope.id());
}
