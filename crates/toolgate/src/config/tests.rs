//! One test for each way in which a file can be wrong, each with the whole message an operator reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_core::server::{Affinity, EraChoice, InstanceSpec, Isolation, TransportSpec};
use toolgate_testkit::pki::Authority;

use super::reference::ReferenceMode;
use super::server_entry::ServerEntry;
use super::{Config, ConfigError, ConfigHints};

mod access;
mod agents;
mod bytes;
mod engine;
mod filters;
mod governance;
mod mail;
mod models;
mod registry;
mod sandbox;
mod secrets;
mod shipped;

const EXAMPLE: &str = include_str!("../../../../toolgate.example.toml");

fn env(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".into()),
        "EMPTY" => Some(String::new()),
        "TWO_LINES" => Some("a\nb".into()),
        "HOME" => Some("/home/ann".into()),
        "PGPASSWORD" => Some("p%40ss".into()),
        "S3_ACCESS_KEY_ID" => Some("AKIAEXAMPLE".into()),
        "S3_SECRET" => Some("storage-s3cret".into()),
        "OIDC_SECRET" => Some("login-s3cret".into()),
        "WEBHOOK_SECRET" | "METER_SECRET" => Some("0123456789abcdef".into()),
        _ => None,
    }
}

fn whereabouts() -> ConfigHints<'static> {
    ConfigHints { config: None, data: None, cwd: Path::new("/srv/gate"), env: &env }
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    let path = Path::new("/srv/gate/toolgate.toml");
    Config::parse(text, "toolgate.toml", path, &whereabouts(), ReferenceMode::Resolve(&env))
}

pub(crate) fn accepted(text: &str) -> Config {
    parse(text).unwrap_or_else(|error| panic!("refused:\n{error}"))
}

fn server(text: &str) -> ServerEntry {
    accepted(text).servers.remove(0)
}

pub(super) fn refused(text: &str) -> String {
    parse(text).expect_err("the text is wrong").to_string()
}

#[test]
fn an_empty_file_means_the_defaults() {
    let config = accepted("");
    let expected =
        Config { source: Some("/srv/gate/toolgate.toml".into()), ..Config::without_file(&whereabouts()) };
    assert_eq!(config, expected);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8700");
    assert_eq!(config.data, Path::new("/srv/gate/toolgate-data"));
}

#[test]
fn every_limit_can_be_set() {
    let config = accepted(
        r#"
        [limits]
        request_bytes_max = 1_048_576
        result_bytes_max = "2 MiB"
        depth_max = 0x20
        calls_per_client_max = 1
        sessions_max = 2
        session_idle_seconds = 0.5
        connections_max = 3
        page_size = 4
        upstream_pages_max = 5
        backlog_max = 6
        input_wait_seconds = 7
        start_wait_seconds = 0
        shutdown_wait_seconds = 0.0
        "#,
    );
    let expected = toolgate_core::MessageLimits {
        request_bytes_max: 1 << 20,
        result_bytes_max: 2 << 20,
        depth_max: 32,
        calls_per_client_max: 1,
        sessions_max: 2,
        session_idle: Duration::from_millis(500),
        connections_max: 3,
        page_size: 4,
        upstream_pages_max: 5,
        backlog_max: 6,
        input_wait: Duration::from_secs(7),
        start_wait: Duration::ZERO,
        shutdown_wait: Duration::ZERO,
    };
    assert_eq!(config.limits, expected);
}

#[test]
fn a_command_server_has_every_key_read() {
    let entry = server(
        r#"
        [[servers]]
        name = "Files.v2"
        command = "bin/serve"
        args = ["--root", "${HOME}", "$${HOME}", "${NONE:-x y}", "${EMPTY:-full}", "a$b"]
        env = { TOKEN = "${TOKEN}", PLAIN = "1" }
        cwd = "work"
        timeout_seconds = 1.5
        connect_timeout_seconds = 2
        concurrency_max = 3
        isolation = "principal"
        affinity = "principal"
        era = "older"
        prefix = false
        tools = { allow = ["read_*"], deny = ["*?secret"] }
        "#,
    );
    let TransportSpec::Stdio { command, args, env, cwd, .. } = entry.spec.transport else {
        panic!("a command")
    };
    assert_eq!(entry.spec.name.as_str(), "Files.v2");
    assert_eq!(command, "/srv/gate/bin/serve");
    assert_eq!(args, ["--root", "/home/ann", "${HOME}", "x y", "full", "a$b"]);
    assert_eq!(env, BTreeMap::from([("TOKEN".into(), "s3cret".into()), ("PLAIN".into(), "1".into())]));
    assert_eq!(cwd, Some(PathBuf::from("/srv/gate/work")));
    assert_eq!(entry.spec.timeout, Duration::from_millis(1500));
    assert_eq!(entry.spec.connect_timeout, Duration::from_secs(2));
    assert_eq!(entry.spec.concurrency_max, 3);
    assert_eq!(entry.spec.isolation, Isolation::Principal);
    assert_eq!((entry.spec.affinity, entry.spec.era), (Affinity::Principal, EraChoice::Older));
    assert!(!entry.prefix && entry.enabled);
    assert_eq!(entry.filter.allow, ["read_*"]);
    assert_eq!(entry.filter.deny, ["*?secret"]);
}

