//! Servers that keep a state for their callers: whom they are told, by every door, and that they hear of every end.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::kit::{Remote, call, child, remote};
use crate::live::site::{OPEN, Site};
use crate::runs::work::Work;

/// One server with a state of each era and transport.
const SERVERS: [&str; 4] = ["pipe-older", "pipe-newer", "web-older", "web-newer"];
const COUNTERS: [&str; 2] = ["--tools", "counters"];

struct CountersWorld {
    site: Site,
    _remotes: Vec<Remote>,
}

impl CountersWorld {
    async fn open() -> Self {
        let (mut toml, mut remotes) = (OPEN.to_owned(), Vec::new());
        for name in SERVERS {
            let only = if name.ends_with("older") { "--legacy-only" } else { "--modern-only" };
            let args = [&COUNTERS[..], &[only]].concat();
            if name.starts_with("pipe") {
                toml += &child(name, "conformance-server", &[&["--stdio"], &args[..]].concat());
            } else {
                let started = Remote::start("conformance-server", &args);
                toml += &remote(name, &started.url);
                remotes.push(started);
            }
        }
        let site = Site::open_as(Backing::Sqlite, &toml);
        for name in SERVERS {
            site.server_is(name, |about| about["tools"] == 2).await;
        }
        Self { site, _remotes: remotes }
    }
}

