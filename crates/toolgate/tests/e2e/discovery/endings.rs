//! The ends of sessions: explicit closing, idleness, age, and excess.

use serde_json::json;
use toolgate_testkit::gateway::HttpClient;

use super::ears::EraListeners;
use super::stage::{Stage, becomes, older};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};
use crate::live::site::{Ending, done, refused};

on_both!(a_closed_session_is_over_for_its_token_and_stays_so);

const BRIEF: &str = r#"
[[agents]]
name = "brief"
limits = { idle_seconds = 1 }
[[agents]]
name = "short"
limits = { lifetime_seconds = 1 }
[[agents]]
name = "few"
limits = { sessions_max = 1 }
"#;

/// Its token is no longer valid.
async fn is_over(client: &HttpClient) -> bool {
    let answer = client.modern("tools/list", json!({})).await;
    assert!([200, 401].contains(&answer.status), "{answer:?}");
    answer.status == 401
}

async fn a_closed_session_is_over_for_its_token_and_stays_so(backing: Backing) {
    let stage = Stage::open_on(backing, "").await;
    let token = stage.bound_token("writer");
    let opened = stage.session(&token, json!({})).await;
    let connected = older(&opened.client).await;
    let ears = EraListeners::open(&opened.client).await;
    done(&call(&opened.client, "one__work", json!({})).await);
    let path = format!("/sessions/{}", opened.id);
    let closed = stage.site.rest(&opened.client.token, "DELETE", &path, None).await;
    assert_eq!((closed.status, &closed.json()["state"]), (200, &json!("closed")), "{closed:?}");
    for client in [opened.client.clone(), stage.at(&opened.client, &opened.path)] {
        assert!(is_over(&client).await, "at once");
        let params = json!({ "name": "one__work", "arguments": {} });
        assert_eq!(client.modern("tools/call", params).await.status, 401);
    }
    let listed = connected.legacy(1, "tools/list", json!({})).await;
    assert_eq!(listed.status, 401, "nor in a connection that was open: {listed:?}");
    ears.fall_silent().await;
    let rest = stage.site.rest(&opened.client.token, "GET", "/tools", None).await;
    assert_eq!(rest.status, 401, "{rest:?}");
    let told = stage.told_of("session.closed", &opened.id).await;
    assert_eq!((told.len(), &told[0]["detail"]["reason"]), (1, &json!("closed")), "{told:?}");
    let late = stage.mount(&token, &opened.id, json!({})).await;
    assert_eq!(late.status, 410, "{late:?}");
    assert_eq!(names(&stage.site.agent_with(&token)).await.len(), 4, "the agent itself goes on");
    let site = stage.site.restarted(Ending::Killed);
    assert!(is_over(&site.agent_with(&opened.client.token)).await, "over a restart too");
}

#[tokio::test]
async fn a_session_lives_over_a_restart_with_what_it_was_promised() {
    let stage = Stage::open("").await;
    let opened =
        stage.session(&stage.bound_token("writer"), json!({ "mounts": { "servers": ["two"] } })).await;
    assert_eq!(names(&opened.client).await, ["two__work", "two__write"]);
    let site = stage.site.restarted(Ending::Killed);
    let client = site.agent_with(&opened.client.token);
    site.sees(&client, &["two__work", "two__write"]).await;
    done(&call(&client, "two__work", json!({})).await);
}

#[tokio::test]
async fn a_session_that_nobody_uses_or_that_is_too_old_is_closed() {
    let stage = Stage::open(BRIEF).await;
    for (agent, reason) in [("brief", "idle"), ("short", "lifetime")] {
        let opened = stage.session(&stage.site.gateway.agent, json!({ "agent": agent })).await;
        assert_eq!(opened.said["session"]["state"], "active");
        let path = format!("/sessions/{}", opened.id);
        let closed = stage.site.becomes(&path, |one| one["state"] == "closed").await;
        assert_eq!(closed["closed_because"], reason, "{closed}");
        assert!(is_over(&opened.client).await, "{agent}");
        let told = stage.told_of("session.closed", &opened.id).await;
        assert_eq!((told.len(), &told[0]["detail"]["reason"]), (1, &json!(reason)), "{told:?}");
    }
    let usual = stage.session(&stage.site.gateway.agent, json!({})).await;
    assert!(!is_over(&usual.client).await);
}

#[tokio::test]
async fn sessions_end_with_the_token_that_opened_them() {
    let stage = Stage::open("").await;
    let (leaving, staying) = (stage.bound_token("writer"), stage.bound_token("writer"));
    let ended = stage.session(&leaving, json!({})).await;
    let kept = stage.session(&staying, json!({})).await;
    assert!(!is_over(&ended.client).await);
    let tokens = stage.site.get("/tokens").await;
    let of_leaving = tokens["tokens"].as_array().into_iter().flatten().filter(|one| one["agent"] == "writer");
    let ids: Vec<&str> = of_leaving.filter_map(|one| one["id"].as_str()).collect();
    let admin = &stage.site.gateway.admin;
    let revoked = stage.site.rest(admin, "DELETE", &format!("/tokens/{}", ids[0]), None).await;
    assert_eq!(revoked.status, 204, "{revoked:?}");
    becomes("its token is refused", || async { is_over(&ended.client).await }).await;
    let path = format!("/sessions/{}", ended.id);
    let closed = stage.site.becomes(&path, |one| one["state"] == "closed").await;
    assert_eq!(closed["closed_because"], "revoked", "{closed}");
    let told = stage.told_of("session.closed", &ended.id).await;
    assert_eq!((told.len(), &told[0]["detail"]["reason"]), (1, &json!("revoked")), "{told:?}");
    assert!(!is_over(&kept.client).await, "another token of the same agent opened it");
}

#[tokio::test]
async fn no_more_sessions_are_open_than_the_agent_may_have() {
    let stage = Stage::open(BRIEF).await;
    let token = stage.bound_token("few");
    let first = stage.session(&token, json!({})).await;
    let second = stage.site.rest(&token, "POST", "/sessions", Some(json!({}))).await;
    assert_eq!(second.status, 429, "{second:?}");
    let path = format!("/sessions/{}", first.id);
    assert_eq!(stage.site.rest(&token, "DELETE", &path, None).await.status, 200);
    becomes("there is room again", || async {
        stage.site.rest(&token, "POST", "/sessions", Some(json!({}))).await.status == 201
    })
    .await;
    let nested = stage.site.rest(&first.client.token, "POST", "/sessions", Some(json!({}))).await;
    assert_eq!(nested.status, 401, "a closed one opens nothing: {nested:?}");
    let open = stage.session(&stage.site.gateway.agent, json!({})).await;
    let nested = stage.site.rest(&open.client.token, "POST", "/sessions", Some(json!({}))).await;
    refused(&nested, 403, "not_allowed");
}
