//! The archive of the ledger: days that are over, as Parquet files in the folder or bucket of the files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger as _;
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, PrincipalId};
use toolgate_store::{LedgerWriter, Store};
use toolgate_testkit::gateway::{Gateway, HttpClient, until, until_async};

use crate::files::archive::Storage;
use crate::outside::{fetched, repository};
use crate::toolgate;

const DAY_MS: i64 = 86_400_000;
/// 2026-08-01.
const FIRST_DAY: i64 = 20_666;
const DAYS: i64 = 3;
const CALLS: i64 = 4;
const WAIT: Duration = Duration::from_secs(20);
const ON: &str = "[ledger.archive]\nenabled = true\nafter_days = 0\n";

fn made_at(call: i64) -> i64 {
    (FIRST_DAY + call / CALLS) * DAY_MS + 1_000 * call
}

/// The id of a call, which has the time at which it was made.
fn id(call: i64) -> String {
    format!("tc_{:012x}7{call:019x}", made_at(call))
}

/// A folder whose ledger has events of three days in August, as if the gateway had run then.
async fn with_old_days() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().join("data")).await.expect("the store opens");
    let writer = LedgerWriter::start(&store, "gateway").await.expect("the writer starts");
    for call in 0..DAYS * CALLS {
        let at_ms = made_at(call);
        let tool = if call % 2 == 0 { "bank:transfer" } else { "files:read" };
        let about = Arc::new(EventSubject {
            call: Some(CallId::new(id(call))),
            tool: Some(CanonicalName::recorded(tool)),
            ..EventSubject::default()
        });
        let event = |kind| Event::new(kind, at_ms, PrincipalId::new("agent"), about.clone());
        let mut end = event(EventKind::CallCompleted);
        (end.outcome, end.duration_us) = (Some(Outcome::Succeeded), Some(10));
        let events = vec![event(EventKind::CallStarted), end];
        writer.append(LedgerEntry { events, ..LedgerEntry::default() }).await.expect("recorded");
    }
    writer.close().await;
    store.close().await;
    folder
}

async fn boot(storage: Storage, more: &str) -> Gateway {
    Gateway::boot_in(toolgate(), &format!("{}{more}", storage.toml("")), with_old_days().await)
}

