//! Settings over the API: whole or not at all, and in effect without a restart.

use std::path::Path;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient, until_async};

use super::site::{Ending, Site, done, failure, refused, registration};
use super::worker::Worker;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(
    servers_are_set_with_the_shape_of_the_seed_and_are_there_at_once,
    a_change_is_made_only_to_what_was_read,
    a_call_under_way_on_a_server_that_is_taken_away_finishes,
);

/// A worker that does not register.
fn job_app(more: &[&str]) -> Worker {
    Worker::start(&[&["--name", "job-app", "--instance", "set"], more].concat())
}

/// A change with an `if-match`.
async fn set_if(site: &Site, tag: &str, key: &str, value: Value) -> HttpAnswer {
    let body = Some(json!({ "value": value }));
    let request = site.request(&site.gateway.admin, "PATCH", &format!("/settings/{key}"), body);
    HttpClient::finish(request.header("if-match", tag)).await
}

async fn servers_are_set_with_the_shape_of_the_seed_and_are_there_at_once(backing: Backing) {
    let site = Site::open_on(backing, "");
    let worker = job_app(&[]);
    let url = worker.url.replace("127.0.0.1", "localhost");
    let body = json!({ "value": [{ "name": "job-app", "url": url }] });
    let answer = site.rest(&site.gateway.admin, "PATCH", "/settings/mcp_servers", Some(body.clone())).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.headers["etag"], "\"1\"", "{answer:?}");
    let setting = answer.json();
    assert_eq!(
        (&setting["key"], &setting["value"], &setting["version"]),
        (&json!("mcp_servers"), &body["value"], &json!(1))
    );
    assert!(setting["updated_by"].is_string() && setting["updated_at"].is_string(), "{setting}");
    let agent = site.agent();
    site.sees(&agent, &["job-app__work", "job-app__write"]).await;
    assert_eq!(done(&call(&agent, "job-app__work", json!({ "n": 1 })).await)["instance"], "set");
    assert_eq!(site.get("/settings/mcp_servers").await, setting);
    assert_eq!(site.get("/settings").await["settings"][0], setting);
    let told = site.told("setting.changed").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        told[0]["detail"],
        json!({ "key": "mcp_servers", "version": 1, "added": ["job-app"], "removed": [], "changed": [] })
    );
    let site = site.restarted(Ending::Asked);
    site.sees(&site.agent(), &["job-app__work", "job-app__write"]).await;
    assert_eq!(site.set("mcp_servers", json!([])).await.status, 200);
    site.sees(&site.agent(), &[]).await;
    assert_eq!(site.told("setting.changed").await[1]["detail"]["removed"], json!(["job-app"]));
}

async fn a_change_is_made_only_to_what_was_read(backing: Backing) {
    let site = Site::open_on(backing, "");
    let one = json!([{ "name": "one", "url": "https://one.example/mcp" }]);
    let two = json!([{ "name": "two", "url": "https://two.example/mcp" }]);
    assert_eq!(set_if(&site, "\"0\"", "mcp_servers", one.clone()).await.status, 200);
    let stale = set_if(&site, "\"0\"", "mcp_servers", two.clone()).await;
    let problem = refused(&stale, 412, "stale");
    assert_eq!(problem["version"], 1, "{problem}");
    assert_eq!(site.get("/settings/mcp_servers").await["value"], one);
    assert_eq!(set_if(&site, "\"1\"", "mcp_servers", two.clone()).await.status, 200);
    assert_eq!(set_if(&site, "*", "mcp_servers", one).await.json()["version"], 3);
    for odd in ["1", "W/\"3\"", "\"x\"", ""] {
        assert_eq!(set_if(&site, odd, "mcp_servers", two.clone()).await.status, 400, "{odd:?}");
    }
    let told = site.refuse(&["settings", "set", "mcp_servers", "[]", "--if-version", "1"]);
    assert!(told.contains("hint"), "{told}");
    site.say(&["settings", "set", "mcp_servers", "[]", "--if-version", "3"]);
    // Many at once: each version is given once.
    let set = || set_if(&site, "\"4\"", "mcp_servers", two.clone());
    let (a, b, c, d) = tokio::join!(set(), set(), set(), set());
    let won = [a, b, c, d].iter().filter(|answer| answer.status == 200).count();
    assert_eq!(won, 1);
    assert_eq!(site.get("/settings/mcp_servers").await["version"], 5);
}

