//! Secrets towards servers: they reach the server, and nothing else.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::site::{Site, done, failure, refused};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, remote};

on_both!(secrets_reach_their_server_and_nothing_else);

const EVERYBODYS: &str = "geheim-alle-0815";
const ANNS: &str = "geheim-ann-4711";
const LATER: &str = "geheim-neu-1234";

fn worker() -> Worker {
    let bearers = ["--bearer", EVERYBODYS, "--bearer", ANNS, "--bearer", LATER];
    Worker::start(&[&["--name", "jobs", "--instance", "a"][..], &bearers].concat())
}

/// `toolgate secrets set …` with the value on standard input.
pub(crate) fn set_secret(site: &Site, words: &[&str], value: &str) {
    let mut command = site.gateway.cli_command(&[&["secrets", "set"], words].concat());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary starts");
    child.stdin.take().expect("piped").write_all(value.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains(value), "{said}");
}

/// Everything that is stored, as bytes.
pub(crate) fn stored(site: &Site) -> Vec<u8> {
    if let Some(database) = site.backing.database() {
        let dump = Command::new("pg_dump").args(["--inserts", &database.url]).output().expect("pg_dump runs");
        assert!(dump.status.success(), "{dump:?}");
        return dump.stdout;
    }
    let files = std::fs::read_dir(site.gateway.data()).expect("a folder").filter_map(Result::ok);
    files.flat_map(|file| std::fs::read(file.path()).unwrap_or_default()).collect()
}

pub(crate) fn holds(bytes: &[u8], what: &str) -> bool {
    bytes.windows(what.len()).any(|window| window == what.as_bytes())
}

/// Waits until calls are made with this token.
async fn shown_with(site: &Site, token: &str, bearer: usize) {
    let client = site.agent_with(token);
    let there = until_async(WAIT, || async {
        let result = call(&client, "jobs__work", json!({ "n": 1 })).await;
        (result["structuredContent"]["bearer"] == bearer).then_some(())
    });
    there.await.unwrap_or_else(|| panic!("never called with the secret number {bearer}"));
}

async fn secrets_reach_their_server_and_nothing_else(backing: Backing) {
    let site = Site::open_on(backing, "");
    let worker = worker();
    let set = json!([{ "name": "jobs", "url": worker.url, "headers": { "Authorization": "Bearer ${vault:TOKEN}" } }]);
    assert_eq!(site.set("mcp_servers", set).await.status, 200);
    let waiting = site.server_is("jobs", |server| server["health"] == "degraded").await;
    let reason = waiting["reason"].as_str().expect("a reason");
    assert!(
        reason.contains("TOKEN") || reason.contains("credential") || reason.contains("secret"),
        "{waiting}"
    );
    set_secret(&site, &["jobs", "TOKEN"], EVERYBODYS);
    site.sees(&site.agent(), &["jobs__work", "jobs__write"]).await;
    let agent = site.gateway.agent.clone();
    shown_with(&site, &agent, 0).await;

    let ann = site.token("--role agent --principal ann");
    let put = site
        .rest(&site.gateway.admin, "PUT", "/secrets/jobs/TOKEN?principal=ann", Some(json!({ "value": ANNS })))
        .await;
    assert_eq!(put.status, 204, "{put:?}");
    shown_with(&site, &ann, 1).await;
    shown_with(&site, &agent, 0).await;
    set_secret(&site, &["jobs", "TOKEN"], LATER);
    shown_with(&site, &agent, 2).await;
    shown_with(&site, &ann, 1).await;

    let listed = site.get("/secrets/jobs").await;
    let whose: Vec<(&Value, Option<&str>)> = listed["secrets"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["name"], one["principal"].as_str()))
        .collect();
    assert_eq!(whose.len(), 2, "{listed}");
    assert!(whose.contains(&(&json!("TOKEN"), Some("ann"))), "{listed}");
    let mut everything = site.gateway.log().join("\n");
    for path in
        ["/settings", "/servers", "/servers/jobs", "/secrets/jobs", "/ledger?limit=1000", "/registry/tools"]
    {
        everything += &site.get(path).await.to_string();
    }
    for words in [
        &["secrets", "list"][..],
        &["servers", "show", "jobs"],
        &["settings", "get", "mcp_servers"],
        &["ledger", "export"],
    ] {
        everything += &site.say(words);
    }
    let bytes = stored(&site);
    assert!(holds(&bytes, "mcp_servers"), "the bytes are those of the database");
    for secret in [EVERYBODYS, ANNS, LATER] {
        assert!(!everything.contains(secret), "{secret} was shown");
        assert!(!holds(&bytes, secret), "{secret} is stored as it is");
    }

    let gone = site.rest(&site.gateway.admin, "DELETE", "/secrets/jobs/TOKEN?principal=ann", None).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    shown_with(&site, &ann, 2).await;
    site.say(&["secrets", "remove", "jobs", "TOKEN"]);
    let agent = site.agent();
    let refused_now = until_async(WAIT, || async {
        let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
        (result["isError"] == true).then_some(result)
    });
    let result = refused_now.await.expect("without its secret it is not reached");
    assert!(failure(&result).contains("hint"), "{result}");
    refused(&site.rest(&site.gateway.admin, "DELETE", "/secrets/jobs/TOKEN", None).await, 404, "not_found");
}

