//! The mounts of a session can be changed while it is used: only its clients are notified.

use serde_json::{Value, json};

use super::ears::EraListeners;
use super::stage::{Stage, is_unknown, response};
use crate::kit::{call, names};
use crate::live::site::{done, refused};

#[tokio::test]
async fn other_mounts_are_another_list_and_only_its_clients_are_told() {
    let mut stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let opened = stage.session(&token, json!({ "mounts": { "servers": ["one"] } })).await;
    let sibling = stage.session(&token, json!({})).await;
    let mut ears = EraListeners::open(&opened.client).await;
    let others = [
        ("a session of the same agent", EraListeners::open(&sibling.client).await),
        ("the agent's default session", EraListeners::open(&stage.site.agent_with(&token)).await),
        ("another agent", EraListeners::open(&stage.bound("other")).await),
        ("anybody else", EraListeners::open(&stage.site.agent()).await),
    ];
    for (servers, seen) in [
        (json!(["two"]), &["two__work", "two__write"][..]),
        (json!([]), &["one__work", "one__write", "two__work", "two__write"]),
        (json!(["one"]), &["one__work", "one__write"]),
    ] {
        let answer = stage.mount(&token, &opened.id, json!({ "servers": servers })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        ears.hear().await;
        assert_eq!(names(&opened.client).await, seen, "the list is new when the news come");
    }
    done(&call(&opened.client, "one__work", json!({})).await);
    is_unknown(&response(&opened.client, "two__work", json!({})).await, "two__work");
    let changed = stage.told_of("session.changed", &opened.id).await;
    assert_eq!(changed.len(), 3, "{changed:?}");
    assert_eq!(changed[0]["detail"]["from"], json!({ "servers": ["one"] }), "{changed:?}");
    assert_eq!(changed[0]["detail"]["to"], json!({ "servers": ["two"] }), "{changed:?}");
    stage.site.gateway.end(false);
    for (who, ears) in others {
        ears.heard_nothing_more(who).await;
    }
    ears.heard_nothing_more("the session itself").await;
}

#[tokio::test]
async fn what_a_session_may_touch_is_for_its_opener_and_operators_to_say() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let opened = stage.session(&token, json!({ "mounts": { "servers": ["one"] } })).await;
    let two = json!({ "servers": ["two"] });
    let own = stage.mount(&opened.client.token, &opened.id, two.clone()).await;
    assert_eq!(own.status, 403, "whoever was given a session does not widen it: {own:?}");
    for stranger in [&stage.bound_token("other"), &stage.site.gateway.agent] {
        assert_eq!(stage.mount(stranger, &opened.id, two.clone()).await.status, 404);
    }
    assert_eq!(names(&opened.client).await, ["one__work", "one__write"]);
    let path = format!("/sessions/{}", opened.id);
    let late = stage.site.request(&token, "PATCH", &path, Some(json!({ "mounts": two })));
    let late = toolgate_testkit::gateway::HttpClient::finish(late.header("if-match", "\"7\"")).await;
    assert_eq!(late.status, 412, "{late:?}");
    assert_eq!(stage.mount(&stage.site.gateway.admin, &opened.id, two).await.status, 200);
    assert_eq!(names(&opened.client).await, ["two__work", "two__write"]);
}

#[tokio::test]
async fn a_tool_that_needs_something_mounted_is_seen_once_it_is() {
    let needs = "[[tools]]\nname = \"one:write\"\nmounts = [\"provider:slack\"]\n";
    let stage = Stage::open(needs).await;
    let token = stage.bound_token("writer");
    let opened = stage.session(&token, json!({ "mounts": { "servers": ["one"] } })).await;
    assert_eq!(names(&opened.client).await, ["one__work"]);
    is_unknown(&response(&opened.client, "one__write", json!({})).await, "one__write");
    let with = json!({ "servers": ["one"], "providers": ["slack"] });
    assert_eq!(stage.mount(&token, &opened.id, with).await.status, 200);
    assert_eq!(names(&opened.client).await, ["one__work", "one__write"]);
    let path = format!("/sessions/{}/explain", opened.id);
    let explained = stage.site.get(&path).await;
    let why = |tool: &str| -> Value {
        let all = explained["tools"].as_array().expect("a list");
        all.iter().find(|one| one["tool"] == tool).cloned().unwrap_or_else(|| panic!("{tool}: {explained}"))
    };
    assert!(why("two:work").to_string().contains("mount"), "{explained}");
    let gone = stage.mount(&token, &opened.id, json!({ "providers": ["slakc"] })).await;
    let problem = refused(&gone, 422, "unknown_mount");
    assert_eq!(problem["field"], "mounts.providers", "{problem}");
    assert_eq!(names(&opened.client).await, ["one__work", "one__write"], "nothing changed");
}