#[tokio::test]
async fn a_value_is_taken_whole_or_not_at_all() {
    let site = Site::open_with("[[servers]]\nname = \"filed\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    assert_eq!(site.register(&site.gateway.admin, registration("registered", "a")).await.status, 200);
    let good = json!({ "name": "good", "url": "https://good.example/mcp" });
    let bad = |value: Value| json!([good, value]);
    let cases = [
        (bad(json!({ "name": "x" })), 422, "value[1].url"),
        (bad(json!({ "url": "https://x.example/" })), 422, "value[1].name"),
        (bad(json!({ "name": "x", "url": "http://169.254.169.254/" })), 422, "value[1].url"),
        (bad(json!({ "name": "x", "url": "http://10.0.0.1/" })), 422, "value[1].url"),
        (bad(json!({ "name": "x", "url": "file:///etc/passwd" })), 422, "value[1].url"),
        (bad(json!({ "name": "x y", "url": "https://x.example/" })), 422, "value[1].name"),
        (bad(json!({ "name": "good", "url": "https://x.example/" })), 422, "value[1].name"),
        (bad(json!({ "name": "GOOD", "url": "https://x.example/" })), 409, "value[1].name"),
        (bad(json!({ "name": "filed", "url": "https://x.example/" })), 409, "value[1].name"),
        (bad(json!({ "name": "Registered", "url": "https://x.example/" })), 409, "value[1].name"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "command": "sh" })), 422, "value[1].command"),
        (bad(json!({ "name": "x", "command": "sh" })), 422, "value[1].command"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "args": [] })), 422, "value[1].args"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "env": {} })), 422, "value[1].env"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "cwd": "/" })), 422, "value[1].cwd"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "prefix": false })), 422, "value[1].prefix"),
        (bad(json!({ "name": "x", "url": "https://x.example/", "rate": "often" })), 422, "value[1].rate"),
        (
            bad(json!({ "name": "x", "url": "https://x.example/", "timeout_seconds": 0 })),
            422,
            "value[1].timeout_seconds",
        ),
        (
            bad(
                json!({ "name": "x", "url": "https://x.example/", "headers": { "Authorization": "Bearer abc" } }),
            ),
            422,
            "value[1].headers.Authorization",
        ),
        (
            bad(json!({ "name": "x", "url": "https://x.example/", "headers": { "X-Api-Key": "abc" } })),
            422,
            "value[1].headers.X-Api-Key",
        ),
        (
            bad(json!({ "name": "x", "url": "https://x.example/", "headers": { "X-Plain": "a\nb" } })),
            422,
            "value[1].headers.X-Plain",
        ),
        (json!({}), 422, "value"),
        (json!("text"), 422, "value"),
        (json!([7]), 422, "value[0]"),
    ];
    for (value, status, field) in cases {
        let answer = site.set("mcp_servers", value.clone()).await;
        let problem = answer.json();
        assert_eq!((answer.status, problem["field"].as_str()), (status, Some(field)), "{value}: {answer:?}");
    }
    let command = site.set("mcp_servers", json!([{ "name": "x", "command": "sh" }])).await.json();
    assert!(command["detail"].as_str().is_some_and(|text| text.contains("operator's file")), "{command}");
    let secret = site
        .set(
            "mcp_servers",
            json!([{ "name": "x", "url": "https://x.example/", "headers": { "Cookie": "abc" } }]),
        )
        .await
        .json();
    assert!(secret["hint"].as_str().is_some_and(|hint| hint.contains("toolgate secrets set")), "{secret}");
    assert!(!secret.to_string().contains("abc"), "{secret}");
    let unchanged = site.get("/settings/mcp_servers").await;
    assert_eq!((&unchanged["version"], &unchanged["value"]), (&json!(0), &json!([])));
    assert_eq!(site.told("setting.changed").await, Vec::<Value>::new());
    refused(&site.set("nothing", json!([])).await, 404, "unknown_setting");
    let nothing = site.rest(&site.gateway.admin, "PATCH", "/settings/mcp_servers", Some(json!({}))).await;
    assert_eq!(nothing.status, 422, "{nothing:?}");
}

#[tokio::test]
async fn who_may_read_and_change_settings() {
    let site = Site::open();
    let good = json!({ "value": [] });
    for (role, reads, changes) in [
        ("admin", 200, 200),
        ("operator", 200, 200),
        ("auditor", 200, 403),
        ("approver", 403, 403),
        ("agent", 403, 403),
    ] {
        let token = site.token(&format!("--role {role}"));
        let read = site.rest(&token, "GET", "/settings/mcp_servers", None).await;
        let change = site.rest(&token, "PATCH", "/settings/mcp_servers", Some(good.clone())).await;
        assert_eq!((read.status, change.status), (reads, changes), "{role}");
    }
}

#[tokio::test]
async fn without_permission_loopback_cannot_be_set() {
    let site = Site::open_as(Backing::Sqlite, "[policy]\ntemplate = \"exploratory\"\n");
    let answer =
        site.set("mcp_servers", json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }])).await;
    let problem = refused(&answer, 422, "invalid_setting");
    assert_eq!(problem["field"], "value[0].url");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("allow_loopback")), "{problem}");
    let told = site.refuse(&[
        "settings",
        "set",
        "mcp_servers",
        r#"[{"name":"job-app","url":"http://[::1]:4000/mcp"}]"#,
    ]);
    assert!(told.contains("allow_loopback"), "the command line keeps to the same rules: {told}");
}

