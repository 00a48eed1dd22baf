//! The agent that applies for jobs: its policy does what its tests say, and its one command tells what the site received.

use super::{examples, local};
use crate::{testkit, toolgate};

#[test]
fn the_policy_asks_about_the_click_that_sends_and_about_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("policy")).expect("the folder can be made");
    for name in ["toolgate.toml", "policy/gates.cedar", "policy/applications.test.toml"] {
        std::fs::copy(examples().join("job-application").join(name), folder.path().join(name))
            .expect("the example is there");
    }
    let tested = local(toolgate()).args(["policy", "test"]).current_dir(folder.path()).output();
    let tested = tested.expect("the binary runs");
    assert!(tested.status.success(), "{tested:?}");
    assert!(String::from_utf8_lossy(&tested.stdout).contains("5 passed, 0 failed"), "{tested:?}");
}

#[test]
fn one_command_applies_for_a_job_and_says_what_the_site_received() {
    let programs = toolgate().parent().expect("binaries lie in a folder");
    for needed in ["job-site", "scripted-model", "browser-mcp", "job-app-mcp"] {
        drop(testkit(needed));
    }
    let mut command = local(examples().join("job-application/run"));
    let played = command.args(["--only", "form/1001"]).env("TOOLGATE_PROGRAMS", programs).output();
    let played = played.expect("Python 3 is there");
    assert!(played.status.success(), "{played:?}");
    let said = String::from_utf8_lossy(&played.stdout);
    assert!(said.contains("the person approves: browser:click"), "{said}");
    assert!(said.contains("is completed: Applications: 1 confirmed."), "{said}");
    assert!(
        said.lines().any(|line| line.contains("confirmed") && line.ends_with("1 received by the site")),
        "{said}"
    );
}
