//! Two gateways on one Postgres have one catalogue, and see it change within a second.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until_async};

use super::site::{Ending, Site, done, registration, tool};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::kit::{call, names};

const SOON: Duration = Duration::from_secs(1);

/// Another gateway on the same database. Tokens are in the database too.
fn another(one: &Site) -> Site {
    let database = one.backing.database().expect("gateways share a Postgres").clone();
    let mut two = Site::open_on(Backing::Shared(database, "second"), "");
    two.gateway.admin = one.gateway.admin.clone();
    two.gateway.agent = one.gateway.agent.clone();
    two
}

fn two_sites() -> (Site, Site) {
    let one = Site::open_on(Backing::postgres(), "");
    let two = another(&one);
    (one, two)
}

/// The time until a condition held.
async fn took<F: Future<Output = bool>>(what: &str, ask: impl Fn() -> F) -> Duration {
    let began = Instant::now();
    let there = until_async(WAIT, || async { ask().await.then_some(()) });
    there.await.unwrap_or_else(|| panic!("never: {what}"));
    began.elapsed()
}

#[tokio::test]
async fn what_registers_at_one_is_called_at_the_other_within_a_second() {
    let (one, two) = two_sites();
    let worker = Worker::start(&["--name", "jobs", "--instance", "a"]);
    let mut first = registration("jobs", "a");
    first["url"] = json!(worker.url);
    assert_eq!(one.register(&one.gateway.admin, first).await.status, 200);
    let (agent, elsewhere) = (one.agent(), two.agent());
    let seen = took("both list it", || async {
        names(&agent).await.len() == 2 && names(&elsewhere).await.len() == 2
    });
    let seen = seen.await;
    assert!(seen <= SOON, "it took {seen:?}");
    assert_eq!(done(&call(&elsewhere, "jobs__work", json!({ "n": 1 })).await)["instance"], "a");
    assert_eq!(two.told("registry.tools.pinned").await.len(), 1, "they are pinned once");
    assert_eq!(two.told("server.added").await.len(), 1);
    let leave = two.rest(&two.gateway.admin, "DELETE", "/servers/jobs/instances/a", None).await;
    assert_eq!(leave.status, 204);
    let out = took("it is out at the first too", || async { one.instances("jobs").await.is_empty() });
    let out = out.await;
    assert!(out <= SOON, "it took {out:?}");
}

#[tokio::test]
async fn drift_is_told_once_and_a_review_at_one_counts_at_the_other_within_a_second() {
    let (one, two) = two_sites();
    let token = one.server_token("jobs");
    one.offer("tools.json", &json!([tool("run", "Runs")]));
    let _worker = one.worker(&token, "jobs", "a", &["--tools", &one.word("tools.json")]);
    let (agent, elsewhere) = (one.agent(), two.agent());
    one.sees(&agent, &["jobs__run"]).await;
    two.sees(&elsewhere, &["jobs__run"]).await;
    one.offer("tools.json", &json!([tool("run", "Runs wild")]));
    let hidden = took("it is withheld at both", || async {
        names(&agent).await.is_empty() && names(&elsewhere).await.is_empty()
    });
    let hidden = hidden.await;
    assert!(hidden <= SOON, "it took {hidden:?}");
    let waiting = two.tool_is("jobs:run", "quarantined").await;
    assert_eq!(two.told("registry.tool.quarantined").await.len(), 1, "it is told once");
    assert_eq!(one.review("jobs:run", "accept", &waiting["candidate_version"]).await.status, 200);
    let back = took("it is back at both", || async {
        names(&agent).await.len() == 1 && names(&elsewhere).await.len() == 1
    });
    let back = back.await;
    assert!(back <= SOON, "it took {back:?}");
    done(&call(&elsewhere, "jobs__run", json!({ "n": 1 })).await);
    let late = two.review("jobs:run", "reject", &waiting["candidate_version"]).await;
    assert_eq!(late.status, 409, "{late:?}");
}

#[tokio::test]
async fn what_is_set_at_one_counts_at_the_other_within_a_second() {
    let (one, two) = two_sites();
    let worker = Worker::start(&["--name", "job-app", "--instance", "set"]);
    let value = json!([{ "name": "job-app", "url": worker.url }]);
    assert_eq!(one.set("mcp_servers", value).await.status, 200);
    let elsewhere = two.agent();
    let seen = took("the other has it", || async { names(&elsewhere).await.len() == 2 }).await;
    assert!(seen <= SOON, "it took {seen:?}");
    let given = json!([{ "name": "jobs.queue.run", "tool": "job-app:work", "primary": true }]);
    assert_eq!(two.set("aliases", given).await.status, 200);
    let agent = one.agent();
    let renamed = took("the first calls it by its new name", || async {
        names(&agent).await.iter().any(|name| name == "jobs__queue__run")
    });
    let renamed = renamed.await;
    assert!(renamed <= SOON, "it took {renamed:?}");
    assert_eq!(one.told("setting.changed").await.len(), 2);
}

#[tokio::test]
async fn heartbeats_at_one_keep_an_instance_at_both() {
    let (one, two) = two_sites();
    let token = one.server_token("jobs");
    let _worker = one.worker(&token, "jobs", "a", &[]);
    two.sees(&two.agent(), &["jobs__work", "jobs__write"]).await;
    // Three heartbeats later the other has seen the counter move without hearing a single one.
    let began = Instant::now();
    let lasted = took("a lease and a half passes", || async {
        assert_eq!(two.instances("jobs").await, ["a"]);
        began.elapsed() > Duration::from_millis(7500)
    });
    lasted.await;
    assert_eq!(two.told("server.instance.left").await, Vec::<Value>::new());
    done(&call(&two.agent(), "jobs__work", json!({ "n": 1 })).await);
}

