//! `toolgate store migrate`: a gateway goes on with Postgres where SQLite ended, with all that it knew.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::files::archive::{Archive, DOCS, data};
use crate::governed::bank::{envelope, pending, status, stderr};
use crate::governed::database::Backing;
use crate::kit::call;
use crate::live::site::Site;
use crate::runs::work::{NO_HOLD, Work, answer, question};

/// Pictures need a person, who is not waited for.
const CONFIGURATION: &str = "[network]\nallow_loopback = true\n[approvals]\nhold_seconds = 0\n\
    [policy]\ntemplate = \"exploratory\"\n\
    gates = 'forbid (principal, action == Action::\"docs:picture\", resource);'\n";

/// Runs the command until it has copied a part of this table, and kills it there.
fn killed_while_copying(archive: &Archive, url: &str, table: &str) {
    let mut command = archive.site.gateway.cli_command(&["store", "migrate", "--to", url]);
    command.env("TOOLGATE_STOP_AT", format!("copied {table}"));
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let said = BufReader::new(process.stderr.take().expect("stderr is piped")).lines();
    let stopped = said.map_while(Result::ok).any(|line| line.contains("stopped at copied"));
    assert!(stopped, "it never copied {table}");
    process.kill().expect("it runs");
    process.wait().expect("a killed process ends");
}

/// The place and the hash of each event, in the order of all streams.
fn hashes(exported: &str) -> Vec<Value> {
    let events = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"));
    events.map(|event| json!([event["stream"], event["number"], event["hash"]])).collect()
}

/// The numbers of the events of each stream.
fn numbers(exported: &str) -> BTreeMap<String, Vec<i64>> {
    let mut streams: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for line in exported.lines() {
        let event: Value = serde_json::from_str(line).expect("each line is JSON");
        let (stream, number) = (event["stream"].as_str(), event["number"].as_i64());
        streams.entry(stream.expect("a stream").to_owned()).or_default().push(number.expect("a number"));
    }
    streams
}

#[tokio::test]
async fn a_gateway_goes_on_with_postgres_where_sqlite_ended() {
    let toml = format!("{CONFIGURATION}{NO_HOLD}");
    let mut archive = Archive::open_as(Backing::Sqlite, &toml, &[DOCS]).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let asked = work.ask(question("text", "tone")).await;
    let file = archive.file("a.txt", b"some words").await;
    let waiting = pending(&call(&archive.site.agent(), "docs__picture", json!({})).await);
    let colleague = archive.site.token("--role agent --label colleague");

    let backing = Backing::postgres();
    let url = backing.database().expect("a database").url.clone();
    let migrate = ["store", "migrate", "--to", &url];
    let refused = archive.site.refuse(&migrate);
    assert!(refused.contains("runs on") && refused.contains("hint: stop it first"), "{refused}");
    archive.site.gateway.end(false);
    let before = archive.ledger();

    let words = ["--json", "store", "migrate", "--to", &url, "--dry-run"];
    let rehearsed: Value = serde_json::from_str(&archive.site.say(&words)).expect("JSON");
    assert_eq!((&rehearsed["dry_run"], &rehearsed["start"]), (&json!(true), &json!("fresh")), "{rehearsed}");
    assert_eq!(rehearsed["ledger"]["events"], before.lines().count(), "{rehearsed}");
    killed_while_copying(&archive, &url, "ledger_lines");
    let path = archive.site.path("toolgate.toml");
    let written = std::fs::read_to_string(&path).expect("the configuration is there");
    std::fs::write(&path, format!("{}{written}", backing.toml())).expect("the configuration can be written");
    let half = archive.site.refuse(&["ledger", "verify"]);
    assert!(half.contains("only a part of a store") && half.contains("toolgate store migrate"), "{half}");

    let moved = archive.site.gateway.cli(&migrate);
    let told = stderr(&moved);
    assert!(moved.status.success(), "{told}");
    let told_of =
        ["interrupted", "verifies as before", "[store]\nurl = ", "files were not moved and stay in"];
    assert!(told_of.iter().all(|words| told.contains(words)), "{told}");
    assert!(String::from_utf8_lossy(&moved.stdout).contains("ledger_lines"), "{moved:?}");
    let again = archive.site.refuse(&migrate);
    assert!(again.contains("moved to the target already"), "{again}");

    let archive = Archive { site: Site { gateway: archive.site.gateway.restart(false), backing } };
    archive.ready(&[DOCS]).await;
    goes_on(&archive, &work.at(&archive), &asked, &file, &waiting).await;
    let known = call(&archive.site.agent_with(&colleague), "docs__extract_count", json!({})).await;
    assert_eq!(status(&known), "succeeded", "{known}");
    let after = archive.ledger();
    let (before, written) = (hashes(&before), hashes(&after));
    assert_eq!(written[..before.len()], before[..], "what was recorded is recorded");
    assert!(written.len() > before.len());
    for (stream, numbers) in numbers(&after) {
        let expected: Vec<i64> = (1..=numbers.len() as i64).collect();
        assert_eq!(numbers, expected, "the numbers of {stream} go on");
    }
    archive.verify();
}

/// The approval, the run and the file are there, and work.
async fn goes_on(archive: &Archive, work: &Work, asked: &str, file: &str, waiting: &str) {
    assert_eq!(pending(&call(&archive.site.agent(), "docs__picture", json!({})).await), waiting);
    archive.site.say(&["approvals", "approve", waiting]);
    let picture = call(&archive.site.agent(), "docs__picture", json!({})).await;
    assert_eq!(envelope(&picture)["approval_id"], waiting, "{picture}");
    assert_eq!(work.state(archive).await, "paused");
    assert_eq!(answer(archive, archive.admin(), asked, json!("warm")).await.status, 200);
    let told = work.call("request_user_input", question("text", "tone")).await;
    assert_eq!(data(&told)["answer"], "warm", "{told}");
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
    let fetched = archive.fetch(archive.agent(), &format!("/files/{file}/content")).await;
    assert_eq!((fetched.status, &fetched.bytes[..]), (200, &b"some words"[..]));
}

#[tokio::test]
async fn a_folder_without_a_database_has_nothing_to_move() {
    let archive = Archive::open("").await;
    let empty = tempfile::tempdir().expect("a temporary folder");
    let from = empty.path().to_str().expect("paths of tests are text");
    let refused = archive.site.refuse(&["store", "migrate", "--to", "postgres://nowhere/", "--from", from]);
    assert!(refused.contains("there is no database in") && refused.contains("--from DIR"), "{refused}");
}
