//! The tables that say how calls are judged and recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_catalog::HintTrust;
use toolgate_core::event::EventKind;
use toolgate_core::tool::ToolHandling;
use toolgate_core::{AuditLevel, Effects, OutputCheck};

use super::super::{
    ApprovalSettings, ArchiveSettings, CheckpointKeySource, CheckpointSettings, Config, LedgerSettings,
    MeteringSettings, OtlpSettings, ReadsWhenDown, RedactRule, StoreSettings, ToolRule, WebhookConfig,
};
use super::{accepted, env, refused, server, whereabouts};
use crate::config::reference::ReferenceMode;

#[test]
fn the_store_is_a_postgres_database_whatever_else_is_left_unresolved() {
    let text = "[store]\nurl = \"postgresql://gate:${PGPASSWORD}@db/gate\"\nstream = \"gate-2\"\n\
                [[servers]]\nname = \"a\"\nurl = \"https://${NOWHERE}/\"";
    let path = Path::new("/srv/gate/toolgate.toml");
    let config =
        Config::parse(text, "toolgate.toml", path, &whereabouts(), ReferenceMode::Keep).expect("accepted");
    let url = Some("postgresql://gate:p%40ss@db/gate".into());
    assert_eq!(config.store, StoreSettings { url, stream: "gate-2".into(), ..StoreSettings::default() });
}

