//! A session may ask for more care than the gateway does, and policies see the session's agent.

use toolgate_core::decision::{ApprovalLikelihood, Visibility, VisibilityRequest};
use toolgate_core::scope::AgentName;

use super::*;

fn judged(engine: &PolicyEngine, tool: &toolgate_core::Tool, template: Option<PolicyTemplate>) -> Decision {
    let (principal, arguments) = (agent(), json!({"amount": 1}));
    let question = PolicyRequest { template, ..question(&principal, tool, &arguments) };
    let decision = engine.decide(&question);
    let explanation = engine.explain(&question);
    assert_eq!(explanation.verdict.as_str(), decision.verdict.as_str());
    assert_eq!(explanation.policy_version, decision.policy_version);
    assert_eq!(decision.policy_version, engine.version_under(template));
    decision
}

#[test]
fn a_session_is_judged_by_the_stricter_of_its_own_level_and_the_gateways() {
    let tool = transfer();
    for own in PolicyTemplate::ALL {
        let engine = PolicyEngine::load(sources(&[], own)).unwrap();
        assert_eq!(judged(&engine, &tool, None).policy_version, engine.version());
        for session in PolicyTemplate::ALL {
            let decision = judged(&engine, &tool, Some(session));
            let level = PolicyTemplate::strictest(own, session);
            let asked = matches!(decision.verdict, Verdict::Approve(_));
            assert_eq!(asked, level == PolicyTemplate::AuditCritical, "{own} {session}");
            let alone = PolicyEngine::load(sources(&[], level)).unwrap();
            assert_eq!(decision, judged(&alone, &tool, None), "{own} {session}");
        }
    }
}

#[test]
fn a_stricter_session_still_obeys_what_was_written() {
    let engine =
        engine(&[(PolicyPurpose::Guard, "forbid(principal, action, resource) when { resource.write };")]);
    for template in PolicyTemplate::ALL {
        assert!(matches!(judged(&engine, &transfer(), Some(template)).verdict, Verdict::Deny(_)));
    }
}

#[test]
fn a_reload_exchanges_every_level() {
    let engine = engine(&[]);
    let versions = || PolicyTemplate::ALL.map(|template| engine.version_under(Some(template)));
    let before = versions();
    engine.reload_from(sources(&[(PolicyPurpose::Guard, "")], PolicyTemplate::Exploratory), &[]).unwrap();
    for (template, (old, new)) in PolicyTemplate::ALL.into_iter().zip(before.into_iter().zip(versions())) {
        assert_ne!(old, new, "{template}");
        assert!(matches!(judged(&engine, &balance(), Some(template)).verdict, Verdict::Deny(_)));
    }
}

#[test]
fn what_a_stricter_level_calls_its_gates_is_taken_at_every_level() {
    let gate = r#"@id("template:move") forbid(principal, action, resource);"#;
    let refused = load(&[(PolicyPurpose::Gates, gate)]).err().unwrap().to_string();
    assert!(refused.contains("the id `template:move` is taken: built-in/audit_critical.cedar:"), "{refused}");
}

#[test]
fn policies_see_the_agent_and_the_level_that_is_in_force() {
    let gates = r#"
        @id("clerks") forbid(principal, action, resource) when { context has agent && context.agent == "clerk" };
        @id("careful") forbid(principal, action, resource) when { context.template == "regulated" };
        @id("both") forbid(principal, action, resource)
        when { context has agent && context.agent like "c*" && context.input.amount.greaterThan(decimal("10.0")) };"#;
    let engine =
        PolicyEngine::load(sources(&[(PolicyPurpose::Gates, gates)], PolicyTemplate::Standard)).unwrap();
    let (principal, tool) = (agent(), transfer());
    let [clerk, other] = ["clerk", "other"].map(|name| AgentName::new(name).unwrap());
    // Twice: a cached result for one agent must not be used for another.
    for _ in 0..2 {
        for (agent, template, amount, expected) in [
            (None, None, 1, &[][..]),
            (None, Some(PolicyTemplate::Exploratory), 1, &[]),
            (Some(&other), None, 100, &[]),
            (Some(&clerk), None, 1, &["clerks"]),
            (Some(&clerk), Some(PolicyTemplate::Regulated), 100, &["both", "careful", "clerks"]),
            (Some(&other), Some(PolicyTemplate::Regulated), 100, &["careful"]),
            (None, Some(PolicyTemplate::Regulated), 1, &["careful"]),
        ] {
            let arguments = json!({"amount": amount});
            let question = PolicyRequest { agent, template, ..question(&principal, &tool, &arguments) };
            let gates = match engine.decide(&question).verdict {
                Verdict::Permit => Vec::new(),
                asked => requirement(asked).gates,
            };
            let ids: Vec<&str> = gates.iter().map(|gate| gate.id.as_str()).collect();
            assert_eq!(ids, expected, "{agent:?} {template:?}");
            assert_eq!(engine.explain(&question).gates.len(), expected.len(), "{agent:?} {template:?}");
        }
    }
}

#[test]
fn strict_levels_believe_no_effects_that_only_the_server_claims() {
    let engine = PolicyEngine::load(sources(&[], PolicyTemplate::Exploratory)).unwrap();
    let hinted = toolgate_core::Tool { hinted: true, ..balance() };
    for template in PolicyTemplate::ALL {
        let asked = |tool| matches!(judged(&engine, tool, Some(template)).verdict, Verdict::Approve(_));
        assert_eq!(asked(&hinted), template >= PolicyTemplate::Regulated, "{template}");
        assert!(!asked(&balance()), "{template}");
        let glimpse =
            VisibilityRequest { principal: &agent(), tool: &hinted, agent: None, template: Some(template) };
        let always = Visibility::Visible(ApprovalLikelihood::Always);
        assert_eq!(
            engine.visibility(&glimpse) == always,
            template >= PolicyTemplate::Regulated,
            "{template}"
        );
    }
}