#[tokio::test]
async fn the_key_of_the_vault_is_for_its_owner_only() {
    let worker = worker();
    let more = format!(
        "{}headers = {{ Authorization = \"Bearer ${{vault:TOKEN}}\" }}\n",
        remote("jobs", &worker.url)
    );
    let site = Site::open_with(&more);
    set_secret(&site, &["jobs", "TOKEN"], EVERYBODYS);
    site.sees(&site.agent(), &["jobs__work", "jobs__write"]).await;
    let key = site.gateway.data().join("vault.key");
    let mode = std::fs::metadata(&key).expect("the key is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Another key opens nothing, and the start reports that.
    let mut site = site;
    site.gateway.end(false);
    std::fs::write(&key, "0".repeat(64)).expect("written");
    let output = site.gateway.cli(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("key") && said.contains("hint"), "{said}");
}

#[tokio::test]
async fn a_secret_of_one_server_is_not_shown_to_another() {
    let site = Site::open();
    let (one, two) = (worker(), Worker::start(&["--name", "other", "--instance", "b", "--bearer", ANNS]));
    let header = json!({ "Authorization": "Bearer ${vault:TOKEN}" });
    let set = json!([
        { "name": "jobs", "url": one.url, "headers": header },
        { "name": "other", "url": two.url, "headers": header },
    ]);
    assert_eq!(site.set("mcp_servers", set).await.status, 200);
    set_secret(&site, &["jobs", "TOKEN"], EVERYBODYS);
    site.sees(&site.agent(), &["jobs__work", "jobs__write"]).await;
    let other = site.server_is("other", |server| server["health"] == "degraded").await;
    assert!(!other.to_string().contains(EVERYBODYS), "{other}");
    set_secret(&site, &["other", "TOKEN"], ANNS);
    site.sees(&site.agent(), &["jobs__work", "jobs__write", "other__work", "other__write"]).await;
    assert_eq!(done(&call(&site.agent(), "other__work", json!({})).await)["bearer"], 0);
}

#[tokio::test]
async fn secrets_that_are_none_are_refused() {
    let site = Site::open();
    let put = |path: &'static str, value: Value| {
        site.rest(&site.gateway.admin, "PUT", path, Some(json!({ "value": value })))
    };
    for (path, value) in [
        ("/secrets/jobs/TOKEN", json!("")),
        ("/secrets/jobs/TOKEN", json!("a\0b")),
        ("/secrets/jobs/TOKEN", json!("x".repeat((64 << 10) + 1))),
        ("/secrets/jobs/TOKEN", json!(7)),
        ("/secrets/jobs/a%20b", json!("x")),
        ("/secrets/jobs/a%7Db", json!("x")),
        ("/secrets/no%20server/TOKEN", json!("x")),
        ("/secrets/jobs/TOKEN?principal=", json!("x")),
    ] {
        let answer = put(path, value.clone()).await;
        assert!((400..500).contains(&answer.status), "{path} {value}: {answer:?}");
        let problem = answer.json();
        assert!(problem["code"].is_string(), "{problem}");
    }
    assert_eq!(site.get("/secrets/jobs").await, json!({ "secrets": [] }));
}

/// The environment of the processes whose command line contains a word.
fn environments(word: &str) -> Vec<String> {
    let pids = std::fs::read_dir("/proc").expect("Linux").filter_map(Result::ok).map(|entry| entry.path());
    let ours = pids.filter(|path| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        holds(&line, word) && holds(&line, "bank")
    });
    ours.map(|path| {
        String::from_utf8_lossy(&std::fs::read(path.join("environ")).unwrap_or_default()).into_owned()
    })
    .collect()
}

#[tokio::test]
async fn a_process_gets_its_secret_in_its_environment_and_a_new_one_when_it_changes() {
    let word = crate::kit::label("vault");
    let program = crate::testkit("bank");
    let site = Site::open_with(&format!(
        "[[servers]]\nname = \"bank\"\ncommand = {program:?}\nargs = [\"--journal\", \"/tmp/{word}\"]\nenv = {{ TOKEN = \"${{vault:TOKEN}}\" }}\n"
    ));
    let waiting = site.server_is("bank", |server| server["health"] == "degraded").await;
    assert!(waiting["reason"].as_str().is_some_and(|reason| reason.contains("TOKEN")), "{waiting}");
    for secret in [EVERYBODYS, LATER] {
        set_secret(&site, &["bank", "TOKEN"], secret);
        let has = until_async(WAIT, || async {
            let all = environments(&word);
            (!all.is_empty() && all.iter().all(|one| one.contains(&format!("TOKEN={secret}")))).then_some(())
        });
        has.await.unwrap_or_else(|| panic!("it never got {secret}"));
        site.server_is("bank", |server| server["health"] == "healthy").await;
    }
    assert!(!site.gateway.log().join("\n").contains("geheim"));
    drop(site);
    crate::kit::nothing_left(&word);
}
