//! A new version is rolled out instance by instance: the pinned definition is served while any instance
//! offers it, and a different one waits for a review.

use serde_json::{Value, json};

use super::site::{Site, done, failure, tool};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(a_new_version_is_rolled_out_drifts_is_quarantined_and_accepted);

/// A description as agents see it.
async fn described(site: &Site, name: &str) -> Option<String> {
    let list = site.agent().modern("tools/list", json!({})).await.result();
    let tools = list["tools"].as_array().expect("a list").clone();
    let found = tools.into_iter().find(|tool| tool["name"] == name)?;
    found["description"].as_str().map(str::to_owned)
}

async fn a_new_version_is_rolled_out_drifts_is_quarantined_and_accepted(backing: Backing) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    site.offer("one.json", &json!([tool("run", "Runs a job"), tool("stop", "Stops a job")]));
    site.offer("two.json", &json!([tool("run", "Runs a job, twice"), tool("stop", "Stops a job")]));
    let (one, two) = (site.word("one.json"), site.word("two.json"));
    let mut old = site.worker(&token, "jobs", "old", &["--tools", &one, "--version", "1"]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run", "jobs__stop"]).await;
    let pinned = site.tool("jobs:run").await;
    assert_eq!(pinned["status"], "active");

    let _new = site.worker(&token, "jobs", "new", &["--tools", &two, "--version", "2"]);
    site.healthy("jobs", 2).await;
    let drifted = site.tool_is("jobs:run", "drifted").await;
    assert_eq!(drifted["version"], pinned["version"], "{drifted}");
    assert_eq!(described(&site, "jobs__run").await.as_deref(), Some("Runs a job"));
    let mut stops = std::collections::BTreeSet::new();
    for n in 0..30 {
        let result = call(&agent, "jobs__run", json!({ "n": n })).await;
        assert_eq!(done(&result)["instance"], "old", "only one offers what was reviewed");
        let result = call(&agent, "jobs__stop", json!({ "n": n })).await;
        stops.insert(done(&result)["instance"].to_string());
    }
    assert_eq!(stops.len(), 2, "what both offer both are asked for");

    tokio::task::spawn_blocking(move || old.end()).await.expect("it ends");
    let quarantined = site.tool_is("jobs:run", "quarantined").await;
    assert_eq!(quarantined["reason"], "its definition changed", "{quarantined}");
    site.sees(&agent, &["jobs__stop"]).await;
    let answer = agent.modern("tools/call", json!({ "name": "jobs__run", "arguments": {} })).await.response();
    let said = answer.to_string();
    assert!(
        said.contains("its definition changed") && said.contains("toolgate tools diff jobs:run"),
        "{said}"
    );
    assert_eq!(done(&call(&agent, "jobs__stop", json!({})).await)["instance"], "new");

    let diff = site.get("/registry/tools/jobs:run/diff").await;
    let lines: Vec<&str> = diff["diff"].as_str().expect("text").lines().collect();
    let has = |sign: char, text: &str| lines.iter().any(|line| line.starts_with(sign) && line.contains(text));
    assert!(has('-', "Runs a job") && has('+', "Runs a job, twice"), "{diff}");
    let shown = site.say(&["tools", "diff", "jobs:run"]);
    assert!(shown.contains("Runs a job, twice") && shown.contains("jobs:run"), "{shown}");
    let differs = site.gateway.cli(&["tools", "diff", "jobs:run", "--exit-code"]);
    assert_eq!(differs.status.code(), Some(1), "{differs:?}");

    let accepted = site.review("jobs:run", "accept", &diff["candidate_version"]).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
    assert_eq!(accepted.json()["version"], diff["candidate_version"]);
    site.sees(&agent, &["jobs__run", "jobs__stop"]).await;
    assert_eq!(described(&site, "jobs__run").await.as_deref(), Some("Runs a job, twice"));
    assert_eq!(done(&call(&agent, "jobs__run", json!({ "n": 1 })).await)["version"], "2");
    let kinds: Vec<Value> = told_of(&site, "jobs:run").await;
    let expected = ["registry.tool.drifted", "registry.tool.quarantined", "registry.tool.accepted"]
        .map(|kind| json!(kind));
    assert_eq!(kinds, expected);
    let by = site.told("registry.tool.accepted").await;
    assert!(by[0]["principal"].as_str().is_some_and(|by| by != "gateway"), "{by:?}");
    assert_eq!(
        site.say(&["tools", "diff", "jobs:run"]).matches("twice").count(),
        0,
        "nothing differs any more"
    );
}

