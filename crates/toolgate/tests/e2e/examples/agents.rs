//! The agents: each reads the inbox, answers the first letter, and waits until a person has decided.

use std::process::Command;

use super::{LETTER, LetterBox, Running, examples, local};
use crate::outside::{fetched, node};

/// An agent's command with the settings of every README.
fn of_principal(mut command: Command, letters: &LetterBox, principal: &str) -> Command {
    let token = letters.say(&["token", "create", "--role", "agent", "--principal", principal]);
    command.env("AGENT_TOKEN", token.trim());
    command.env("TOOLGATE", letters.gateway.url("")).env("TOOLGATE_URL", &letters.gateway.endpoint);
    command.env("PAUSE_SECONDS", "0.1");
    command
}

fn own_loop(letters: &LetterBox) -> Command {
    let mut command = local("python3");
    command.arg(examples().join("own-loop/loop.py"));
    of_principal(command, letters, "my-loop")
}

/// Starts the agent, approves its request, and checks that the letter was sent once.
fn writes_once_approved(letters: &LetterBox, mut command: Command, last_word: &str) {
    let agent = Running::start(&mut command);
    let approval = letters.waiting();
    assert_eq!(letters.sent(), "", "nothing is sent before a person agrees");
    letters.say(&["approvals", "approve", &approval]);
    let said = agent.finish();
    assert!(said.contains(&approval) && said.trim_end().ends_with(last_word), "{said}");
    assert_eq!(letters.sent(), LETTER);
    letters.say(&["ledger", "verify"]);
}

#[test]
fn a_loop_of_ones_own_waits_for_a_person() {
    let letters = LetterBox::open();
    let agent = own_loop(&letters);
    writes_once_approved(&letters, agent, "The letter is on its way.");
}

#[test]
fn a_loop_of_ones_own_takes_a_no() {
    let letters = LetterBox::open();
    let agent = Running::start(&mut own_loop(&letters));
    letters.say(&["approvals", "deny", &letters.waiting(), "--reason", "not on a Friday"]);
    let said = agent.finish();
    assert!(said.contains("No letter:") && said.contains("not on a Friday"), "{said}");
    assert_eq!(letters.sent(), "");
}

#[test]
fn a_langgraph_agent_waits_for_a_person() {
    let letters = LetterBox::open();
    let mut command = local(fetched("python-bridges/bin/python"));
    command.arg(examples().join("langgraph/agent.py"));
    command.env("PYTHONPATH", examples().join("../bridges/langgraph/src"));
    let agent = of_principal(command, &letters, "letter-writer");
    writes_once_approved(&letters, agent, "Sent to ann@example.com.");
}

#[test]
fn an_agent_in_typescript_waits_for_a_person() {
    let letters = LetterBox::open();
    // Beside its packages, as `npm install` would place it.
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["agent.ts", "package.json"] {
        std::fs::copy(examples().join("typescript").join(name), folder.path().join(name))
            .expect("the example is there");
    }
    let packages = fetched("npm-clients/node_modules");
    std::os::unix::fs::symlink(packages, folder.path().join("node_modules")).expect("a link can be made");
    let mut command = local(node());
    command.arg("--no-warnings").arg(folder.path().join("agent.ts"));
    let agent = of_principal(command, &letters, "letter-writer");
    writes_once_approved(&letters, agent, "Sent to ann@example.com.");
}
