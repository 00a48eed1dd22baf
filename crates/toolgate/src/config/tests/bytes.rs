//! Files, results and runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_agents::AgentsSettings;
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_files::{BinaryTreatment, FilesSettings, ResultSettings, S3Storage, StoragePlace};

use super::super::{Config, RunSettings};
use super::{accepted, refused, whereabouts};
use crate::config::reference::ReferenceMode;

const BUCKET: &str = "[files]\nurl = \"s3://b\"\naccess_key_id = \"a\"\nsecret_access_key = \"b\"\n";

fn folder(text: &str) -> PathBuf {
    match accepted(text).files.place {
        StoragePlace::Folder(folder) => folder,
        StoragePlace::S3(place) => panic!("{place:?}"),
    }
}

fn slots(text: &str) -> Option<Vec<FileSlot>> {
    accepted(&format!("[[tools]]\nname = \"docs:*\"\n{text}")).tools.remove(0).files
}

#[test]
fn files_are_kept_in_the_data_folder_unless_another_place_is_named() {
    assert_eq!(folder(""), Path::new("/srv/gate/toolgate-data/files"));
    assert_eq!(folder("data = \"/var/gate\""), Path::new("/var/gate/files"));
    assert_eq!(folder("[files]\nurl = \"kept\""), Path::new("/srv/gate/kept"));
    assert_eq!(folder("[files]\nurl = \"${HOME}/kept\""), Path::new("/home/ann/kept"));
    assert_eq!(folder("[files]\nurl = \"/mnt/kept\""), Path::new("/mnt/kept"));
}

#[test]
fn every_key_of_files_and_results_is_read() {
    let config = accepted(
        r#"
        public_url = "https://Gate.example.com/tools/"
        [files]
        url = "s3://my-bucket/some/prefix/"
        endpoint = "http://127.0.0.1:9000"
        region = "eu-1"
        access_key_id = "${S3_ACCESS_KEY_ID}"
        secret_access_key = "${S3_SECRET}"
        allow_http = true
        upload_bytes_max = "3 GiB"
        keep_days = 7
        url_keep_seconds = 60
        upload_url_keep_seconds = 30
        base64_bytes_max = "1MiB"
        text_bytes_max = 2048
        extractor = "reader:text"
        storage_timeout_seconds = 1.5
        retries_max = 0
        [results]
        binary = "inline"
        text_bytes_max = "4KiB"
        ref_keep_seconds = 3600
        "#,
    );
    let place = S3Storage {
        bucket: "my-bucket".into(),
        prefix: "some/prefix".into(),
        endpoint: Some("http://127.0.0.1:9000".into()),
        region: "eu-1".into(),
        access_key_id: "AKIAEXAMPLE".into(),
        secret_access_key: "storage-s3cret".into(),
        allow_http: true,
    };
    let expected = FilesSettings {
        place: StoragePlace::S3(place),
        upload_bytes_max: 3 << 30,
        keep: Some(Duration::from_secs(7 * 24 * 3600)),
        ref_keep: Duration::from_secs(3600),
        upload_url_keep: Duration::from_secs(30),
        url_keep: Duration::from_secs(60),
        base64_bytes_max: 1 << 20,
        text_bytes_max: 2048,
        extractor: Some("reader:text".into()),
        public_url: Some("https://gate.example.com/tools".into()),
        results: ResultSettings { binary: BinaryTreatment::Inline, text_bytes_max: 4096 },
        storage_timeout: Duration::from_millis(1500),
        retries_max: 0,
        egress: Arc::default(),
    };
    assert_eq!(*config.files, expected);
}

#[test]
fn a_bucket_needs_little() {
    let config = accepted(BUCKET);
    let StoragePlace::S3(place) = config.files.place else { panic!("a bucket") };
    assert_eq!((place.prefix.as_str(), place.region.as_str(), place.endpoint), ("", "us-east-1", None));
    let files = accepted("[files]\nkeep_days = \"forever\"\nextractor = \"off\"").files;
    assert_eq!((files.keep, files.extractor), (None, None));
}

