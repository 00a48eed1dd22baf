//! Servers with several instances, registration, changes to tools, and aliases.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::scope::MountNeed;
use toolgate_core::server::TransportSpec;
use toolgate_core::tool::{CacheRule, CacheScope, FileSlot, FileStrategy, ToolHandling};
use toolgate_registry::{Drift, NewTools, OnFinding, ReviewRules, ServerSource};

use super::{accepted, refused, server};

fn urls(transport: &TransportSpec) -> Vec<(&str, &str)> {
    let TransportSpec::Http { instances, .. } = transport else { panic!("an address") };
    instances.iter().map(|one| (one.id.as_str(), one.url.as_str())).collect()
}

#[test]
fn several_addresses_are_several_instances_with_names_of_their_own() {
    let entry = server(
        "[[servers]]\nname = \"a\"\nurls = [\"http://10.0.0.5:4000/mcp\", \"http://10.0.0.6:4000/mcp/\", \"http://10.0.0.6:4000/mcp\"]",
    );
    assert_eq!(
        urls(&entry.spec.transport),
        [
            ("10.0.0.5-4000-mcp", "http://10.0.0.5:4000/mcp"),
            ("10.0.0.6-4000-mcp", "http://10.0.0.6:4000/mcp/"),
            ("10.0.0.6-4000-mcp-2", "http://10.0.0.6:4000/mcp"),
        ]
    );
    assert!(!entry.registered);
}

#[test]
fn a_server_has_every_new_key_read() {
    let entry = server(
        r#"
        [[servers]]
        name = "a"
        url = "https://a.example.com/mcp"
        registered = false
        rate = "600/m"
        drift = "accept"
        new_tools = "review"
        [servers.oauth]
        client_id = "gate"
        client_secret = "${TOKEN}"
        scopes = ["read", "files:write"]
        "#,
    );
    assert_eq!(entry.spec.rate.map(|rate| rate.to_string()).as_deref(), Some("600/m"));
    assert_eq!((entry.drift, entry.new_tools), (Some(Drift::Accept), Some(NewTools::Review)));
    let oauth = entry.oauth.expect("a table");
    assert_eq!(oauth.client_id.as_deref(), Some("gate"));
    assert_eq!(oauth.client_secret.map(|secret| secret.expose().to_owned()).as_deref(), Some("s3cret"));
    assert_eq!(oauth.scopes, ["read", "files:write"]);
}

#[test]
fn what_the_registry_gets_of_a_file() {
    let config = accepted(
        r#"
        [network]
        allow_private = true
        [registry]
        drift = "accept"
        new_tools = "review"
        findings = "quarantine"
        [[servers]]
        name = "off"
        command = "x"
        enabled = false
        [[servers]]
        name = "here"
        url = "http://127.0.0.1:9/mcp"
        [[servers]]
        name = "later"
        registered = true
        headers = { Authorization = "Bearer ${vault:KEY}" }
        [[aliases]]
        name = "read_file"
        tool = "here:read"
        until = 2027-01-01
        [[aliases]]
        name = "documents.text.read"
        tool = "here:read"
        primary = true
        [[aliases]]
        name = "readFile"
        tool = "here:read"
        until = "2027-01-01T12:00:00Z"
        "#,
    );
    let state = config.file_state();
    let rules = AddressRules { allow_loopback: false, allow_private: true };
    assert_eq!(state.addresses, rules);
    assert_eq!(
        state.review,
        ReviewRules { drift: Drift::Accept, new_tools: NewTools::Review, findings: OnFinding::Quarantine }
    );
    let servers: Vec<_> = state.servers.iter().map(|one| (one.spec.name.as_str(), one.source)).collect();
    assert_eq!(servers, [("here", ServerSource::File), ("later", ServerSource::Expected)]);
    assert_eq!(state.servers[0].spec.reach, Reach::Anywhere);
    assert_eq!(state.servers[1].spec.reach, Reach::Within(rules), "whoever registers is not the operator");
    assert!(urls(&state.servers[1].spec.transport).is_empty());
    let TransportSpec::Http { headers, .. } = &state.servers[1].spec.transport else { panic!("an address") };
    assert_eq!(headers["Authorization"], "Bearer ${vault:KEY}");
    let aliases: Vec<_> = state
        .aliases
        .iter()
        .map(|one| (one.name.as_str(), one.tool.as_str(), one.until_ms, one.primary))
        .collect();
    assert_eq!(
        aliases,
        [
            ("read_file", "here:read", Some(1_798_761_600_000), false),
            ("documents.text.read", "here:read", None, true),
            ("readFile", "here:read", Some(1_798_804_800_000), false),
        ]
    );
}