#[test]
fn the_stream_and_the_connections_are_set() {
    let store = accepted("[store]\nstream = \"gate-${TOKEN}\"\nconnections_max = 4\n").store;
    assert_eq!((&*store.stream, store.postgres.connections_max), ("gate-s3cret", 4));
    assert_snapshot!(refused("[store]\nconnections_max = 3\n"), @r"
    toolgate.toml:2:19: `connections_max` in `[store]` is out of range
    2 | connections_max = 3
      |                   ^
    expected: a whole number from 4 to 500
    hint: leave the key out to have the default
    ");
}

#[test]
fn events_are_kept_for_a_week_at_least_or_forever() {
    assert_eq!(accepted("[ledger]\nkeep_events_days = \"forever\"").ledger.keep_events, None);
    let week = accepted("[ledger]\nkeep_events_days = 7").ledger.keep_events;
    assert_eq!(week, Some(Duration::from_secs(7 * 86_400)));
    assert_snapshot!(refused("[ledger]\nkeep_events_days = 6\n"), @r"
    toolgate.toml:2:20: `keep_events_days` in `[ledger]` is out of range
    2 | keep_events_days = 6
      |                    ^
    expected: a whole number from 7 to 36500
    hint: leave the key out to have the default
    ");
    assert_snapshot!(refused("[ledger]\nkeep_events_days = \"1y\"\n"), @r#"
    toolgate.toml:2:20: `keep_events_days` in `[ledger]` cannot be "1y"
    2 | keep_events_days = "1y"
      |                    ^^^^
    expected: a whole number from 7 to 36500, or "forever"
    hint: write the number of days without quotes and without a unit
    "#);
}

#[test]
fn policies_come_from_a_folder_a_template_and_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("rules")).expect("a policy folder");
    let text = "[policy]\nfolder = \"rules\"\ntemplate = \"audit_critical\"\nguard = \"\"\"\nforbid (principal, action, resource);\n\"\"\"\ngates = \"\"";
    let path = folder.path().join("toolgate.toml");
    let config = Config::parse(text, "toolgate.toml", &path, &whereabouts(), ReferenceMode::Resolve(&env))
        .expect("accepted");
    assert_eq!(config.policy.folder, Some(folder.path().join("rules")));
    assert_eq!(config.policy.template, toolgate_core::decision::PolicyTemplate::AuditCritical);
    assert_eq!(config.policy.guard.as_deref(), Some("forbid (principal, action, resource);\n"));
    assert_eq!(config.policy.gates.as_deref(), Some(""));
}

#[test]
fn approvals_have_every_key_read() {
    let config = accepted(
        r#"
        [approvals]
        hold_seconds = 0
        timeout_seconds = 60
        approved_valid_seconds = 0.5
        escalate_to = ["leads", "night-shift"]
        link = "https://gate.example.com/a?id={id}"
        "#,
    );
    let expected = ApprovalSettings {
        hold: Duration::ZERO,
        timeout: Duration::from_secs(60),
        approved_valid: Duration::from_millis(500),
        escalate_to: vec!["leads".into(), "night-shift".into()],
        link: Some("https://gate.example.com/a?id={id}".into()),
    };
    assert_eq!(config.approvals, expected);
}

#[test]
fn the_ledger_has_every_key_read() {
    let config = accepted(
        r#"
        [validation]
        output = "enforce"
        [ledger]
        reads_when_down = "serve"
        keep_events_days = 400
        keep_days = 1
        keep_days_detailed = 36500
        body_bytes_max = 0
        body_bytes_max_detailed = "2MiB"
        [ledger.archive]
        enabled = true
        after_days = 3
        [[redact]]
        tools = "bank:*"
        input = ["/pin"]
        [[redact]]
        tools = "*"
        output = ["/**/iban"]
        "#,
    );
    let day = Duration::from_secs(86_400);
    let ledger = LedgerSettings {
        reads_when_down: ReadsWhenDown::Serve,
        keep_events: Some(400 * day),
        keep: day,
        keep_detailed: 400 * day,
        body_bytes_max: 0,
        body_bytes_max_detailed: 2 << 20,
        archive: ArchiveSettings { enabled: true, after: 3 * day },
    };
    assert_eq!(config.ledger, ledger);
    assert_eq!(config.output_check, OutputCheck::Enforce);
    let rule = |tools: &str, input: &[&str], output: &[&str]| RedactRule {
        tools: tools.into(),
        input: input.iter().map(|path| (*path).to_owned()).collect(),
        output: output.iter().map(|path| (*path).to_owned()).collect(),
    };
    assert_eq!(config.redact, [rule("bank:*", &["/pin"], &[]), rule("*", &[], &["/**/iban"])]);
}

#[test]
fn tools_have_every_key_read_and_none_is_needed() {
    let config = accepted(
        r#"
        [[tools]]
        name = "bank:*"
        effects = ["write", "external"]
        audit = "detailed"
        idempotent = true
        output = "off"
        [[tools]]
        name = "substrate.pointer.list"
        effects = []
        audit = "none"
        [[tools]]
        name = "*"
        "#,
    );
    let nothing = |name: &str| ToolRule {
        name: name.into(),
        effects: None,
        audit: None,
        idempotent: None,
        output: None,
        files: None,
        handling: ToolHandling::default(),
    };
    let bank = ToolRule {
        effects: Some(Effects::WRITE.and(Effects::EXTERNAL)),
        audit: Some(AuditLevel::Detailed),
        idempotent: Some(true),
        output: Some(OutputCheck::Off),
        ..nothing("bank:*")
    };
    let list = ToolRule {
        effects: Some(Effects::NONE),
        audit: Some(AuditLevel::None),
        ..nothing("substrate.pointer.list")
    };
    assert_eq!(config.tools, [bank, list, nothing("*")]);
}

#[test]
fn a_server_can_be_distrusted() {
    let text = "[[servers]]\nname = \"a\"\ncommand = \"x\"\n";
    let hints = |text: &str| server(text).hints;
    assert_eq!(hints(text), HintTrust::Believed);
    assert_eq!(hints(&format!("{text}trust_annotations = false")), HintTrust::Ignored);
    let registers = "[[servers]]\nname = \"a\"\nregistered = true\n";
    assert_eq!(hints(registers), HintTrust::Handling, "anybody may register under the name");
    assert_eq!(hints(&format!("{registers}trust_annotations = true")), HintTrust::Believed);
}

#[test]
fn webhooks_meters_and_spans_have_every_key_read() {
    let config = accepted(
        r#"
        [[webhooks]]
        name = "slack"
        url = "https://hooks.example.com/x"
        secret = "${WEBHOOK_SECRET}"
        [[webhooks]]
        name = "desk"
        url = "http://127.0.0.1:9/x"
        secret = "0123456789abcdef0"
        events = ["tool.call.completed"]
        decisions = true
        groups = ["finance"]
        persons = ["ann", "ben"]
        [metering]
        file = "meter.jsonl"
        [otlp]
        endpoint = "http://127.0.0.1:4318"
        headers = { Authorization = "Bearer ${TOKEN}" }
        "#,
    );
    let slack = WebhookConfig {
        name: "slack".into(),
        url: "https://hooks.example.com/x".into(),
        secret: "0123456789abcdef".into(),
        events: vec![EventKind::ApprovalRequested, EventKind::ApprovalResolved],
        groups: Vec::new(),
        persons: None,
        decisions: false,
    };
    let desk = WebhookConfig {
        name: "desk".into(),
        url: "http://127.0.0.1:9/x".into(),
        secret: "0123456789abcdef0".into(),
        events: vec![EventKind::CallCompleted],
        groups: vec!["finance".into()],
        persons: Some(vec!["ann".into(), "ben".into()]),
        decisions: true,
    };
    assert_eq!(config.webhooks, [slack, desk]);
    let file = Some(PathBuf::from("/srv/gate/meter.jsonl"));
    assert_eq!(config.metering, Some(MeteringSettings { url: None, file, secret: None }));
    let otlp = OtlpSettings {
        endpoint: "http://127.0.0.1:4318/".into(),
        headers: BTreeMap::from([("Authorization".into(), "Bearer s3cret".into())]),
        service_name: "toolgate".into(),
    };
    assert_eq!(config.otlp, Some(otlp));
}

#[test]
fn a_store_in_a_file() {
    assert_snapshot!(refused("[store]\nurl = \"sqlite:///var/gate.db\""), @r#"
    toolgate.toml:2:7: `url` in `[store]` is not a Postgres address
    2 | url = "sqlite:///var/gate.db"
      |       ^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `postgres://user:password@host/database`
    hint: leave `url` out for SQLite: it is kept in the data folder, which `data` at the top of the file sets
    "#);
    for file in ["gate.db", "/var/gate.db", "SQLite::memory:", "${HOME}/gate.db"] {
        let told = refused(&format!("[store]\nurl = \"{file}\""));
        assert!(told.contains("leave `url` out for SQLite"), "{told}");
    }
}

#[test]
fn a_store_of_another_kind_and_no_password_in_the_message() {
    let told = refused("[store]\nurl = \"mysql://gate:${PGPASSWORD}@db/gate\"");
    assert!(told.contains("another scheme") && !told.contains("p%40ss"), "{told}");
    let told = refused("[store]\nurl = \"postgres://gate:${TOKEN}@db:none/gate\"");
    assert!(told.contains("is not an address") && !told.contains("s3cret"), "{told}");
}

#[test]
fn a_stream_with_a_colon() {
    assert_snapshot!(refused("[store]\nstream = \"a:b\""), @r#"
    toolgate.toml:2:10: `stream` in `[store]` cannot be "a:b"
    2 | stream = "a:b"
      |          ^^^^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`
    hint: each gateway on one database has its own, such as `gate-2`
    "#);
}

#[test]
fn a_policy_folder_that_is_not_there() {
    assert_snapshot!(refused("[policy]\nfolder = \"polices\""), @r#"
    toolgate.toml:2:10: the policy folder /srv/gate/polices does not exist
    2 | folder = "polices"
      |          ^^^^^^^^^
    expected: a folder with `.cedar` files, from the folder of this file
    hint: make it, or leave the key out to have the template only
    "#);
}

#[test]
fn a_template_that_is_misspelt() {
    assert_snapshot!(refused("[policy]\ntemplate = \"audit-critical\""), @r#"
    toolgate.toml:2:12: `template` in `[policy]` cannot be "audit-critical"
    2 | template = "audit-critical"
      |            ^^^^^^^^^^^^^^^^
    expected: `exploratory`, `standard`, `regulated` or `audit_critical`
    hint: did you mean `audit_critical`?
    "#);
}

#[test]
fn a_link_without_a_place_for_the_id() {
    assert_snapshot!(refused("[approvals]\nlink = \"https://gate.example.com/\""), @r#"
    toolgate.toml:2:8: `link` in `[approvals]` does not contain `{id}`
    2 | link = "https://gate.example.com/"
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://gate.example.com/approvals/{id}`
    hint: write `{id}` where the id of the approval belongs
    "#);
}

#[test]
fn a_group_that_is_none() {
    assert_snapshot!(refused("[approvals]\nescalate_to = [\"caller\"]"), @r#"
    toolgate.toml:2:16: "caller" in `escalate_to` in `[approvals]` is not a group
    2 | escalate_to = ["caller"]
      |                ^^^^^^^^
    expected: groups as `toolgate token create --group` names them
    hint: `caller` is the person at the calling client, whom only a gate may ask
    "#);
}

#[test]
fn a_redacted_path_without_its_slash() {
    assert_snapshot!(refused("[[redact]]\ntools = \"bank:*\"\ninput = [\"pin\"]"), @r#"
    toolgate.toml:3:10: "pin" in `input` of a `[[redact]]` table is not a path
    3 | input = ["pin"]
      |          ^^^^^
    expected: a path that starts with `/`, such as `/pin`, `/items/*/secret` or `/**/iban`
    hint: write `/pin`, or `/**/pin` for wherever it stands
    "#);
}

#[test]
fn a_redacted_path_that_means_nothing() {
    for (path, why) in [("/a//b", "empty step"), ("/a*", "stand alone"), ("/", "empty step"), ("/~2", "`~0`")]
    {
        let told = refused(&format!("[[redact]]\ntools = \"bank:*\"\noutput = [\"{path}\"]"));
        assert!(told.contains("is not a path") && told.contains(why), "{told}");
    }
}

#[test]
fn a_redaction_of_nothing() {
    assert_snapshot!(refused("[[redact]]\ntools = \"bank:*\""), @r#"
    toolgate.toml:1:1: a `[[redact]]` table has neither `input` nor `output`
    1 | [[redact]]
      | ^^^^^^^^^^
    expected: paths to leave out, of arguments (`input`) or results (`output`)
    hint: add a line such as `input = ["/password"]`
    "#);
}

#[test]
fn a_tool_without_its_server() {
    assert_snapshot!(refused("[[tools]]\nname = \"transfer\""), @r#"
    toolgate.toml:2:8: `name` in tool "transfer" is not a canonical name
    2 | name = "transfer"
      |        ^^^^^^^^^^
    expected: a canonical name such as `bank:transfer`, with `*` for any characters and `?` for one
    hint: write `server:transfer`, or `*:transfer` for any server
    "#);
}

#[test]
fn a_tool_without_a_name() {
    assert_snapshot!(refused("[[tools]]\naudit = \"none\""), @r#"
    toolgate.toml:1:1: a `[[tools]]` table has no `name`
    1 | [[tools]]
      | ^^^^^^^^^
    expected: a canonical name such as `bank:transfer`, with `*` for any characters and `?` for one
    hint: add a line such as `name = "bank:*"`
    "#);
}

#[test]
fn an_effect_that_is_none() {
    assert_snapshot!(refused("[[tools]]\nname = \"bank:*\"\neffects = [\"writes\"]"), @r#"
    toolgate.toml:3:12: `effects` in tool "bank:*" cannot be "writes"
    3 | effects = ["writes"]
      |            ^^^^^^^^
    expected: `read`, `write`, `external` or `destructive`
    hint: did you mean `write`?
    "#);
}

#[test]
fn a_change_that_is_not_to_be_recorded() {
    assert_snapshot!(refused("[[tools]]\nname = \"bank:*\"\neffects = [\"write\"]\naudit = \"none\""), @r#"
    toolgate.toml:4:1: `audit = "none"` in tool "bank:*", which writes or destroys
    4 | audit = "none"
      | ^^^^^
    expected: `standard` or `detailed`: what changes something is always recorded
    hint: remove the line, or the effects if the tool only reads
    "#);
}

#[test]
fn a_webhook_without_its_keys() {
    assert_snapshot!(refused("[[webhooks]]\nname = \"slack\"\nurl = \"https://example.com/\""), @r#"
    toolgate.toml:1:1: webhook "slack" has no `secret`
    1 | [[webhooks]]
      | ^^^^^^^^^^^^
    expected: `secret` in every such table
    hint: add a line such as `secret = "${WEBHOOK_SECRET}"`
    "#);
}

#[test]
fn a_secret_that_is_too_short_is_not_quoted() {
    let text = "[[webhooks]]\nname = \"slack\"\nurl = \"https://example.com/\"\nsecret = \"${TOKEN}\"";
    assert_snapshot!(refused(text), @r#"
    toolgate.toml:4:10: `secret` in webhook "slack" is too short
    4 | secret = "${TOKEN}"
      |          ^^^^^^^^^^
    expected: at least 16 characters that cannot be guessed
    hint: `openssl rand -hex 32` makes one; keep it in the environment: `${NAME}`
    "#);
}

#[test]
fn an_event_that_does_not_exist() {
    let told = refused(
        "[[webhooks]]\nname = \"slack\"\nurl = \"https://example.com/\"\nsecret = \"${WEBHOOK_SECRET}\"\nevents = [\"approval.request\"]",
    );
    assert!(told.contains("hint: did you mean `approval.requested`?"), "{told}");
}

#[test]
fn groups_without_decisions() {
    let text = "[[webhooks]]\nname = \"slack\"\nurl = \"https://example.com/\"\nsecret = \"${WEBHOOK_SECRET}\"\ngroups = [\"a\"]";
    assert_snapshot!(refused(text), @r#"
    toolgate.toml:5:1: `groups` in webhook "slack", which may not send decisions in
    5 | groups = ["a"]
      | ^^^^^^
    expected: `groups` only beside `decisions = true`
    hint: add `decisions = true`, or remove `groups`
    "#);
}

#[test]
fn two_webhooks_of_one_name() {
    let one =
        "[[webhooks]]\nname = \"slack\"\nurl = \"https://example.com/\"\nsecret = \"${WEBHOOK_SECRET}\"\n";
    assert_snapshot!(refused(&format!("{one}{one}")), @r#"
    toolgate.toml:6:8: two webhooks are named "slack"
    6 | name = "slack"
      |        ^^^^^^^
    expected: a name that no other webhook has
    hint: rename one of them, for example to "slack-2"
    "#);
}

#[test]
fn metering_to_nowhere() {
    assert_snapshot!(refused("[metering]"), @r#"
    toolgate.toml:1:1: `[metering]` has neither `url` nor `file`
    1 | [metering]
      | ^^^^^^^^^^
    expected: somewhere to send meter events
    hint: add `url = "https://…"` or `file = "meter.jsonl"`, or remove the table
    "#);
}

#[test]
fn spans_to_nowhere() {
    assert_snapshot!(refused("[otlp]\nservice_name = \"gate\""), @r#"
    toolgate.toml:1:1: `[otlp]` has no `endpoint`
    1 | [otlp]
      | ^^^^^^
    expected: `endpoint` in every such table
    hint: add a line such as `endpoint = "http://127.0.0.1:4318"`
    "#);
}

#[test]
fn an_otlp_header_of_the_gateways_own() {
    let told = refused("[otlp]\nendpoint = \"http://x/\"\nheaders = { Content-Type = \"a\" }");
    assert!(told.contains("set by Toolgate itself"), "{told}");
}

#[test]
fn checkpoints_have_every_key_read() {
    let key = "toolgate+bf07fbe3+Ab2SgIWBBj4LMHNDCQoyJvGLnq5UY2+IWvZpyNzXvDyO";
    let text = format!(
        "[checkpoints]\nkey_env = \"CHECKPOINT_KEY\"\nold_keys = [\"{key}\"]\nevery_seconds = 60\nfolder = \"kept\"\n\
         urls = [\"https://witness.example.com/a\"]\n"
    );
    let config = accepted(&text);
    let expected = CheckpointSettings {
        key: CheckpointKeySource::Environment("CHECKPOINT_KEY".into()),
        old_keys: vec![key.parse().expect("a key")],
        every: Duration::from_secs(60),
        folder: Some("/srv/gate/kept".into()),
        object_prefix: None,
        urls: vec!["https://witness.example.com/a".into()],
    };
    assert_eq!(config.checkpoints, Some(expected));
    let of_file = accepted("[checkpoints]\nkey_file = \"own.key\"\nfolder = \"kept\"\n");
    assert!(of_file.secret_files().any(|path| path.ends_with("own.key")), "no server may see it");
}

#[test]
fn checkpoints_that_cannot_work_are_refused() {
    for (text, told) in [
        ("folder = \"c\"", "has no key to sign with"),
        ("key_file = \"k\"", "does not say where to keep them"),
        ("key_file = \"k\"\nkey_env = \"K\"\nfolder = \"c\"", "has both `key_file` and `key_env`"),
        ("key_env = \"K\"\nkey_openbao = \"a#b\"\nfolder = \"c\"", "has both `key_env` and `key_openbao`"),
        ("key_openbao = \"team/key\"\nfolder = \"c\"", "names no field of a secret"),
        ("key_openbao = \"team/key#value\"\nfolder = \"c\"", "there is no `[openbao]`"),
        ("key_env = \"K K\"\nfolder = \"c\"", "is not the name of a variable"),
        ("key_env = \"K\"\nfolder = \"c\"\nold_keys = [\"x\"]", "`old_keys`"),
        ("key_env = \"K\"\nfolder = \"c\"\nevery_seconds = 0", "`every_seconds`"),
        ("key_env = \"K\"\nurls = [\"ftp://a\"]", "`urls`"),
        ("key_env = \"K\"\nobject_prefix = \"c\"", "needs a bucket"),
    ] {
        let said = refused(&format!("[checkpoints]\n{text}\n"));
        assert!(said.contains(told), "{text}: {said}");
    }
}
