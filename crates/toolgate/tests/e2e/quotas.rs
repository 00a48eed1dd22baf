//! The quotas of a principal or agent: waiting, refusals and their wording, and the state after a restart.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpClient, until_async};

use crate::doors::{Events, WAIT, another_token};
use crate::governed::bank::{Bank, NO_HOLD, money, pending};
use crate::kit::{call, listed};
use crate::{boot, conforming};

const ECHO: &str = "conf__echo";
const TRANSFER: &str = "bank__transfer";

async fn open(toml: &str) -> Gateway {
    let gateway = boot(&format!("{toml}{}", conforming("conf", &[])));
    listed(&gateway, ECHO).await;
    gateway
}

fn quota(who: &str, what: &str) -> String {
    format!("[[quotas]]\n{who}\n{what}\n")
}

/// The code of a refused call.
fn code(result: &Value) -> &str {
    result["structuredContent"]["error"]["code"].as_str().unwrap_or("none")
}

async fn echo(client: &HttpClient) -> Value {
    call(client, ECHO, json!({ "message": "hi", "text": "hi" })).await
}

async fn by_rest(gateway: &Gateway, client: &HttpClient) -> (u16, Value) {
    let request = client.http.post(gateway.url("/tools/call")).bearer_auth(&client.token);
    let answer =
        HttpClient::finish(request.json(&json!({ "name": "conf:echo", "arguments": { "text": "hi" } })))
            .await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn calls_beyond_the_limit_of_a_session_wait_for_their_turn() {
    let gateway = open("[limits]\ncalls_per_client_max = 4\n").await;
    let mut client = gateway.client();
    client.initialize("2025-11-25").await;
    let calls = (1..=32).map(|id| {
        let client = client.clone();
        tokio::spawn(async move {
            client.legacy(id, "tools/call", json!({ "name": "conf__test_tool_with_progress" })).await
        })
    });
    for call in calls.collect::<Vec<_>>() {
        let answer = call.await.expect("no panic");
        assert_ne!(answer.result()["isError"], true, "{answer:?}");
    }
}

#[tokio::test]
async fn more_calls_than_the_rate_are_refused_in_every_way_and_other_people_are_not() {
    let gateway = open(&quota("principal = \"*\"", "rate = \"2/h\"")).await;
    let client = gateway.client();
    for _ in 0..2 {
        assert_ne!(echo(&client).await["isError"], true);
    }
    let refused = echo(&client).await;
    assert_eq!((&refused["isError"], code(&refused)), (&json!(true), "rate_limited"), "{refused}");
    let (status, refused) = by_rest(&gateway, &client).await;
    assert_eq!((status, &refused["error"]["code"]), (429, &json!("rate_limited")), "{refused}");
    assert!(refused["error"]["hint"].as_str().is_some_and(|hint| hint.contains("seconds")), "{refused}");
    let other = HttpClient::new(&gateway.endpoint, &another_token(&gateway));
    assert_ne!(echo(&other).await["isError"], true);
}

#[tokio::test]
async fn the_calls_of_a_day_outlive_a_restart() {
    let gateway = open(&quota("agent = \"default\"", "calls_per_day = 2")).await;
    for _ in 0..2 {
        assert_ne!(echo(&gateway.client()).await["isError"], true);
    }
    let gateway = gateway.restart(false);
    listed(&gateway, ECHO).await;
    let refused = echo(&gateway.client()).await;
    assert_eq!(code(&refused), "call_budget_spent", "{refused}");
}

#[tokio::test]
async fn streams_are_limited_and_a_changed_quota_counts_at_once() {
    let gateway = open(&quota("principal = \"*\"", "streams_max = 1")).await;
    let client = gateway.client();
    let listen = |id| client.modern_request(id, "subscriptions/listen", json!({ "notifications": {} }));
    let mut first = Events::open(listen(1)).await;
    first.called("notifications/subscriptions/acknowledged").await;
    let refused = HttpClient::finish(listen(2)).await;
    let error = &refused.response()["error"];
    assert_eq!((refused.status, &error["data"]["code"]), (429, &json!("too_many_streams")), "{refused:?}");
    let path = gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    std::fs::write(&path, text.replace("streams_max = 1", "streams_max = 2")).expect("it is written");
    let second = until_async(WAIT, || async {
        let answer = listen(3).send().await.expect("an answer");
        (answer.status() == 200).then_some(answer)
    });
    second.await.expect("the new quota counts");
}

#[tokio::test]
async fn streams_of_events_and_of_mcp_count_together() {
    let gateway = open(&quota("principal = \"*\"", "streams_max = 2")).await;
    let get = |token: &str, path: &str| {
        gateway.client().http.get(gateway.url(path)).bearer_auth(token).header("accept", "text/event-stream")
    };
    let admin = gateway.admin.clone();
    let client = HttpClient::new(&gateway.endpoint, &admin);
    let started = client.http.post(gateway.url("/runs")).bearer_auth(&admin).json(&json!({}));
    let run = HttpClient::finish(started).await.json()["run"]["id"].as_str().expect("a run").to_owned();
    let of_run = format!("/runs/{run}/events");

    let everything = Events::open(get(&admin, "/events")).await;
    let _of_run = Events::open(get(&admin, &of_run)).await;
    for path in ["/events", &of_run] {
        let refused = HttpClient::finish(get(&admin, path)).await;
        let problem = refused.json();
        assert_eq!((refused.status, &problem["code"]), (429, &json!("too_many_streams")), "{refused:?}");
        assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("streams_max")), "{problem}");
        assert_eq!(problem["retry"], true, "{problem}");
    }
    let listen = |id| client.modern_request(id, "subscriptions/listen", json!({ "notifications": {} }));
    let refused = HttpClient::finish(listen(1)).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let agent = gateway.client();
    Events::open(agent.modern_request(2, "subscriptions/listen", json!({ "notifications": {} }))).await;

    drop(everything);
    let freed = until_async(WAIT, || async {
        let answer = listen(3).send().await.expect("an answer");
        (answer.status() == 200).then_some(answer)
    });
    let _freed = freed.await.expect("a stream that nobody reads any more leaves its place");
    assert_eq!(HttpClient::finish(get(&admin, "/events")).await.status, 429);
}