#[test]
fn a_url_server_has_its_headers_resolved() {
    let entry = server(
        r#"
        [[servers]]
        name = "hub"
        url = "https://EXAMPLE.com/m c p?x=1#part"
        headers = { Authorization = "Bearer ${TOKEN}" }
        "#,
    );
    let TransportSpec::Http { instances, headers } = entry.spec.transport else { panic!("a url") };
    assert_eq!(instances, [InstanceSpec::only("https://example.com/m%20c%20p?x=1")]);
    assert_eq!(headers, BTreeMap::from([("Authorization".into(), "Bearer s3cret".into())]));
    assert_eq!(entry.spec.timeout, Duration::from_secs(60));
    assert_eq!(entry.spec.connect_timeout, Duration::from_secs(30));
    assert_eq!(entry.spec.concurrency_max, 64);
    assert_eq!(entry.spec.isolation, Isolation::Shared);
    assert_eq!((entry.spec.affinity, entry.spec.era), (Affinity::Run, EraChoice::Auto));
    assert!(entry.prefix);
}

#[test]
fn a_bare_command_is_left_for_the_search_path() {
    let entry = server("[[servers]]\nname = \"a\"\ncommand = \"npx\"");
    assert!(matches!(entry.spec.transport, TransportSpec::Stdio { command, .. } if command == "npx"));
}

#[test]
fn a_disabled_server_may_name_variables_that_are_not_set() {
    let entry = server("[[servers]]\nname = \"a\"\nenabled = false\nurl = \"https://${NOWHERE}/mcp\"");
    assert!(!entry.enabled);
}

#[test]
fn references_are_kept_where_no_values_are_wanted() {
    let text =
        "[[servers]]\nname = \"a\"\ncommand = \"x\"\nenv = { A = \"${NOWHERE}\" }\ncwd = \"${NOWHERE}/x\"";
    let path = Path::new("/srv/gate/toolgate.toml");
    let config =
        Config::parse(text, "toolgate.toml", path, &whereabouts(), ReferenceMode::Keep).expect("accepted");
    let TransportSpec::Stdio { env, cwd, .. } = &config.servers[0].spec.transport else {
        panic!("a command")
    };
    assert_eq!(env["A"], "${NOWHERE}");
    assert_eq!(cwd.as_deref(), Some(Path::new("${NOWHERE}/x")));
}

#[test]
fn unprefixed_is_fine_beside_disabled_servers() {
    let config = accepted(
        r#"
        [[servers]]
        name = "a"
        command = "x"
        prefix = false
        [[servers]]
        name = "b"
        command = "x"
        enabled = false
        "#,
    );
    assert_eq!(config.servers.len(), 2);
}

#[test]
fn hosts_and_origins_are_normalised() {
    let config = accepted(
        r#"
        listen = "localhost:0"
        allowed_hosts = ["Gate.Example.com", "10.0.0.5:8700", "[::1]:8700"]
        allowed_origins = ["https://App.Example.com:443", "vscode-webview://x", "*"]
        "#,
    );
    assert_eq!(config.listen.to_string(), "127.0.0.1:0");
    assert_eq!(config.allowed_hosts, ["gate.example.com", "10.0.0.5:8700", "[::1]:8700"]);
    assert_eq!(config.allowed_origins, ["https://app.example.com", "vscode-webview://x", "*"]);
}

#[test]
fn the_example_is_accepted_as_it_is() {
    let config = accepted(EXAMPLE);
    assert_eq!(config.limits, toolgate_core::MessageLimits::default());
    assert_eq!(config.servers.len(), 6);
}

/// Lines of the example that show a key or a table that is off: `#key = value` or `#[table]`, without a space.
fn uncommented(example: &str) -> String {
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase()) && line.contains(" = ");
    let is_code = |line: &&str| is_key(line) || line.starts_with('[');
    let lines = example.lines().map(|line| line.strip_prefix('#').filter(is_code).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_is_accepted_with_every_line_switched_on_and_shows_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("policy")).expect("a policy folder");
    let authority = Authority::new("Operators");
    let own = authority.sign(&["gateway"]);
    for (name, text) in
        [("ca.pem", authority.pem()), ("gateway.pem", own.pem()), ("gateway.key", own.key_pem())]
    {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let at = ConfigHints { cwd: folder.path(), ..whereabouts() };
    let path = folder.path().join("toolgate.toml");
    // A file has one place for each key, and one of the two ways into OpenBao.
    let text = uncommented(EXAMPLE).replace("key_file = \"vault.key\"", "");
    let text = text.replace("key_file = \"checkpoint.key\"", "");
    let text = text.replace("key_openbao = \"team/toolgate#checkpoint_key\"", "");
    let text =
        text.replace("token_file = \"/run/secrets/bao-token\"", "").replace("token_env = \"BAO_TOKEN\"", "");
    let config = Config::parse(&text, "toolgate.toml", &path, &at, ReferenceMode::Resolve(&env));
    let config = config.unwrap_or_else(|error| panic!("refused:\n{error}"));
    let fallback = Config::without_file(&at);
    assert_eq!(config.limits, fallback.limits);
    assert_eq!(config.listen.to_string(), super::DEFAULT_LISTEN);
    assert_eq!(config.allowed_hosts.len(), 2);
    assert_eq!(config.servers[0].filter.allow.len(), 2);
    assert_eq!(config.servers[0].hints, toolgate_catalog::HintTrust::Believed);
    assert_eq!(
        config.approvals,
        super::ApprovalSettings { link: config.approvals.link.clone(), ..fallback.approvals }
    );
    assert_eq!(config.ledger, fallback.ledger);
    let checkpoints = config.checkpoints.expect("they are switched on");
    assert_eq!((checkpoints.every, checkpoints.old_keys.len()), (Duration::from_secs(3600), 1));
    assert_eq!(config.output_check, fallback.output_check);
    assert_eq!(config.store.stream, fallback.store.stream);
    assert_eq!(config.policy.template, fallback.policy.template);
    assert_eq!(config.policy.folder, Some(folder.path().join("policy")));
    let counts = (config.redact.len(), config.tools.len(), config.webhooks.len());
    assert_eq!(counts, (1, 4, 1));
    assert_eq!((config.review, config.network), (fallback.review, fallback.network));
    assert_eq!(config.aliases.len(), 2);
    assert_eq!((config.agents.len(), config.capabilities.len()), (1, 1));
    let model = &config.models[0];
    let limits = toolgate_core::model::ModelLimits {
        spend_per_day_micros: Some(10_000_000),
        ..toolgate_core::model::ModelLimits::default()
    };
    assert_eq!((model.limits, config.models.len()), (limits, 1));
    assert_eq!(config.agents[0].token_budget, toolgate_core::scope::TokenBudget::default());
    assert_eq!(config.search.model, Some(folder.path().join("models/encoder")));
    let parallel_max = config.engine.limits.parallel_max;
    let limits = toolgate_engine::EngineLimits { parallel_max, ..fallback.engine.limits };
    assert_eq!(config.engine.limits, limits, "it shows the defaults");
    assert_eq!(config.engine.contents_bytes_max, fallback.engine.contents_bytes_max);
    let files = toolgate_files::FilesSettings {
        place: config.files.place.clone(),
        public_url: Some("https://gate.example.com".into()),
        egress: config.egress.clone(),
        ..toolgate_files::FilesSettings::clone(&fallback.files)
    };
    assert_eq!(*config.files, files);
    assert!(config.egress.identity.is_some() && config.egress.proxy.is_some());
    assert_eq!(config.key_files, [folder.path().join("gateway.key")]);
    assert_eq!(config.runs, fallback.runs);
    assert_eq!(config.substrate, fallback.substrate);
    assert!(config.oauth.is_some());
    assert_eq!((config.secrets.len(), config.openbao.is_some()), (3, true));
    assert_eq!(config.secrets[2].cache, config.secrets[0].cache, "it shows the default");
    assert!(config.metering.is_some() && config.otlp.is_some() && config.mail.is_some());
}

