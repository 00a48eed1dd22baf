//! `[engine]`.

use std::path::Path;
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_engine::{EngineLimits, EngineSettings};

use super::{accepted, refused};

#[test]
fn its_folder_lies_beside_the_data_folder_wherever_that_is() {
    assert_eq!(accepted("").engine.folder, Path::new("/srv/gate/toolgate-data-engine"));
    assert_eq!(accepted("data = \"/var/gate\"").engine.folder, Path::new("/var/gate-engine"));
    assert_eq!(accepted("[engine]\nfolder = \"cache\"").engine.folder, Path::new("/srv/gate/cache"));
}

#[test]
fn every_key_of_the_engine_is_read() {
    let config = accepted(
        r#"
        [engine]
        command = "programs/toolgate-engine"
        folder = "/var/cache/engine"
        model = "models/encoder"
        ocr = "${HOME}/ocr"
        postgres = "postgres://me:${PGPASSWORD}@host/db"
        contents_bytes_max = "1GiB"
        start_seconds = 1
        parse_seconds = 2
        search_seconds = 0.5
        build_seconds = 4
        parallel_max = 5
        "#,
    );
    let limits = EngineLimits {
        start: Duration::from_secs(1),
        parse: Duration::from_secs(2),
        search: Duration::from_millis(500),
        build: Duration::from_secs(4),
        parallel_max: Some(5),
        ..EngineLimits::default()
    };
    let expected = EngineSettings {
        command: Some("/srv/gate/programs/toolgate-engine".into()),
        folder: "/var/cache/engine".into(),
        model: Some("/srv/gate/models/encoder".into()),
        ocr: Some("/home/ann/ocr".into()),
        postgres: Some("postgres://me:p%40ss@host/db".to_owned()),
        contents_bytes_max: 1 << 30,
        limits,
    };
    assert_eq!(*config.engine, expected);
}

#[test]
fn a_folder_that_the_engine_could_not_see_is_refused() {
    assert_snapshot!(refused("[engine]\nfolder = \"toolgate-data/engine\""), @r#"
    toolgate.toml:2:10: `folder` in `[engine]` and the data folder lie in one another
    2 | folder = "toolgate-data/engine"
      |          ^^^^^^^^^^^^^^^^^^^^^^
    expected: a folder of its own, which the engine may see
    hint: leave the key out: it is a folder beside the data folder then
    "#);
    assert!(refused("[engine]\nfolder = \".\"").contains("lie in one another"));
}

#[test]
fn a_database_that_is_none_is_refused_without_its_password() {
    let said = refused("[engine]\npostgres = \"mysql://me:${PGPASSWORD}@host/db\"");
    assert!(said.contains("is not a Postgres address") && !said.contains("p%40ss"), "{said}");
}

#[test]
fn what_is_said_about_the_engine_counts_after_a_restart() {
    let before = accepted("");
    assert_eq!(before.restart_needed(&accepted("[engine]\nparse_seconds = 1")), ["[engine]"]);
    assert_eq!(before.restart_needed(&accepted("data = \"/var/gate\"")).first(), Some(&"data"));
    assert!(!before.restart_needed(&accepted("data = \"/var/gate\"")).contains(&"[engine]"));
}