/// The kinds of ledger events about the registry and one tool.
async fn told_of(site: &Site, name: &str) -> Vec<Value> {
    let page = site.get(&format!("/ledger?tool={name}&order=oldest&limit=1000")).await;
    let events = page["events"].as_array().expect("a list").iter();
    let kinds = events.map(|event| event["kind"].clone());
    kinds.filter(|kind| kind.as_str().is_some_and(|kind| kind.starts_with("registry."))).collect()
}

#[tokio::test]
async fn a_call_under_way_at_an_old_version_finishes_there() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    site.offer("tools.json", &json!([tool("run", "Runs a job")]));
    let tools = site.word("tools.json");
    let mut worker = site.worker(&token, "jobs", "a", &["--tools", &tools, "--journal", &journal]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run"]).await;
    let client = agent.clone();
    let slow = tokio::spawn(async move { call(&client, "jobs__run", json!({ "n": 1, "ms": 2000 })).await });
    let reached = || async { std::path::Path::new(&journal).exists().then_some(()) };
    toolgate_testkit::gateway::until_async(crate::doors::WAIT, reached).await.expect("it reaches the worker");
    site.offer("tools.json", &json!([tool("run", "Runs another job")]));
    site.tool_is("jobs:run", "quarantined").await;
    site.sees(&agent, &[]).await;
    assert_eq!(done(&slow.await.expect("answered"))["instance"], "a");
    tokio::task::spawn_blocking(move || worker.end()).await.expect("it ends");
}

#[tokio::test]
async fn while_nobody_offers_what_was_pinned_the_caller_hears_why() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let mut worker = site.worker(&token, "jobs", "a", &["--lease-seconds", "600"]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    worker.kill();
    let down = toolgate_testkit::gateway::until_async(crate::doors::WAIT, || async {
        let result = call(&agent, "jobs__write", json!({ "n": 1 })).await;
        Some(failure(&result).to_owned()).filter(|text| text.contains("not available"))
    });
    let text = down.await.expect("it says that nobody is there");
    assert!(text.contains("jobs") && text.contains("hint"), "{text}");
    assert_eq!(names(&agent).await.len(), 2, "tools do not vanish with their server");
    site.tool_is("jobs:write", "active").await;
}