#[test]
fn the_example_shows_every_key() {
    let text = uncommented(EXAMPLE);
    let is_shown =
        |line: &str, key: &str| line.starts_with(&format!("{key} = ")) || line.ends_with(&format!(".{key}]"));
    let shown = |key: &&&str| !text.lines().any(|line| is_shown(line, key));
    let in_tables = super::TABLES.iter().flat_map(|(_, keys)| *keys);
    let keys = super::KEYS[..5].iter().chain(in_tables);
    let missing: Vec<_> = keys.filter(shown).collect();
    assert!(missing.is_empty(), "the example does not show {missing:?}");
}

#[test]
fn unknown_key_at_the_top() {
    assert_snapshot!(refused("lissten = \"127.0.0.1:1\""), @r#"
    toolgate.toml:1:1: unknown key `lissten` in the file
    1 | lissten = "127.0.0.1:1"
      | ^^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: did you mean `listen`?
    "#);
}

#[test]
fn unknown_key_without_a_neighbour() {
    assert_snapshot!(refused("[telemetry]\nurl = \"x\""), @r#"
    toolgate.toml:1:2: unknown key `telemetry` in the file
    1 | [telemetry]
      |  ^^^^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: remove the key; `toolgate.example.toml` shows every key there is
    "#);
}

#[test]
fn a_key_of_another_table() {
    assert_snapshot!(refused("timeout_seconds = 5"), @r#"
    toolgate.toml:1:1: unknown key `timeout_seconds` in the file
    1 | timeout_seconds = 5
      | ^^^^^^^^^^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: it belongs below a `[[servers]]`, `[approvals]`, `[[tools]]` or `[registry]` line
    "#);
}

#[test]
fn unknown_key_in_limits() {
    assert_snapshot!(refused("[limits]\nsession_idle = 5"), @r#"
    toolgate.toml:2:1: unknown key `session_idle` in `[limits]`
    2 | session_idle = 5
      | ^^^^^^^^^^^^
    expected: `request_bytes_max`, `result_bytes_max`, `depth_max`, `calls_per_client_max`, `sessions_max`, `session_idle_seconds`, `connections_max`, `page_size`, `upstream_pages_max`, `backlog_max`, `input_wait_seconds`, `start_wait_seconds` or `shutdown_wait_seconds`
    hint: did you mean `session_idle_seconds`?
    "#);
}

#[test]
fn unknown_key_in_a_server() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntimeout = 5"), @r#"
    toolgate.toml:4:1: unknown key `timeout` in server "git"
    4 | timeout = 5
      | ^^^^^^^
    expected: `name`, `command`, `args`, `env`, `cwd`, `sandbox`, `url`, `urls`, `registered`, `openapi`, `connector`, `base_url`, `query`, `headers`, `oauth`, `network`, `timeout_seconds`, `connect_timeout_seconds`, `concurrency_max`, `rate`, `isolation`, `affinity`, `era`, `prefix`, `tools`, `trust_annotations`, `elicitation`, `sampling`, `drift`, `new_tools`, `published` or `enabled`
    hint: did you mean `timeout_seconds`?
    "#);
}

#[test]
fn unknown_key_in_tools() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntools = { alow = [\"a\"] }"), @r#"
    toolgate.toml:4:11: unknown key `alow` in `tools` of server "git"
    4 | tools = { alow = ["a"] }
      |           ^^^^
    expected: `allow` or `deny`
    hint: did you mean `allow`?
    "#);
}

#[test]
fn duplicate_server_names() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\ncommand = \"x\"\n[[servers]]\nname = \"git\"\ncommand = \"y\""
    ), @r#"
    toolgate.toml:5:8: two servers are named "git"
    5 | name = "git"
      |        ^^^^^
    expected: a name that no other server has
    hint: rename one of them, for example to "git-2"
    "#);
}

#[test]
fn server_names_that_differ_by_case() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\ncommand = \"x\"\n[[servers]]\nname = \"Git\"\ncommand = \"y\""
    ), @r#"
    toolgate.toml:5:8: the server names "git" and "Git" differ only by case
    5 | name = "Git"
      |        ^^^^^
    expected: a name that no other server has
    hint: rename one of them, for example to "Git-2"
    "#);
}