#[test]
fn the_registry_that_servers_are_searched_in() {
    assert_eq!(accepted("").registry.url, "https://registry.modelcontextprotocol.io/");
    let config = accepted("[registry]\nurl = \"http://127.0.0.1:8080/mirror/v0\"\ntimeout_seconds = 0.5");
    assert_eq!(config.registry.url, "http://127.0.0.1:8080/mirror/v0");
    assert_eq!(config.registry.timeout, Duration::from_millis(500));
    assert_eq!(accepted("").restart_needed(&config), ["[registry] url"]);
    assert_eq!(config.registry.check_every, Some(Duration::from_secs(24 * 3600)));
    let never = accepted("[registry]\ncheck_every_seconds = 0");
    assert_eq!(never.registry.check_every, None);
    assert_eq!(accepted("").restart_needed(&never), ["[registry] check_every_seconds"]);
    let said = refused("[registry]\ncheck_every_seconds = -1");
    assert!(said.contains("`check_every_seconds` in `[registry]` is out of range"), "{said}");
    let said = refused("[registry]\nurl = \"ftp://registry.example.com\"");
    assert!(said.contains("only `http` and `https` can be dialled"), "{said}");
}

#[test]
fn a_server_from_a_registry_is_under_the_rules_for_addresses_from_the_network() {
    const PUBLISHED: &str = "published = { registry = \"https://r.example\", name = \"io.github.ann/weather\", version = \"1.0.0\", \
         digest = \"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\" }";
    let text = format!(
        "[[servers]]\nname = \"a\"\nurl = \"https://a.example/mcp\"\nnew_tools = \"review_all\"\n{PUBLISHED}"
    );
    let config = accepted(&text);
    let entry = &config.servers[0];
    assert_eq!(entry.new_tools, Some(NewTools::ReviewAll));
    assert_eq!(entry.published.as_ref().map(|origin| origin.name.as_str()), Some("io.github.ann/weather"));
    assert_eq!(config.file_state().servers[0].spec.reach, Reach::Within(AddressRules::default()));
    for (bad, words) in [
        (
            PUBLISHED.replace("io.github.ann/weather", "weather"),
            "`name` in `published` of server \"a\" cannot be",
        ),
        (PUBLISHED.replace("sha256:ba", "sha256:"), "64 hexadecimal digits"),
        (PUBLISHED.replace("version", "versoin"), "did you mean `version`?"),
    ] {
        let said = refused(&text.replace(PUBLISHED, &bad));
        assert!(said.contains(words), "{words:?} is missing in {said}");
    }
}

#[test]
fn secrets_of_the_vault_stay_as_they_are_written() {
    let entry = server(
        "[[servers]]\nname = \"a\"\ncommand = \"x\"\nenv = { A = \"${TOKEN} ${vault:MY.key-1} $${vault}\" }",
    );
    let TransportSpec::Stdio { env, .. } = entry.spec.transport else { panic!("a command") };
    assert_eq!(env["A"], "s3cret ${vault:MY.key-1} ${vault}");
}

#[test]
fn a_tool_has_every_way_of_handling_read() {
    let config = accepted(
        r#"
        [[tools]]
        name = "docs:*"
        timeout_seconds = 2.5
        concurrency_max = 3
        rate = "10/s"
        cache_seconds = 60
        cache_scope = "public"
        formats = false
        capabilities = ["search", "documents", "search"]
        mounts = ["pointer", "provider:slack", "pointer"]
        examples = ["find a page", "look something up"]
        file_strategy = "plain_text_content"
        [[tools]]
        name = "docs:find"
        cache_seconds = 1
        "#,
    );
    let expected = ToolHandling {
        capabilities: ["documents".to_owned(), "search".to_owned()].into(),
        needs: [MountNeed::Provider("slack".into()), MountNeed::Pointer].into(),
        examples: ["find a page".to_owned(), "look something up".to_owned()].into(),
        files: Arc::default(),
        secrets: Arc::default(),
        traits: None,
        timeout: Some(Duration::from_millis(2500)),
        concurrency_max: Some(3),
        rate: Some("10/s".parse().expect("a rate")),
        cache: Some(CacheRule { fresh: Duration::from_secs(60), scope: CacheScope::Public }),
        formats: Some(false),
    };
    assert_eq!(config.tools[0].handling, expected);
    assert_eq!(config.tools[0].files, Some(vec![FileSlot::of(FileStrategy::PlainTextContent)]));
    let private = CacheRule { fresh: Duration::from_secs(1), scope: CacheScope::Private };
    assert_eq!(config.tools[1].handling, ToolHandling { cache: Some(private), ..ToolHandling::default() });
    assert_eq!(config.tools[1].files, None);
}

