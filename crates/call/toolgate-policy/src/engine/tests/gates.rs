//! Gates ask people, and their requirements are merged.

use toolgate_core::tool::ToolTrait;

use super::*;

fn gates(text: &str, arguments: Value) -> Verdict {
    verdict(&[(PolicyPurpose::Gates, text)], arguments)
}

#[test]
fn a_gate_that_matches_asks_a_person() {
    let text = r#"@id("money") @reason("it is money") @approvers("finance, legal") @quorum("2") @timeout("15m")
        @on_timeout("escalate") @editable("true")
        forbid(principal, action == Action::"bank:transfer", resource)
        when { context.input.amount.greaterThan(decimal("1000.0")) };"#;
    assert_eq!(gates(text, json!({"amount": 10})), Verdict::Permit);
    let requirement = requirement(gates(text, json!({"amount": 1500})));
    assert_eq!(requirement.gates[0].id, "money");
    assert_eq!(requirement.gates[0].reason.as_deref(), Some("it is money"));
    assert_eq!(requirement.approvers, [["finance", "legal"]]);
    assert_eq!(requirement.quorum, 2);
    assert_eq!(requirement.timeout_seconds, Some(900));
    assert_eq!(requirement.on_timeout, OnTimeout::Escalate);
    assert!(requirement.editable);
}

#[test]
fn a_gate_that_says_nothing_asks_anybody_once() {
    let requirement = requirement(gates("forbid(principal, action, resource);", json!({})));
    assert_eq!(requirement.gates[0].id, "a.cedar:1");
    assert!(requirement.approvers.is_empty() && !requirement.editable);
    assert_eq!((requirement.quorum, requirement.timeout_seconds), (1, None));
    assert_eq!(requirement.on_timeout, OnTimeout::Deny);
}

#[test]
fn all_gates_that_match_are_put_together() {
    let text = r#"
        @id("c") @approvers("finance") @quorum("3") @timeout("1h") @on_timeout("escalate") @editable("true")
        forbid(principal, action, resource);
        @id("a") @approvers("caller") @timeout("30m") @on_timeout("deny") @editable("true")
        forbid(principal, action, resource);
        @id("b") @editable("true") forbid(principal, action, resource);
        @id("d") @quorum("9") @timeout("1s") forbid(principal, action == Action::"bank:balance", resource);"#;
    let requirement = requirement(gates(text, json!({})));
    let ids: Vec<&str> = requirement.gates.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(requirement.approvers, [["caller"], ["finance"]]);
    assert_eq!((requirement.quorum, requirement.timeout_seconds), (3, Some(1800)));
    assert_eq!(requirement.on_timeout, OnTimeout::Deny);
    assert!(requirement.editable);
    assert!(!requirement.caller_may_decide());
}

#[test]
fn one_gate_that_is_not_editable_is_enough() {
    let text = r#"@id("a") @editable("true") forbid(principal, action, resource);
        @id("b") @editable("false") forbid(principal, action, resource);"#;
    assert!(!requirement(gates(text, json!({}))).editable);
}

#[test]
fn escalation_holds_where_no_gate_says_deny() {
    let text = r#"@id("a") @on_timeout("escalate") forbid(principal, action, resource);
        @id("b") forbid(principal, action, resource);"#;
    assert_eq!(requirement(gates(text, json!({}))).on_timeout, OnTimeout::Escalate);
}

#[test]
fn an_error_in_a_gate_denies() {
    let text = r#"@id("bad") forbid(principal, action, resource) when { context.input.amount > 5 };"#;
    let verdict = gates(text, json!({"amount": 1}));
    assert!(
        denial_error(&verdict).starts_with("the policy `bad` could not be evaluated: type error"),
        "{verdict:?}"
    );
}

#[test]
fn the_guard_is_final_whatever_the_gates_say() {
    let texts = [(PolicyPurpose::Guard, ""), (PolicyPurpose::Gates, "forbid(principal, action, resource);")];
    assert!(matches!(verdict(&texts, json!({})), Verdict::Deny(_)));
}

#[test]
fn templates_gate_by_effect_and_name() {
    let outside = tool("shop:order", Effects::WRITE.and(Effects::EXTERNAL), Value::Null);
    let asked = |template| {
        let engine = PolicyEngine::load(sources(&[], template)).unwrap();
        match decide(&engine, &agent(), &outside, json!({})).verdict {
            Verdict::Permit => Vec::new(),
            verdict => requirement(verdict).gates.into_iter().map(|gate| gate.id).collect(),
        }
    };
    assert_eq!(asked(PolicyTemplate::Exploratory), Vec::<String>::new());
    assert_eq!(asked(PolicyTemplate::Standard), ["template:external-write"]);
    assert_eq!(asked(PolicyTemplate::Regulated), ["template:external-write"]);
    assert_eq!(
        asked(PolicyTemplate::AuditCritical),
        ["template:external-action", "template:external-write", "template:move"]
    );
}

#[test]
fn an_agent_may_write_its_own_record_under_every_template() {
    let mut record = tool("toolgate:run__log_step", Effects::WRITE, Value::Null);
    record.handling.traits = Some(&[ToolTrait::OwnRecord]);
    let mut gone = tool("toolgate:run__forget", Effects::WRITE.and(Effects::DESTRUCTIVE), Value::Null);
    gone.handling.traits = Some(&[ToolTrait::OwnRecord]);
    let named = tool("notes:own_record", Effects::WRITE, Value::Null);
    for template in PolicyTemplate::ALL {
        let engine = PolicyEngine::load(sources(&[], template)).unwrap();
        let asked = |tool| matches!(decide(&engine, &agent(), tool, json!({})).verdict, Verdict::Approve(_));
        let is_strictest = template == PolicyTemplate::AuditCritical;
        assert!(!asked(&record), "{template}");
        assert_eq!(asked(&gone), is_strictest, "what it removes is more than a record: {template}");
        assert_eq!(asked(&named), is_strictest, "a name alone says nothing: {template}");
    }
}

#[test]
fn a_template_does_not_take_back_what_a_gate_allows() {
    let gate = r#"@id("mine") @approvers("caller") @editable("true") @on_timeout("escalate") forbid(principal, action, resource);"#;
    let engine =
        PolicyEngine::load(sources(&[(PolicyPurpose::Gates, gate)], PolicyTemplate::AuditCritical)).unwrap();
    let requirement = requirement(decide(&engine, &agent(), &transfer(), json!({})).verdict);
    assert_eq!(requirement.gates.len(), 2);
    assert!(requirement.editable && requirement.caller_may_decide());
    assert_eq!(requirement.on_timeout, OnTimeout::Escalate);
}