#[test]
fn both_command_and_url() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nurl = \"http://x/\""), @r#"
    toolgate.toml:4:1: server "git" has both `command` and `url`
    4 | url = "http://x/"
      | ^^^
    expected: one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)
    hint: remove one of the two, or make two servers of it
    "#);
}

#[test]
fn neither_command_nor_url() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\""), @r#"
    toolgate.toml:2:1: server "git" has neither `command` nor `url`
    2 | name = "git"
      | ^^^^
    expected: one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)
    hint: add `command = "…"` or `url = "https://…"`
    "#);
}

#[test]
fn keys_of_the_other_transport() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"http://x/\"\nargs = [\"a\"]"), @r#"
    toolgate.toml:4:1: `args` in server "git" belongs to servers with a `command`
    4 | args = ["a"]
      | ^^^^
    expected: one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)
    hint: remove `args`
    "#);
}

#[test]
fn a_server_without_a_name() {
    assert_snapshot!(refused("listen = \"127.0.0.1:1\"\n\n[[servers]]\ncommand = \"x\""), @r#"
    toolgate.toml:3:1: a server has no `name`
    3 | [[servers]]
      | ^^^^^^^^^^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`
    hint: add a line such as `name = "files"`
    "#);
}

#[test]
fn listen_without_an_address() {
    assert_snapshot!(refused("listen = \":8700\""), @r#"
    toolgate.toml:1:10: `listen` is not an address: ":8700"
    1 | listen = ":8700"
      |          ^^^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: write `127.0.0.1:8700` for this machine only, `0.0.0.0:8700` for every interface
    "#);
}

#[test]
fn listen_without_a_port() {
    assert_snapshot!(refused("listen = \"::1\""), @r#"
    toolgate.toml:1:10: `listen` is not an address: "::1"
    1 | listen = "::1"
      |          ^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: add the port: `[::1]:8700`
    "#);
}

#[test]
fn listen_on_a_host_name() {
    assert_snapshot!(refused("listen = \"gate.example.com:8700\""), @r#"
    toolgate.toml:1:10: `listen` is not an address: "gate.example.com:8700"
    1 | listen = "gate.example.com:8700"
      |          ^^^^^^^^^^^^^^^^^^^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: a host name is not an address; use the IP address of the interface
    "#);
}

#[test]
fn listen_with_an_impossible_port() {
    assert_snapshot!(refused("listen = \"127.0.0.1:99999\""), @r#"
    toolgate.toml:1:10: `listen` is not an address: "127.0.0.1:99999"
    1 | listen = "127.0.0.1:99999"
      |          ^^^^^^^^^^^^^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: the port is a number from 0 to 65535
    "#);
}

#[test]
fn listen_given_as_a_url() {
    assert_snapshot!(refused("listen = \"http://127.0.0.1:8700\""), @r#"
    toolgate.toml:1:10: `listen` is not an address: "http://127.0.0.1:8700"
    1 | listen = "http://127.0.0.1:8700"
      |          ^^^^^^^^^^^^^^^^^^^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: leave out the scheme: it is an address to listen on, not a URL
    "#);
}

#[test]
fn a_url_with_another_scheme() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"ftp://example.com/\""), @r#"
    toolgate.toml:3:7: `url` in server "git" has the scheme `ftp`
    3 | url = "ftp://example.com/"
      |       ^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://example.com/mcp`
    hint: only `http` and `https` can be dialled
    "#);
}

#[test]
fn a_url_that_is_none() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"example.com/mcp\""), @r#"
    toolgate.toml:3:7: `url` in server "git" is not a URL: relative URL without a base
    3 | url = "example.com/mcp"
      |       ^^^^^^^^^^^^^^^^^
    expected: an address such as `https://example.com/mcp`
    hint: start with `http://` or `https://`
    "#);
}

#[test]
fn a_url_with_a_password() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"https://ann:pw@example.com/mcp\""), @r#"
    toolgate.toml:3:7: `url` in server "git" holds a user name or password
    3 | url = "https://ann:pw@example.com/mcp"
      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://example.com/mcp`
    hint: put the credentials into `headers.Authorization`
    "#);
}

#[test]
fn a_glob_with_brackets() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntools = { deny = [\"[a-c]*\"] }"), @r#"
    toolgate.toml:4:19: '[' in `deny` has no meaning in `tools` of server "git"
    4 | tools = { deny = ["[a-c]*"] }
      |                   ^^^^^^^^
    expected: the tool's own name, with `*` for any characters and `?` for one
    hint: list several patterns instead of `[…]` or `{…}`
    "#);
}

#[test]
fn an_empty_glob() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntools.allow = [\"\"]"), @r#"
    toolgate.toml:4:16: a pattern in `allow` is empty in `tools` of server "git"
    4 | tools.allow = [""]
      |                ^^
    expected: the tool's own name, with `*` for any characters and `?` for one
    hint: `*` stands for every tool
    "#);
}

