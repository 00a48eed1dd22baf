//! `toolgate servers` and `toolgate connect`: the servers behind the gateway, and the clients in front of it.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until};

use super::{CliFolder, Said};
use crate::{boot, conforming};

const WAIT: Duration = Duration::from_secs(20);

fn cli(gateway: &Gateway, args: &[&str]) -> Said {
    Said::from(gateway.cli(args))
}

/// The output of `servers show` once the server is in this state.
fn shown(gateway: &Gateway, name: &str, state: &str) -> Value {
    let show = || {
        let shown = cli(gateway, &["servers", "show", name, "--json"]).well().json();
        (shown["state"] == state).then_some(shown)
    };
    until(WAIT, show).unwrap_or_else(|| {
        panic!("{name} never became {state}: {:?}", cli(gateway, &["servers", "show", name]))
    })
}

const NOISY: &str =
    "[[servers]]\nname = \"noisy\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo out of paper >&2; exit 3\"]\n";

#[test]
fn servers_list_shows_who_is_healthy_and_who_is_not() {
    let off = "[[servers]]\nname = \"off\"\nurl = \"http://127.0.0.1:9/mcp\"\nenabled = false\n";
    let gateway = boot(&(conforming("conf", &[]) + NOISY + off));
    shown(&gateway, "conf", "healthy");
    shown(&gateway, "noisy", "degraded");
    let list = cli(&gateway, &["servers", "list", "--json"]).well().json();
    let states: Vec<_> =
        list.as_array().into_iter().flatten().map(|one| json!([one["name"], one["state"]])).collect();
    assert_eq!(
        states,
        [json!(["conf", "healthy"]), json!(["noisy", "degraded"]), json!(["off", "disabled"])]
    );
    let table = cli(&gateway, &["servers", "list"]).well();
    assert!(
        table.stdout.lines().any(|line| line.starts_with("noisy") && line.contains("out of paper")),
        "{table:?}"
    );
}

#[test]
fn servers_show_keeps_the_last_lines_of_standard_error() {
    let gateway = boot(NOISY);
    let degraded = shown(&gateway, "noisy", "degraded");
    assert!(degraded["reason"].as_str().is_some_and(|reason| reason.contains("status 3")), "{degraded}");
    let heard = || {
        let shown = cli(&gateway, &["servers", "show", "noisy"]).well().stdout;
        shown.contains("Last lines on standard error:\n  out of paper").then_some(())
    };
    assert!(until(WAIT, heard).is_some(), "{:?}", cli(&gateway, &["servers", "show", "noisy"]));
}

#[test]
fn servers_show_tells_era_and_process() {
    let gateway = boot(&(conforming("old", &["--legacy-only"]) + &conforming("new", &["--modern-only"])));
    let old = shown(&gateway, "old", "healthy");
    assert_eq!((&old["era"], &old["protocol_version"]), (&json!("legacy"), &json!("2025-11-25")));
    let new = shown(&gateway, "new", "healthy");
    assert_eq!((&new["era"], &new["protocol_version"]), (&json!("modern"), &json!("2026-07-28")));
    assert!(old["pid"].is_u64() && new["pid"].is_u64() && old["pid"] != new["pid"], "{old} {new}");
}

#[test]
fn servers_test_says_what_a_server_offers() {
    let place = CliFolder::new(&(conforming("conf", &[]) + NOISY));
    let well = place.run(&["servers", "test", "conf", "--json"]).well().json();
    assert_eq!(well["state"], "healthy");
    assert!(well["tools"].as_array().is_some_and(|tools| tools.contains(&json!("conf__echo"))), "{well}");
    let badly = place.run(&["servers", "test", "noisy"]);
    assert_eq!(badly.code, Some(1), "{badly:?}");
    assert!(badly.stdout.contains("out of paper"), "{badly:?}");
}

#[test]
fn unknown_servers_are_answered_with_the_nearest_name() {
    let place = CliFolder::new(&conforming("calendar", &[]));
    for verb in [
        &["servers", "show", "calender"][..],
        &["servers", "test", "calender"],
        &["tools", "list", "--server", "calender"],
    ] {
        place.run(verb).badly(1, &["calender", "did you mean \"calendar\"?"]);
    }
}

const CLIENT: &str = r#"{ "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "."], "env": { "LEVEL": "debug" } },
    "far": { "type": "http", "url": "https://example.org/mcp", "headers": { "Authorization": "Bearer ${FAR_TOKEN}" } }
} }"#;

