//! Problems that are found before policies are in force.

use crate::fixture::{sources, tools};
use crate::{PolicyPurpose, PolicyReport, PolicyTemplate, check};

fn report(texts: &[(PolicyPurpose, &str)]) -> PolicyReport {
    check(&sources(texts, PolicyTemplate::AuditCritical), &tools())
}

fn told(problems: &[crate::PolicyProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn good_policies_and_all_templates_pass() {
    let gate = r#"@approvers("finance")
        forbid(principal, action == Action::"bank:transfer", resource)
        when { context.input.amount.greaterThan(decimal("1000.0")) && principal in Group::"new" };
        forbid(principal, action, resource) when { context.input has amount && context.input.amount.lessThan(decimal("0.0")) };
        forbid(principal, action, resource in Server::"bank") when { resource.traits.contains("promotion") && context has session };"#;
    assert_eq!(report(&[(PolicyPurpose::Gates, gate)]), PolicyReport::default());
}

#[test]
fn search_and_describe_are_known_though_no_server_has_them() {
    let text = r#"permit(principal, action == Action::"bank:balance", resource);
        forbid(principal, action in [Action::"toolgate.tools.search", Action::"toolgate.tools.describe"], resource)
        when { context has agent && context.agent == "clerk" };"#;
    assert_eq!(report(&[(PolicyPurpose::Guard, text)]), PolicyReport::default());
    // A policy that fails on them would deny them to everyone.
    let text = "permit(principal, action, resource);\nforbid(principal, action, resource) when { context.input.account == \"x\" };";
    let told = told(&report(&[(PolicyPurpose::Guard, text)]).errors);
    assert!(told.contains("Action::\"toolgate.tools."), "{told}");
}

#[test]
fn a_misspelt_argument_is_an_error() {
    let text = "forbid(principal, action == Action::\"bank:transfer\", resource)\nwhen { context.input.amont.greaterThan(decimal(\"1000.0\")) };";
    let report = report(&[(PolicyPurpose::Gates, text)]);
    insta::assert_snapshot!(told(&report.errors), @r#"
    a.cedar:2:8: policy `a.cedar:1`: attribute `input.amont` in context for Action::"bank:transfer" not found
    hint: did you mean `amount`?
    "#);
    assert_eq!(report.warnings, []);
}

#[test]
fn types_that_do_not_fit_are_errors() {
    for condition in [
        "context.input.amount > 1000",
        "context.input.amount == \"1000\"",
        "context.input.note == \"x\"",
        "context.input.copies.greaterThan(decimal(\"1.0\"))",
        "context.input.account < 3",
        "resource.wirte",
        "principal.team == \"x\"",
        "context.sesion == \"x\"",
        "context.agent == \"x\"",
        "context has agent && context.agent > 1",
    ] {
        let text = format!(
            "forbid(principal, action == Action::\"bank:transfer\", resource) when {{ {condition} }};"
        );
        let report = report(&[(PolicyPurpose::Gates, &text)]);
        assert!(!report.errors.is_empty(), "{condition}");
        assert!(report.errors.iter().all(|problem| problem.place.is_some()), "{condition}");
    }
}

#[test]
fn an_action_that_names_no_tool_is_a_warning_with_the_nearest_name() {
    let text = "permit(principal, action, resource);\nforbid(principal,\n  action in [Action::\"bank:transfr\", Action::\"bank:balance\"], resource == Tool::\"shop:order\");\nforbid(principal, action, resource in Server::\"bnak\");";
    let report = report(&[(PolicyPurpose::Guard, text)]);
    assert_eq!(told(&report.errors), "");
    insta::assert_snapshot!(told(&report.warnings), @r#"
    a.cedar:3:22: `Action::"bank:transfr"` names no known tool
    hint: did you mean `bank:transfer`?
    a.cedar:3:81: `Tool::"shop:order"` names no known tool
    a.cedar:4:47: `Server::"bnak"` names no known server
    hint: did you mean `bank`?
    "#);
}

#[test]
fn a_policy_that_can_never_match_is_a_warning() {
    let text =
        "forbid(principal, action == Action::\"bank:balance\", resource) when { context.input has amount };";
    let report = report(&[(PolicyPurpose::Gates, text)]);
    assert_eq!(told(&report.errors), "");
    insta::assert_snapshot!(told(&report.warnings), @r#"
    a.cedar:1:1: policy `a.cedar:1`: policy is impossible: the policy expression evaluates to false for all valid requests
    "#);
}

#[test]
fn broken_texts_are_told_beside_type_errors() {
    let report = report(&[
        (PolicyPurpose::Guard, "permit"),
        (PolicyPurpose::Gates, "@quorum(\"0\") forbid(principal, action, resource) when { resource.wirte };"),
        (PolicyPurpose::GuardShadow, "forbid(principal, action, resource) when { resource.raed };"),
    ]);
    let files: Vec<&str> = report.errors.iter().map(|problem| problem.file.as_str()).collect();
    assert_eq!(files, ["a.cedar", "b.cedar", "b.cedar", "c.cedar"]);
}

#[test]
fn without_tools_only_the_texts_are_checked() {
    let text = "forbid(principal, action == Action::\"any:thing\", resource) when { context.input.x };";
    assert_eq!(
        check(&sources(&[(PolicyPurpose::Gates, text)], PolicyTemplate::Standard), &[]),
        PolicyReport::default()
    );
}

#[test]
fn a_guard_that_permits_nothing_is_a_warning() {
    let text = "// nobody pays\nforbid(principal, action == Action::\"bank:transfer\", resource);";
    let told = told(&report(&[(PolicyPurpose::Guard, text)]).warnings);
    assert!(told.starts_with("a.cedar:2:1: the guard permits nothing"), "{told}");
    assert_eq!(report(&[(PolicyPurpose::GuardShadow, text)]), PolicyReport::default());
}
