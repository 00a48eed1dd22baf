//! Changes reach those who listen: agents of both eras, and programs on `GET /events`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use toolgate_testkit::gateway::HttpClient;

use super::site::{Site, registration, tool};
use super::worker::Worker;
use crate::doors::{Event, Events};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(events_of_the_registry_are_followed_and_taken_up_where_they_stopped);

const CHANGED: &str = "notifications/tools/list_changed";

async fn subscription(client: &HttpClient) -> Events {
    let params = json!({ "notifications": { "toolsListChanged": true } });
    let mut events = Events::open(client.modern_request(31, "subscriptions/listen", params)).await;
    events.called("notifications/subscriptions/acknowledged").await;
    events
}

/// The stream of a session of the older era.
async fn session(client: &HttpClient) -> Events {
    let mut client = client.clone();
    client.initialize("2025-11-25").await;
    let get =
        client.http.get(&client.endpoint).bearer_auth(&client.token).header("accept", "text/event-stream");
    Events::open(get.header("mcp-session-id", client.session.clone().expect("open"))).await
}

#[tokio::test]
async fn agents_of_both_eras_hear_of_every_kind_of_change() {
    let site = Site::open();
    let agent = site.agent();
    let (mut newer, mut older) = (subscription(&agent).await, session(&agent).await);
    let token = site.server_token("jobs");
    site.offer("tools.json", &json!([tool("run", "Runs")]));
    let _worker = site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json")]);
    heard(&mut newer, &mut older, "a server registers").await;
    assert_eq!(names(&agent).await, ["jobs__run"], "the list is new when the news come");
    site.offer("tools.json", &json!([tool("run", "Runs"), tool("stop", "Stops")]));
    heard(&mut newer, &mut older, "a tool is new").await;
    assert_eq!(names(&agent).await, ["jobs__run", "jobs__stop"]);
    site.offer("tools.json", &json!([tool("run", "Runs wild"), tool("stop", "Stops")]));
    heard(&mut newer, &mut older, "a tool is withheld").await;
    assert_eq!(names(&agent).await, ["jobs__stop"]);
    site.say(&["tools", "accept", "jobs:run"]);
    heard(&mut newer, &mut older, "a tool is accepted").await;
    assert_eq!(names(&agent).await, ["jobs__run", "jobs__stop"]);
    let value = json!([{ "name": "jobs.queue.run", "tool": "jobs:run", "primary": true }]);
    assert_eq!(site.set("aliases", value).await.status, 200);
    heard(&mut newer, &mut older, "a tool is called something else").await;
    assert_eq!(names(&agent).await, ["jobs__queue__run", "jobs__stop"]);
    site.rest(&site.gateway.admin, "DELETE", "/servers/jobs", None).await;
    heard(&mut newer, &mut older, "a server is gone").await;
    assert_eq!(names(&agent).await, Vec::<String>::new());
}

async fn heard(newer: &mut Events, older: &mut Events, what: &str) {
    let both = async { tokio::join!(newer.called(CHANGED), older.called(CHANGED)) };
    timeout(Duration::from_secs(10), both).await.unwrap_or_else(|_| panic!("not heard: {what}"));
}

#[tokio::test]
async fn many_changes_are_a_few_notifications() {
    const SERVERS: usize = 40;
    let site = Site::open();
    let agent = site.agent();
    let mut newer = subscription(&agent).await;
    let worker = Worker::start(&["--name", "many", "--instance", "a"]);
    let registering: Vec<_> = (0..SERVERS)
        .map(|number| {
            let mut one = registration(&format!("many-{number:02}"), "a");
            one["url"] = json!(worker.url);
            let request = site.request(&site.gateway.admin, "POST", "/servers/register", Some(one));
            tokio::spawn(async move { HttpClient::finish(request).await.status })
        })
        .collect();
    for one in registering {
        assert_eq!(one.await.expect("answered"), 200);
    }
    agent.tool_names(2 * SERVERS).await;
    let mut notifications = 0;
    while let Ok(news) = timeout(Duration::from_millis(700), newer.message()).await {
        assert_eq!(news["method"], CHANGED, "{news}");
        notifications += 1;
    }
    assert!((1..=SERVERS / 2).contains(&notifications), "{notifications} notifications of {SERVERS} changes");
}

#[tokio::test]
async fn what_changes_nothing_for_agents_is_not_announced() {
    let site = Site::open();
    let agent = site.agent();
    let token = site.server_token("jobs");
    let _one = site.worker(&token, "jobs", "one", &[]);
    site.sees(&agent, &["jobs__work", "jobs__write"]).await;
    let mut newer = subscription(&agent).await;
    // Another instance, heartbeats and a goodbye change no list.
    let mut two = site.worker(&token, "jobs", "two", &[]);
    site.healthy("jobs", 2).await;
    tokio::task::spawn_blocking(move || two.end()).await.expect("it ends");
    site.told_at_least("server.instance.left", 1).await;
    let mail = site.server_token("mail");
    let _mail = site.worker(&mail, "mail", "a", &[]);
    newer.called(CHANGED).await;
    assert!(
        names(&agent).await.iter().any(|name| name.starts_with("mail__")),
        "the first news are of the mail"
    );
}

/// `GET /events`.
async fn follow(site: &Site, token: &str, query: &str, last: Option<&str>) -> Events {
    let mut request = site.request(token, "GET", &format!("/events{query}"), None);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    Events::open(request).await
}