#[test]
fn a_secret_with_a_name_that_none_can_have() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"a\"\nurl = \"http://x/\"\nheaders = { Authorization = \"Bearer ${vault:MY KEY:-none}\" }"
    ), @r#"
    toolgate.toml:4:37: server "a", `headers.Authorization`: "MY KEY:-none" cannot name a secret of the vault
    4 | headers = { Authorization = "Bearer ${vault:MY KEY:-none}" }
      |                                     ^^^^^^^^^^^^^^^^^^^^^
    expected: `${vault:NAME}` with 1 to 64 letters, digits, `.`, `_` and `-`
    hint: a secret has no default; `toolgate secrets set SERVER NAME` stores one
    "#);
}

#[test]
fn what_a_sign_in_gave_in_a_header() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurl = \"http://x/\"\nheaders = { X = \"${vault:oauth}\" }"), @r#"
    toolgate.toml:4:18: server "a", `headers.X`: "oauth" cannot name a secret of the vault
    4 | headers = { X = "${vault:oauth}" }
      |                  ^^^^^^^^^^^^^^
    expected: `${vault:NAME}` with 1 to 64 letters, digits, `.`, `_` and `-`
    hint: a secret has no default; `toolgate secrets set SERVER NAME` stores one
    "#);
}

#[test]
fn a_secret_of_the_vault_in_an_address() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurl = \"http://x/?key=${vault:KEY}\""), @r#"
    toolgate.toml:3:22: server "a", `url`: a secret of the vault cannot stand here
    3 | url = "http://x/?key=${vault:KEY}"
      |                      ^^^^^^^^^^^^
    expected: `${vault:NAME}` only in `headers` and `env` of a server
    hint: use a variable of the environment here: `${NAME}`
    "#);
}

#[test]
fn two_ways_to_reach_a_server() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurl = \"http://x/\"\nregistered = true"), @r#"
    toolgate.toml:4:1: server "a" has both `url` and `registered`
    4 | registered = true
      | ^^^^^^^^^^
    expected: one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)
    hint: remove one of the two, or make two servers of it
    "#);
}

#[test]
fn no_address_among_several() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurls = []"), @r#"
    toolgate.toml:3:1: `urls` in server "a" has 0 addresses
    3 | urls = []
      | ^^^^
    expected: 1 to 64 different addresses of one and the same server
    hint: `registered = true` waits for instances that register themselves
    "#);
}

#[test]
fn an_address_given_twice() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurls = [\"http://x/mcp\", \"http://X/mcp\"]"), @r#"
    toolgate.toml:3:25: an address stands twice in `urls` of server "a"
    3 | urls = ["http://x/mcp", "http://X/mcp"]
      |                         ^^^^^^^^^^^^^^
    expected: 1 to 64 different addresses of one and the same server
    hint: remove one of the two
    "#);
}

#[test]
fn a_rate_without_a_unit() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\ncommand = \"x\"\nrate = \"10\""), @r#"
    toolgate.toml:4:8: `rate` in server "a" cannot be "10"
    4 | rate = "10"
      |        ^^^^
    expected: a number and a unit of time, such as `10/s`, `600/m` or `1000/h`
    hint: the number is a whole one above 0
    "#);
}

#[test]
fn a_sign_in_at_a_command() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\ncommand = \"x\"\noauth = { client_id = \"y\" }"), @r#"
    toolgate.toml:4:1: `oauth` in server "a" belongs to servers with an address
    4 | oauth = { client_id = "y" }
      | ^^^^^
    expected: one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)
    hint: remove `oauth`
    "#);
}

#[test]
fn a_client_secret_without_a_client() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurl = \"http://x/\"\noauth = { client_secret = \"${TOKEN}\" }"), @r#"
    toolgate.toml:4:11: `client_secret` in `oauth` of server "a" has no `client_id`
    4 | oauth = { client_secret = "${TOKEN}" }
      |           ^^^^^^^^^^^^^
    expected: both, as the server's operator gave them
    hint: add `client_id = "…"`
    "#);
}

#[test]
fn a_client_document_that_anybody_could_exchange() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"a\"\nurl = \"http://x/\"\noauth = { client_metadata_url = \"http://gate.example.com/client.json\" }"
    ), @r#"
    toolgate.toml:4:33: `client_metadata_url` in `oauth` of server "a" does not start with `https://`
    4 | oauth = { client_metadata_url = "http://gate.example.com/client.json" }
      |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address with `https` at which the client's metadata document can be read
    hint: servers read the document there to know who asks
    "#);
}

