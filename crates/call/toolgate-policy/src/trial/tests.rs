//! Policy tests that pass, fail and are refused.

use std::path::Path;

use super::*;
use crate::fixture::{engine, tools};
use crate::{PolicyPurpose, Sources};

const GATE: &str = r#"@id("money") @approvers("finance, legal") @quorum("2")
    forbid(principal, action == Action::"bank:transfer", resource)
    when { context.input.amount.greaterThan(decimal("1000.0")) };
    @id("vip") @approvers("risk") forbid(principal in Group::"vip", action, resource) when { resource.write };
    @id("new") @approvers("mentors") forbid(principal, action, resource)
    when { context has agent && context.agent == "trainee" };"#;

fn run_text(text: &str) -> Result<Vec<TestOutcome>, PolicyError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bank.test.toml"), text).unwrap();
    fs::write(folder.path().join("other.toml"), "not read").unwrap();
    let outcome = run_tests(&[folder.path()], &engine(&[(PolicyPurpose::Gates, GATE)]), &tools());
    let prefix = format!("{}/", folder.path().display());
    outcome.map_err(|mut error| {
        error.problems.iter_mut().for_each(|problem| problem.file = problem.file.replace(&prefix, ""));
        error
    })
}

fn outcomes(text: &str) -> Vec<TestOutcome> {
    run_text(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn tests_pass_where_policies_do_what_they_say() {
    let text = r#"
        [[test]]
        name = "small"
        tool = "bank:transfer"
        arguments = { amount = 1000 }
        expect = "permit"

        [[test]]
        name = "large"
        principal = { id = "helper", kind = "agent", role = "agent", groups = ["vip"] }
        tool = "bank:transfer"
        arguments = { amount = 1000.5, tags = ["a"], at = 2026-08-01, deep = { x = true } }
        expect = "approve"
        by = ["legal", "finance", "risk"]
        quorum = 2

        [[test]]
        name = "a tool that does not exist, and only reads"
        principal = { groups = ["vip"] }
        tool = "shop:look"
        effects = ["read"]
        session = "ses_1"
        expect = "permit"

        [[test]]
        name = "a session with care of its own"
        tool = "bank:transfer"
        arguments = { amount = 1 }
        template = "audit_critical"
        expect = "approve"

        [[test]]
        name = "an agent"
        tool = "bank:balance"
        agent = "trainee"
        expect = "approve"
        by = ["mentors"]

        [[test]]
        name = "searching, whatever the care"
        tool = "toolgate.tools.search"
        template = "audit_critical"
        expect = "permit"

        [[test]]
        name = "without effects it may do everything"
        principal = { groups = ["vip"] }
        tool = "shop:look"
        expect = "approve"
    "#;
    for outcome in outcomes(text) {
        assert!(outcome.passed(), "{outcome}");
    }
}

#[test]
fn a_test_names_the_credentials_of_its_call() {
    const FIRST_USE: &str = r#"@id("first-use") @approvers("owners") forbid(principal, action, resource)
        when { context has new_credentials };
        @id("bank") @approvers("finance") forbid(principal, action, resource)
        when { context has credential_origins && context.credential_origins.contains("https://bank.example") };"#;
    let text = r#"
        [[test]]
        name = "the first use asks"
        tool = "bank:balance"
        credentials = [{ id = "cred_1", origin = "https://jobs.example", new = true }]
        expect = "approve"
        by = ["owners"]

        [[test]]
        name = "the second does not"
        tool = "bank:balance"
        credentials = [{ origin = "https://jobs.example" }]
        expect = "permit"

        [[test]]
        name = "the bank always does"
        tool = "bank:balance"
        credentials = [{ origin = "https://bank.example", new = false }]
        expect = "approve"
        by = ["finance"]
    "#;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bank.test.toml"), text).unwrap();
    let engine = engine(&[(PolicyPurpose::Gates, FIRST_USE)]);
    let outcomes = run_tests(&[folder.path()], &engine, &tools()).unwrap();
    assert_eq!(outcomes.len(), 3);
    for outcome in outcomes {
        assert!(outcome.passed(), "{outcome}");
    }
    for wrong in [
        "\"x\"",
        "[1]",
        "[{ id = \"cred_1\" }]",
        "[{ origin = \"https://a\", new = 1 }]",
        "[{ origin = \"https://a\", nw = true }]",
    ] {
        let text = format!(
            "[[test]]\nname = \"x\"\ntool = \"bank:balance\"\nexpect = \"permit\"\ncredentials = {wrong}\n"
        );
        assert!(run_text(&text).is_err(), "{wrong}");
    }
}