#[tokio::test]
async fn people_are_not_flooded_with_questions() {
    let gated = format!("{NO_HOLD}[policy]\ntemplate = \"audit_critical\"\n");
    let bank = Bank::open(&format!("{gated}{}", quota("principal = \"*\"", "approvals_max = 2")));
    let agent = bank.agent();
    for amount in [1, 2] {
        pending(&call(&agent, TRANSFER, money(amount)).await);
    }
    let refused = call(&agent, TRANSFER, money(3)).await;
    assert_eq!(code(&refused), "too_many_approvals", "{refused}");
    pending(&call(&agent, TRANSFER, money(2)).await);
}

#[tokio::test]
async fn files_are_kept_up_to_a_sum() {
    let gateway = open(&quota("principal = \"*\"", "stored_bytes_max = 10")).await;
    let client = gateway.client();
    let upload = |name: &str, bytes: &'static str| {
        let request =
            client.http.post(gateway.url(&format!("/files?name={name}"))).bearer_auth(&client.token);
        HttpClient::finish(request.header("content-type", "application/octet-stream").body(bytes))
    };
    assert_eq!(upload("a.txt", "12345678").await.status, 201);
    let refused = upload("b.txt", "12345678").await;
    assert_eq!((refused.status, &refused.json()["code"]), (429, &json!("storage_quota")), "{refused:?}");
}

#[test]
fn a_quota_is_about_somebody() {
    for (toml, word) in [
        ("[[quotas]]\nrate = \"1/s\"\n", "neither `principal` nor `agent`"),
        ("[[quotas]]\nprincipal = \"a\"\nagent = \"b\"\n", "both `principal` and `agent`"),
        ("[[quotas]]\nagent = \"b\"\nstreams_max = 2\n", "not for agents"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("toolgate.toml");
        std::fs::write(&path, toml).expect("it is written");
        let mut command = std::process::Command::new(crate::toolgate());
        let output = command.arg("--config").arg(&path).arg("doctor").output().expect("it runs");
        let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(told.contains(word), "{told}");
    }
}
