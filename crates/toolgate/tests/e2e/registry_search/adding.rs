//! `toolgate servers add`: what is shown before, and what is written.

use serde_json::json;
use toolgate_testkit::registry::StandInRegistry;

use super::{WEATHER, config, packaged, place, remote, weather};

fn keyed() -> serde_json::Value {
    json!({ "environmentVariables": [
        { "name": "API_KEY", "description": "From your account page", "isRequired": true, "isSecret": true },
        { "name": "UNITS", "default": "metric" },
        { "name": "PROXY_KEY", "isSecret": true },
    ] })
}

#[test]
fn a_package_is_shown_and_then_written_pinned_confined_and_under_review() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", keyed()));
    let place = place(&registry, "# mine\n");
    let before = config(&place);

    let dry = place.run(&["servers", "add", WEATHER, "--dry-run"]).well();
    for words in [
        "io.github.ann/weather 1.2.0",
        "publisher   io.github.ann",
        "repository  https://github.com/ann/weather",
        "secret      API_KEY: From your account page",
        "left out    PROXY_KEY",
        "command: npx -y @ann/weather@1.2.0",
        "env.API_KEY: ${vault:API_KEY}",
        "entry       sha256:",
    ] {
        assert!(dry.stdout.contains(words), "{words:?} is missing in {dry:?}");
    }
    assert!(dry.stdout.lines().any(|line| line.starts_with("may ")), "what it may do: {dry:?}");
    assert_eq!(config(&place), before, "a dry run writes nothing");
    place.run(&["servers", "add", WEATHER]).badly(1, &["there is no terminal to ask at", "hint: `--yes`"]);
    assert_eq!(config(&place), before, "nobody agreed");

    let added = place.run(&["servers", "add", WEATHER, "--yes"]).well();
    assert!(added.stderr.contains("toolgate secrets set weather API_KEY"), "{added:?}");
    assert!(added.stderr.contains("toolgate tools accept --all --server weather"), "{added:?}");
    let text = config(&place);
    assert!(text.starts_with(&before), "what was there stays as it was: {text}");
    let written: toml::Value = toml::from_str(&text).expect("it is TOML");
    let server = json!(written["servers"][0]);
    assert_eq!((&server["command"], &server["args"]), (&json!("npx"), &json!(["-y", "@ann/weather@1.2.0"])));
    assert_eq!(server["env"], json!({ "API_KEY": "${vault:API_KEY}", "UNITS": "metric" }));
    let strict = json!([
        server["sandbox"],
        server["drift"],
        server["new_tools"],
        server["trust_annotations"],
        server["sampling"]
    ]);
    assert_eq!(strict, json!(["default", "quarantine", "review_all", false, false]), "{server}");
    assert_eq!(server["published"]["version"], "1.2.0", "{server}");
    let list = place.run(&["servers", "list", "--json"]).well().json();
    assert_eq!(list[0]["name"], "weather", "{list}");
}

#[test]
fn a_remote_becomes_an_address_with_a_header_from_the_vault() {
    let registry = StandInRegistry::start();
    let header =
        json!([{ "name": "Authorization", "value": "Bearer {token}", "isRequired": true, "isSecret": true }]);
    registry.publish(remote("1.0.0", "https://weather.example.com/mcp", header));
    let place = place(&registry, "");
    let shown = place.run(&["servers", "add", WEATHER, "--yes", "--as", "sky", "--json"]).well().json();
    assert_eq!((&shown["way"]["kind"], &shown["added"]), (&json!("remote"), &json!(["sky"])), "{shown}");
    assert_eq!(shown["secrets"][0]["name"], "token", "{shown}");
    let written: toml::Value = toml::from_str(&config(&place)).expect("it is TOML");
    let server = json!(written["servers"][0]);
    assert_eq!(server["url"], "https://weather.example.com/mcp");
    assert_eq!(server["headers"], json!({ "Authorization": "Bearer ${vault:token}" }));
}

#[test]
fn values_that_only_the_operator_knows_are_asked_for() {
    let registry = StandInRegistry::start();
    let folder = json!({ "type": "positional", "valueHint": "folder", "description": "Path to read", "isRequired": true });
    registry.publish(packaged("1.2.0", json!({ "packageArguments": [folder] })));
    let place = place(&registry, "");
    place
        .run(&["servers", "add", WEATHER, "--yes"])
        .badly(1, &["it needs folder (Path to read)", "--set folder=VALUE"]);
    place.run(&["servers", "add", WEATHER, "--yes", "--set", "color=red"]).badly(1, &["it needs folder"]);
    place.run(&["servers", "add", WEATHER, "--yes", "--set", "folder=/srv/docs"]).well();
    assert!(config(&place).contains("\"/srv/docs\""), "{}", config(&place));
}

#[test]
fn a_name_that_is_taken_is_refused_with_another_and_nothing_is_added_twice() {
    let registry = StandInRegistry::start();
    registry.publish(packaged("1.2.0", json!({})));
    let place = place(&registry, "[[servers]]\nname = \"Weather\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    place
        .run(&["servers", "add", WEATHER, "--yes"])
        .badly(1, &["another server is called \"weather\"", "--as weather-2"]);
    place.run(&["servers", "add", WEATHER, "--yes", "--as", "sky", "--disabled"]).well();
    assert!(config(&place).contains("enabled = false"), "{}", config(&place));
    place
        .run(&["servers", "add", WEATHER, "--yes", "--as", "sky-2"])
        .badly(1, &["is there already as \"sky\""]);
}

#[test]
fn images_bundles_and_deleted_entries_are_not_added_by_themselves() {
    let registry = StandInRegistry::start();
    let digest = "b".repeat(64);
    let image =
        json!({ "registryType": "oci", "identifier": format!("ghcr.io/ann/weather:1.2.0@sha256:{digest}") });
    let bundle = json!({ "registryType": "mcpb", "identifier": "https://github.com/ann/weather.mcpb", "fileSha256": digest });
    registry.publish(weather("1.2.0", json!({ "packages": [image, bundle] })));
    let place = place(&registry, "");
    place.run(&["servers", "add", WEATHER, "--yes"]).badly(1, &["it is an image", "--runtime docker"]);
    place
        .run(&["servers", "add", WEATHER, "--yes", "--way", "pypi"])
        .badly(1, &["no way of the kind \"pypi\"", "oci, mcpb"]);
    let docker = place.run(&["servers", "add", WEATHER, "--dry-run", "--runtime", "docker"]).well();
    assert!(docker.stdout.contains(&format!("ghcr.io/ann/weather:1.2.0@sha256:{digest}")), "{docker:?}");
    assert!(docker.stdout.contains("--cap-drop=ALL"), "{docker:?}");
    registry.mark(WEATHER, "deleted", "it stole keys");
    let said = place.run(&["servers", "add", WEATHER, "--yes", "--runtime", "docker"]);
    said.badly(1, &["was deleted from its registry: it stole keys"]);
}
