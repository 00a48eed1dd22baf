//! The fuzzer itself: every target reads its corpus and damaged copies of it, and one input can be tried again.

use std::process::Command;

#[test]
fn the_corpus_and_a_second_of_damage_for_each_target_find_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_toolgate-fuzz"))
        .args(["--seconds", "9", "--seed", "20", "--folder"])
        .arg(folder.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for target in ["archive", "json", "manifest", "message", "sse", "schema", "policy", "door", "files"] {
        assert!(said.contains(&format!("{target}: ")), "{target} was tried: {said}");
    }
}

#[test]
fn one_input_can_be_tried_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("one.input");
    std::fs::write(&input, b"{\"a\":").expect("written");
    let status = Command::new(env!("CARGO_BIN_EXE_toolgate-fuzz"))
        .args(["--input", input.to_str().expect("a path"), "json"])
        .status()
        .expect("it runs");
    assert!(status.success());
}
