//! The folder of capability servers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use insta::assert_snapshot;
use toolgate_core::server::{NetworkAccess, Sandbox, TransportSpec};
use toolgate_registry::Drift;

use super::super::{Config, ConfigHints};
use super::refused;
use crate::config::reference::ReferenceMode;

/// A folder with two servers, a program of another kind, and a file that is no program.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, mode) in
        [("doc-parser-mcp", 0o755), ("image-ocr-mcp", 0o755), ("toolgate", 0o755), ("notes-mcp", 0o644)]
    {
        let path = folder.path().join(name);
        fs::write(&path, "").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode is set");
    }
    folder
}

fn load(cwd: &Path, variables: &[(&str, &str)], text: Option<&str>) -> Config {
    if let Some(text) = text {
        fs::write(cwd.join("toolgate.toml"), text).expect("written");
    }
    let env =
        |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let at = ConfigHints { config: None, data: None, cwd, env: &env };
    Config::load(&at, ReferenceMode::Resolve(&env)).expect("a good file")
}

fn names(config: &Config) -> Vec<String> {
    config.servers.iter().map(|entry| entry.spec.name.to_string()).collect()
}

#[test]
fn every_program_that_ends_in_mcp_is_a_server() {
    let folder = folder();
    let variables = [
        ("TOOLGATE_SERVERS", "."),
        ("CAPABILITY_SPEECH_MODELS", "/models/s"),
        ("TOOLGATE_MODEL", "/models/m"),
        ("SECRET", "s"),
    ];
    let config = load(folder.path(), &variables, None);
    assert_eq!(names(&config), ["doc-parser-mcp", "image-ocr-mcp"]);
    let entry = &config.servers[0];
    let TransportSpec::Stdio { command, env, .. } = &entry.spec.transport else { panic!("a command") };
    assert!(Path::new(command).is_absolute() && command.ends_with("doc-parser-mcp"), "{command}");
    let passed: Vec<_> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(passed, [("CAPABILITY_SPEECH_MODELS", "/models/s"), ("TOOLGATE_MODEL", "/models/m")]);
    assert_eq!((entry.drift, entry.enabled, entry.registered), (Some(Drift::Accept), true, false));
}

#[test]
fn the_file_leaves_some_out_gives_them_variables_and_describes_others_itself() {
    let folder = folder();
    let text = r#"
        [capability_servers]
        folder = "${PLACE}"
        without = ["image-ocr-mcp"]
        env = { PLACE = "${PLACE}" }

        [capability_servers.servers.doc-parser-mcp]
        env = { KEY = "${SECRET}" }

        [[servers]]
        name = "other"
        command = "x"
    "#;
    let place = folder.path().display().to_string();
    let other = tempfile::tempdir().expect("a folder");
    let variables = [("PLACE", place.as_str()), ("SECRET", "s"), ("TOOLGATE_SERVERS", "/nowhere")];
    let config = load(other.path(), &variables, Some(text));
    assert_eq!(names(&config), ["other", "doc-parser-mcp"]);
    let TransportSpec::Stdio { env, .. } = &config.servers[1].spec.transport else { panic!("a command") };
    assert_eq!((env["KEY"].as_str(), env["PLACE"].as_str()), ("s", place.as_str()));

    let own = format!("{text}\n[[servers]]\nname = \"doc-parser-mcp\"\nenabled = false\ncommand = \"y\"\n");
    let config = load(other.path(), &variables, Some(&own));
    assert_eq!(names(&config), ["other", "doc-parser-mcp"], "a table of its own takes its place");
    assert!(!config.servers[1].enabled);
}

#[test]
fn a_folder_that_is_not_there_has_no_servers() {
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(names(&load(empty.path(), &[("TOOLGATE_SERVERS", "later")], None)), [""; 0]);
    assert_eq!(names(&load(empty.path(), &[("TOOLGATE_SERVERS", "")], None)), [""; 0]);
}

#[test]
fn a_key_that_capability_servers_do_not_have() {
    assert_snapshot!(refused("[capability_servers]\nfolders = \"bin\"\n"), @r#"
    toolgate.toml:2:1: unknown key `folders` in `[capability_servers]`
    2 | folders = "bin"
      | ^^^^^^^
    expected: `folder`, `without`, `env`, `network` or `servers`
    hint: did you mean `folder`?
    "#);
}

#[test]
fn they_have_no_network_unless_there_is_somebody_to_reach() {
    let folder = folder();
    let variables = [("TOOLGATE_SERVERS", ".")];
    let network = |text: &str| {
        let config = load(folder.path(), &variables, Some(text));
        let TransportSpec::Stdio { sandbox, .. } = &config.servers[0].spec.transport else {
            panic!("a command")
        };
        let Sandbox::On(openings) = sandbox else { panic!("they are confined") };
        openings.network
    };
    let model = "[capability_servers]\nenv = { TEXT_ANALYSIS_LLM_URL = \"http://127.0.0.1:11434/v1\" }\n";
    assert_eq!(network(""), NetworkAccess::Closed);
    assert_eq!(network(model), NetworkAccess::Open);
    assert_eq!(network(&format!("{model}network = false\n")), NetworkAccess::Closed);
    assert_eq!(network("[capability_servers]\nnetwork = true\n"), NetworkAccess::Open);
}

#[test]
fn a_secret_is_told_to_one_of_them_and_not_to_all() {
    let folder = folder();
    let text =
        "[capability_servers.servers.image-ocr-mcp]\nenv = { API_KEY = \"${SECRET}\" }\nnetwork = true\n";
    let variables = [("TOOLGATE_SERVERS", "."), ("SECRET", "s")];
    let config = load(folder.path(), &variables, Some(text));
    let of = |at: usize| {
        let TransportSpec::Stdio { env, sandbox: Sandbox::On(openings), .. } =
            &config.servers[at].spec.transport
        else {
            panic!("a confined command")
        };
        (env.get("API_KEY").cloned(), openings.network)
    };
    assert_eq!(names(&config), ["doc-parser-mcp", "image-ocr-mcp"]);
    assert_eq!((of(0), of(1)), ((None, NetworkAccess::Closed), (Some("s".into()), NetworkAccess::Open)));

    for secret in ["env = { OPENAI_API_KEY = \"x\" }", "env = { URL = \"http://x/?k=${vault:KEY}\" }"] {
        let said = refused(&format!("[capability_servers]\n{secret}\n"));
        assert!(
            said.contains("every capability server") && said.contains("[capability_servers.servers.NAME]"),
            "{said}"
        );
    }
    let said = refused("[capability_servers.servers.x-mcp]\nenvironment = {}\n");
    assert!(said.contains("unknown key `environment` in `[capability_servers.servers.x-mcp]`"), "{said}");
}