#[test]
fn a_test_that_fails_says_what_was_expected_what_came_and_who_decided() {
    let text = r#"[[test]]
name = "large"
tool = "bank:transfer"
arguments = { amount = 5000 }
expect = "permit"

[[test]]
name = "wrong people"
tool = "bank:transfer"
arguments = { amount = 5000 }
expect = "approve"
by = ["finance"]
quorum = 1

[[test]]
name = "not denied"
tool = "bank:balance"
expect = "deny"
"#;
    let outcomes = outcomes(text);
    assert!(outcomes.iter().all(|outcome| !outcome.passed()));
    let shown: Vec<String> = outcomes
        .iter()
        .map(|outcome| TestOutcome { file: "bank.test.toml".to_owned(), ..outcome.clone() }.to_string())
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    failed  large
      at        bank.test.toml:1
      expected  permit
      got       needs approval by finance or legal (2 people): money
      policy    money (a.cedar:1)
      policy    built-in:permit (built-in/guard.cedar:2)
    failed  wrong people
      at        bank.test.toml:7
      expected  approve by finance with a quorum of 1
      got       needs approval by finance or legal (2 people): money
      policy    money (a.cedar:1)
      policy    built-in:permit (built-in/guard.cedar:2)
    failed  not denied
      at        bank.test.toml:15
      expected  deny
      got       permitted: the guard permits it and no gate matches
      policy    built-in:permit (built-in/guard.cedar:2)
    ");
}

#[test]
fn everything_that_is_not_understood_is_refused_with_its_line() {
    let text = r#"title = "x"

[[test]]
nam = "typo"
tool = "transfer"
principal = { id = "x", knd = "agent", role = "agnt" }
effects = ["wirte"]
arguments = { big = inf }
expect = "aprove"
by = ["finance"]

[[test]]
name = 3
tool = "bank:transfer"
expect = "permit"
quorum = 2
session = []
arguments = "none"
agent = "a b"
template = "regulate"
"#;
    insta::assert_snapshot!(run_text(text).unwrap_err(), @r#"
    bank.test.toml:1:1: there is no key `title` here
    hint: it is one of `test`
    bank.test.toml:3:1: the test has no `name`
    hint: write `name = "…"`
    bank.test.toml:4:1: there is no key `nam` here
    hint: did you mean `name`?
    bank.test.toml:5:8: the tool is not named by its canonical name
    hint: write `server:tool`
    bank.test.toml:6:25: there is no key `knd` here
    hint: did you mean `kind`?
    bank.test.toml:6:47: `role` is not "agnt"
    hint: did you mean `agent`?
    bank.test.toml:7:11: there is no effect `wirte`
    hint: did you mean `write`?
    bank.test.toml:8:21: JSON has no such number
    hint: write a number of at most 64 bits
    bank.test.toml:9:10: `expect` is not "aprove"
    hint: did you mean `approve`?
    bank.test.toml:13:8: `name` is no text
    hint: write `name = "…"`
    bank.test.toml:16:10: `quorum` says who agrees, but no one is asked
    hint: drop it, or write `expect = "approve"`
    bank.test.toml:17:11: `session` is no text
    hint: write `session = "…"`
    bank.test.toml:18:13: `arguments` is no table
    hint: write `{ key = value }`
    bank.test.toml:19:9: "a b" is no name for an agent: 1 to 64 letters, digits, `-`, `_` and `.`, not beginning with `ses_`
    hint: write the name of an agent definition: `agent = "clerk"`
    bank.test.toml:20:12: `template` is not "regulate"
    hint: did you mean `regulated`?
    "#);
}

#[test]
fn files_that_are_no_tests_are_refused() {
    assert!(run_text("[[test]").unwrap_err().to_string().starts_with("bank.test.toml:1:"));
    assert!(run_text("").unwrap_err().to_string().contains("has no tests"));
    assert!(run_text("[test]\nname = \"x\"").unwrap_err().to_string().contains("two brackets"));
    let missing = run_tests(&["no/such.test.toml"], &engine(&[]), &[]).unwrap_err();
    assert!(missing.to_string().starts_with("no/such.test.toml: cannot be read"));
}

#[test]
fn the_examples_load_check_and_pass_their_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/policies");
    let sources = Sources { folder: Some(folder.clone()), ..Sources::default() };
    let report = crate::check(&sources, &tools());
    assert_eq!(report, crate::PolicyReport::default());
    let engine = PolicyEngine::load(sources).unwrap();
    let outcomes = run_tests(&[&folder], &engine, &tools()).unwrap();
    assert!(outcomes.len() >= 8);
    for outcome in outcomes {
        assert!(outcome.passed(), "{outcome}");
    }
}