#[test]
fn keys_of_a_storage_stay_where_they_are_while_nobody_needs_them() {
    let text = "[files]\nurl = \"${NOWHERE}\"\naccess_key_id = \"${NOWHERE}\"\nsecret_access_key = \"x\"";
    let path = Path::new("/srv/gate/toolgate.toml");
    Config::parse(text, "toolgate.toml", path, &whereabouts(), ReferenceMode::Keep).expect("accepted");
    let bucket = "[files]\nurl = \"s3://b\"\naccess_key_id = \"${NOWHERE}\"\nsecret_access_key = \"x\"";
    Config::parse(bucket, "toolgate.toml", path, &whereabouts(), ReferenceMode::Keep).expect("accepted");
}

#[test]
fn every_key_of_the_agent_loop_is_read() {
    let config = accepted(
        "[agent_loop]\nlease_seconds = 1\nparallel_max = 3\nretries_max = 0\nfold_at_percent = 80\nspend_per_day = 2.5\n",
    );
    let expected = AgentsSettings {
        lease: Duration::from_secs(1),
        parallel_max: 3,
        retries_max: 0,
        fold_at_percent: 80,
        spend_per_day_micros: Some(2_500_000),
        ..AgentsSettings::default()
    };
    assert_eq!(config.agent_loop, expected);
    let told = refused(
        "[agent_loop]\nlease_seconds = 0\nparallel_max = 0\nretries_max = 21\nfold_at_percent = 96\nspend_per_day = -1\n",
    );
    assert!(told.contains("5 problems"), "{told}");
}

#[test]
fn a_lease_is_no_shorter_than_clocks_may_differ() {
    for wrong in ["0.9", "-1", "3601", "\"30\"", "nan"] {
        let told = refused(&format!("[agent_loop]\nlease_seconds = {wrong}\n"));
        assert!(told.contains("from 1 to 3600"), "{wrong}: {told}");
    }
    assert_eq!(accepted("[agent_loop]\nlease_seconds = 1.5\n").agent_loop.lease, Duration::from_millis(1500));
}

#[test]
fn every_key_of_runs_is_read() {
    let config =
        accepted("[runs]\nparallel_calls_max = 2\ncompletion_wait_seconds = 0\ninput_hold_seconds = 1.5\n");
    let expected = RunSettings {
        parallel_calls_max: 2,
        completion_wait: Duration::ZERO,
        input_hold: Duration::from_millis(1500),
    };
    assert_eq!(config.runs, expected);
}

#[test]
fn every_key_of_the_substrate_is_read() {
    let config = accepted(
        "[substrate]\nmoves_kept_seconds = 172800\ncollect_grace_seconds = 60\ncollect_every_seconds = 0\n",
    );
    assert_eq!(config.substrate.collection.moves_kept, Duration::from_secs(2 * 24 * 3600));
    assert_eq!(config.substrate.collection.grace, Duration::from_secs(60));
    assert_eq!(config.substrate.collect_every, None);
    assert_eq!(accepted("").substrate.collect_every, Some(Duration::from_secs(24 * 3600)));
}

#[test]
fn every_key_of_the_indexes_is_read() {
    let config = accepted("[index]\nprofiles = \"/etc/profiles\"\nengine = \"postgres\"\nfollow = false\n");
    assert_eq!(config.index.profiles.as_deref(), Some(std::path::Path::new("/etc/profiles")));
    assert_eq!(config.index.engine, toolgate_index::EngineKind::Postgres);
    assert!(!config.index.follow && accepted("").index.follow);
}