#[tokio::test]
async fn a_new_version_is_accepted_before_the_old_one_is_gone() {
    let site = Site::open();
    let token = site.server_token("jobs");
    site.offer("one.json", &json!([tool("run", "Runs a job")]));
    site.offer("two.json", &json!([tool("run", "Runs a job, twice")]));
    let (one, two) = (site.word("one.json"), site.word("two.json"));
    let mut old = site.worker(&token, "jobs", "old", &["--tools", &one]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run"]).await;
    let _new = site.worker(&token, "jobs", "new", &["--tools", &two]);
    let drifted = site.tool_is("jobs:run", "drifted").await;
    let accepted = site.review("jobs:run", "accept", &drifted["candidate_version"]).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
    let switched = toolgate_testkit::gateway::until_async(crate::doors::WAIT, || async {
        let result = call(&agent, "jobs__run", json!({ "n": 1 })).await;
        (done(&result)["instance"] == "new").then_some(())
    });
    switched.await.expect("the new version is served");
    for n in 0..20 {
        let result = call(&agent, "jobs__run", json!({ "n": n })).await;
        assert_eq!(done(&result)["instance"], "new", "who offers the old version is not asked");
    }
    assert_eq!(described(&site, "jobs__run").await.as_deref(), Some("Runs a job, twice"));
    tokio::task::spawn_blocking(move || old.end()).await.expect("it ends");
    let settled = site.tool_is("jobs:run", "active").await;
    assert_eq!(settled["version"], drifted["candidate_version"], "{settled}");
    site.sees(&agent, &["jobs__run"]).await;
    assert_eq!(site.told("registry.tool.quarantined").await, Vec::<Value>::new(), "it was never away");
}

#[tokio::test]
async fn a_new_version_that_was_rejected_never_replaces_the_old_one() {
    let site = Site::open();
    let token = site.server_token("jobs");
    site.offer("one.json", &json!([tool("run", "Runs a job")]));
    site.offer("two.json", &json!([tool("run", "Runs a job, twice")]));
    let (one, two) = (site.word("one.json"), site.word("two.json"));
    let mut old = site.worker(&token, "jobs", "old", &["--tools", &one]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run"]).await;
    let _new = site.worker(&token, "jobs", "new", &["--tools", &two]);
    let drifted = site.tool_is("jobs:run", "drifted").await;
    assert_eq!(site.review("jobs:run", "reject", &drifted["candidate_version"]).await.status, 200);
    for n in 0..20 {
        assert_eq!(done(&call(&agent, "jobs__run", json!({ "n": n })).await)["instance"], "old");
    }
    tokio::task::spawn_blocking(move || old.end()).await.expect("it ends");
    let withheld = site.tool_is("jobs:run", "quarantined").await;
    assert_eq!(withheld["reason"], "the definition its server offers was rejected", "{withheld}");
    site.sees(&agent, &[]).await;
    let _back = site.worker(&token, "jobs", "back", &["--tools", &one]);
    site.sees(&agent, &["jobs__run"]).await;
    assert_eq!(done(&call(&agent, "jobs__run", json!({ "n": 1 })).await)["instance"], "back");
}

#[tokio::test]
async fn a_yes_to_a_call_is_not_a_yes_to_another_version_of_its_tool() {
    let toml = "[network]\nallow_loopback = true\n[approvals]\nhold_seconds = 0\n\
        [policy]\ngates = 'forbid (principal, action == Action::\"jobs:run\", resource);'\n";
    let site = Site::open_as(Backing::Sqlite, toml);
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    site.offer("tools.json", &json!([tool("run", "Runs a job")]));
    let _worker =
        site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json"), "--journal", &journal]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run"]).await;
    let asked = call(&agent, "jobs__run", json!({ "n": 1 })).await;
    let envelope = &asked["_meta"]["dev.toolgate/envelope"];
    assert_eq!(envelope["status"], "pending_approval", "{asked}");
    let id = envelope["approval_id"].as_str().expect("an approval").to_owned();
    site.say(&["approvals", "approve", &id]);
    site.offer("tools.json", &json!([tool("run", "Runs all jobs")]));
    site.tool_is("jobs:run", "quarantined").await;
    site.say(&["tools", "accept", "jobs:run"]);
    site.sees(&agent, &["jobs__run"]).await;
    let again = call(&agent, "jobs__run", json!({ "n": 1 })).await;
    let envelope = &again["_meta"]["dev.toolgate/envelope"];
    assert_eq!(envelope["status"], "pending_approval", "people are asked anew: {again}");
    assert_ne!(envelope["approval_id"], id.as_str(), "{again}");
    assert!(!std::path::Path::new(&journal).exists(), "nothing ran");
}

#[tokio::test]
async fn a_call_that_waits_for_a_yes_does_not_run_as_another_version() {
    let toml = "[network]\nallow_loopback = true\n[approvals]\nhold_seconds = 20\n\
        [policy]\ngates = 'forbid (principal, action == Action::\"jobs:run\", resource);'\n";
    let site = Site::open_as(Backing::Sqlite, toml);
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    site.offer("tools.json", &json!([tool("run", "Runs a job")]));
    let _worker =
        site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json"), "--journal", &journal]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__run"]).await;
    let held = tokio::spawn({
        let agent = agent.clone();
        async move { agent.modern("tools/call", json!({ "name": "jobs__run", "arguments": { "n": 1 } })).await }
    });
    let asked = site.told_at_least("approval.requested", 1).await;
    site.offer("tools.json", &json!([tool("run", "Runs all jobs")]));
    site.tool_is("jobs:run", "quarantined").await;
    site.sees(&agent, &[]).await;
    let id = asked[0]["approval"].as_str().expect("an approval");
    // The approval may be refused or have no effect: the reviewed version is gone, so nothing runs.
    let decide = site.gateway.cli(&["approvals", "approve", id]);
    let answer = held.await.expect("answered").response();
    let failed = answer.get("error").is_some() || answer["result"]["isError"] == true;
    assert!(failed, "{decide:?}: {answer}");
    assert!(!std::path::Path::new(&journal).exists(), "nothing ran: {answer}");
}