#[test]
fn scopes_in_one_text() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\nurl = \"http://x/\"\noauth = { scopes = [\"read write\"] }"), @r#"
    toolgate.toml:4:21: "read write" in `scopes` of `oauth` of server "a" is not a scope
    4 | oauth = { scopes = ["read write"] }
      |                     ^^^^^^^^^^^^
    expected: words without spaces
    hint: give each scope as a text of its own: `["read", "write"]`
    "#);
}

#[test]
fn a_way_of_taking_changes_that_does_not_exist() {
    assert_snapshot!(refused("[registry]\ndrift = \"acept\"\nfindings = \"ignore\""), @r#"
    toolgate.toml:2:9: `drift` in `[registry]` cannot be "acept"
    2 | drift = "acept"
      |         ^^^^^^^
    expected: `quarantine` or `accept`
    hint: did you mean `accept`?

    toolgate.toml:3:12: `findings` in `[registry]` cannot be "ignore"
    3 | findings = "ignore"
      |            ^^^^^^^^
    expected: `flag` or `quarantine`
    hint: `flag`: a suspicious description is marked; `quarantine`: the tool waits for `toolgate tools accept`

    2 problems in toolgate.toml
    "#);
}

#[test]
fn a_permission_that_is_not_yes_or_no() {
    assert_snapshot!(refused("[network]\nallow_loopback = \"yes\""), @r#"
    toolgate.toml:2:18: `allow_loopback` in `[network]` has the wrong type: a string
    2 | allow_loopback = "yes"
      |                  ^^^^^
    expected: `true` or `false`
    hint: write it without quotes
    "#);
}

#[test]
fn an_alias_without_a_tool() {
    assert_snapshot!(refused("[[aliases]]\nname = \"read_file\""), @r#"
    toolgate.toml:1:1: alias "read_file" has no `tool`
    1 | [[aliases]]
      | ^^^^^^^^^^^
    expected: `tool` in every such table
    hint: add a line such as `tool = "files:read"`
    "#);
}

#[test]
fn an_alias_for_a_flat_name() {
    assert_snapshot!(refused("[[aliases]]\nname = \"read_file\"\ntool = \"read\""), @r#"
    toolgate.toml:3:8: `tool` in alias "read_file" is not a canonical name: "read"
    3 | tool = "read"
      |        ^^^^^^
    expected: a canonical name such as `files:read`
    hint: write the server in front: `server:read`
    "#);
}

#[test]
fn an_alias_until_no_day() {
    assert_snapshot!(refused("[[aliases]]\nname = \"read_file\"\ntool = \"a:read\"\nuntil = \"next year\""), @r#"
    toolgate.toml:4:9: `until` in alias "read_file" is not a moment: "next year"
    4 | until = "next year"
      |         ^^^^^^^^^^^
    expected: a date such as `2027-01-01`, or a time such as `2027-01-01T12:00:00Z`
    hint: year, month and day, in this order; a time needs its zone
    "#);
}

#[test]
fn an_alias_that_leads_to_two_tools() {
    assert_snapshot!(refused(
        "[[aliases]]\nname = \"read\"\ntool = \"a:read\"\n[[aliases]]\nname = \"read\"\ntool = \"b:read\""
    ), @r#"
    toolgate.toml:5:8: alias "read" belongs to `a:read` and cannot lead to `b:read` too
    5 | name = "read"
      |        ^^^^^^
    expected: each alias once
    hint: remove one of the two, or rename it
    "#);
}

#[test]
fn a_flat_name_as_the_one_that_agents_see() {
    assert_snapshot!(refused("[[aliases]]\nname = \"read_file\"\ntool = \"a:read\"\nprimary = true"), @r#"
    toolgate.toml:2:8: alias "read_file" cannot be the name that agents see
    2 | name = "read_file"
      |        ^^^^^^^^^^^
    expected: a name such as `documents.text.extract` has three parts of a-z, 0-9 and _ with dots between them
    hint: remove `primary = true` to have it as a second name
    "#);
}

#[test]
fn a_name_that_agents_see_until_a_day() {
    assert_snapshot!(refused(
        "[[aliases]]\nname = \"a.b.c\"\ntool = \"a:read\"\nprimary = true\nuntil = 2027-01-01"
    ), @r#"
    toolgate.toml:5:1: alias "a.b.c" is the name that agents see and has an end
    5 | until = 2027-01-01
      | ^^^^^
    expected: `until` only for names that agents do not see
    hint: remove `until`, or `primary = true`
    "#);
}

#[test]
fn two_names_that_agents_see() {
    assert_snapshot!(refused(
        "[[aliases]]\nname = \"a.b.c\"\ntool = \"a:read\"\nprimary = true\n[[aliases]]\nname = \"a.b.d\"\ntool = \"a:read\"\nprimary = true"
    ), @r#"
    toolgate.toml:6:8: `a:read` has two names with `primary = true`: "a.b.c" and "a.b.d"
    6 | name = "a.b.d"
      |        ^^^^^^^
    expected: one name that agents see for each tool
    hint: remove `primary = true` from one; it keeps working as a second name
    "#);
}

#[test]
fn a_cache_for_what_writes() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\neffects = [\"write\"]\ncache_seconds = 5"), @r#"
    toolgate.toml:4:1: `cache_seconds` in tool "a:*", which writes or destroys
    4 | cache_seconds = 5
      | ^^^^^^^^^^^^^
    expected: `cache_seconds` only for tools that change nothing
    hint: remove the line, or the effects if the tool only reads
    "#);
}

#[test]
fn a_cache_scope_without_a_cache() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\ncache_scope = \"public\""), @r#"
    toolgate.toml:3:1: `cache_scope` in tool "a:*" has no `cache_seconds`
    3 | cache_scope = "public"
      | ^^^^^^^^^^^
    expected: both
    hint: add a line such as `cache_seconds = 60`
    "#);
}

#[test]
fn a_file_strategy_that_does_not_exist() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\nfile_strategy = \"base64\""), @r#"
    toolgate.toml:3:17: `file_strategy` in tool "a:*" cannot be "base64"
    3 | file_strategy = "base64"
      |                 ^^^^^^^^
    expected: `binary_base64`, `plain_text_content`, `plain_text_text`, `image_base64`, `video_s3_presigned_url` or `passthrough`
    hint: it says how a `file_id` becomes arguments; `passthrough` leaves them alone
    "#);
}

#[test]
fn a_capability_with_a_space() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\ncapabilities = [\"my docs\"]"), @r#"
    toolgate.toml:3:17: "my docs" in `capabilities` of tool "a:*" is not a name
    3 | capabilities = ["my docs"]
      |                 ^^^^^^^^^
    expected: at most 32 names without spaces
    hint: for example `capabilities = ["documents"]`
    "#);
}

#[test]
fn an_api_is_described_by_a_document_or_a_connector() {
    let entry = super::server(
        "[[servers]]\nname = \"pets\"\nopenapi = \"pets.yaml\"\nbase_url = \"https://pets.example/v1\"\n\
         headers = { Authorization = \"Bearer ${vault:TOKEN}\" }\nquery = { key = \"${vault:KEY}\" }\n",
    );
    let TransportSpec::Api(api) = entry.spec.transport else { panic!("an API") };
    assert_eq!(api.document.as_deref(), Some("/srv/gate/pets.yaml"));
    assert_eq!(api.base_url.as_deref(), Some("https://pets.example/v1"));
    assert_eq!(api.query.get("key").map(String::as_str), Some("${vault:KEY}"));
    let entry = super::server("[[servers]]\nname = \"connector.slack\"\nconnector = \"slack\"\n");
    let TransportSpec::Api(api) = entry.spec.transport else { panic!("an API") };
    assert_eq!((api.connector.as_deref(), api.document), (Some("slack"), None));
}

#[test]
fn a_wrong_description_of_an_api_is_refused_with_words() {
    let told = |lines: &str| refused(&format!("[[servers]]\nname = \"pets\"\n{lines}\n"));
    for (lines, words) in [
        ("connector = \"slakc\"", "names no connector that ships"),
        ("openapi = \"\"", "`openapi` in server \"pets\" is empty"),
        ("openapi = \"a.yaml\"\nurl = \"https://a.example/mcp\"", "has both `url` and `openapi`"),
        (
            "openapi = \"a.yaml\"\nargs = [\"x\"]",
            "`args` in server \"pets\" belongs to servers with a `command`",
        ),
        (
            "url = \"https://a.example/mcp\"\nquery = { a = \"b\" }",
            "`query` in server \"pets\" belongs to servers with `openapi`",
        ),
        (
            "openapi = \"a.yaml\"\nbase_url = \"https://a.example/?key=1\"",
            "`base_url` in server \"pets\" has a query",
        ),
        ("openapi = \"https://ann:pw@a.example/a.yaml\"", "holds a user name or password"),
    ] {
        let told = told(lines);
        assert!(told.contains(words), "{lines}: {told}");
    }
}