/// An explicitly opened session: its id, and a client in it.
async fn session(site: &Site) -> (String, HttpClient) {
    let answer = site.rest(&site.gateway.agent, "POST", "/sessions", Some(json!({}))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let said = answer.json();
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {said}")).to_owned();
    (text(&said["session"]["id"]), site.agent_with(&text(&said["token"])))
}

async fn run(site: &Site) -> Work {
    let answer = site.rest(&site.gateway.agent, "POST", "/runs", Some(json!({}))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    Work::of(site, &answer.json())
}

/// Counts, and returns the sum and the caller that the server was told.
async fn count(client: &HttpClient, server: &str) -> (u64, Value) {
    counted(&call(client, &format!("{server}__count"), json!({})).await)
}

fn counted(result: &Value) -> (u64, Value) {
    let said = &result["structuredContent"];
    (said["count"].as_u64().unwrap_or_else(|| panic!("no count: {result}")), said["caller"].clone())
}

/// The callers that a server has a state for.
async fn callers(site: &Site, server: &str) -> Vec<String> {
    let said = call(&site.agent(), &format!("{server}__callers"), json!({})).await;
    let callers = said["structuredContent"]["callers"].as_object().unwrap_or_else(|| panic!("{said}"));
    callers.keys().cloned().collect()
}

async fn forgets(site: &Site, server: &str, caller: &str) {
    let gone = until_async(WAIT, || async {
        (!callers(site, server).await.iter().any(|one| one == caller)).then_some(())
    });
    gone.await.unwrap_or_else(|| panic!("{server} never forgot {caller}"));
}

async fn close(site: &Site, session: &str) {
    let closed = site.rest(&site.gateway.admin, "DELETE", &format!("/sessions/{session}"), None).await;
    assert!((200..300).contains(&closed.status), "{closed:?}");
}

#[tokio::test]
async fn each_session_has_a_state_of_its_own_that_ends_with_it() {
    let world = CountersWorld::open().await;
    let site = &world.site;
    let ((one, first), (two, second)) = (session(site).await, session(site).await);
    let mut older = first.clone();
    older.initialize("2025-11-25").await;
    for server in SERVERS {
        assert_eq!(count(&first, server).await, (1, json!({ "session": one })), "{server}");
        assert_eq!(count(&second, server).await, (1, json!({ "session": two })), "{server}");
        let params = json!({ "name": format!("{server}__count"), "arguments": {} });
        let again = counted(&older.legacy(7, "tools/call", params).await.result());
        assert_eq!(again, (2, json!({ "session": one })), "{server}: one session in both eras");
        assert_eq!(callers(site, server).await.len(), 2, "{server}");
    }
    close(site, &one).await;
    for server in SERVERS {
        forgets(site, server, &one).await;
        assert_eq!(count(&second, server).await.0, 2, "{server}: the other goes on");
    }
}

#[tokio::test]
async fn a_run_has_one_state_by_every_door_and_it_ends_with_the_run() {
    let world = CountersWorld::open().await;
    let site = &world.site;
    let work = run(site).await;
    let outside = site.agent();
    for server in SERVERS {
        let (sum, told) = count(&work.client, server).await;
        assert_eq!(
            (sum, &told["run"], &told["session"]),
            (1, &json!(work.id), &json!(work.session)),
            "{server}"
        );
        let meta = json!({ "dev.toolgate/run_id": work.id });
        let params = json!({ "name": format!("{server}__count"), "arguments": {}, "_meta": meta });
        let (sum, told) = counted(&outside.modern("tools/call", params).await.result());
        assert_eq!((sum, &told["run"]), (2, &json!(work.id)), "{server}: a call that names its run");
        assert_ne!(told["session"], json!(work.session), "{server}");
        let path = format!("/runs/{}/tool-calls", work.id);
        let calls = json!({ "calls": [{ "id": server, "name": format!("{server}__count") }] });
        let batch = site.rest(&work.token, "POST", &path, Some(calls)).await;
        assert_eq!(batch.status, 200, "{batch:?}");
        assert_eq!(count(&work.client, server).await.0, 4, "{server}: {batch:?}");
        assert_eq!(count(&outside, server).await.0, 1, "{server}: outside of the run is another state");
    }
    let ended =
        site.rest(&site.gateway.agent, "POST", &format!("/runs/{}/cancel", work.id), Some(json!({}))).await;
    assert_eq!(ended.status, 200, "{ended:?}");
    for server in SERVERS {
        forgets(site, server, &work.id).await;
        assert_eq!(callers(site, server).await.len(), 1, "{server}");
    }
}

#[tokio::test]
async fn nobody_calls_in_the_name_of_another() {
    let world = CountersWorld::open().await;
    let site = &world.site;
    let ((one, first), (two, second)) = (session(site).await, session(site).await);
    let foreign = run(site).await;
    let stranger = site.agent_with(&site.token("--role agent --principal stranger"));
    for server in SERVERS {
        let params =
            |meta: Value| json!({ "name": format!("{server}__count"), "arguments": {}, "_meta": meta });
        assert_eq!(count(&first, server).await.0, 1, "{server}");
        let forged = json!({ "dev.toolgate/caller": { "session": one } });
        let (sum, told) = counted(&second.modern("tools/call", params(forged)).await.result());
        assert_eq!((sum, told), (1, json!({ "session": two })), "{server}");
        let theirs = json!({ "dev.toolgate/run_id": foreign.id });
        let (_, told) = counted(&stranger.modern("tools/call", params(theirs)).await.result());
        assert_eq!(told.get("run"), None, "{server}: {told}");
    }
}

/// The process of the server hangs off the first gateway, and the ends come to the second.
#[tokio::test]
async fn an_end_at_one_gateway_reaches_the_servers_of_another() {
    let backing = Backing::postgres();
    let database = backing.database().expect("it is Postgres").clone();
    let server = child("counters", "conformance-server", &[&["--stdio"], &COUNTERS[..]].concat());
    let one = Site::open_as(backing, &format!("{OPEN}{server}"));
    let mut two = Site::open_as(Backing::Shared(database, "second"), OPEN);
    two.gateway.admin.clone_from(&one.gateway.admin);
    two.gateway.agent.clone_from(&one.gateway.agent);
    one.server_is("counters", |about| about["tools"] == 2).await;
    let (id, client) = session(&one).await;
    let work = run(&one).await;
    count(&client, "counters").await;
    count(&work.client, "counters").await;
    close(&two, &id).await;
    forgets(&one, "counters", &id).await;
    assert_eq!(callers(&one, "counters").await, std::slice::from_ref(&work.id), "the run goes on");
    let cancel = format!("/runs/{}/cancel", work.id);
    let cancelled = two.rest(&two.gateway.admin, "POST", &cancel, Some(json!({}))).await;
    assert_eq!(cancelled.status, 200);
    forgets(&one, "counters", &work.id).await;
}
