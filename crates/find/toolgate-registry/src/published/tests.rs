//! Entries of registries, good and hostile, and what they become.

use serde_json::{Value, json};
use toolgate_core::address::AddressRules;

use super::*;

fn read(server: Value) -> PublishedServer {
    let entry = json!({ "server": server, "_meta": {} });
    PublishedServer::read(entry.to_string().as_bytes()).expect("it can be read")
}

fn weather(more: Value) -> PublishedServer {
    let mut server = json!({ "name": "io.github.ann/weather", "description": "Weather", "version": "1.2.0" });
    for (key, value) in more.as_object().expect("members") {
        server[key] = value.clone();
    }
    read(server)
}

fn npm(more: Value) -> PublishedServer {
    let mut package = json!({
        "registryType": "npm", "identifier": "@ann/weather", "version": "1.2.0", "transport": { "type": "stdio" },
    });
    for (key, value) in more.as_object().expect("members") {
        package[key] = value.clone();
    }
    weather(json!({ "packages": [package] }))
}

fn remote(more: Value) -> PublishedServer {
    let mut remote = json!({ "type": "streamable-http", "url": "https://weather.example.com/mcp" });
    for (key, value) in more.as_object().expect("members") {
        remote[key] = value.clone();
    }
    weather(json!({ "remotes": [remote] }))
}

fn values(pairs: &[(&str, &str)]) -> AddWishes {
    let values = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    AddWishes { values, ..AddWishes::default() }
}

fn had(server: &PublishedServer, wishes: &AddWishes) -> Result<PublishedEntry, WayRefusal> {
    let ways = server.ways(wishes, AddressRules::default());
    server.choose(&ways, None).map(|(_, entry)| entry.clone())
}

#[track_caller]
fn line(server: &PublishedServer, wishes: &AddWishes) -> String {
    match had(server, wishes).expect("there is a way").transport {
        PublishedTransport::Command { command, args, .. } => format!("{command} {}", args.join(" ")),
        PublishedTransport::Url { url, .. } => url,
    }
}

#[track_caller]
fn refused(server: &PublishedServer, words: &str) {
    let refusal = had(server, &AddWishes::default()).expect_err("it is refused");
    assert!(refusal.to_string().contains(words), "{words:?} is missing in {refusal}");
    assert!(!refusal.hint.is_empty(), "{refusal}");
}

#[test]
fn a_package_becomes_the_command_that_runs_its_exact_version() {
    let none = AddWishes::default();
    assert_eq!(line(&npm(json!({})), &none), "npx -y @ann/weather@1.2.0");
    let pypi = npm(json!({ "registryType": "pypi", "identifier": "weather-mcp", "version": "0.5" }));
    assert_eq!(line(&pypi, &none), "uvx --from weather-mcp==0.5 weather-mcp");
    let nuget = npm(json!({ "registryType": "nuget", "identifier": "Ann.Weather", "version": "1.0.0-beta" }));
    assert_eq!(line(&nuget, &none), "dnx Ann.Weather@1.0.0-beta --yes --");
}

#[test]
fn an_image_is_run_only_where_the_operator_says_so() {
    let digest = "a".repeat(64);
    let image = npm(json!({
        "registryType": "oci", "identifier": format!("ghcr.io/ann/weather@sha256:{digest}"), "version": null,
        "environmentVariables": [{ "name": "KEY", "isRequired": true, "isSecret": true }],
    }));
    refused(&image, "--runtime docker");
    let wishes = AddWishes { containers: Some(ContainerRuntime::Podman), ..AddWishes::default() };
    let run = "podman run -i --rm --cap-drop=ALL --security-opt=no-new-privileges -e KEY";
    assert_eq!(line(&image, &wishes), format!("{run} ghcr.io/ann/weather@sha256:{digest}"));
    let entry = had(&image, &wishes).expect("an entry");
    assert_eq!(entry.digest, Some(format!("sha256:{digest}")));
    let open = npm(json!({ "registryType": "oci", "identifier": "ann/weather", "version": null }));
    assert!(had(&open, &wishes).expect_err("open").says.contains("no exact version"));
    let older = npm(json!({ "registryType": "oci", "identifier": "ann/weather", "version": "1.2.0" }));
    assert!(line(&older, &wishes).ends_with(" docker.io/ann/weather:1.2.0"));
}