async fn a_call_under_way_on_a_server_that_is_taken_away_finishes(backing: Backing) {
    let site = Site::open_on(backing, "");
    let journal = site.word("journal");
    let worker = job_app(&["--journal", &journal]);
    let set = json!([{ "name": "job-app", "url": worker.url }]);
    assert_eq!(site.set("mcp_servers", set).await.status, 200);
    let agent = site.agent();
    site.sees(&agent, &["job-app__work", "job-app__write"]).await;
    let client = agent.clone();
    let slow =
        tokio::spawn(async move { call(&client, "job-app__write", json!({ "n": 1, "ms": 2500 })).await });
    until_async(WAIT, || async { Path::new(&journal).exists().then_some(()) })
        .await
        .expect("it reaches the worker");
    assert_eq!(site.set("mcp_servers", json!([])).await.status, 200);
    site.sees(&agent, &[]).await;
    assert!(!slow.is_finished(), "it is still under way");
    assert_eq!(done(&slow.await.expect("answered"))["arguments"]["n"], 1);
    let gone = agent.modern("tools/call", json!({ "name": "job-app__write", "arguments": {} })).await;
    assert!(gone.response().get("error").is_some(), "{gone:?}");
    let ends = site.told_at_least("tool.call.completed", 2).await;
    let outcomes: Vec<_> = ends.iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["succeeded", "refused"], "{ends:?}");
}

#[tokio::test]
async fn settings_change_limits_filters_and_addresses_of_a_server_that_runs() {
    let site = Site::open();
    let (one, two) = (job_app(&[]), Worker::start(&["--name", "job-app", "--instance", "other"]));
    let entry = |url: &str| json!({ "name": "job-app", "url": url });
    assert_eq!(site.set("mcp_servers", json!([entry(&one.url)])).await.status, 200);
    let agent = site.agent();
    site.sees(&agent, &["job-app__work", "job-app__write"]).await;
    let mut filtered = entry(&one.url);
    filtered["tools"] = json!({ "deny": ["write"] });
    assert_eq!(site.set("mcp_servers", json!([filtered])).await.status, 200);
    site.sees(&agent, &["job-app__work"]).await;
    assert_eq!(site.set("mcp_servers", json!([entry(&two.url)])).await.status, 200);
    let moved = until_async(WAIT, || async {
        let result = call(&agent, "job-app__work", json!({})).await;
        (result["structuredContent"]["instance"] == "other").then_some(())
    });
    moved.await.expect("the next calls go to the new address");
    let mut off = entry(&two.url);
    off["enabled"] = json!(false);
    assert_eq!(site.set("mcp_servers", json!([off])).await.status, 200);
    site.sees(&agent, &[]).await;
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_disturbs_no_other() {
    let site = Site::open();
    let worker = job_app(&[]);
    let set = json!([
        { "name": "gone", "url": "http://127.0.0.1:9/mcp" },
        { "name": "job-app", "url": worker.url },
    ]);
    assert_eq!(site.set("mcp_servers", set).await.status, 200);
    let agent = site.agent();
    site.sees(&agent, &["job-app__work", "job-app__write"]).await;
    done(&call(&agent, "job-app__work", json!({})).await);
    let gone = site.server_is("gone", |server| server["health"] == "degraded").await;
    assert_eq!(gone["source"], "settings");
    drop(worker);
    let down = until_async(WAIT, || async {
        let result = call(&agent, "job-app__write", json!({})).await;
        Some(failure(&result).to_owned()).filter(|text| text.contains("not available"))
    });
    down.await.expect("it says that the server is away");
    assert_eq!(names(&agent).await.len(), 2);
}

#[tokio::test]
async fn a_name_that_is_set_wins_over_one_that_registered_and_gives_it_back() {
    let site = Site::open();
    let token = site.server_token("job-app");
    let _registered = site.worker(&token, "job-app", "registered", &[]);
    let agent = site.agent();
    site.sees(&agent, &["job-app__work", "job-app__write"]).await;
    let worker = job_app(&[]);
    let answer = site.set("mcp_servers", json!([{ "name": "job-app", "url": worker.url }])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let served_by = async |instance: &str| {
        let there = until_async(WAIT, || async {
            let result = call(&agent, "job-app__work", json!({})).await;
            (result["structuredContent"]["instance"] == instance).then_some(())
        });
        there.await.unwrap_or_else(|| panic!("never served by {instance}"));
    };
    served_by("set").await;
    let problem = refused(&site.register(&token, registration("job-app", "more")).await, 409, "name_taken");
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("mcp_servers")), "{problem}");
    assert_eq!(site.set("mcp_servers", json!([])).await.status, 200);
    served_by("registered").await;
}
