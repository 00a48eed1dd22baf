//! The permissions to register, keeping a place in the catalogue, and losing it.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::site::{Ending, Site, done, failure, refused, registration};
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(
    a_worker_that_registers_is_listed_and_called,
    a_restart_keeps_registrations,
    a_missed_lease_takes_the_last_instance_out_and_its_tools_stay_with_an_honest_error,
);

const BOTH: [&str; 2] = ["jobs__work", "jobs__write"];

async fn a_worker_that_registers_is_listed_and_called(backing: Backing) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &["--version", "7.1"]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
    assert_eq!((&done(&result)["instance"], &done(&result)["arguments"]["n"]), (&json!("a"), &json!(1)));
    let server = site.healthy("jobs", 1).await;
    assert_eq!(
        (&server["source"], &server["health"], &server["tools"]),
        (&json!("registered"), &json!("healthy"), &json!(2)),
        "{server}"
    );
    let instance = &server["instances"][0];
    assert_eq!(instance["version"], "7.1", "{server}");
    assert!(instance["lease_left"].as_f64().is_some_and(|left| left > 0.0 && left <= 5.0), "{server}");
    for kind in ["server.added", "server.instance.joined", "registry.tools.pinned"] {
        let told = site.told(kind).await;
        assert_eq!((told.len(), &told[0]["server"]), (1, &json!("jobs")), "{told:?}");
    }
    let shown = site.say(&["servers", "show", "jobs"]);
    assert!(shown.contains("registered") && shown.contains("7.1"), "{shown}");
}

/// Its tool `work` declares itself read-only.
#[tokio::test]
async fn what_a_newcomer_says_of_its_tools_effects_is_not_believed_until_the_operator_does() {
    let strict = "[network]\nallow_loopback = true\n[policy]\ntemplate = \"standard\"\n[approvals]\nhold_seconds = 0\n";
    let believed = "[[servers]]\nname = \"jobs\"\nregistered = true\ntrust_annotations = true\n";
    for (operator, expected) in [("", "pending_approval"), (believed, "succeeded")] {
        let site = Site::open_as(Backing::Sqlite, &format!("{strict}{operator}"));
        let token = site.server_token("jobs");
        let _worker = site.worker(&token, "jobs", "a", &[]);
        let agent = site.agent();
        site.sees(&agent, &BOTH).await;
        let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
        assert_eq!(crate::governed::bank::status(&result), expected, "{operator}");
    }
}

#[tokio::test]
async fn a_server_does_not_speak_for_another() {
    let site = Site::open();
    let (mine, other) = (site.server_token("jobs"), site.server_token("mail"));
    assert_eq!(site.register(&mine, registration("jobs", "a")).await.status, 200);
    let problem = refused(&site.register(&other, registration("jobs", "b")).await, 403, "foreign_name");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("mail") && text.contains("jobs")));
    for name in ["Jobs", "jobs ", "job", "jobs2", "mail/../jobs", ""] {
        let answer = site.register(&other, registration(name, "b")).await;
        refused(&answer, 403, "foreign_name");
    }
    let beat = site.rest(&other, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
    refused(&beat, 403, "foreign_name");
    let leave = site.rest(&other, "DELETE", "/servers/jobs/instances/a", None).await;
    refused(&leave, 403, "foreign_name");
    let told =
        site.try_worker(&other, "jobs", "b").err().expect("a worker with a foreign token does not start");
    assert!(told.contains("403") && told.contains("foreign_name"), "{told}");
    assert_eq!(site.instances("jobs").await, ["a"], "nothing happened to it");
}

#[tokio::test]
async fn only_servers_and_operators_register() {
    let site = Site::open();
    for role in ["agent", "approver", "auditor"] {
        let token = site.token(&format!("--role {role}"));
        refused(&site.register(&token, registration("jobs", "a")).await, 403, "wrong_role");
    }
    let answer =
        site.register("tg_server_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", registration("jobs", "a"));
    assert_eq!(answer.await.status, 401);
    let operator = site.token("--role operator");
    assert_eq!(site.register(&operator, registration("jobs", "a")).await.status, 200);
    let told = site.refuse(&["token", "create", "--role", "server"]);
    assert!(told.contains("--server"), "a server's token is bound to a name: {told}");
}

