//! The openings for servers.

use insta::assert_snapshot;
use toolgate_core::server::{NetworkAccess, Sandbox, SandboxOpenings, TransportSpec};
use toolgate_sandbox::ConfinementDemand;

use super::{accepted, refused, server};

fn sandbox(written: &str) -> Sandbox {
    let entry = server(&format!("[[servers]]\nname = \"files\"\ncommand = \"x\"\n{written}\n"));
    let TransportSpec::Stdio { sandbox, .. } = entry.spec.transport else { panic!("a command") };
    sandbox
}

fn refusal(written: &str) -> String {
    refused(&format!("[[servers]]\nname = \"files\"\ncommand = \"x\"\n{written}\n"))
}

#[test]
fn a_server_is_confined_unless_it_is_said_otherwise() {
    assert_eq!(sandbox(""), Sandbox::On(SandboxOpenings::default()));
    assert_eq!(sandbox("sandbox = \"default\""), sandbox(""));
    assert_eq!(sandbox("sandbox = {}"), sandbox(""));
    assert_eq!(sandbox("sandbox = \"off\""), Sandbox::Off);
    let openings = SandboxOpenings {
        write: vec!["/srv/gate/notes".into(), "/var/notes".into()],
        read: vec!["/home/ann/.aws".into()],
        network: NetworkAccess::Closed,
        user: Some("tools".into()),
    };
    let written = "sandbox = { write = [\"notes\", \"/var/notes\"], read = [\"${HOME}/.aws\"], network = false, user = \"tools\" }";
    assert_eq!(sandbox(written), Sandbox::On(openings));
}

#[test]
fn the_machine_may_be_required_to_confine() {
    assert_eq!(accepted("").sandbox, ConfinementDemand::Wanted);
    assert_eq!(accepted("[sandbox]\nrequired = true").sandbox, ConfinementDemand::Required);
}

#[test]
fn words_that_are_no_sandbox() {
    assert_snapshot!(refusal("sandbox = \"of\""), @r#"
    toolgate.toml:4:11: `sandbox` in server "files" cannot be "of"
    4 | sandbox = "of"
      |           ^^^^
    expected: `default` or `off`
    hint: did you mean `off`?
    "#);
    assert!(refusal("sandbox = \"none at all\"").contains("hint: `sandbox = { write ="));
    assert!(refusal("sandbox = true").contains("expected: a table"));
}

#[test]
fn keys_that_open_nothing() {
    assert_snapshot!(refusal("sandbox = { writes = [\"x\"] }"), @r#"
    toolgate.toml:4:13: unknown key `writes` in `sandbox` of server "files"
    4 | sandbox = { writes = ["x"] }
      |             ^^^^^^
    expected: `write`, `read`, `network` or `user`
    hint: did you mean `write`?
    "#);
    assert!(refusal("sandbox = { network = \"off\" }").contains("expected: `true` or `false`"));
    assert!(refusal("sandbox = { write = \"x\" }").contains("put the value in brackets"));
    assert!(refusal("sandbox = { write = [\"\"] }").contains("a path in `write`"));
    assert!(refusal("sandbox = { user = \"\" }").contains("cannot be the name of a user"));
    let elsewhere = refused("[[servers]]\nname = \"x\"\nurl = \"http://x.example/mcp\"\nsandbox = \"off\"");
    assert!(
        elsewhere.contains("`sandbox` in server \"x\" belongs to servers with a `command`"),
        "{elsewhere}"
    );
}

#[test]
fn a_part_of_what_is_hidden_as_a_whole() {
    assert_snapshot!(refusal("sandbox = { read = [\"${HOME}/.ssh/config\"] }"), @r#"
    toolgate.toml:4:21: `read` in `sandbox` of server "files" names a part of ".ssh", which is hidden as a whole
    4 | sandbox = { read = ["${HOME}/.ssh/config"] }
      |                     ^^^^^^^^^^^^^^^^^^^^^
    expected: paths, absolute or from the folder of this file
    hint: open all of it: "/home/ann/.ssh"
    "#);
    assert!(refusal("sandbox = { read = [\"~/.ssh\"] }").contains("write `${HOME}/.ssh`"));
}
