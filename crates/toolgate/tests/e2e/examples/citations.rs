//! Contracts that become a knowledge base.

use toolgate_testkit::gateway::Gateway;

use super::{Running, examples, local, read};
use crate::toolgate;

#[test]
fn answers_of_the_example_say_where_they_stand_or_that_there_is_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toml = read(&examples().join("citations/toolgate.toml"));
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    let token =
        gateway.cli(&["token", "create", "--role", "agent", "--principal", "my-lawyer", "--agent", "lawyer"]);
    assert!(token.status.success(), "{token:?}");
    let token = String::from_utf8(token.stdout).expect("a token is text");
    let mut command = local("python3");
    command.arg(examples().join("citations/ask.py"));
    command.env("AGENT_TOKEN", token.trim()).env("TOOLGATE", gateway.url(""));
    // A second time, everything is there already.
    for _ in 0..2 {
        let said = Running::start(&mut command).finish();
        assert!(said.contains("six months. (office.md, "), "{said}");
        assert!(said.contains("/console/citations?artifact="), "{said}");
        assert!(said.trim_end().ends_with("Nothing found."), "{said}");
    }
}