#[tokio::test]
async fn a_revoked_token_renews_nothing() {
    let site = Site::open();
    let token = site.server_token("jobs");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    let listed: Value = serde_json::from_str(&site.say(&["--json", "token", "list"])).expect("JSON");
    let own =
        listed.as_array().expect("a list").iter().find(|one| one["role"] == "server").expect("it is there");
    site.say(&["token", "revoke", own["id"].as_str().expect("an id")]);
    let gone = until_async(WAIT, || async {
        let beat = site.rest(&token, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
        (beat.status == 401).then_some(())
    });
    gone.await.expect("a revoked token is noticed");
}

#[tokio::test]
async fn a_server_token_opens_nothing_but_its_own_place() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    site.sees(&site.agent(), &BOTH).await;
    let document = site.get("/openapi.json").await;
    let own =
        ["/openapi.json", "/servers/register", "/webhooks/{name}/decisions", "/automations/{name}/fire"];
    let mut walked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        // Addresses that carry their proof ask for no token.
        let proves_itself = path.starts_with("/uploads/") || path.starts_with("/signed/");
        if own.contains(&path.as_str()) || path.contains("/instances/") || proves_itself {
            continue;
        }
        let filled = path.replace(['{', '}'], "");
        for method in methods.as_object().expect("methods").keys() {
            let answer = site.rest(&token, &method.to_uppercase(), &filled, Some(json!({}))).await;
            refused(&answer, 403, "wrong_role");
            walked += 1;
        }
    }
    assert!(walked >= 25, "{walked} routes");
    let mcp = site.agent_with(&token);
    for method in ["tools/list", "server/discover", "subscriptions/listen"] {
        refused(&mcp.modern(method, json!({})).await, 403, "wrong_role");
    }
    refused(
        &mcp.modern("tools/call", json!({ "name": "jobs__work", "arguments": {} })).await,
        403,
        "wrong_role",
    );
    refused(&mcp.raw(crate::doors::initialize("2025-11-25", &json!({}))).await, 403, "wrong_role");
    let sse = HttpClient::finish(mcp.http.get(site.gateway.url("/sse")).bearer_auth(&token)).await;
    assert_eq!(sse.status, 403, "{sse:?}");
}

#[tokio::test]
async fn a_lease_that_is_gone_is_said_to_be_gone_and_can_be_had_again() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let beat = || site.rest(&token, "POST", "/servers/jobs/instances/a/heartbeat", None);
    let problem = refused(&beat().await, 410, "lease_lost");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("register")), "{problem}");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    let renewed = beat().await;
    assert_eq!(
        renewed.json(),
        json!({
            "server": "jobs", "instance_id": "a", "lease_seconds": 600.0, "heartbeat_seconds": 200.0
        })
    );
    let leave = || site.rest(&token, "DELETE", "/servers/jobs/instances/a", None);
    assert_eq!(leave().await.status, 204);
    refused(&leave().await, 410, "lease_lost");
    refused(&beat().await, 410, "lease_lost");
    assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    assert_eq!(beat().await.status, 200);
}

#[tokio::test]
async fn registering_the_same_again_is_one_instance_and_one_event() {
    let site = Site::open();
    let token = site.server_token("jobs");
    for _ in 0..5 {
        assert_eq!(site.register(&token, registration("jobs", "a")).await.status, 200);
    }
    assert_eq!(site.told("server.instance.joined").await.len(), 1);
    let mut other = registration("jobs", "a");
    other["url"] = json!("http://127.0.0.1:10/mcp");
    assert_eq!(site.register(&token, other).await.status, 200);
    let server = site.server("jobs").await;
    assert_eq!(server["instances"].as_array().map(Vec::len), Some(1), "it takes its own place: {server}");
    assert_eq!(server["instances"][0]["url"], "http://127.0.0.1:10/mcp");
    assert_eq!(site.told("server.instance.joined").await.len(), 2);
}

#[tokio::test]
async fn what_is_expected_in_the_file_comes_by_registration() {
    let expected = "[[servers]]\nname = \"jobs\"\nregistered = true\n[servers.tools]\ndeny = [\"write\"]\n";
    let site = Site::open_with(expected);
    let waiting = site.server_is("jobs", |server| server["health"] == "degraded").await;
    assert_eq!(waiting["source"], "expected", "{waiting}");
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &["jobs__work"]).await;
    assert_eq!(done(&call(&agent, "jobs__work", json!({})).await)["instance"], "a");
    // Its instances can be forgotten; that it is expected stays in the file.
    let forget = site.rest(&site.gateway.admin, "DELETE", "/servers/jobs", None).await;
    assert_eq!(forget.status, 204, "{forget:?}");
    let waiting = site.server_is("jobs", |server| server["health"] == "degraded").await;
    assert_eq!((&waiting["source"], &waiting["instances"]), (&json!("expected"), &json!([])), "{waiting}");
}