#[test]
fn versions_that_mean_more_than_one_thing_are_refused() {
    for version in ["latest", "^1.2.0", "~1.2", "1.x", "1.2", "1", ">=1", "*", "", "1.2.0 || 2", "file:evil"]
    {
        refused(&npm(json!({ "version": version })), "version");
    }
    refused(&npm(json!({ "version": null })), "names no version");
}

#[test]
fn names_that_are_options_or_addresses_are_refused() {
    for name in
        ["--eval=1", "-c", "@ann/-x", "git+https://evil.example/x", "../evil", "a b", "a;b", "@ann", ""]
    {
        refused(&npm(json!({ "identifier": name })), "cannot be the name of a package");
    }
}

#[test]
fn packages_from_elsewhere_and_of_other_kinds_are_refused_with_words() {
    refused(&npm(json!({ "registryBaseUrl": "https://npm.evil.example" })), "not the usual source");
    line(&npm(json!({ "registryBaseUrl": "https://registry.npmjs.org/" })), &AddWishes::default());
    refused(&npm(json!({ "registryType": "mcpb" })), "bundle");
    refused(&npm(json!({ "registryType": "cargo" })), "installed first");
    refused(&npm(json!({ "registryType": "sh" })), "no packages of the kind");
    refused(&npm(json!({ "transport": { "type": "streamable-http" } })), "port of its own");
    refused(&weather(json!({})), "neither a package nor an address");
}

#[test]
fn arguments_are_taken_as_they_are_and_no_shell_sees_them() {
    let server = npm(json!({ "packageArguments": [
        { "type": "positional", "value": "start; rm -rf ~ `id` $(id)" },
        { "type": "named", "name": "--units", "default": "metric", "choices": ["metric", "imperial"] },
        { "type": "named", "name": "-p", "value": "80" },
        { "type": "named", "name": "--quiet", "description": "optional" },
    ] }));
    let entry = had(&server, &AddWishes::default()).expect("an entry");
    let PublishedTransport::Command { args, .. } = &entry.transport else { panic!("a command") };
    assert_eq!(args[2..], ["start; rm -rf ~ `id` $(id)", "--units=metric", "-p", "80"]);
    assert!(entry.notes.iter().any(|note| note.contains("a shell would act on")), "{:?}", entry.notes);
    assert_eq!(entry.left_out[0].name, "quiet");
    assert!(line(&server, &values(&[("units", "imperial")])).contains("--units=imperial"));
    assert!(had(&server, &values(&[("units", "kelvin")])).expect_err("no choice").hint.contains("metric"));
    assert!(
        had(&server, &values(&[("color", "red")])).expect_err("unknown").says.contains("no input \"color\"")
    );
}

#[test]
fn what_the_operator_must_say_is_named() {
    let server = npm(json!({ "packageArguments": [
        { "type": "positional", "valueHint": "folder", "description": "Path to read", "isRequired": true },
    ] }));
    let refusal = had(&server, &AddWishes::default()).expect_err("a value is missing");
    assert_eq!(refusal.says, "it needs folder (Path to read)");
    assert_eq!(refusal.hint, "give each one a value: `--set folder=VALUE`");
    assert!(line(&server, &values(&[("folder", "/srv/docs")])).ends_with(" /srv/docs"));
}

#[test]
fn secrets_come_from_the_vault_and_never_stand_in_arguments() {
    let server = npm(json!({ "environmentVariables": [
        { "name": "API_KEY", "description": "Key", "isRequired": true, "isSecret": true },
        { "name": "OTHER_KEY", "isSecret": true },
        { "name": "LEVEL", "default": "info" },
    ] }));
    let entry = had(&server, &AddWishes::default()).expect("an entry");
    let PublishedTransport::Command { env, .. } = &entry.transport else { panic!("a command") };
    assert_eq!(json!(env), json!({ "API_KEY": "${vault:API_KEY}", "LEVEL": "info" }));
    assert_eq!(json!(entry.secrets), json!([{ "name": "API_KEY", "description": "Key" }]));
    assert_eq!(json!(entry.left_out), json!([{ "name": "OTHER_KEY", "description": "", "secret": true }]));
    let argument = json!({ "type": "named", "name": "--key", "isRequired": true, "isSecret": true });
    refused(&npm(json!({ "packageArguments": [argument] })), "as an argument of its program");
    assert!(
        had(&server, &values(&[("API_KEY", "hunter2")])).is_err(),
        "a secret is not given on a command line"
    );
}