#[test]
fn a_model_for_answers_is_named_as_models_are() {
    assert_eq!(accepted("").knowledge.model, None);
    let named = accepted("[knowledge]\nmodel = \"gpt\"\n").knowledge.model;
    assert_eq!(named.as_ref().map(|name| name.as_str()), Some("gpt"));
    for wrong in ["\"\"", "\"a b\"", "\"ses_1\""] {
        let told = refused(&format!("[knowledge]\nmodel = {wrong}\n"));
        assert!(told.contains("is no name for a model"), "{told}");
    }
}

#[test]
fn what_is_said_about_files_counts_after_a_restart() {
    let before = accepted("");
    for (text, named) in [
        ("public_url = \"https://x\"", "public_url"),
        ("[files]\nretries_max = 1", "[files]"),
        ("[results]\nref_keep_seconds = 1", "[results]"),
        ("[results]\nbinary = \"inline\"", "[results]"),
        ("[runs]\nparallel_calls_max = 1", "[runs]"),
        ("[agent_loop]\nlease_seconds = 1", "[agent_loop]"),
        ("[substrate]\nmoves_kept_seconds = 1", "[substrate]"),
        ("[knowledge]\nmodel = \"gpt\"", "[knowledge]"),
        ("[index]\nfollow = false", "[index]"),
    ] {
        assert_eq!(before.restart_needed(&accepted(text)), [named], "{text}");
    }
}

#[test]
fn a_tool_says_what_it_does_with_each_file() {
    assert_eq!(slots(""), None);
    assert_eq!(slots("files = []"), Some(Vec::new()), "none is a word against the server");
    assert_eq!(
        slots("file_strategy = \"image_base64\""),
        Some(vec![FileSlot::of(FileStrategy::ImageBase64)])
    );
    let two = slots(
        "files = [{ strategy = \"binary_base64\", argument = \"scan\", content = \"data\", media_type = \"kind\" }, { strategy = \"passthrough\" }]",
    );
    let scan = FileSlot {
        argument: "scan".into(),
        content: "data".into(),
        media_type: Some("kind".into()),
        ..FileSlot::of(FileStrategy::BinaryBase64)
    };
    assert_eq!(two, Some(vec![scan, FileSlot::of(FileStrategy::Passthrough)]));
    let rule = accepted("[[tools]]\nname = \"docs:*\"\nfiles = []").file_state().rules.remove(0);
    assert_eq!(rule.files, Some(Vec::new()));
}

#[test]
fn a_file_with_a_strategy_that_does_not_exist() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\n[[tools.files]]\nstrategy = \"image_base46\"\n"), @r#"
    toolgate.toml:4:12: `strategy` in `files` of tool "a:*" cannot be "image_base46"
    4 | strategy = "image_base46"
      |            ^^^^^^^^^^^^^^
    expected: `binary_base64`, `plain_text_content`, `plain_text_text`, `image_base64`, `video_s3_presigned_url` or `passthrough`
    hint: did you mean `image_base64`?
    "#);
}

#[test]
fn a_file_without_a_strategy_or_with_a_key_that_none_has() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\n[[tools.files]]\nargument = \"x\"\nmedia = \"y\"\n"), @r#"
    toolgate.toml:3:1: `files` of tool "a:*" has no `strategy`
    3 | [[tools.files]]
      | ^^^^^^^^^^^^^^^
    expected: `strategy` in every such table
    hint: add a line such as `strategy = "binary_base64"`

    toolgate.toml:5:1: unknown key `media` in `files` of tool "a:*"
    5 | media = "y"
      | ^^^^^
    expected: `strategy`, `argument`, `content` or `media_type`
    hint: did you mean `media_type`?

    2 problems in toolgate.toml
    "#);
}