#[test]
fn a_timeout_of_zero() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntimeout_seconds = 0"), @r#"
    toolgate.toml:4:19: `timeout_seconds` in server "git" is out of range
    4 | timeout_seconds = 0
      |                   ^
    expected: a number of seconds above 0 and at most one year, such as `30` or `0.5`
    hint: leave the key out to have the default
    "#);
}

#[test]
fn a_negative_timeout() {
    assert_snapshot!(refused("[limits]\nsession_idle_seconds = -1.5"), @r#"
    toolgate.toml:2:24: `session_idle_seconds` in `[limits]` is out of range
    2 | session_idle_seconds = -1.5
      |                        ^^^^
    expected: a number of seconds above 0 and at most one year, such as `30` or `0.5`
    hint: leave the key out to have the default
    "#);
}

#[test]
fn a_timeout_that_is_not_a_number() {
    assert_snapshot!(refused("[limits]\ninput_wait_seconds = nan"), @r#"
    toolgate.toml:2:22: `input_wait_seconds` in `[limits]` is out of range
    2 | input_wait_seconds = nan
      |                      ^^^
    expected: a number of seconds above 0 and at most one year, such as `30` or `0.5`
    hint: leave the key out to have the default
    "#);
}

#[test]
fn a_timeout_in_quotes() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nconnect_timeout_seconds = \"30\""), @r#"
    toolgate.toml:4:27: `connect_timeout_seconds` in server "git" has the wrong type: a string
    4 | connect_timeout_seconds = "30"
      |                           ^^^^
    expected: a number of seconds above 0 and at most one year, such as `30` or `0.5`
    hint: remove the quotes
    "#);
}

#[test]
fn a_string_where_a_list_belongs() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nargs = \"--all\""), @r#"
    toolgate.toml:4:8: `args` in server "git" has the wrong type: a string
    4 | args = "--all"
      |        ^^^^^^^
    expected: a list of strings, such as `["one", "two"]`
    hint: put the value in brackets: `["…"]`
    "#);
}

#[test]
fn a_number_where_a_string_belongs() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nenv = { PORT = 80 }"), @r#"
    toolgate.toml:4:16: `env.PORT` in server "git" has the wrong type: an integer
    4 | env = { PORT = 80 }
      |                ^^
    expected: a string in quotes
    hint: put the value in quotes
    "#);
}

#[test]
fn one_bracket_where_two_belong() {
    assert_snapshot!(refused("[servers]\nname = \"git\"\ncommand = \"x\""), @r#"
    toolgate.toml:1:1: `servers` in the file has the wrong type: a table
    1 | [servers]
      | ^^^^^^^^^
    expected: tables that start with `[[servers]]`
    hint: write the header with two brackets
    "#);
}

#[test]
fn a_list_of_tools_without_allow() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ntools = [\"read_*\"]"), @r#"
    toolgate.toml:4:9: `tools` in server "git" has the wrong type: an array
    4 | tools = ["read_*"]
      |         ^^^^^^^^^^
    expected: a table
    hint: write `tools = { … }`
    "#);
}

#[test]
fn an_isolation_that_does_not_exist() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nisolation = \"principle\""), @r#"
    toolgate.toml:4:13: `isolation` in server "git" cannot be "principle"
    4 | isolation = "principle"
      |             ^^^^^^^^^^^
    expected: `shared` or `principal`
    hint: did you mean `principal`?
    "#);
}

#[test]
fn unprefixed_among_several() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\ncommand = \"x\"\nprefix = false\n[[servers]]\nname = \"b\"\ncommand = \"y\""
    ), @r#"
    toolgate.toml:4:10: `prefix = false` in server "git", which is not the only server
    4 | prefix = false
      |          ^^^^^
    expected: `prefix = false` only where there is one enabled server
    hint: remove the line, or set `enabled = false` in the other servers
    "#);
}

#[test]
fn a_server_name_with_a_colon() {
    assert_snapshot!(refused("[[servers]]\nname = \"my git: new\"\ncommand = \"x\""), @r#"
    toolgate.toml:2:8: a server name may not contain ' '
    2 | name = "my git: new"
      |        ^^^^^^^^^^^^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`
    hint: for example `name = "my-git-new"`
    "#);
}

#[test]
fn an_empty_server_name() {
    assert_snapshot!(refused("[[servers]]\nname = \"\"\ncommand = \"x\""), @r#"
    toolgate.toml:2:8: a server name may not be empty
    2 | name = ""
      |        ^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`
    hint: for example `name = "files"`
    "#);
}

#[test]
fn an_illegal_header_name() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"http://x/\"\nheaders = { \"X Key:\" = \"1\" }"), @r#"
    toolgate.toml:4:13: "X Key:" in `headers` of server "git" is not a header name
    4 | headers = { "X Key:" = "1" }
      |             ^^^^^^^^
    expected: a header name such as `Authorization`
    hint: letters, digits and `-` only, without the colon
    "#);
}

#[test]
fn a_header_that_belongs_to_the_gateway() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\nurl = \"http://x/\"\nheaders = { Mcp-Session-Id = \"1\" }"
    ), @r#"
    toolgate.toml:4:13: `Mcp-Session-Id` in `headers` of server "git" is set by Toolgate itself
    4 | headers = { Mcp-Session-Id = "1" }
      |             ^^^^^^^^^^^^^^
    expected: a header that MCP does not use
    hint: remove it
    "#);
}