#[test]
fn no_text_of_an_entry_names_a_secret_or_a_variable_of_the_operator() {
    for bad in ["${HOME}", "x ${vault:OTHER}"] {
        refused(&npm(json!({ "packageArguments": [{ "value": bad }] })), "would name a variable or a secret");
        refused(&npm(json!({ "environmentVariables": [{ "name": "A", "default": bad }] })), "would name");
        refused(&remote(json!({ "headers": [{ "name": "A", "value": bad }] })), "would name");
    }
    let pieces = json!({ "a": { "default": "$" }, "b": { "default": "{vault:OTHER}" } });
    refused(
        &remote(json!({ "headers": [{ "name": "A", "value": "{a}{b}", "variables": pieces }] })),
        "would name",
    );
    refused(&npm(json!({ "packageArguments": [{ "value": "a\u{1b}[2Jb" }] })), "control characters");
}

#[test]
fn variables_that_decide_what_is_run_are_refused() {
    for name in
        ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "npm_config_registry", "UV_INDEX_URL", "A=B", "a b", ""]
    {
        refused(&npm(json!({ "environmentVariables": [{ "name": name, "value": "x" }] })), "");
    }
    let wishes = npm(json!({ "runtimeHint": "bash", "runtimeArguments": [{ "name": "-c", "value": "id" }] }));
    let entry = had(&wishes, &AddWishes::default()).expect("an entry");
    assert_eq!(line(&wishes, &AddWishes::default()), "npx -y @ann/weather@1.2.0");
    assert!(entry.notes.iter().any(|note| note.contains("left out (c)")), "{:?}", entry.notes);
}

#[test]
fn a_remote_gets_its_secrets_in_headers() {
    let server = remote(json!({ "headers": [
        { "name": "Authorization", "value": "Bearer {token}", "isRequired": true, "isSecret": true,
            "variables": { "token": { "isSecret": true, "description": "Of your account" } } },
        { "name": "X-Key", "isRequired": true, "isSecret": true },
        { "name": "X-Api", "value": "Key {key}", "isSecret": true },
        { "name": "X-Region", "default": "eu" },
    ] }));
    let entry = had(&server, &AddWishes::default()).expect("an entry");
    let PublishedTransport::Url { headers, .. } = &entry.transport else { panic!("an address") };
    let told = json!({ "Authorization": "Bearer ${vault:token}", "X-Api": "Key ${vault:key}", "X-Key": "${vault:X-Key}", "X-Region": "eu" });
    assert_eq!(json!(headers), told);
    let names: Vec<&str> = entry.secrets.iter().map(|secret| secret.name.as_str()).collect();
    assert_eq!(names, ["token", "X-Key", "key"]);
    let setting = entry.setting("weather", &server.origin("https://registry.example")).expect("an address");
    assert_eq!((&setting["new_tools"], &setting["trust_annotations"]), (&json!("review_all"), &json!(false)));
    assert_eq!(setting["published"]["name"], "io.github.ann/weather");
}

#[test]
fn addresses_are_those_that_the_rules_allow() {
    for (url, words) in [
        ("http://127.0.0.1:9/mcp", "address of this machine"),
        ("https://10.1.2.3/mcp", "private network"),
        ("https://169.254.169.254/latest", "not the address of a server"),
        ("https://[::ffff:10.0.0.1]/", "private network"),
        ("http://weather.example.com/mcp", "not encrypted"),
        ("ftp://weather.example.com/", "http or https"),
        ("https://ann:pw@weather.example.com/", "no user and no password"),
        ("{base}/mcp", "it is not an address"),
    ] {
        refused(&remote(json!({ "url": url })), words);
    }
    let near = remote(json!({ "url": "http://127.0.0.1:9/mcp" }));
    let rules = AddressRules { allow_loopback: true, allow_private: false };
    assert!(near.ways(&AddWishes::default(), rules)[0].entry.is_ok(), "the operator allowed it");
    let secret = json!({ "url": "https://x.example/{key}", "variables": { "key": { "isSecret": true } } });
    refused(&remote(secret), "a part of its address");
    let variable =
        json!({ "url": "https://{tenant}.example/mcp", "variables": { "tenant": { "isRequired": true } } });
    refused(&remote(variable.clone()), "it needs tenant");
    assert_eq!(line(&remote(variable), &values(&[("tenant", "acme")])), "https://acme.example/mcp");
}

