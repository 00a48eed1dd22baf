use std::sync::Arc;

use insta::assert_snapshot;
use toolgate_core::decision::PolicyRef;
use toolgate_core::{
    AuditLevel, CanonicalName, Digest, Effects, PrincipalId, PrincipalKind, Role, ServerName, ToolHandling,
};
use toolgate_policy::{
    FailedPolicy, PolicyPurpose, PolicyTemplate, ShadowVerdict, TestFailure, TextPosition, VerdictKind,
};

use super::*;

fn tool() -> Tool {
    let server = ServerName::new("bank").expect("a name");
    Tool {
        name: CanonicalName::of(&server, "transfer"),
        server,
        own: "transfer".into(),
        version: Digest::of("v"),
        effects: Effects::WRITE.and(Effects::EXTERNAL),
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}

fn matched(
    id: &str,
    file: &str,
    set: PolicyPurpose,
    effect: &'static str,
    reason: Option<&str>,
) -> MatchedPolicy {
    MatchedPolicy {
        id: id.into(),
        file: file.into(),
        line: 3,
        set,
        effect,
        reason: reason.map(Into::into),
        text: "forbid (principal, action, resource);".into(),
    }
}

fn told() -> PolicyExplanation {
    let gate = PolicyRef { id: "large".into(), reason: None, text: Digest::of("large") };
    PolicyExplanation {
        verdict: VerdictKind::Approve,
        summary: "needs approval by finance (2 people): large".into(),
        policy_version: Digest::of("policy"),
        template: PolicyTemplate::Standard,
        requirement: Some(ApprovalRequirement {
            gates: vec![gate],
            approvers: vec![vec!["finance".into()]],
            quorum: 2,
            timeout_seconds: Some(900),
            on_timeout: OnTimeout::Escalate,
            editable: true,
            unattended: false,
            excluded: Vec::new(),
        }),
        denial: None,
        guard: vec![matched("guard.cedar:3", "guard.cedar", PolicyPurpose::Guard, "permit", None)],
        gates: vec![matched(
            "large",
            "gates.cedar",
            PolicyPurpose::Gates,
            "forbid",
            Some("large\u{1b}[31m transfers"),
        )],
        shadow_policies: vec![matched(
            "new",
            "new.gates.shadow.cedar",
            PolicyPurpose::GatesShadow,
            "forbid",
            None,
        )],
        failed: vec![FailedPolicy {
            policy: matched("odd", "gates.cedar", PolicyPurpose::Gates, "forbid", None),
            error: "there is no attribute `amount`".into(),
        }],
        shadow: Some(ShadowVerdict {
            verdict: VerdictKind::Deny,
            summary: "denied by new".into(),
            requirement: None,
            denial: None,
        }),
    }
}

#[test]
fn an_explanation_names_every_policy_with_its_place_and_reason() {
    let groups: Arc<[String]> = ["payments".to_owned()].into();
    let caller =
        Principal { id: PrincipalId::new("bot"), kind: PrincipalKind::Service, role: Role::Agent, groups };
    assert_snapshot!(explanation(&told(), &caller, &tool()), @r#"
    needs approval by finance (2 people): large

    caller    bot (service, role agent, in payments)
    tool      bank:transfer (write, external)
    template  standard
    policy    sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812

    guard
      permit  guard.cedar:3

    gates
      forbid  large  gates.cedar:3  large [31m transfers

    in shadow mode
      forbid  new  new.gates.shadow.cedar:3

    could not be evaluated
      forbid  odd  gates.cedar:3
        there is no attribute `amount`

    who must agree
      2 people, one of finance
      admins, and the person at the command line, count for every group
      within 15m
      otherwise others are asked as well
      arguments may be changed

    with the policies in shadow mode
      denied by new
    "#);
}

#[test]
fn a_report_lists_errors_before_warnings() {
    let problem = |what: &str| PolicyProblem {
        file: "policy/gates.cedar".into(),
        place: Some(TextPosition { line: 3, column: 1 }),
        what: what.into(),
        hint: Some("look again".into()),
    };
    let bad =
        PolicyReport { errors: vec![problem("no such argument")], warnings: vec![problem("never matches")] };
    assert_snapshot!(report(&bad, 12), @r#"
    error: policy/gates.cedar:3:1: no such argument
    hint: look again
    warning: policy/gates.cedar:3:1: never matches
    hint: look again
    not ok: 1 error, 1 warning, checked against 12 tools
    "#);
    assert_eq!(report(&PolicyReport::default(), 0), "ok: 0 errors, 0 warnings, checked against no tools\n");
}

#[test]
fn only_failed_tests_are_told() {
    let failure = TestFailure {
        expected: "approve".into(),
        got: "permitted: the guard permits it and no gate matches".into(),
        policies: vec!["guard.cedar:3 (guard.cedar:3)".into()],
    };
    let outcome =
        |name: &str, failure| TestOutcome { file: "a.test.toml".into(), line: 7, name: name.into(), failure };
    assert_snapshot!(tests(&[outcome("fine", None), outcome("large transfers wait", Some(failure))]), @r#"
    failed  large transfers wait
      at        a.test.toml:7
      expected  approve
      got       permitted: the guard permits it and no gate matches
      policy    guard.cedar:3 (guard.cedar:3)
    1 passed, 1 failed
    "#);
}