#[test]
fn a_header_given_twice() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\nurl = \"http://x/\"\nheaders = { X-Key = \"1\", x-key = \"2\" }"
    ), @r#"
    toolgate.toml:4:26: the header `x-key` of server "git" is given twice
    4 | headers = { X-Key = "1", x-key = "2" }
      |                          ^^^^^
    expected: each header once
    hint: header names do not differ by case
    "#);
}

#[test]
fn a_header_value_with_a_line_break_from_a_variable_is_not_quoted() {
    let message =
        refused("[[servers]]\nname = \"git\"\nurl = \"http://x/\"\nheaders = { X-Key = \"${TWO_LINES}\" }");
    assert_snapshot!(message, @r#"
    toolgate.toml:4:21: the value of `headers.X-Key` in server "git" is not legal in a header
    4 | headers = { X-Key = "${TWO_LINES}" }
      |                     ^^^^^^^^^^^^^^
    expected: one line of visible ASCII characters
    hint: line breaks and control characters are not allowed, nor is a line break in a variable
    "#);
}

#[test]
fn a_variable_that_is_not_set() {
    assert_snapshot!(refused(
        "[[servers]]\nname = \"git\"\ncommand = \"x\"\n\n[servers.env]\nTOKEN = \"Bearer ${GIT_TOKEN}\""
    ), @r#"
    toolgate.toml:6:17: server "git", `env.TOKEN`: the environment variable `GIT_TOKEN` is not set
    6 | TOKEN = "Bearer ${GIT_TOKEN}"
      |                 ^^^^^^^^^^^^
    expected: a value in the environment for every `${NAME}`
    hint: `export GIT_TOKEN=…` before the start, or give a default: `${GIT_TOKEN:-default}`
    "#);
}

#[test]
fn a_reference_that_is_not_closed() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nargs = [\"--key=${TOKEN\"]"), @r#"
    toolgate.toml:4:16: server "git", `args`: a `${` is never closed
    4 | args = ["--key=${TOKEN"]
      |                ^^
    expected: `${NAME}` or `${NAME:-default}`
    hint: add the `}`, or write `$$` for a plain dollar sign
    "#);
}

#[test]
fn a_reference_in_the_style_of_an_editor() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\nurl = \"http://${env:HOST}/\""), @r#"
    toolgate.toml:3:15: server "git", `url`: "env:HOST" cannot name an environment variable
    3 | url = "http://${env:HOST}/"
      |               ^^^^^^^^^^^
    expected: `${NAME}` or `${NAME:-default}`
    hint: letters, digits and `_` only; write `$$` for a plain dollar sign
    "#);
}

#[test]
fn a_default_with_a_reference_inside() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\ncwd = \"${A:-${HOME}}\""), @r#"
    toolgate.toml:4:8: server "git", `cwd`: a default may not hold another reference
    4 | cwd = "${A:-${HOME}}"
      |        ^^^^^^^^^^^^
    expected: `${NAME}` or `${NAME:-default}`
    hint: give the default as plain text
    "#);
}

#[test]
fn a_variable_name_with_an_equals_sign() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"x\"\nenv = { \"A=B\" = \"1\" }"), @r#"
    toolgate.toml:4:9: "A=B" in `env` of server "git" cannot name a variable
    4 | env = { "A=B" = "1" }
      |         ^^^^^
    expected: a name without `=`, such as `API_KEY`
    hint: write `NAME = "value"`
    "#);
}

#[test]
fn a_tilde_in_a_command() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"~/bin/git-mcp\""), @r#"
    toolgate.toml:3:11: `~` at the start of `command` in server "git" is not expanded
    3 | command = "~/bin/git-mcp"
      |           ^^^^^^^^^^^^^^^
    expected: an absolute path, or one from the folder of this file
    hint: write `${HOME}/bin/git-mcp`
    "#);
}

