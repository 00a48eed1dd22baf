//! Policies in shadow mode have no effect, and explanations include them.

use super::*;

fn shadow(texts: &[(PolicyPurpose, &str)], arguments: Value) -> (Verdict, Option<Verdict>) {
    let decision = decide(&engine(texts), &agent(), &transfer(), arguments);
    (decision.verdict, decision.shadow)
}

const LIMIT: &str = r#"@id("limit") forbid(principal, action, resource) when { context.input.amount.greaterThan(decimal("10.0")) };"#;

#[test]
fn a_shadow_is_told_only_where_it_differs() {
    let texts = [(PolicyPurpose::Guard, PERMIT_ALL), (PolicyPurpose::GuardShadow, LIMIT)];
    assert_eq!(shadow(&texts, json!({"amount": 1})), (Verdict::Permit, None));
    let (verdict, other) = shadow(&texts, json!({"amount": 100}));
    assert_eq!(verdict, Verdict::Permit);
    assert!(matches!(other, Some(Verdict::Deny(denial)) if denial.policies[0].id == "limit"));

    let texts = [(PolicyPurpose::GatesShadow, LIMIT)];
    let (verdict, other) = shadow(&texts, json!({"amount": 100}));
    assert_eq!(verdict, Verdict::Permit);
    assert_eq!(requirement(other.unwrap()).gates[0].id, "limit");
}

#[test]
fn a_shadow_gate_that_asks_for_more_differs() {
    let one = r#"@id("a") forbid(principal, action, resource);"#;
    let two = r#"@id("b") @quorum("2") forbid(principal, action, resource);"#;
    let (verdict, other) =
        shadow(&[(PolicyPurpose::Gates, one), (PolicyPurpose::GatesShadow, two)], json!({}));
    assert_eq!(requirement(verdict).quorum, 1);
    assert_eq!(requirement(other.unwrap()).quorum, 2);
}

#[test]
fn an_error_in_shadow_mode_denies_nothing() {
    let bad = r#"forbid(principal, action, resource) when { context.input.nothing };"#;
    let (verdict, other) =
        shadow(&[(PolicyPurpose::GuardShadow, bad), (PolicyPurpose::GatesShadow, bad)], json!({}));
    assert_eq!(verdict, Verdict::Permit);
    assert!(denial_error(&other.unwrap()).contains("nothing"));
}

#[test]
fn a_guard_in_shadow_mode_takes_the_place_of_the_built_in_one() {
    let reads_only = "permit(principal, action, resource) when { !resource.write };";
    let (verdict, other) = shadow(&[(PolicyPurpose::GuardShadow, reads_only)], json!({}));
    assert_eq!(verdict, Verdict::Permit);
    assert!(matches!(other, Some(Verdict::Deny(_))));
    // Beside a custom guard it is an addition.
    assert_eq!(
        shadow(&[(PolicyPurpose::Guard, PERMIT_ALL), (PolicyPurpose::GuardShadow, reads_only)], json!({})).1,
        None
    );
}

#[test]
fn an_explanation_tells_every_policy_that_had_a_say() {
    let guard = "@id(\"all\") permit(principal, action, resource);\n@id(\"other\") permit(principal, action == Action::\"bank:balance\", resource);";
    let gates = "\n@id(\"money\") @reason(\"it is money\") @approvers(\"finance\")\nforbid(principal, action, resource) when { context.input.amount.greaterThan(decimal(\"10.0\")) };";
    let engine = engine(&[
        (PolicyPurpose::Guard, guard),
        (PolicyPurpose::Gates, gates),
        (PolicyPurpose::GuardShadow, LIMIT),
    ]);
    let (principal, tool, arguments) = (agent(), transfer(), json!({"amount": 100}));
    let question = question(&principal, &tool, &arguments);
    let explanation = engine.explain(&question);
    assert_eq!(explanation.verdict, VerdictKind::Approve);
    assert_eq!(explanation.summary, "needs approval by finance: money");
    let ids = |matched: &[crate::MatchedPolicy]| matched.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&explanation.guard), ["all"]);
    assert_eq!(ids(&explanation.gates), ["money"]);
    assert_eq!(ids(&explanation.shadow_policies), ["limit"]);
    let gate = &explanation.gates[0];
    assert_eq!((gate.file.as_str(), gate.line, gate.effect), ("b.cedar", 2, "forbid"));
    assert!(gate.text.starts_with("@id(\"money\")"));
    assert_eq!(explanation.shadow.as_ref().unwrap().summary, "denied by limit");

    let json = serde_json::to_value(&explanation).unwrap();
    assert_eq!(json["verdict"], "approve");
    assert_eq!(json["requirement"]["approvers"], json!([["finance"]]));
    assert_eq!(json["gates"][0]["reason"], "it is money");
    assert_eq!(json["policy_version"], engine.version().to_string());
}

#[test]
fn an_explanation_tells_what_failed() {
    let engine = engine(&[(
        PolicyPurpose::Guard,
        "permit(principal, action, resource) when { context.input.nothing };",
    )]);
    let (principal, tool, arguments) = (agent(), transfer(), json!({}));
    let question = question(&principal, &tool, &arguments);
    let explanation = engine.explain(&question);
    assert_eq!(explanation.verdict, VerdictKind::Deny);
    assert_eq!(explanation.failed[0].policy.id, "a.cedar:1");
    assert!(explanation.failed[0].error.contains("nothing"));
    assert!(explanation.denial.unwrap().error.is_some());
}
