//! The policy folder: its tests pass, notice a missing gate, and fit the tools of the letter box.

use std::path::Path;
use std::process::Output;

use toolgate_testkit::gateway::Gateway;

use super::{examples, local, read};
use crate::kit::listed;
use crate::toolgate;

/// A copy of the folder, which may be changed.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("policy")).expect("the folder can be made");
    for name in ["toolgate.toml", "policy/guard.cedar", "policy/gates.cedar", "policy/letters.test.toml"] {
        std::fs::copy(examples().join("policy").join(name), folder.path().join(name))
            .expect("the example is there");
    }
    folder
}

fn tested(folder: &Path) -> Output {
    local(toolgate()).args(["policy", "test"]).current_dir(folder).output().expect("the binary runs")
}

#[test]
fn the_tests_of_the_policy_pass() {
    let folder = copied();
    let output = tested(folder.path());
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("7 passed, 0 failed"), "{output:?}");
}

#[test]
fn the_tests_of_the_policy_miss_a_gate_that_is_gone() {
    let folder = copied();
    std::fs::remove_file(folder.path().join("policy/gates.cedar")).expect("the gates are there");
    assert!(!tested(folder.path()).status.success());
}

#[tokio::test]
async fn the_policy_fits_the_tools_of_the_letter_box() {
    let letters = examples().join("quick-start/letters.py");
    let toml = read(&examples().join("policy/toolgate.toml"));
    let toml = toml.replace("../quick-start/letters.py", letters.to_str().expect("paths are text"));
    let gateway = Gateway::boot_in(toolgate(), &toml, copied());
    listed(&gateway, "letters__read_inbox").await;
    let output = gateway.cli(&["policy", "check"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("0 errors, 0 warnings"), "{output:?}");
    let letter = r#"{"to": "ann@example.com", "text": "Hello"}"#;
    let asked = ["policy", "explain", "--tool", "letters:send", "--group", "writers", "--args", letter];
    let explained = gateway.cli(&asked);
    assert!(String::from_utf8_lossy(&explained.stdout).contains("letters-outside"), "{explained:?}");
}
