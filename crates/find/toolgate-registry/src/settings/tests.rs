use serde_json::json;
use toolgate_catalog::{Alias, HintTrust, ServerSettings, ToolNameFilter};
use toolgate_core::RefusalKind;
use toolgate_core::address::Reach;
use toolgate_core::server::{Affinity, AskPermissions, EraChoice, Isolation, ServerSpec, TransportSpec};
use toolgate_core::{CanonicalName, ServerName};

use super::*;
use crate::source::{Drift, FileState, NewTools, OnFinding, ServerSource};

fn name(text: &str) -> ServerName {
    ServerName::new(text).expect("a name")
}

fn in_file(text: &str) -> ServerEntry {
    ServerEntry {
        spec: ServerSpec {
            name: name(text),
            transport: TransportSpec::http("https://example.com/mcp", Default::default()),
            timeout: crate::roster::TIMEOUT,
            connect_timeout: crate::roster::CONNECT_TIMEOUT,
            concurrency_max: 1,
            rate: None,
            isolation: Isolation::Shared,
            affinity: Affinity::default(),
            era: EraChoice::default(),
            reach: Reach::Anywhere,
            egress: Default::default(),
        },
        settings: ServerSettings {
            name: name(text),
            prefix: true,
            filter: ToolNameFilter::default(),
            hints: HintTrust::Believed,
            asks: AskPermissions::default(),
        },
        drift: None,
        new_tools: None,
        source: ServerSource::File,
        published: None,
    }
}

fn context() -> SettingContext {
    SettingContext {
        file: FileState { servers: vec![in_file("files"), in_file("a.b")], ..FileState::default() },
        registered: vec![name("Mail")],
        aliases: vec![Alias {
            name: "old_read".into(),
            target: CanonicalName::recorded("files:read"),
            until_ms: None,
            primary: false,
            owner: "toolgate.toml".into(),
        }],
        tools: ["files:read", "files:write"].map(CanonicalName::recorded).to_vec(),
        policies: None,
    }
}

fn checked(key: &'static str, value: &Value, context: &SettingContext) -> Result<(), Refusal> {
    check(
        key,
        value,
        &SettingConstraints { context, set: &DefinitionSettings::default(), before: &json!([]) },
    )
}

/// `code field: message`, or `fine`.
fn told(key: &'static str, value: Value) -> String {
    match checked(key, &value, &context()) {
        Ok(()) => "fine".into(),
        Err(refusal) => {
            format!("{} {}: {}", refusal.code, refusal.field.as_deref().unwrap_or("-"), refusal.message)
        }
    }
}

fn server(more: Value) -> Value {
    let mut server = json!({ "name": "job-app", "url": "https://example.com/mcp" });
    let members = server.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([server])
}

#[test]
fn an_api_is_set_by_addresses_and_never_by_a_path() {
    let told = |entry: Value| told(MCP_SERVERS, json!([entry]));
    let document = "https://example.com/openapi.json";
    assert_eq!(told(json!({ "name": "pets", "openapi": document })), "fine");
    let keyed = json!({ "name": "pets", "openapi": document, "query": { "api_key": "${vault:KEY}" } });
    assert_eq!(told(keyed), "fine");
    let slack =
        json!({ "name": "connector.slack", "connector": "slack", "base_url": "https://slack.com/api" });
    assert_eq!(told(slack), "fine");
    for (entry, place) in [
        (json!({ "name": "pets", "openapi": "/etc/passwd" }), "value[0].openapi"),
        (json!({ "name": "pets", "connector": "../x.toml", "base_url": document }), "value[0].connector"),
        (json!({ "name": "pets", "connector": "slack" }), "value[0].base_url"),
        (json!({ "name": "pets", "base_url": document }), "value[0].openapi"),
        (json!({ "name": "pets", "openapi": document, "url": document }), "value[0].url"),
        (
            json!({ "name": "pets", "openapi": document, "query": { "api_key": "open" } }),
            "value[0].query.api_key",
        ),
    ] {
        let told = told(entry);
        assert!(told.starts_with(&format!("invalid_setting {place}: ")), "{told}");
    }
}

