//! `discovery` with a missing requirement.

use std::process::{Command, Output};

fn discovery(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate-bench"));
    command.arg("discovery").args(arguments).output().expect("the benchmark starts")
}

#[test]
fn without_catalogues_it_is_skipped_with_a_clear_line_and_without_an_error() {
    let output = discovery(&["--data", "no/such/catalogues", "--strict"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("skipped: there are no catalogues at no/such/catalogues"), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_model_that_was_named_and_is_not_there_is_an_error_with_a_hint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("a readable path");
    let output = discovery(&["--data", data, "--model", "no/such/model"]);
    assert!(!output.status.success());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("there is no model at no/such/model") && talk.contains("hint:"), "{talk}");
}

#[test]
fn without_a_model_it_says_what_is_left_out_and_who_fetches_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate-bench"));
    command.current_dir(folder.path()).args(["discovery", "--data", "."]);
    let output = command.output().expect("the benchmark starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("skipped: encoder only and fused") && said.contains("script/model"), "{said}");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("read ./livemcpbench/tools.jsonl"), "{talk}");
}