/// Reads on until an event of this kind.
async fn until_kind(events: &mut Events, kind: &str) -> Vec<Event> {
    let mut seen = Vec::new();
    loop {
        let event = events.event().await;
        let found = event.kind.as_deref() == Some(kind);
        seen.push(event);
        if found {
            return seen;
        }
    }
}

async fn events_of_the_registry_are_followed_and_taken_up_where_they_stopped(backing: Backing) {
    let site = Site::open_on(backing, "");
    let admin = site.gateway.admin.clone();
    let mut all = follow(&site, &admin, "", None).await;
    let mut registry = follow(&site, &admin, "?kinds=registry", None).await;
    let token = site.server_token("jobs");
    site.offer("tools.json", &json!([tool("run", "Runs")]));
    let _worker = site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json")]);
    let seen = until_kind(&mut all, "registry.tools.pinned").await;
    let kinds: Vec<&str> = seen.iter().filter_map(|event| event.kind.as_deref()).collect();
    for kind in ["server.added", "server.instance.joined"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let numbers: Vec<i64> =
        seen.iter().map(|event| event.json()["number"].as_i64().expect("a number")).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    let first = registry.event().await;
    assert_eq!(first.kind.as_deref(), Some("registry.tools.pinned"), "only what was asked for");
    let shown = site.told("registry.tools.pinned").await;
    assert_eq!(first.json(), shown[0], "as the ledger shows it");
    drop(all);
    site.offer("tools.json", &json!([tool("run", "Runs wild")]));
    site.tool_is("jobs:run", "quarantined").await;
    let last = first.id.clone().expect("an id");
    for mut resumed in [
        follow(&site, &admin, "?kinds=registry", Some(&last)).await,
        follow(&site, &admin, &format!("?kinds=registry&after={last}"), None).await,
    ] {
        let next = resumed.event().await;
        assert_eq!(next.kind.as_deref(), Some("registry.tool.quarantined"), "{next:?}");
        assert_eq!(next.json()["tool"], "jobs:run");
    }
    assert_eq!(registry.event().await.kind.as_deref(), Some("registry.tool.quarantined"));
    let from_start = follow(&site, &admin, "?after=0", None).await.event().await;
    assert_eq!(from_start.json()["number"], 1, "{from_start:?}");
    for wrong in ["?kinds=nothing", "?after=-1", "?after=999999999", "?colour=red"] {
        let answer = site.rest(&admin, "GET", &format!("/events{wrong}"), None).await;
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
}

#[tokio::test]
async fn approvers_follow_approvals_and_nothing_else() {
    let toml = "[network]\nallow_loopback = true\n[approvals]\nhold_seconds = 0\n\
        [policy]\ngates = 'forbid (principal, action == Action::\"jobs:write\", resource);'\n";
    let site = Site::open_as(Backing::Sqlite, toml);
    let approver = site.token("--role approver --principal ann");
    let mut theirs = follow(&site, &approver, "", None).await;
    let mut runs = follow(&site, &site.gateway.admin, "?kinds=run,approval", None).await;
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &[]);
    site.sees(&site.agent(), &["jobs__work", "jobs__write"]).await;
    call(&site.agent(), "jobs__write", json!({ "n": 1 })).await;
    let asked = theirs.event().await;
    assert_eq!(asked.kind.as_deref(), Some("approval.requested"), "{asked:?}");
    let id = asked.json()["approval"].as_str().expect("an approval").to_owned();
    let decided = site
        .rest(&approver, "POST", &format!("/approvals/{id}/decide"), Some(json!({ "decision": "approve" })))
        .await;
    assert_eq!(decided.status, 200, "{decided:?}");
    let heard = theirs.event().await;
    assert!(heard.kind.as_deref().is_some_and(|kind| kind.starts_with("approval.")), "{heard:?}");
    call(&site.agent(), "jobs__write", json!({ "n": 1 })).await;
    let seen = until_kind(&mut runs, "tool.call.completed").await;
    assert!(seen.iter().any(|event| event.kind.as_deref() == Some("approval.requested")), "{seen:?}");
    let answer = site.rest(&approver, "GET", "/events?kinds=registry", None).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    for role in ["agent", "server --server jobs"] {
        let other = site.token(&format!("--role {role}"));
        assert_eq!(site.rest(&other, "GET", "/events", None).await.status, 403, "{role}");
    }
    let _: Value = heard.json();
}

#[tokio::test]
async fn streams_of_events_are_bounded_and_go_on_after_a_restart() {
    let site = Site::open();
    let admin = site.gateway.admin.clone();
    let mut open = Vec::new();
    let full = loop {
        let response = site.request(&admin, "GET", "/events", None).send().await.expect("an answer");
        if response.status() != 200 {
            break response;
        }
        open.push(response);
        assert!(open.len() <= 1000, "there is no end to streams");
    };
    assert_eq!(full.status(), 429);
    drop(open);
    let again = toolgate_testkit::gateway::until_async(crate::doors::WAIT, || async {
        let response = site.request(&admin, "GET", "/events", None).send().await.expect("an answer");
        (response.status() == 200).then_some(())
    });
    again.await.expect("a stream that was closed makes room for another");
    assert_eq!(site.register(&admin, registration("jobs", "a")).await.status, 200);
    let joined = site.told("server.instance.joined").await;
    let last = joined[0]["position"].as_str().expect("a position").to_owned();
    let site = site.restarted(super::site::Ending::Killed);
    assert_eq!(site.register(&admin, registration("mail", "a")).await.status, 200);
    let mut resumed = follow(&site, &admin, "?kinds=server.instance", Some(&last)).await;
    assert_eq!(resumed.event().await.json()["server"], "mail", "nothing is missed and nothing comes twice");
}