fn said(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn segments(gateway: &Gateway) -> Vec<Value> {
    said(&gateway.cli(&["--json", "ledger", "archive", "list"])).as_array().expect("a list").clone()
}

/// Waits until the gateway has archived every old day.
fn archived(gateway: &Gateway) -> Vec<Value> {
    let whole = || Some(segments(gateway)).filter(|found| found.len() as i64 == DAYS);
    until(WAIT, whole).expect("every day is archived")
}

fn files(gateway: &Gateway) -> PathBuf {
    gateway.data().join("files")
}

fn segment_file(gateway: &Gateway, segment: &Value) -> PathBuf {
    files(gateway).join(segment["name"].as_str().expect("a name"))
}

#[tokio::test]
async fn days_that_are_over_are_archived_verified_and_read_back() {
    for storage in [Storage::Folder, Storage::S3] {
        let gateway = boot(storage, ON).await;
        let segments = archived(&gateway);
        let days: Vec<&str> = segments.iter().filter_map(|segment| segment["day"].as_str()).collect();
        assert_eq!(days, ["2026-08-01", "2026-08-02", "2026-08-03"], "{storage:?}");
        let verified = said(&gateway.cli(&["--json", "ledger", "verify"]));
        assert_eq!(verified["fault"], Value::Null);
        assert_eq!(verified["archive"], json!({ "segments": 3, "events": 24, "faults": [] }), "{storage:?}");
        let export =
            ["ledger", "export", "--from-archive", "--tool", "bank:transfer", "--since", "2026-08-02"];
        let exported = gateway.cli(&export);
        let text = String::from_utf8(exported.stdout).expect("text");
        assert_eq!(text.lines().count(), 8, "{storage:?}: {text}");
        let again = gateway.cli(&["ledger", "archive", "--day", "2026-08-03"]);
        let told = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(told.starts_with("archived 0 events in 0 segments"), "{again:?}");
    }
}

#[tokio::test]
async fn a_gateway_that_is_killed_while_it_archives_leaves_a_sound_archive() {
    let gateway = boot(Storage::Folder, ON).await;
    let gateway = gateway.restart(true);
    archived(&gateway);
    let verified = gateway.cli(&["ledger", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
    assert!(String::from_utf8_lossy(&verified.stdout).contains("archive ok: 24 events in 3 segments"));
}

#[tokio::test]
async fn a_day_is_archived_by_hand_when_it_is_over() {
    let gateway = boot(Storage::Folder, "").await;
    let plan = said(&gateway.cli(&["--json", "ledger", "archive", "--dry-run", "--day", "2026-08-02"]));
    let first = json!({ "stream": "gateway", "day": "2026-08-01", "first": 1, "last": 8, "events": 8 });
    assert_eq!((plan.as_array().map(Vec::len), &plan[0]), (Some(2), &first), "{plan}");
    assert!(segments(&gateway).is_empty(), "nothing was archived");
    let done = gateway.cli(&["ledger", "archive", "--day", "2026-08-02"]);
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(told, "archived 16 events in 2 segments, up to the end of 2026-08-02\n", "{done:?}");
    let refused = gateway.cli(&["ledger", "archive", "--day", "2999-01-01"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("2999-01-01 is not over"), "{refused:?}");
}

/// Verification fails, and says this.
fn not_intact(gateway: &Gateway, words: &[&str]) {
    let output = gateway.cli(&["ledger", "verify"]);
    assert!(!output.status.success(), "{output:?}");
    let told = [&output.stdout[..], &output.stderr[..]].concat();
    let told = String::from_utf8_lossy(&told).into_owned();
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
}

fn intact(gateway: &Gateway) {
    let output = gateway.cli(&["ledger", "verify"]);
    assert!(output.status.success(), "{output:?}");
}

fn change(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(file).expect("the file is there");
    change(&mut bytes);
    std::fs::write(file, bytes).expect("the file is written");
}

#[tokio::test]
async fn damage_to_the_archive_is_named_and_mended() {
    let gateway = boot(Storage::Folder, ON).await;
    let segments = archived(&gateway);
    let [one, two, three] = [0, 1, 2].map(|place| segment_file(&gateway, &segments[place]));
    let name = |place: usize| segments[place]["name"].as_str().expect("a name");
    change(&one, |bytes| bytes[100] ^= 4);
    change(&two, |bytes| bytes.truncate(bytes.len() / 2));
    std::fs::remove_file(&three).expect("it was there");
    let hint = "`toolgate ledger archive repair` writes it again";
    not_intact(&gateway, &[name(0), name(1), name(2), "changed or cut off", "is not there", hint]);
    let repaired = said(&gateway.cli(&["--json", "ledger", "archive", "repair"]));
    assert_eq!(repaired.as_array().map(Vec::len), Some(3), "{repaired}");
    intact(&gateway);
    let index = files(&gateway).join("ledger/default/index.json");
    change(&index, |bytes| bytes.truncate(bytes.len() / 2));
    not_intact(&gateway, &["ledger/default/index.json", "damaged", "`toolgate ledger archive reindex`"]);
    assert_eq!(said(&gateway.cli(&["--json", "ledger", "archive", "reindex"])), json!({ "segments": 3 }));
    intact(&gateway);
}

#[tokio::test]
async fn a_line_that_was_changed_is_not_archived() {
    let mut gateway = boot(Storage::Folder, "").await;
    gateway.end(false);
    let script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\n\
                  db.execute('UPDATE ledger_lines SET time = time + 1 WHERE number = 11')\ndb.commit()";
    let changed =
        Command::new("python3").args(["-c", script]).arg(gateway.data().join("toolgate.db")).status();
    assert!(changed.expect("Python is there").success());
    let refused = gateway.cli(&["ledger", "archive", "--day", "2026-08-03"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("line 11 of stream gateway does not fit"), "{told}");
    assert!(told.contains("`toolgate ledger verify`"), "{told}");
    let days: Vec<Value> = segments(&gateway).iter().map(|segment| segment["day"].clone()).collect();
    assert_eq!(days, ["2026-08-01"], "what comes before it is archived");
}

#[tokio::test]
async fn the_api_verifies_and_exports_the_archive() {
    let gateway = boot(Storage::Folder, ON).await;
    let segments = archived(&gateway);
    let client = gateway.client();
    let ask = |path: &str| HttpClient::finish(client.http.get(gateway.url(path)).bearer_auth(&gateway.admin));
    let verified = ask("/ledger/verify").await.json();
    let archive = json!({ "segments": 3, "events": 24, "faults": [] });
    assert_eq!((&verified["intact"], &verified["archive"]), (&json!(true), &archive));
    let exported = ask("/ledger/export?source=archive&tool=files:read").await;
    assert_eq!((exported.status, exported.text.lines().count()), (200, 12), "{}", exported.text);
    std::fs::remove_file(segment_file(&gateway, &segments[1])).expect("it was there");
    let verified = ask("/ledger/verify").await.json();
    let fault = &verified["archive"]["faults"][0];
    assert_eq!((&verified["intact"], &fault["what"]), (&json!(false), &json!("missing")));
    assert_eq!(fault["name"], segments[1]["name"]);
}

#[tokio::test]
async fn days_that_left_the_database_are_shown_from_the_archive() {
    let gateway = boot(Storage::Folder, ON).await;
    archived(&gateway);
    let path = gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    let text = text.replace("[ledger.archive]", "[ledger]\nkeep_events_days = 7\n[ledger.archive]");
    std::fs::write(&path, text).expect("written");
    let gateway = gateway.restart(false);
    let client = gateway.client();
    let ask = |path: &str| HttpClient::finish(client.http.get(gateway.url(path)).bearer_auth(&gateway.admin));
    let removed = until_async(WAIT, || async {
        let left = ask("/ledger?until=2026-09-01T00:00:00Z").await.json();
        (left["events"] == json!([])).then_some(())
    });
    removed.await.expect("the old days were removed");

    let page = ask("/ledger?source=archive&order=oldest&limit=5&tool=bank:transfer").await.json();
    let calls: Vec<&str> = page["events"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event["call"].as_str())
        .collect();
    assert_eq!(calls, [id(0), id(0), id(2), id(2), id(4)]);
    let call = ask(&format!("/ledger/{}", id(5))).await.json();
    assert_eq!(
        (&call["archived"], call["events"].as_array().map(Vec::len)),
        (&json!(true), Some(2)),
        "{call}"
    );

    let last = gateway.cli(&["--json", "ledger", "tail", "--from-archive", "-n", "3"]);
    let numbers: Vec<i64> = String::from_utf8_lossy(&last.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).expect("JSON")["number"].as_i64())
        .collect();
    assert_eq!(numbers, [22, 23, 24], "{last:?}");
    let shown = gateway.cli(&["ledger", "show", &id(11)]);
    let (told, beside) = (String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    assert!(shown.status.success() && told.contains("files:read"), "{shown:?}");
    assert!(beside.contains("no longer kept in the database"), "{shown:?}");
    let unknown = gateway.cli(&["ledger", "show", &id(99)]);
    assert!(!unknown.status.success(), "{unknown:?}");
}

#[tokio::test]
async fn duckdb_reads_the_archive() {
    let gateway = boot(Storage::Folder, ON).await;
    archived(&gateway);
    let script = repository().join("tests/clients/python/ledger_archive.py");
    let pattern = files(&gateway).join("ledger/default/*/*.parquet");
    let output = Command::new(fetched("python-duckdb/bin/python"))
        .arg(script)
        .arg(pattern)
        .arg("bank:transfer")
        .output()
        .expect("Python runs");
    let expected = json!({
        "events": 24,
        "streams": 1,
        "days": 3,
        "of_tool": 12,
        "duration_us": 60,
        "first_ms": FIRST_DAY * DAY_MS,
        "has_lines": true,
        "succeeded": { "2026-08-01": 4, "2026-08-02": 4, "2026-08-03": 4 },
    });
    assert_eq!(said(&output), expected, "{output:?}");
}