#[test]
fn a_deleted_entry_is_not_added() {
    let entry = json!({
        "server": { "name": "io.github.ann/gone", "description": "x", "version": "1.0.0",
            "remotes": [{ "type": "sse", "url": "https://a.example/sse" }] },
        "_meta": { "io.modelcontextprotocol.registry/official": { "status": "deleted", "statusMessage": "malware", "isLatest": true } },
    });
    let server = PublishedServer::read(entry.to_string().as_bytes()).expect("it can be read");
    refused(&server, "was deleted from its registry: malware");
}

#[test]
fn the_operator_chooses_among_several_ways() {
    let server = weather(json!({
        "packages": [{ "registryType": "mcpb", "identifier": "https://x.example/a.mcpb" },
            { "registryType": "npm", "identifier": "weather", "version": "1.0.0" }],
        "remotes": [{ "type": "sse", "url": "https://a.example/sse" }],
    }));
    let ways = server.ways(&AddWishes::default(), AddressRules::default());
    let kinds: Vec<&str> = ways.iter().map(|way| way.kind).collect();
    assert_eq!(kinds, ["mcpb", "npm", "remote"]);
    assert_eq!(server.choose(&ways, None).expect("one works").0.kind, "npm");
    assert_eq!(server.choose(&ways, Some("remote")).expect("one works").0.kind, "remote");
    assert!(server.choose(&ways, Some("mcpb")).expect_err("a bundle").says.contains("bundle"));
    assert!(server.choose(&ways, Some("oci")).expect_err("none").hint.contains("mcpb, npm, remote"));
}

#[test]
fn entries_that_cannot_be_read_do_not_hide_the_others() {
    let good = json!({ "server": { "name": "a.b/c", "description": "x", "version": "1" } });
    let bad = |name: &str| json!({ "server": { "name": name, "description": "x", "version": "1" } });
    let long = json!({ "server": { "name": "a.b/c", "description": "x".repeat(10_000), "version": "1" } });
    let deep = json!({ "server": { "name": "a.b/c", "version": "1", "packages": vec![json!({}); 6_000] } });
    let entries =
        json!([good, bad("../../etc"), bad("a/b/c"), bad("\u{1b}[31m/x"), bad("noslash"), long, deep, 7]);
    let page = json!({ "servers": entries, "metadata": { "nextCursor": "more" } });
    let page = PublishedPage::read(page.to_string().as_bytes()).expect("a page");
    assert_eq!((page.servers.len(), page.unread, page.next.as_deref()), (1, 7, Some("more")));
    assert_eq!(
        PublishedPage::read(b"<html>").err(),
        Some(BadPublication::Json("expected value at line 1 column 1".into()))
    );
    assert_eq!(PublishedPage::read(b"{}").err(), Some(BadPublication::List));
}

#[test]
fn a_digest_is_of_what_is_said_and_not_of_how_it_is_ordered() {
    let one = read(json!({ "name": "a.b/c", "description": "x", "version": "1" }));
    let same = read(json!({ "version": "1", "description": "x", "name": "a.b/c" }));
    let other = read(json!({ "name": "a.b/c", "description": "y", "version": "1" }));
    assert_eq!(one.digest, same.digest);
    assert_ne!(one.digest, other.digest);
}

#[test]
fn another_version_is_told_in_lines() {
    let before =
        npm(json!({ "environmentVariables": [{ "name": "KEY", "isRequired": true, "isSecret": true }] }));
    let mut after =
        npm(json!({ "version": "1.3.0", "environmentVariables": [{ "name": "TOKEN", "isSecret": true }] }));
    after.version = "1.3.0".to_owned();
    assert_eq!(
        difference(&before, &after),
        [
            "- version 1.2.0",
            "- package npm @ann/weather 1.2.0",
            "- package npm @ann/weather variable KEY required secret",
            "+ version 1.3.0",
            "+ package npm @ann/weather 1.3.0",
            "+ package npm @ann/weather variable TOKEN secret",
        ]
    );
    assert!(difference(&before, &before).is_empty());
}

#[test]
fn a_server_is_called_after_its_own_part_without_dots() {
    for (name, own) in
        [("io.github.ann/weather", "weather"), ("a/connector.slack", "connector-slack"), ("a/b_c-d", "b_c-d")]
    {
        assert_eq!(PublishedName::new(name).expect("a name").own_name(), own);
    }
    assert_eq!(PublishedName::new("io.github.ann/weather").expect("a name").namespace(), "io.github.ann");
}