#[test]
fn effects_of_an_api_are_those_of_its_methods_unless_somebody_says_otherwise() {
    let hints = |more: Value| {
        let mut entry = json!({ "name": "pets" });
        entry.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut settings = RegistrySettings::default();
        settings.take(MCP_SERVERS, &json!([entry])).expect("read");
        settings.servers[0].settings.hints
    };
    let (api, server) = ("https://example.com/openapi.json", "https://example.com/mcp");
    assert_eq!(hints(json!({ "openapi": api })), HintTrust::Believed);
    assert_eq!(hints(json!({ "openapi": api, "trust_annotations": false })), HintTrust::Ignored);
    assert_eq!(hints(json!({ "url": server })), HintTrust::Handling, "an MCP server says its effects itself");
}

#[test]
fn what_the_seed_shows_is_set_once_loopback_is_allowed() {
    let value = json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }]);
    assert_eq!(
        told(MCP_SERVERS, value.clone()),
        "invalid_setting value[0].url: 127.0.0.1 is an address of this machine; `[network] allow_loopback = true` in \
         toolgate.toml allows it"
    );
    let mut context = context();
    context.file.addresses.allow_loopback = true;
    assert_eq!(checked(MCP_SERVERS, &value, &context), Ok(()));
}

#[test]
fn everything_that_a_server_may_have_is_taken() {
    let value = server(json!({
        "headers": { "Authorization": "Bearer ${vault:JOBS}", "X-Team": "red" },
        "timeout_seconds": 1.5, "connect_timeout_seconds": 2, "concurrency_max": 3, "rate": "10/s",
        "isolation": "principal", "tools": { "allow": ["read_*"], "deny": ["read_all"] },
        "trust_annotations": false, "elicitation": false, "sampling": true, "enabled": true, "drift": "accept", "new_tools": "review",
    }));
    assert_eq!(told(MCP_SERVERS, value.clone()), "fine");
    let mut settings = RegistrySettings::default();
    settings.take(MCP_SERVERS, &value).expect("read");
    let entry = &settings.servers[0];
    assert_eq!((entry.spec.timeout.as_millis(), entry.spec.concurrency_max), (1500, 3));
    assert_eq!((entry.spec.isolation, entry.settings.hints), (Isolation::Principal, HintTrust::Ignored));
    assert_eq!(entry.settings.asks, AskPermissions { elicitation: false, sampling: true });
    assert_eq!((entry.drift, entry.new_tools), (Some(Drift::Accept), Some(NewTools::Review)));
    assert!(entry.settings.filter.shows("read_one") && !entry.settings.filter.shows("read_all"));
    assert_eq!(entry.source, ServerSource::Settings);
}

#[test]
fn a_disabled_server_is_checked_and_not_used() {
    let mut settings = RegistrySettings::default();
    settings.take(MCP_SERVERS, &server(json!({ "enabled": false }))).expect("read");
    assert!(settings.servers.is_empty());
    assert_eq!(
        told(MCP_SERVERS, server(json!({ "enabled": false, "url": "ftp://x" }))),
        "invalid_setting value[0].url: a server is reached by http or https, not by \"ftp\""
    );
}

