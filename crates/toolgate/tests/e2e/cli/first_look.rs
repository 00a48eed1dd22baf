//! Trust and output at the first start: a configuration without agreement, and secrets that are only for a
//! person's eyes.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;
use toolgate_testkit::gateway::first_tokens;

use super::process::Killed;
use super::{CliFolder, Said};
use crate::toolgate;

/// A configuration whose one program leaves a trace.
fn trap(place: &CliFolder) -> String {
    let trace = place.path("trace");
    format!("[[servers]]\nname = \"trap\"\ncommand = \"touch\"\nargs = [{trace:?}]\nsandbox = \"off\"\n")
}

fn stranger() -> CliFolder {
    let place = CliFolder::new("");
    std::fs::write(place.path("toolgate.toml"), trap(&place)).expect("a file");
    std::fs::remove_file(place.path(".local/state/toolgate/agreed")).expect("it was there");
    place
}

/// A command at a terminal, with this typed input.
fn at_terminal(place: &CliFolder, args: &[&str], typed: &str) -> Said {
    const TERMINAL: &str =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let own = place.command(&[]);
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL]).arg(toolgate()).args(args).current_dir(place.path("."));
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut process =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("python3");
    let mut stdin = process.stdin.take().expect("stdin is piped");
    stdin.write_all(typed.as_bytes()).expect("it reads");
    let output = process.wait_with_output().expect("it ends");
    drop(stdin);
    Said::from(output)
}

#[test]
fn a_configuration_that_nobody_named_or_agreed_to_starts_nothing() {
    let place = stranger();
    let read_by = [&["serve", "--listen", "127.0.0.1:0"][..], &["stdio"], &["tools", "list"], &["doctor"]];
    for args in read_by {
        let said = place.run(args);
        assert_eq!(said.code, Some(1), "{args:?}: {said:?}");
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(told.contains("you have not agreed to it") && told.contains("--config "), "{args:?}: {told}");
    }
    // The folder that data would be kept in is found in the same way.
    std::fs::create_dir(place.path("toolgate-data")).expect("a folder");
    std::fs::rename(place.path("toolgate.toml"), place.path("toolgate-data/toolgate.toml")).expect("moved");
    place.run(&["tools", "list"]).badly(1, &["toolgate-data/toolgate.toml is not used", "hint: "]);
    assert!(!place.path("trace").exists(), "nothing was started");
}

#[test]
fn a_configuration_that_is_named_is_used() {
    let place = stranger();
    place.run(&["servers", "list", "--config", "toolgate.toml"]).well();
    let by_environment = place.command(&["servers", "list"]).env("TOOLGATE_CONFIG", "toolgate.toml").output();
    Said::from(by_environment.expect("it runs")).well();
    std::fs::create_dir(place.path("kept")).expect("a folder");
    std::fs::rename(place.path("toolgate.toml"), place.path("kept/toolgate.toml")).expect("moved");
    let said = place.run(&["servers", "list", "--data", "kept", "--json"]).well();
    assert_eq!(said.json()[0]["name"], "trap");
}

#[test]
fn a_gateway_started_by_name_is_found_from_its_folder() {
    let place = stranger();
    std::fs::create_dir(place.path("elsewhere")).expect("a folder");
    let mut serve =
        place.command(&["--json", "serve", "--listen", "127.0.0.1:0", "--config", "../toolgate.toml"]);
    serve.current_dir(place.path("elsewhere")).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut gateway = Killed(serve.spawn().expect("it starts"));
    let stdout = gateway.0.stdout.take().expect("stdout is piped");
    BufReader::new(stdout).read_line(&mut String::new()).expect("it is ready");
    let said = place.run(&["servers", "list", "--json"]).well();
    assert_eq!(said.json()[0]["name"], "trap");
}

#[test]
fn a_person_at_a_terminal_is_asked_once_and_told_what_would_be_started() {
    let place = stranger();
    let said = at_terminal(&place, &["servers", "list"], "n\n");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.contains("It starts these programs as you:"), "{said:?}");
    assert!(said.stdout.contains("touch ") && said.stdout.contains("trace"), "{said:?}");
    place.run(&["servers", "list"]).badly(1, &["you have not agreed to it"]);
    let said = at_terminal(&place, &["servers", "list"], "y\n");
    assert!(said.code == Some(0) && said.stdout.contains("trap"), "{said:?}");
    // From now on it is used everywhere, and after changes too.
    let more = format!("{}# a word more\n", trap(&place));
    std::fs::write(place.path("toolgate.toml"), more).expect("a file");
    assert_eq!(place.run(&["servers", "list", "--json"]).well().json()[0]["name"], "trap");
}

#[test]
fn what_is_printed_where_nobody_looks_holds_no_secret() {
    let place = CliFolder::new("");
    let serve = ["--json", "serve", "--listen", "127.0.0.1:0"];
    let spawn = || {
        let mut command = place.command(&serve);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Killed(command.spawn().expect("it starts"));
        let mut line = String::new();
        let stdout = process.0.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        (process, line)
    };
    let (first, line) = spawn();
    let said: Value = serde_json::from_str(&line).expect("JSON");
    let tokens = first_tokens(&said);
    for role in ["admin", "agent"] {
        let secret = tokens[role].as_str().expect("a token of the first start");
        assert!(!secret.is_empty() && !line.contains(secret), "{line}");
    }
    assert!(!line.contains("/console/enter/"), "{line}");
    let file = std::path::Path::new(said["tokens_file"].as_str().expect("a path"));
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(first);
    let (_again, line) = spawn();
    let said: Value = serde_json::from_str(&line).expect("JSON");
    assert!(said["tokens_file"].is_null() && said["tokens"].is_null() && said["console"].is_null(), "{line}");
}