#[tokio::test]
async fn an_instance_that_dies_is_taken_out_once() {
    let (one, two) = two_sites();
    let token = one.server_token("jobs");
    let mut worker = one.worker(&token, "jobs", "a", &[]);
    two.sees(&two.agent(), &["jobs__work", "jobs__write"]).await;
    worker.kill();
    one.server_is("jobs", |server| server["instances"] == json!([])).await;
    two.server_is("jobs", |server| server["instances"] == json!([])).await;
    assert_eq!(one.told("server.instance.left").await.len(), 1);
    let names = names(&two.agent()).await;
    assert_eq!(names.len(), 2, "tools do not vanish: {names:?}");
}

#[tokio::test]
async fn a_gateway_that_dies_takes_no_registration_with_it() {
    let (one, two) = two_sites();
    let worker = Worker::start(&["--name", "jobs", "--instance", "a"]);
    let mut first = registration("jobs", "a");
    first["url"] = json!(worker.url);
    let admin = one.gateway.admin.clone();
    assert_eq!(one.register(&admin, first).await.status, 200);
    two.sees(&two.agent(), &["jobs__work", "jobs__write"]).await;
    drop(one);
    let beat = two.rest(&admin, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
    assert_eq!(beat.status, 200, "{beat:?}");
    assert_eq!(done(&call(&two.agent(), "jobs__work", json!({})).await)["instance"], "a");
}

#[tokio::test]
async fn one_stream_of_the_ledger_is_written_by_one_gateway() {
    let mut one = Site::open_on(Backing::postgres(), "");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toml = format!("{}{}", one.backing.toml(), super::site::OPEN);
    std::fs::write(folder.path().join("toolgate.toml"), &toml).expect("a file");
    let second = |args: &[&str]| {
        let mut command = std::process::Command::new(crate::toolgate());
        command.arg("--config").arg(folder.path().join("toolgate.toml"));
        command.arg("--data").arg(folder.path().join("data")).args(args).current_dir(folder.path());
        let output = command.output().expect("it runs");
        (output.status.success(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let (went_well, said) = second(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(!went_well, "{said}");
    let named = format!("the stream \"gateway\" is written by another gateway: {}", one.gateway.endpoint);
    assert!(
        said.contains(&named) && said.contains("hint: give each gateway on a database a name of its own"),
        "{said}"
    );
    let (healthy, said) = second(&["doctor"]);
    assert!(!healthy && said.contains("WRONG stream: \"gateway\" is written by "), "{said}");
    let own = one.say(&["doctor"]);
    assert!(own.contains("ok    stream: \"gateway\"\n"), "{own}");

    // A killed one is known in its own folder at once, and elsewhere after a time of silence.
    one = one.restarted(Ending::Killed);
    one.gateway.end(true);
    let two =
        Site { gateway: Gateway::boot_in(crate::toolgate(), &toml, folder), backing: one.backing.clone() };
    assert!(two.say(&["doctor"]).contains("ok    stream: \"gateway\"\n"));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn policies_that_one_puts_in_force_are_in_force_at_the_other_within_a_second() {
    let (one, two) = two_sites();
    let gate = "@id(\"work\") forbid (principal, action == Action::\"jobs:work\", resource);";
    let body = json!({ "value": { "gates": gate }, "reason": "an audit" });
    let set = one.rest(&one.gateway.admin, "PATCH", "/settings/policy", Some(body)).await;
    assert_eq!(set.status, 200, "{set:?}");
    let version = one.get("/policy").await["version"].clone();
    let seen = took("the other has them", || async { two.get("/policy").await["version"] == version }).await;
    assert!(seen <= SOON, "it took {seen:?}");
    let files = two.get("/policy").await["files"].clone();
    let set = files.as_array().expect("a list").iter().find(|file| file["home"] == "setting");
    assert_eq!(set.map(|file| &file["text"]), Some(&json!(gate)));
}

#[tokio::test]
async fn a_server_that_is_disabled_at_one_is_gone_at_the_other_within_a_second() {
    let (one, two) = two_sites();
    let worker = Worker::start(&["--name", "job-app", "--instance", "set"]);
    let value = json!([{ "name": "job-app", "url": worker.url }]);
    assert_eq!(one.set("mcp_servers", value).await.status, 200);
    let elsewhere = two.agent();
    two.sees(&elsewhere, &["job-app__work", "job-app__write"]).await;
    let admin = one.gateway.admin.clone();
    let switch = async |verb: &str| {
        let path = format!("/servers/job-app/{verb}");
        let answer = one.rest(&admin, "POST", &path, Some(json!({ "reason": "an audit" }))).await;
        assert_eq!(answer.status, 204, "{answer:?}");
    };
    switch("disable").await;
    let gone = took("the other has it no more", || async { names(&elsewhere).await.is_empty() }).await;
    assert!(gone <= SOON, "it took {gone:?}");
    let server = two.server("job-app").await;
    assert_eq!((&server["health"], &server["reason"]), (&json!("disabled"), &json!("an audit")));
    switch("enable").await;
    two.sees(&elsewhere, &["job-app__work", "job-app__write"]).await;
    done(&call(&elsewhere, "job-app__work", json!({ "n": 1 })).await);
}