#[test]
fn every_bad_server_is_refused_at_its_place() {
    let long = format!("https://example.com/{}", "x".repeat(2048));
    let cases = [
        (json!({}), "value: `value` is not a list"),
        (json!([1]), "value[0]: `value[0]` is not an object"),
        (json!([{ "url": "https://x/" }]), "value[0].name: `name` is missing"),
        (json!([{ "name": "x" }]), "value[0].url: `url` is missing"),
        (json!([{ "name": 1, "url": "https://x/" }]), "value[0].name: `name` is not a text"),
        (json!([{ "name": "a:b", "url": "https://x/" }]), "value[0].name: a server name may not contain ':'"),
        (
            server(json!({ "command": "sh" })),
            "value[0].command: a command can only be set in the operator's file",
        ),
        (server(json!({ "args": [] })), "value[0].args: a command can only be set in the operator's file"),
        (server(json!({ "env": {} })), "value[0].env: a command can only be set in the operator's file"),
        (server(json!({ "cwd": "/" })), "value[0].cwd: a command can only be set in the operator's file"),
        (server(json!({ "prefix": false })), "value[0].prefix: unknown key `prefix`"),
        (
            server(json!({ "url": "nonsense" })),
            "value[0].url: it is not an address: relative URL without a base",
        ),
        (
            server(json!({ "url": "file:///etc/passwd" })),
            "value[0].url: a server is reached by http or https, not by \"file\"",
        ),
        (
            server(json!({ "url": "https://u:p@example.com/" })),
            "value[0].url: an address holds no user and no password",
        ),
        (
            server(json!({ "url": "https://example.com/#x" })),
            "value[0].url: an address of a server has nothing after a `#`",
        ),
        (server(json!({ "url": long })), "value[0].url: the address is longer than 2048 characters"),
        (
            server(json!({ "url": "http://169.254.169.254/" })),
            "value[0].url: 169.254.169.254 is not the address of a server",
        ),
        (
            server(json!({ "url": "http://2130706433/" })),
            "value[0].url: 127.0.0.1 is an address of this machine; `[network] allow_loopback = true` in toolgate.toml allows it",
        ),
        (
            server(json!({ "url": "http://[::ffff:10.0.0.1]/" })),
            "value[0].url: ::ffff:10.0.0.1 is an address of a private network; `[network] allow_private = true` in toolgate.toml allows it",
        ),
        (
            server(json!({ "url": "http://x.localhost./" })),
            "value[0].url: 127.0.0.1 is an address of this machine; `[network] allow_loopback = true` in toolgate.toml allows it",
        ),
        (
            server(json!({ "timeout_seconds": 0 })),
            "value[0].timeout_seconds: `timeout_seconds` is not a number of seconds above 0, at most 86400",
        ),
        (
            server(json!({ "connect_timeout_seconds": "1" })),
            "value[0].connect_timeout_seconds: `connect_timeout_seconds` is not a number of seconds above 0, at most 86400",
        ),
        (
            server(json!({ "concurrency_max": 0 })),
            "value[0].concurrency_max: `concurrency_max` is not a whole number from 1 to 100000",
        ),
        (
            server(json!({ "rate": "often" })),
            "value[0].rate: a rate is a number and a unit of time, such as `10/s`, `600/m` or `1000/h`",
        ),
        (
            server(json!({ "isolation": "none" })),
            "value[0].isolation: `isolation` is not `shared` or `principal`",
        ),
        (server(json!({ "tools": [] })), "value[0].tools: `value[0].tools` is not an object"),
        (server(json!({ "tools": { "only": [] } })), "value[0].tools.only: unknown key `only`"),
        (
            server(json!({ "tools": { "allow": [1] } })),
            "value[0].tools.allow[0]: `value[0].tools.allow[0]` is not a text",
        ),
        (
            server(json!({ "trust_annotations": 1 })),
            "value[0].trust_annotations: `trust_annotations` is not true or false",
        ),
        (server(json!({ "enabled": "yes" })), "value[0].enabled: `enabled` is not true or false"),
        (server(json!({ "drift": "ignore" })), "value[0].drift: `drift` is not `quarantine` or `accept`"),
        (
            server(json!({ "new_tools": "no" })),
            "value[0].new_tools: `new_tools` is not `visible`, `review` or `review_all`",
        ),
        (server(json!({ "headers": [] })), "value[0].headers: `value[0].headers` is not an object"),
        (
            server(json!({ "headers": { "a b": "x" } })),
            "value[0].headers.a b: \"a b\" is not the name of a header",
        ),
        (
            server(json!({ "headers": { "Content-Type": "x" } })),
            "value[0].headers.Content-Type: the header \"Content-Type\" belongs to the connection",
        ),
        (
            server(json!({ "headers": { "X-A": "a\r\nb" } })),
            "value[0].headers.X-A: the value of a header has at most 4096 printable ASCII characters",
        ),
        (
            server(json!({ "headers": { "authorization": "Bearer abc" } })),
            "value[0].headers.authorization: the value of \"authorization\" is a secret, and settings are no place for one",
        ),
        (
            server(json!({ "headers": { "X-Api-Key": "abc" } })),
            "value[0].headers.X-Api-Key: the value of \"X-Api-Key\" is a secret, and settings are no place for one",
        ),
        (
            json!([{ "name": "x", "url": "https://x/" }, { "name": "x", "url": "https://y/" }]),
            "value[1].name: the server \"x\" stands twice in the value",
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(told(MCP_SERVERS, value.clone()), format!("invalid_setting {expected}"), "{value}");
    }
}

#[test]
fn names_that_are_taken_or_read_alike_are_refused_and_both_are_named() {
    let named = |name: &str| json!([{ "name": name, "url": "https://example.com/" }]);
    assert_eq!(
        told(MCP_SERVERS, named("files")),
        "name_taken value[0].name: the server \"files\" is configured in toolgate.toml"
    );
    for (wanted, existing) in [("Files", "files"), ("a__b", "a.b"), ("mail", "Mail")] {
        let told = told(MCP_SERVERS, named(wanted));
        assert!(told.starts_with("name_taken value[0].name: "), "{told}");
        assert!(told.contains(wanted) && told.contains(existing), "{told}");
    }
    // A registered server gives way to an operator's setting.
    assert_eq!(told(MCP_SERVERS, named("Mail")), "fine");
}

#[test]
fn too_many_servers_are_refused() {
    let servers: Vec<Value> =
        (0..1001).map(|at| json!({ "name": format!("s{at}"), "url": "https://x/" })).collect();
    assert_eq!(
        told(MCP_SERVERS, json!(servers)),
        "invalid_setting value: `value` has 1001 entries; 1000 are allowed"
    );
}

#[test]
fn aliases_are_read_with_days_and_moments() {
    let value = json!([
        { "name": "old_write", "tool": "files:write", "until": "2027-01-01" },
        { "name": "files.text.read", "tool": "files:read", "primary": true },
        { "name": "w", "tool": "files:write", "until": "2027-01-01T12:00:00+02:00" },
    ]);
    assert_eq!(told(ALIASES, value.clone()), "fine");
    let mut settings = RegistrySettings::default();
    settings.take(ALIASES, &value).expect("read");
    assert_eq!(settings.aliases[0].until_ms, Some(1_798_761_600_000));
    assert_eq!(settings.aliases[2].until_ms, Some(1_798_761_600_000 + 10 * 3_600_000));
    assert!(settings.aliases[1].primary);
}

#[test]
fn every_bad_alias_is_refused_at_its_place() {
    let alias = |more: Value| {
        let mut alias = json!({ "name": "old", "tool": "files:read" });
        alias.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!([alias])
    };
    let cases = [
        (json!("x"), "invalid_setting value: `value` is not a list"),
        (json!([{ "tool": "files:read" }]), "invalid_setting value[0].name: `name` is missing"),
        (json!([{ "name": "old" }]), "invalid_setting value[0].tool: `tool` is missing"),
        (
            alias(json!({ "name": "" })),
            "invalid_setting value[0].name: a name has 1 to 128 characters and no spaces",
        ),
        (
            alias(json!({ "name": "a b" })),
            "invalid_setting value[0].name: a name has 1 to 128 characters and no spaces",
        ),
        (
            alias(json!({ "tool": "read" })),
            "invalid_setting value[0].tool: \"read\" is not the name of a tool",
        ),
        (
            alias(json!({ "tool": "files:" })),
            "invalid_setting value[0].tool: \"files:\" is not the name of a tool",
        ),
        (
            alias(json!({ "until": "soon" })),
            "invalid_setting value[0].until: `until` is not a day such as `2027-01-01`",
        ),
        (alias(json!({ "primary": 1 })), "invalid_setting value[0].primary: `primary` is not true or false"),
        (
            alias(json!({ "primary": true })),
            "invalid_setting value[0].name: what agents see: a name such as `documents.text.extract` has three parts of a-z, 0-9 and _ with dots between them",
        ),
        (
            alias(json!({ "name": "a.b.c", "primary": true, "until": "2027-01-01" })),
            "invalid_setting value[0].until: a name that agents see cannot end on a date",
        ),
        (alias(json!({ "x": 1 })), "invalid_setting value[0].x: unknown key `x`"),
        (
            json!([{ "name": "x", "tool": "files:read" }, { "name": "x", "tool": "files:read" }]),
            "invalid_setting value[1].name: the name \"x\" stands at value[0] too",
        ),
        (
            alias(json!({ "name": "old_read", "tool": "files:write" })),
            "alias_taken value[0].name: the name \"old_read\" is taken: toolgate.toml, for files:read has it, and settings, for files:write wants it",
        ),
        (
            alias(json!({ "name": "Search_Tools" })),
            "alias_taken value[0].name: the name \"Search_Tools\" is taken: Toolgate itself has it, and settings, for files:read wants it",
        ),
        (
            alias(json!({ "name": "files__write" })),
            "alias_taken value[0].name: the name \"files__write\" is taken: server \"files\", for files:write has it, and settings, for files:read wants it",
        ),
        (
            json!([{ "name": "ok", "tool": "files:read" }, { "name": "files:write", "tool": "files:read" }]),
            "alias_taken value[1].name: the name \"files:write\" is taken: server \"files\", for files:write has it, and settings, for files:read wants it",
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(told(ALIASES, value.clone()), expected, "{value}");
    }
}

#[test]
fn review_settings_speak_only_of_what_they_name() {
    let mut settings = RegistrySettings::default();
    settings.take(REGISTRY, &json!({ "drift": "accept" })).expect("read");
    let file = ReviewRules {
        new_tools: NewTools::Review,
        findings: OnFinding::Quarantine,
        ..ReviewRules::default()
    };
    assert_eq!(settings.review(file), ReviewRules { drift: Drift::Accept, ..file });
    let cases = [
        (json!([]), "invalid_setting value: `value` is not an object"),
        (json!({ "drift": "x" }), "invalid_setting value.drift: `drift` is not `quarantine` or `accept`"),
        (
            json!({ "new_tools": 1 }),
            "invalid_setting value.new_tools: `new_tools` is not `visible`, `review` or `review_all`",
        ),
        (
            json!({ "findings": "no" }),
            "invalid_setting value.findings: `findings` is not `flag` or `quarantine`",
        ),
        (json!({ "x": 1 }), "invalid_setting value.x: unknown key `x`"),
    ];
    for (value, expected) in cases {
        assert_eq!(told(REGISTRY, value.clone()), expected, "{value}");
    }
}

#[test]
fn disabled_servers_are_names_that_stand_once_with_reasons() {
    let set = |value: Value| told(DISABLED_SERVERS, value);
    assert_eq!(set(json!([{ "name": "files" }, { "name": "not-there-yet", "reason": "an audit" }])), "fine");
    let cases = [
        (json!({}), "invalid_setting value: `value` is not a list"),
        (json!(["files"]), "invalid_setting value[0]: `value[0]` is not an object"),
        (json!([{}]), "invalid_setting value[0].name: `name` is missing"),
        (json!([{ "name": "a:b" }]), "invalid_setting value[0].name: a server name may not contain ':'"),
        (json!([{ "name": "a", "reason": 1 }]), "invalid_setting value[0].reason: `reason` is not a text"),
        (json!([{ "name": "a", "until": 1 }]), "invalid_setting value[0].until: unknown key `until`"),
        (
            json!([{ "name": "a" }, { "name": "a" }]),
            "invalid_setting value[1].name: the server \"a\" stands twice in the value",
        ),
        (
            json!([{ "name": "a", "reason": "x".repeat(501) }]),
            "invalid_setting value[0].reason: a reason has at most 500 characters",
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(set(value.clone()), expected, "{value}");
    }
    let value = json!([{ "name": "a", "reason": "an audit" }, { "name": "b" }]);
    assert_eq!(disabled_servers::value(&disabled_servers::read(&value).expect("valid")), value);
}

#[test]
fn unknown_keys_are_refused_with_those_there_are() {
    let refusal = known_key("mcp_server").expect_err("unknown");
    assert_eq!((refusal.kind, refusal.code.name), (RefusalKind::NotFound, "unknown_setting"));
    assert_eq!(
        refusal.hint,
        "the settings are mcp_servers, disabled_servers, aliases, registry, agents, capabilities, models, policy"
    );
}

#[test]
fn a_summary_has_names_and_no_values() {
    let before = json!([{ "name": "a", "url": "https://a/?key=1" }, { "name": "b", "url": "https://b/" }]);
    let after = json!([{ "name": "b", "url": "https://c/?key=2" }, { "name": "c", "url": "https://d/" }]);
    assert_eq!(
        summary(MCP_SERVERS, &before, &after),
        json!({ "added": ["c"], "removed": ["a"], "changed": ["b"] })
    );
}

#[test]
fn addresses_are_shown_without_what_may_be_secret() {
    assert_eq!(address::shown("https://u:p@example.com/mcp?key=1#x"), "https://example.com/mcp");
}
