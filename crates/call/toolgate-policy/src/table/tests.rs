//! The decision table of the templates, as a file that people can read.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::{Effects, PrincipalKind, Role};

use crate::fixture::{engine, principal, tool};
use crate::{PolicyPurpose, PolicyTemplate, table};

fn actors() -> [(&'static str, toolgate_core::Principal); 3] {
    [
        ("human", principal("ada", PrincipalKind::Human, Role::Operator, &[])),
        ("agent", principal("helper", PrincipalKind::Agent, Role::Agent, &[])),
        ("service", principal("nightly", PrincipalKind::Service, Role::Agent, &[])),
    ]
}

fn classes() -> Vec<(&'static str, Arc<toolgate_core::Tool>)> {
    let (read, write, external) = (Effects::READ, Effects::WRITE, Effects::EXTERNAL);
    let classes = [
        ("read", "files:read", read),
        ("read external", "web:fetch", read.and(external)),
        ("write", "files:write", write),
        ("write external", "mail:send", write.and(external)),
        ("destructive", "files:delete", Effects::DESTRUCTIVE),
        ("promotion", "models:promote", write),
        ("schema change", "db:alter_table", write),
        ("claim decision", "insurance:claim_decide", write),
        ("unknown", "other:anything", Effects::ALL),
    ];
    classes.map(|(class, name, effects)| (class, Arc::new(tool(name, effects, Value::Null)))).to_vec()
}

#[test]
fn the_templates_decide_as_the_table_says() {
    let rendered = table(&engine(&[]), &actors(), &classes(), &PolicyTemplate::ALL).unwrap();
    let expected = include_str!("decisions.txt");
    assert_eq!(rendered, expected, "the table is now:\n{rendered}");
}

#[test]
fn a_stricter_template_never_permits_more() {
    let engine = engine(&[]);
    let rendered = table(&engine, &actors(), &classes(), &PolicyTemplate::ALL).unwrap();
    for line in rendered.lines().skip(1) {
        let asked: Vec<bool> = line
            .split("  ")
            .filter(|cell| !cell.is_empty())
            .skip(2)
            .map(|cell| cell.trim() != "permit")
            .collect();
        assert_eq!(asked.len(), 4, "{line}");
        assert!(asked.is_sorted(), "{line}");
    }
}

#[test]
fn cells_tell_who_must_agree_and_what_failed() {
    let guard = r#"permit(principal, action, resource) when { principal is Human || resource.read };
        forbid(principal is Service, action, resource) when { resource.nothing };"#;
    let gates = r#"@approvers("finance, legal") @quorum("2") forbid(principal, action, resource) when { resource.write };"#;
    let engine = engine(&[(PolicyPurpose::Guard, guard), (PolicyPurpose::Gates, gates)]);
    let two = &classes()[..3];
    insta::assert_snapshot!(table(&engine, &actors(), &[two[0].clone(), two[2].clone()], &[PolicyTemplate::Exploratory]).unwrap(), @"
    actor    tool   exploratory
    human    read   permit
    human    write  approve by finance or legal (2 people)
    agent    read   permit
    agent    write  deny
    service  read   by its arguments
    service  write  by its arguments
    ");
}