#[test]
fn two_files_in_one_argument() {
    assert_snapshot!(refused(
        "[[tools]]\nname = \"a:*\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\nargument = \"other\"\n"
    ), @r#"
    toolgate.toml:5:1: `files` of tool "a:*": two files are filled into the argument "text"
    5 | [[tools.files]]
      | ^^^^^^^^^^^^^^^
    expected: names of its own for each file
    hint: give each its own `argument`, and its own `content` (and `media_type`) as the server calls them
    "#);
}

#[test]
fn a_name_that_no_argument_has() {
    assert_snapshot!(refused(
        "[[tools]]\nname = \"a:*\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\ncontent = \"the text\"\n"
    ), @r#"
    toolgate.toml:3:1: `files` of tool "a:*": "the text" is not the name of an argument: 1 to 128 characters, none of them blank
    3 | [[tools.files]]
      | ^^^^^^^^^^^^^^^
    expected: names as they stand in the tool's schema
    hint: `toolgate tools describe NAME` shows its arguments
    "#);
}

#[test]
fn more_files_than_a_tool_can_take() {
    let many: String = (0..17)
        .map(|at| {
            format!("{{ strategy = \"plain_text_text\", argument = \"a{at}\", content = \"c{at}\" }}, ")
        })
        .collect();
    let told = refused(&format!("[[tools]]\nname = \"a:*\"\nfiles = [{many}]"));
    assert!(told.starts_with("toolgate.toml:3:1: `files` of tool \"a:*\": more than 16 files\n"), "{told}");
}

#[test]
fn an_id_that_is_passed_on_and_filled_in() {
    assert_snapshot!(refused(
        "[[tools]]\nname = \"a:*\"\n[[tools.files]]\nstrategy = \"passthrough\"\ncontent = \"data\"\n"
    ), @r#"
    toolgate.toml:5:1: `content` in `files` of tool "a:*", whose strategy is `passthrough`
    5 | content = "data"
      | ^^^^^^^
    expected: `content` only where something is filled in
    hint: remove the line, or choose a strategy that fills arguments
    "#);
}

#[test]
fn both_ways_to_speak_of_files() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\nfile_strategy = \"passthrough\"\nfiles = []\n"), @r#"
    toolgate.toml:4:1: tool "a:*" has both `file_strategy` and `files`
    4 | files = []
      | ^^^^^
    expected: one of the two
    hint: `files` says it all: move the strategy there, as `strategy`
    "#);
}

#[test]
fn files_that_are_no_tables() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:*\"\nfiles = \"binary_base64\"\n"), @r#"
    toolgate.toml:3:9: `files` in tool "a:*" is a text
    3 | files = "binary_base64"
      |         ^^^^^^^^^^^^^^^
    expected: tables that start with `[[tools.files]]`
    hint: one strategy alone is said by `file_strategy`
    "#);
}