async fn a_missed_lease_takes_the_last_instance_out_and_its_tools_stay_with_an_honest_error(
    backing: Backing,
) {
    let site = Site::open_on(backing, "");
    let token = site.server_token("jobs");
    let mut worker = site.worker(&token, "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    worker.kill();
    let server = site.server_is("jobs", |server| server["instances"] == json!([])).await;
    let server = match server["reason"].as_str() {
        Some("no instance holds a lease") => server,
        _ => site.server_is("jobs", |server| server["reason"] == "no instance holds a lease").await,
    };
    assert_eq!(server["health"], "degraded", "{server}");
    assert!(server["since"].is_string(), "{server}");
    assert_eq!(names(&agent).await, BOTH, "they are not gone");
    let result = call(&agent, "jobs__work", json!({ "n": 1 })).await;
    assert!(failure(&result).contains("no instance holds a lease"), "{result}");
    let left = site.told("server.instance.left").await;
    assert_eq!((left.len(), &left[0]["detail"]["reason"]), (1, &json!("its lease ran out")), "{left:?}");
    let _again = site.worker(&token, "jobs", "b", &[]);
    site.healthy("jobs", 1).await;
    assert_eq!(done(&call(&agent, "jobs__work", json!({ "n": 1 })).await)["instance"], "b");
}

#[tokio::test]
async fn a_worker_that_ends_says_goodbye_and_finishes_what_is_under_way() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let journal = site.word("journal");
    let mut worker = site.worker(&token, "jobs", "a", &["--journal", &journal]);
    let _other = site.worker(&token, "jobs", "b", &[]);
    site.healthy("jobs", 2).await;
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let slow: Vec<_> = (0..12)
        .map(|n| {
            let client = agent.clone();
            tokio::spawn(async move { call(&client, "jobs__write", json!({ "n": n, "ms": 1500 })).await })
        })
        .collect();
    let reached = || async { std::path::Path::new(&journal).exists().then_some(()) };
    until_async(WAIT, reached).await.expect("one reaches it");
    tokio::task::spawn_blocking(move || worker.end()).await.expect("it ends");
    let left = site.told_at_least("server.instance.left", 1).await;
    assert_eq!(left[0]["detail"], json!({ "instance": "a", "reason": "it said goodbye" }), "{left:?}");
    assert_eq!(site.instances("jobs").await, ["b"]);
    for one in slow {
        done(&one.await.expect("answered"));
    }
}

async fn a_restart_keeps_registrations(backing: Backing) {
    let site = Site::open_on(backing, "");
    let admin = site.gateway.admin.clone();
    let worker = super::worker::Worker::start(&["--name", "jobs", "--instance", "a"]);
    let mut one = registration("jobs", "a");
    one["url"] = json!(worker.url);
    assert_eq!(site.register(&admin, one).await.status, 200);
    site.sees(&site.agent(), &BOTH).await;
    let site = site.restarted(Ending::Asked);
    site.sees(&site.agent(), &BOTH).await;
    let site = site.restarted(Ending::Killed);
    site.sees(&site.agent(), &BOTH).await;
    site.healthy("jobs", 1).await;
    assert_eq!(done(&call(&site.agent(), "jobs__work", json!({})).await)["instance"], "a");
    let beat = site.rest(&admin, "POST", "/servers/jobs/instances/a/heartbeat", None).await;
    assert_eq!(beat.status, 200, "{beat:?}");
    assert_eq!(site.told("server.instance.joined").await.len(), 1);
    assert_eq!(site.told("registry.tools.pinned").await.len(), 1, "nothing is pinned twice");
}

#[tokio::test]
async fn an_operator_forgets_a_server_that_registered() {
    let site = Site::open();
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &["--lease-seconds", "600"]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let forget = || site.rest(&site.gateway.admin, "DELETE", "/servers/jobs", None);
    assert_eq!(forget().await.status, 204);
    site.sees(&agent, &[]).await;
    refused(&forget().await, 404, "unknown_server");
    assert_eq!(site.told("server.removed").await.len(), 1);
    site.tool_is("jobs:work", "retired").await;
}

#[tokio::test]
async fn an_agent_is_not_told_where_a_server_is() {
    let site = Site::open();
    let mut worker = site.worker(&site.server_token("jobs"), "jobs", "a", &[]);
    let agent = site.agent();
    site.sees(&agent, &BOTH).await;
    let address = worker.url.trim_start_matches("http://").split('/').next().expect("a host").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    worker.kill();
    let mut heard = String::new();
    let told = until_async(WAIT, || async {
        let failed = call(&agent, "jobs__work", json!({ "n": 1 })).await;
        assert!(!failed.to_string().contains("127.0.0.1"), "{failed}");
        failed.to_string().contains("could not connect to its address").then_some(failed)
    });
    if let Some(told) = told.await {
        heard = crate::kit::text(&told).to_owned();
    }
    assert!(heard.contains("\"jobs\""), "the agent hears the server's name: {heard}");
    let ledger = site.say(&["ledger", "export", "--kind", "tool.call.completed"]);
    assert!(ledger.contains(&address), "the operator reads the address: {ledger}");
}
