//! From the form to the decision.

use serde_json::json;

use super::*;

fn approval(requirement: Value) -> ApprovalData {
    let schema = json!({ "type": "object", "properties": { "account": { "type": "string" }, "amount": { "type": "integer" } } });
    serde_json::from_value(json!({ "id": "apr_1", "state": "pending", "tool": "bank:transfer", "principal": "agent-7",
        "call": "tc_1", "effective": "sha256:ab", "arguments": { "account": "A", "amount": 5 },
        "requirement": requirement, "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-01T01:00:00Z",
        "definition": { "name": "bank__transfer", "inputSchema": schema } }))
    .expect("an approval")
}

fn editable() -> ApprovalData {
    approval(json!({ "gates": [], "approvers": [], "quorum": 1, "editable": true }))
}

/// A form as a browser sends it.
fn sent(amount: &str, others: &[(&str, &str)]) -> FormFields {
    let own = [("shown", "sha256:ab"), ("edits", "1"), ("field:/account", "A"), ("field:/amount", amount)];
    FormFields::of(&[&own, others].concat())
}

fn written(decision: &DecisionRequest) -> Value {
    serde_json::to_value(decision).expect("it serialises")
}

#[test]
fn what_is_not_changed_is_approved_as_it_was_asked_for() {
    let decision = read(&editable(), &sent("5", &[("decision", "approve"), ("note", " fine ")]));
    let decision = decision.ok().expect("a decision");
    assert_eq!(written(&decision), json!({ "decision": "approve", "reason": "fine" }));
}

#[test]
fn changed_arguments_are_sent_only_when_their_difference_was_seen() {
    let Err(shown) = read(&editable(), &sent("4", &[("decision", "approve")])) else { panic!("it was sent") };
    let EditState::Changed(edited) = &shown.edit else { panic!("no difference is shown") };
    assert_eq!(*edited, json!({ "account": "A", "amount": 4 }));
    let seen = form::digest(edited);
    let other = read(&editable(), &sent("3", &[("decision", "approve_edited"), ("seen", &seen)]));
    assert!(other.is_err(), "another difference was seen");
    let plain = read(&editable(), &sent("4", &[("decision", "approve"), ("seen", &seen)]));
    assert!(plain.is_err(), "the plain yes is no yes to what was typed");
    let decision = read(&editable(), &sent("4", &[("decision", "approve_edited"), ("seen", &seen)]));
    let decision = decision.ok().expect("a decision");
    assert_eq!(
        written(&decision),
        json!({ "decision": "edit", "arguments": { "account": "A", "amount": 4 } })
    );
}

#[test]
fn a_form_of_other_arguments_than_there_are_by_now_decides_nothing() {
    let fields = FormFields::of(&[("decision", "approve"), ("shown", "sha256:cd")]);
    let Err(attempt) = read(&editable(), &fields) else { panic!("it was sent") };
    assert!(attempt.problem.is_some_and(|problem| problem.is(StatusCode::CONFLICT)));
}

#[test]
fn where_the_gate_lets_nobody_edit_fields_change_nothing() {
    let closed = approval(json!({ "gates": [], "approvers": [], "quorum": 1, "editable": false }));
    let decision = read(&closed, &sent("4", &[("decision", "approve")])).ok().expect("a decision");
    assert_eq!(written(&decision), json!({ "decision": "approve" }));
}

#[test]
fn denying_takes_its_own_reason_and_changes_need_theirs() {
    let fields = sent("oops", &[("decision", "deny"), ("reason", "no"), ("note", "yes"), ("grant", "1")]);
    let decision = read(&editable(), &fields).ok().expect("a decision");
    assert_eq!(written(&decision), json!({ "decision": "deny", "reason": "no" }));
    let missing = read(&editable(), &sent("5", &[("decision", "changes"), ("changes", "  ")]));
    assert!(missing.err().is_some_and(|attempt| attempt.wrong_changes.is_some()));
}

#[test]
fn without_a_decision_the_difference_is_only_looked_at() {
    for fields in [sent("4", &[]), sent("4", &[("decision", "preview")]), sent("4", &[("decision", "hack")])]
    {
        let Err(attempt) = read(&editable(), &fields) else { panic!("it was sent") };
        assert!(matches!(attempt.edit, EditState::Changed(_)) && attempt.problem.is_none());
    }
}

#[test]
fn what_the_api_finds_wrong_stands_at_its_field() {
    let mut problem = invalid("no");
    problem.more.insert(
        "problems".into(),
        json!([{ "path": "/amount", "problem": "got \"ten\"", "expected": "a number" }]),
    );
    let wrong = wrong_fields(&problem);
    assert_eq!(wrong.get("/amount").map(String::as_str), Some("got \"ten\" expected a number"));
}