#[test]
fn a_storage_that_speaks_something_else() {
    assert_snapshot!(refused("[files]\nurl = \"gs://bucket\"\n"), @r#"
    toolgate.toml:2:7: `url` in `[files]` has a scheme that is not `s3`
    2 | url = "gs://bucket"
      |       ^^^^^^^^^^^^^
    expected: `s3://bucket/prefix`, or a folder, absolute or from the folder of this file
    hint: write the path of a folder as it is; what speaks S3 is reached by `endpoint`
    "#);
}

#[test]
fn a_bucket_without_its_keys() {
    assert_snapshot!(refused("[files]\nurl = \"s3://bucket\"\n"), @r#"
    toolgate.toml:2:7: `[files]` has a bucket and no `access_key_id`
    2 | url = "s3://bucket"
      |       ^^^^^^^^^^^^^
    expected: both keys of an account of the storage
    hint: add a line such as `access_key_id = "${S3_ACCESS_KEY_ID}"`

    toolgate.toml:2:7: `[files]` has a bucket and no `secret_access_key`
    2 | url = "s3://bucket"
      |       ^^^^^^^^^^^^^
    expected: both keys of an account of the storage
    hint: add a line such as `secret_access_key = "${S3_SECRET}"`

    2 problems in toolgate.toml
    "#);
}

#[test]
fn keys_that_are_empty_or_not_set() {
    assert_snapshot!(refused(
        "[files]\nurl = \"s3://bucket\"\naccess_key_id = \"${EMPTY}\"\nsecret_access_key = \"${NOWHERE}\"\n"
    ), @r#"
    toolgate.toml:3:17: `access_key_id` in `[files]` is empty
    3 | access_key_id = "${EMPTY}"
      |                 ^^^^^^^^^^
    expected: text that is not empty
    hint: give it in the environment: `${NAME}`, and see that NAME is set to something

    toolgate.toml:4:22: `[files]`, `secret_access_key`: the environment variable `NOWHERE` is not set
    4 | secret_access_key = "${NOWHERE}"
      |                      ^^^^^^^^^^
    expected: a value in the environment for every `${NAME}`
    hint: `export NOWHERE=…` before the start, or give a default: `${NOWHERE:-default}`

    2 problems in toolgate.toml
    "#);
}

#[test]
fn a_bucket_that_is_none() {
    assert_snapshot!(refused(&BUCKET.replace("s3://b", "s3:///prefix")), @r#"
    toolgate.toml:2:7: `url` in `[files]` names no bucket
    2 | url = "s3:///prefix"
      |       ^^^^^^^^^^^^^^
    expected: `s3://bucket/prefix`, or a folder, absolute or from the folder of this file
    hint: write the bucket alone after `s3://`; its host belongs into `endpoint`
    "#);
    assert_snapshot!(refused(&BUCKET.replace("s3://b", "s3://b/../other")), @r#"
    toolgate.toml:2:7: `url` in `[files]` has a prefix that no key can begin with
    2 | url = "s3://b/../other"
      |       ^^^^^^^^^^^^^^^^^
    expected: `s3://bucket/prefix`, or a folder, absolute or from the folder of this file
    hint: letters, digits, `.`, `-` and `_` between single slashes
    "#);
}

#[test]
fn keys_of_a_bucket_beside_a_folder() {
    assert_snapshot!(refused("[files]\nregion = \"eu-1\"\n"), @r#"
    toolgate.toml:2:1: `region` in `[files]`, whose files are in a folder
    2 | region = "eu-1"
      | ^^^^^^
    expected: `region` only beside an `s3://` address in `url`
    hint: add a line such as `url = "s3://bucket/prefix"`, or remove this one
    "#);
}

#[test]
fn an_endpoint_in_the_clear() {
    assert_snapshot!(refused(&format!("{BUCKET}endpoint = \"http://10.0.0.5:9000\"\n")), @r#"
    toolgate.toml:5:12: `endpoint` in `[files]` is spoken to in the clear
    5 | endpoint = "http://10.0.0.5:9000"
      |            ^^^^^^^^^^^^^^^^^^^^^^
    expected: an address that starts with `https://`
    hint: use `https`, or add `allow_http = true` on a network that you trust
    "#);
}

#[test]
fn a_time_to_keep_files_that_is_none() {
    assert_snapshot!(refused("[files]\nkeep_days = \"30d\"\n"), @r#"
    toolgate.toml:2:13: `keep_days` in `[files]` cannot be "30d"
    2 | keep_days = "30d"
      |             ^^^^^
    expected: a whole number from 1 to 36500, or "forever"
    hint: write the number of days without quotes and without a unit
    "#);
    assert_snapshot!(refused("[files]\nkeep_days = 0\n"), @r"
    toolgate.toml:2:13: `keep_days` in `[files]` is out of range
    2 | keep_days = 0
      |             ^
    expected: a whole number from 1 to 36500
    hint: leave the key out to have the default
    ");
}

#[test]
fn an_extractor_that_is_no_tool() {
    assert_snapshot!(refused("[files]\nextractor = \"extract_text\"\n"), @r#"
    toolgate.toml:2:13: `extractor` in `[files]` is not a canonical name: "extract_text"
    2 | extractor = "extract_text"
      |             ^^^^^^^^^^^^^^
    expected: a canonical name such as `files:read`
    hint: write the server in front: `server:extract_text`
    "#);
}

#[test]
fn sizes_and_numbers_out_of_range() {
    assert_snapshot!(refused("[files]\nupload_bytes_max = 0\nretries_max = 21\n[results]\ntext_bytes_max = \"1GiB\"\n[runs]\nparallel_calls_max = 0\n"), @r#"
    toolgate.toml:2:20: `upload_bytes_max` in `[files]` is out of range
    2 | upload_bytes_max = 0
      |                    ^
    expected: a number of bytes from 1 KiB to 1024 GiB, or text such as "16MiB"
    hint: leave the key out to have the default

    toolgate.toml:3:15: `retries_max` in `[files]` is out of range
    3 | retries_max = 21
      |               ^^
    expected: a whole number from 0 to 20
    hint: leave the key out to have the default

    toolgate.toml:5:18: `text_bytes_max` in `[results]` is out of range
    5 | text_bytes_max = "1GiB"
      |                  ^^^^^^
    expected: a number of bytes from 1 KiB to 64 MiB, or text such as "16MiB"
    hint: leave the key out to have the default

    toolgate.toml:7:22: `parallel_calls_max` in `[runs]` is out of range
    7 | parallel_calls_max = 0
      |                      ^
    expected: a whole number from 1 to 256
    hint: leave the key out to have the default

    4 problems in toolgate.toml
    "#);
}

#[test]
fn a_word_for_bytes_in_results_that_does_not_exist() {
    assert_snapshot!(refused("[results]\nbinary = \"drop\"\n"), @r#"
    toolgate.toml:2:10: `binary` in `[results]` cannot be "drop"
    2 | binary = "drop"
      |          ^^^^^^
    expected: `take_out` or `inline`
    hint: `take_out`: images and the like become refs; `inline`: they stay, and agents pay for them
    "#);
}

#[test]
fn a_public_address_that_is_none() {
    assert_snapshot!(refused("public_url = \"gate.example.com\"\n"), @r#"
    toolgate.toml:1:14: `public_url` in the file is not a URL: relative URL without a base
    1 | public_url = "gate.example.com"
      |              ^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://gate.example.com`
    hint: start with `http://` or `https://`
    "#);
    assert_snapshot!(refused("public_url = \"https://gate.example.com/?x=1\"\n"), @r#"
    toolgate.toml:1:14: `public_url` in the file has a query
    1 | public_url = "https://gate.example.com/?x=1"
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://gate.example.com`
    hint: leave out everything from `?` on
    "#);
    assert_snapshot!(refused("public_url = \"https://user:word@gate.example.com/\"\n"), @r#"
    toolgate.toml:1:14: `public_url` in the file holds a user name or password
    1 | public_url = "https://user:word@gate.example.com/"
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://gate.example.com`
    hint: leave it out: addresses that are given out carry a signature
    "#);
}

#[test]
fn keys_that_stand_in_the_wrong_table() {
    assert_snapshot!(refused("keep_days = 3\nref_keep_seconds = 3\n[results]\nref_keep = \"1d\"\n"), @r#"
    toolgate.toml:1:1: unknown key `keep_days` in the file
    1 | keep_days = 3
      | ^^^^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: it belongs below a `[ledger]` or `[files]` line

    toolgate.toml:2:1: unknown key `ref_keep_seconds` in the file
    2 | ref_keep_seconds = 3
      | ^^^^^^^^^^^^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: it belongs below a `[results]` line

    toolgate.toml:4:1: unknown key `ref_keep` in `[results]`
    4 | ref_keep = "1d"
      | ^^^^^^^^
    expected: `binary`, `text_bytes_max` or `ref_keep_seconds`
    hint: did you mean `ref_keep_seconds`?

    3 problems in toolgate.toml
    "#);
}