#[test]
fn an_empty_command() {
    assert_snapshot!(refused("[[servers]]\nname = \"git\"\ncommand = \"\""), @r#"
    toolgate.toml:3:11: `command` in server "git" is empty
    3 | command = ""
      |           ^^
    expected: the name of a program in `PATH`, or the path of one
    hint: for example `command = "npx"`
    "#);
}

#[test]
fn a_size_with_an_unknown_unit() {
    assert_snapshot!(refused("[limits]\nresult_bytes_max = \"16 megs\""), @r#"
    toolgate.toml:2:20: `result_bytes_max` in `[limits]` is not a size
    2 | result_bytes_max = "16 megs"
      |                    ^^^^^^^^^
    expected: a number of bytes from 1 KiB to 1 GiB, or text such as "16MiB"
    hint: units are B, KiB, MiB, GiB, KB, MB and GB
    "#);
}

#[test]
fn a_size_out_of_range() {
    assert_snapshot!(refused("[limits]\nresult_bytes_max = 5"), @r#"
    toolgate.toml:2:20: `result_bytes_max` in `[limits]` is out of range
    2 | result_bytes_max = 5
      |                    ^
    expected: a number of bytes from 1 KiB to 1 GiB, or text such as "16MiB"
    hint: leave the key out to have the default
    "#);
}

#[test]
fn a_count_out_of_range() {
    assert_snapshot!(refused("[limits]\ndepth_max = 1000"), @r#"
    toolgate.toml:2:13: `depth_max` in `[limits]` is out of range
    2 | depth_max = 1000
      |             ^^^^
    expected: a whole number from 1 to 127
    hint: leave the key out to have the default
    "#);
}

#[test]
fn a_host_with_a_scheme() {
    assert_snapshot!(refused("allowed_hosts = [\"https://gate.example.com\"]"), @r#"
    toolgate.toml:1:18: "https://gate.example.com" in `allowed_hosts` is not a host
    1 | allowed_hosts = ["https://gate.example.com"]
      |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: a host as clients write it, such as `gate.example.com` or `10.0.0.5:8700`
    hint: leave out the scheme and the path; a port may follow after `:`
    "#);
}

#[test]
fn a_host_pattern() {
    assert_snapshot!(refused("allowed_hosts = [\"ok.example.com\", \"*\"]"), @r#"
    toolgate.toml:1:36: "*" in `allowed_hosts` is a pattern
    1 | allowed_hosts = ["ok.example.com", "*"]
      |                                    ^^^
    expected: a host as clients write it, such as `gate.example.com` or `10.0.0.5:8700`
    hint: name each host: a pattern would let in a page that rebinds its DNS name
    "#);
}

#[test]
fn an_origin_with_a_path() {
    assert_snapshot!(refused("allowed_origins = [\"https://app.example.com/page\"]"), @r#"
    toolgate.toml:1:20: "https://app.example.com/page" in `allowed_origins` has more than an origin
    1 | allowed_origins = ["https://app.example.com/page"]
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an origin such as `https://app.example.com`
    hint: leave out everything after the host and port
    "#);
}

#[test]
fn an_origin_pattern() {
    assert_snapshot!(refused("allowed_origins = [\"https://*.example.com\"]"), @r#"
    toolgate.toml:1:20: "https://*.example.com" in `allowed_origins` is a pattern
    1 | allowed_origins = ["https://*.example.com"]
      |                    ^^^^^^^^^^^^^^^^^^^^^^^
    expected: an origin such as `https://app.example.com`
    hint: name each origin; `*` alone lets in all of them
    "#);
}

#[test]
fn an_origin_without_a_scheme() {
    assert_snapshot!(refused("allowed_origins = [\"app.example.com\"]"), @r#"
    toolgate.toml:1:20: "app.example.com" in `allowed_origins` is not an origin
    1 | allowed_origins = ["app.example.com"]
      |                    ^^^^^^^^^^^^^^^^^
    expected: an origin such as `https://app.example.com`
    hint: start with `http://` or `https://`
    "#);
}

#[test]
fn toml_that_does_not_parse() {
    assert_snapshot!(refused("listen = 127.0.0.1:8700\n"), @r#"
    toolgate.toml:1:15: invalid float
    1 | listen = 127.0.0.1:8700
      |               ^^^^^^^^^
    expected: text in quotes, a number, `true` or `false`, a list or a table
    hint: text stands in quotes: `name = "files"`; `toolgate.example.toml` shows every key
    "#);
}

#[test]
fn json_instead_of_toml() {
    assert_snapshot!(refused("{\n  \"mcpServers\": {}\n}\n"), @r#"
    toolgate.toml:1:1: invalid key-value pair
    1 | {
      | ^
    expected: key
    hint: this is TOML, not JSON; `toolgate servers import FILE` reads a client's JSON
    "#);
}

#[test]
fn a_key_given_twice() {
    assert_snapshot!(refused("[[servers]]\nname = \"a\"\ncommand = \"x\"\nname = \"b\"\n"), @r#"
    toolgate.toml:4:1: duplicate key
    4 | name = "b"
      | ^^^^
    expected: TOML: `key = value` lines under `[table]` headers
    hint: each key may stand once in a table; a second server starts with its own `[[servers]]`
    "#);
}

#[test]
fn all_problems_are_named_in_the_order_of_the_file() {
    assert_snapshot!(refused(
        r#"listen = "8700"
colour = "red"

[limits]
depth_max = -1

[[servers]]
name = "git"
	url = "git.example.com"	# with tabs
isolation = "share"

[[servers]]
name = "größe 1"
command = "x"
enabled = "yes"
"#
    ), @r#"
    toolgate.toml:1:10: `listen` is not an address: "8700"
    1 | listen = "8700"
      |          ^^^^^^
    expected: an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`
    hint: write `127.0.0.1:8700` for this machine only, `0.0.0.0:8700` for every interface

    toolgate.toml:2:1: unknown key `colour` in the file
    2 | colour = "red"
      | ^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: remove the key; `toolgate.example.toml` shows every key there is

    toolgate.toml:5:13: `depth_max` in `[limits]` is out of range
    5 | depth_max = -1
      |             ^^
    expected: a whole number from 1 to 127
    hint: leave the key out to have the default

    toolgate.toml:9:8: `url` in server "git" is not a URL: relative URL without a base
    9 | 	url = "git.example.com"	# with tabs
      | 	      ^^^^^^^^^^^^^^^^^
    expected: an address such as `https://example.com/mcp`
    hint: start with `http://` or `https://`

    toolgate.toml:10:13: `isolation` in server "git" cannot be "share"
    10 | isolation = "share"
       |             ^^^^^^^
    expected: `shared` or `principal`
    hint: did you mean `shared`?

    toolgate.toml:13:8: a server name may not contain ' '
    13 | name = "größe 1"
       |        ^^^^^^^^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`
    hint: for example `name = "größe-1"`

    toolgate.toml:15:11: `enabled` in server "größe 1" has the wrong type: a string
    15 | enabled = "yes"
       |           ^^^^^
    expected: `true` or `false`
    hint: write it without quotes

    7 problems in toolgate.toml
    "#);
}

#[test]
fn columns_count_characters_and_carriage_returns_are_not_shown() {
    assert_snapshot!(refused("allowed_hosts = [\"größe\", 5]\r\n"), @r#"
    toolgate.toml:1:18: "größe" in `allowed_hosts` is not a host
    1 | allowed_hosts = ["größe", 5]
      |                  ^^^^^^^
    expected: a host as clients write it, such as `gate.example.com` or `10.0.0.5:8700`
    hint: a name or an IP address, then perhaps `:` and a port

    toolgate.toml:1:27: `allowed_hosts` in the file has the wrong type: an integer
    1 | allowed_hosts = ["größe", 5]
      |                           ^
    expected: a list of strings
    hint: `toolgate.example.toml` shows this key in use

    2 problems in toolgate.toml
    "#);
}

proptest::proptest! {
    /// Whatever is cut out of a file or inserted: an answer, with every problem at an existing position.
    #[test]
    fn no_text_is_too_broken_for_a_message(
        from in 0..EXAMPLE.len(),
        cut in 0..200_usize,
        put in proptest::sample::select(vec![
            "", "\"", "[", "]", "{", "=", "\n", "é", "\0", "\"\"\"", "${", "[[servers]]\n", "= [1, {}]\n", "-1", "1e999",
            "name = \"\"\n", "\\u00", "0x", "9999999999999999999999", "env = 1\n", "#",
        ]),
    ) {
        let text = uncommented(EXAMPLE);
        let start = text.floor_char_boundary(from.min(text.len()));
        let end = text.floor_char_boundary((start + cut).min(text.len()));
        let broken = format!("{}{put}{}", &text[..start], &text[end..]);
        if let Err(error) = parse(&broken) {
            proptest::prop_assert!(!error.problems().is_empty());
            let message = error.to_string();
            proptest::prop_assert!(message.contains("expected: ") && message.contains("hint: "), "{message}");
        }
    }
}

mod files {
    use super::*;

    fn load(at: &ConfigHints<'_>) -> Result<Config, String> {
        Config::load(at, ReferenceMode::Resolve(&env)).map_err(|error| error.to_string())
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn write(path: &Path, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }

    #[test]
    fn no_file_anywhere_means_the_defaults() {
        let cwd = folder();
        let config = load(&ConfigHints { cwd: cwd.path(), ..whereabouts() }).expect("defaults");
        assert_eq!(config.source, None);
        assert_eq!(config.data, cwd.path().join("toolgate-data"));
    }

    #[test]
    fn the_file_of_the_flag_beats_the_one_here_which_beats_the_one_beside_the_data() {
        let cwd = folder();
        let at = ConfigHints { cwd: cwd.path(), ..whereabouts() };
        write(&cwd.path().join("toolgate-data/toolgate.toml"), "listen = \"127.0.0.1:1\"");
        assert_eq!(load(&at).expect("beside the data").listen.port(), 1);
        write(&cwd.path().join("toolgate.toml"), "listen = \"127.0.0.1:2\"");
        assert_eq!(load(&at).expect("here").listen.port(), 2);
        write(&cwd.path().join("other.toml"), "listen = \"127.0.0.1:3\"");
        let at = ConfigHints { config: Some(Path::new("other.toml")), ..at };
        assert_eq!(load(&at).expect("flag").listen.port(), 3);
    }

    #[test]
    fn the_data_folder_of_the_flag_beats_the_file_which_beats_the_environment() {
        let cwd = folder();
        let env = |name: &str| (name == "TOOLGATE_DATA").then(|| "/from/env".to_owned());
        let at = ConfigHints { cwd: cwd.path(), env: &env, ..whereabouts() };
        assert_eq!(load(&at).expect("environment").data, Path::new("/from/env"));
        write(&cwd.path().join("etc/toolgate.toml"), "data = \"../store\"");
        let at = ConfigHints { config: Some(Path::new("etc/toolgate.toml")), ..at };
        assert_eq!(load(&at).expect("file").data, cwd.path().join("etc/../store"));
        let at = ConfigHints { data: Some(Path::new("flag")), ..at };
        assert_eq!(load(&at).expect("flag").data, cwd.path().join("flag"));
    }

    #[test]
    fn a_file_that_does_not_exist() {
        let cwd = folder();
        let at = ConfigHints { config: Some(Path::new("gone.toml")), cwd: cwd.path(), ..whereabouts() };
        assert_snapshot!(load(&at).expect_err("no such file"), @r#"
        gone.toml: cannot be read: No such file or directory (os error 2)
        expected: a readable TOML file
        hint: check the path given with `--config`
        "#);
    }

    #[test]
    fn a_folder_where_a_file_belongs() {
        let cwd = folder();
        std::fs::create_dir(cwd.path().join("toolgate.toml")).expect("a folder");
        let at = ConfigHints { cwd: cwd.path(), ..whereabouts() };
        assert_snapshot!(load(&at).expect_err("a folder"), @r#"
        toolgate.toml: cannot be read: Is a directory (os error 21)
        expected: a readable TOML file
        hint: check what the path points to
        "#);
    }

    #[test]
    fn a_file_that_is_not_utf8() {
        let cwd = folder();
        write(&cwd.path().join("toolgate.toml"), b"listen = \"127.0.0.1:1\"\n# gr\xf6sse\n");
        let at = ConfigHints { cwd: cwd.path(), ..whereabouts() };
        assert_snapshot!(load(&at).expect_err("Latin-1"), @r#"
        toolgate.toml:2:5: the file is not UTF-8
        2 | # gr�sse
          |     ^
        expected: UTF-8 text, as TOML demands
        hint: save the file as UTF-8; older editors on Windows save UTF-16 or Latin-1
        "#);
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let cwd = folder();
        write(&cwd.path().join("toolgate.toml"), "\u{feff}listen = \"127.0.0.1:9\"\n");
        let at = ConfigHints { cwd: cwd.path(), ..whereabouts() };
        assert_eq!(load(&at).expect("accepted").listen.port(), 9);
    }
}
