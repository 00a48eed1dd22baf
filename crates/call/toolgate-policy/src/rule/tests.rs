//! Errors when texts are parsed, and their reported positions.

use super::{PolicyAuthor, PolicyText, rules_of};
use crate::PolicyPurpose;
use crate::fixture::load;

fn refused(texts: &[(PolicyPurpose, &str)]) -> String {
    load(texts).err().expect("it is refused").to_string()
}

#[test]
fn a_text_that_does_not_parse_is_refused_with_its_place() {
    let text =
        "permit(principal, action, resource);\n\nforbid(principal, action, resource) when { context.a = 1 };";
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Guard, text)]), @r#"
    a.cedar:3:44: '=' is not a valid operator in Cedar
    hint: try using '==' instead
    "#);
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Guard, "permt(principal, action, resource);")]), @r#"
    a.cedar:1:1: invalid policy effect: permt
    hint: effect must be either `permit` or `forbid`
    "#);
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Guard, "permit(principal, action, resource)")]), @r#"
    a.cedar:1:36: unexpected end of input: expected `;` or identifier
    hint: a policy reads `forbid (principal, action == Action::"server:tool", resource) when { … };`
    "#);
}

#[test]
fn every_problem_of_every_text_is_told() {
    let gates = "// who agrees\n@aprovers(\"finance\")\nforbid(principal, action, resource);\n\n  @id(\"x\") @quorum(\"none\")\n  forbid(principal, action, resource);";
    let guard = "forbid(principal is Humn, action, resource);";
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Gates, gates), (PolicyPurpose::Guard, guard)]), @r#"
    a.cedar:2:1: a gate has no annotation `@aprovers`
    hint: did you mean `approvers`?
    a.cedar:5:12: `@quorum("none")` is no number of people
    hint: write a whole number from 1: `@quorum("2")`
    b.cedar:1:21: there is no entity type `Humn`
    hint: did you mean `Human`?
    "#);
}

#[test]
fn a_permit_opens_no_gate() {
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Gates, "permit(principal, action, resource);")]), @r#"
    a.cedar:1:1: a gate is a `forbid`; a `permit` opens none
    hint: narrow the gate with `unless { … }`, or move the permit to `guard.cedar`
    "#);
}

#[test]
fn slots_and_unknown_types_are_refused_because_they_would_never_match() {
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Guard, "// first\nforbid(principal == ?principal, action, resource);")]), @r#"
    a.cedar:2:1: the policy has a slot, which nothing ever fills
    hint: write the principal or the resource itself in place of `?principal` or `?resource`
    "#);
    for text in [
        "forbid(principal is Robot, action, resource);",
        "forbid(principal, action == Bank::Action::\"a\", resource);",
        "forbid(principal, action, resource) when { principal in Team::\"a\" };",
        "forbid(principal, action, resource) when { resource is Toll };",
    ] {
        assert!(refused(&[(PolicyPurpose::Guard, text)]).contains("there is no entity type"), "{text}");
    }
}

#[test]
fn two_policies_in_force_may_not_share_an_id() {
    let gate = "@id(\"same\") forbid(principal, action, resource);";
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Gates, gate), (PolicyPurpose::Guard, gate)]), @r#"
    b.cedar:1:1: the id `same` is taken: a.cedar:1 has it
    hint: give each policy an `@id` of its own
    "#);
    // A policy in shadow mode may be the next form of one in force.
    assert!(load(&[(PolicyPurpose::Gates, gate), (PolicyPurpose::GatesShadow, gate)]).is_ok());
}

#[test]
fn what_only_a_gate_can_say_is_refused_in_the_guard() {
    insta::assert_snapshot!(refused(&[(PolicyPurpose::Guard, "@approvers(\"x\") forbid(principal, action, resource);")]), @r#"
    a.cedar:1:1: `@approvers` has no meaning in the guard, which permits or denies without asking
    hint: move the policy to `gates.cedar`, or drop the annotation
    "#);
}

#[test]
fn a_policy_without_id_is_called_by_file_and_line_past_comments() {
    let text = "// forbid(principal, action, resource);\n\nforbid(principal, action, resource);// end\n/// x\nforbid(principal, action, resource) when { \"//\" == \"//\" };";
    let (rules, problems) =
        rules_of(&[PolicyText::new("a.cedar", PolicyPurpose::Guard, text, PolicyAuthor::Operator)]);
    assert_eq!(problems, []);
    let ids: Vec<&str> = rules.iter().map(|rule| rule.reference.id.as_str()).collect();
    assert_eq!(ids, ["a.cedar:3", "a.cedar:5"]);
    assert_eq!(rules[0].text, "forbid(principal, action, resource);");
    assert_ne!(rules[0].reference.text, rules[1].reference.text);
}

#[test]
fn policies_on_one_line_and_texts_of_one_name_are_told_apart() {
    let text = "permit(principal, action, resource); @id(\"x\") forbid(principal, action, resource); forbid(principal, action, resource);";
    let (rules, problems) =
        rules_of(&[PolicyText::new("a", PolicyPurpose::Guard, text, PolicyAuthor::Operator)]);
    assert_eq!(problems, []);
    let ids: Vec<&str> = rules.iter().map(|rule| rule.reference.id.as_str()).collect();
    assert_eq!(ids, ["a:1", "x", "a:1:84"]);

    let twice = [
        PolicyText::new("a", PolicyPurpose::Guard, "", PolicyAuthor::Operator),
        PolicyText::new("a", PolicyPurpose::Gates, "", PolicyAuthor::Operator),
    ];
    let (_, problems) = rules_of(&twice);
    assert_eq!(problems[0].what, "two texts of policies are called `a`");
}