#[test]
fn import_shows_what_it_adds_and_writes_it() {
    let place = CliFolder::new("# mine\nlisten = \"127.0.0.1:8799\"\n");
    std::fs::write(place.path(".mcp.json"), CLIENT).expect("a file");
    let config = || std::fs::read_to_string(place.path("toolgate.toml")).expect("the configuration is there");
    let before = config();

    let dry = place.run(&["servers", "import", ".mcp.json", "--dry-run"]).well();
    assert!(dry.stdout.contains("+ files") && dry.stdout.contains("+ far"), "{dry:?}");
    assert_eq!(config(), before, "a dry run writes nothing");

    place
        .run(&["servers", "import", ".mcp.json"])
        .badly(1, &["there is no terminal to ask at", "hint: `--yes`"]);
    assert_eq!(config(), before, "nobody agreed");

    place.run(&["servers", "import", ".mcp.json", "--yes"]).well();
    assert!(config().starts_with("# mine\n"), "what was there stays as it was: {}", config());
    let backup = std::fs::read_to_string(place.path("toolgate.toml.bak")).expect("there is a backup");
    assert_eq!(backup, before);
    let list = place.run(&["servers", "list", "--json"]).well().json();
    let names: Vec<_> = list.as_array().into_iter().flatten().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["far", "files"]);

    let again = place.run(&["servers", "import", ".mcp.json", "--yes", "--json"]).well().json();
    assert_eq!(again["added"], json!([]), "{again}");
}

#[test]
fn import_refuses_what_is_no_client_configuration() {
    let place = CliFolder::new("");
    std::fs::write(place.path("broken.json"), "{ \"mcpServers\": {\n  oops").expect("a file");
    place.run(&["servers", "import", "broken.json"]).badly(1, &["broken.json:2"]);
    place.run(&["servers", "import", "missing.json"]).badly(1, &["missing.json"]);
}

#[test]
fn connect_prints_an_entry_that_works() {
    let gateway = boot("");
    let said = cli(&gateway, &["connect", "claude-code"]).well();
    let entry = &said.json()["mcpServers"]["toolgate"];
    assert_eq!(entry["url"], gateway.endpoint.as_str());
    assert_eq!(entry["headers"]["Authorization"], "Bearer <your token>");
    assert!(said.stderr.contains("toolgate token create"), "{said:?}");
    let tokens = cli(&gateway, &["token", "list", "--json"]).well().json();
    assert_eq!(tokens.as_array().map(Vec::len), Some(2), "none but those of the first start: {tokens}");
    for (client, place) in [
        ("cursor", "/mcpServers/toolgate"),
        ("vscode", "/servers/toolgate"),
        ("generic", "/mcpServers/toolgate"),
    ] {
        let said = cli(&gateway, &["connect", client]).well();
        assert!(said.json().pointer(place).is_some(), "{client}: {said:?}");
    }
    let desktop = cli(&gateway, &["connect", "claude-desktop"]).well().json();
    let args = desktop["mcpServers"]["toolgate"]["args"].clone();
    assert_eq!(args[0], "stdio", "{desktop}");
    cli(&gateway, &["connect", "claud"]).badly(1, &["claud", "did you mean `claude-code`?"]);
}

#[test]
fn connect_writes_after_a_backup() {
    let place = CliFolder::new("");
    let file = place.path(".cursor/mcp.json");
    std::fs::create_dir(place.path(".cursor")).expect("a folder");
    let before = "{\n  // what I had\n  \"mcpServers\": { \"mine\": { \"command\": \"true\" } }\n}\n";
    std::fs::write(&file, before).expect("a file");
    place.run(&["connect", "cursor", "--write", "--token", "tg_agent_x"]).well();
    let after = std::fs::read_to_string(&file).expect("the file is there");
    assert!(
        after.contains("// what I had") && after.contains("\"mine\"") && after.contains("Bearer tg_agent_x"),
        "{after}"
    );
    let backup = std::fs::read_to_string(place.path(".cursor/mcp.json.bak")).expect("there is a backup");
    assert_eq!(backup, before);

    let again = place.run(&["connect", "cursor", "--write", "--token", "tg_agent_x"]).well();
    assert!(again.stdout.contains("already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("the file is there"), after);
}

#[test]
fn connect_makes_the_file_where_there_is_none() {
    let place = CliFolder::new("");
    place.run(&["connect", "claude-desktop", "--write"]).well();
    let file = place.path(".config/Claude/claude_desktop_config.json");
    let written: Value =
        serde_json::from_slice(&std::fs::read(file).expect("it was written")).expect("it is JSON");
    assert!(written["mcpServers"]["toolgate"]["command"].is_string(), "{written}");
}

#[test]
fn connect_makes_no_token_for_a_file_it_cannot_write() {
    let place = CliFolder::new("");
    std::fs::create_dir(place.path(".cursor")).expect("a folder");
    std::fs::write(place.path(".cursor/mcp.json"), "{ oops").expect("a file");
    place.run(&["connect", "cursor", "--write"]).badly(1, &["mcp.json"]);
    place.run(&["connect", "generic", "--write"]).badly(1, &["hint:"]);
    assert_eq!(place.run(&["token", "list", "--json"]).well().json(), json!([]));
}
