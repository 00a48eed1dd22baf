//! Explicitly opened sessions: their view is frozen, and their token is valid for nothing else.

use serde_json::{Value, json};

use super::stage::{Stage, becomes, is_unknown, older, older_names, response};
use crate::kit::{call, names, remote};
use crate::live::site::done;
use crate::live::worker::Worker;

#[tokio::test]
async fn a_session_token_lists_and_calls_in_both_eras_and_the_ledger_names_the_session() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let run = stage.run(&token).await;
    let body = json!({ "task": "T-7", "run": run, "mounts": { "servers": ["two"] } });
    let opened = stage.session(&token, body).await;
    assert_eq!(opened.said["session"]["agent"], "writer", "{}", opened.said);
    assert_eq!(opened.path, format!("/mcp/{}", opened.id));
    for client in [opened.client.clone(), stage.at(&opened.client, &opened.path)] {
        assert_eq!(names(&client).await, ["two__work", "two__write"]);
        assert_eq!(older_names(&older(&client).await).await, ["two__work", "two__write"]);
        done(&call(&client, "two__work", json!({ "n": 1 })).await);
        let params = json!({ "name": "two__write", "arguments": { "n": 2 } });
        done(&older(&client).await.legacy(1, "tools/call", params).await.result());
        is_unknown(&response(&client, "one__work", json!({})).await, "one__work");
    }
    becomes("all calls are in the ledger", || async {
        stage.told_of("tool.call.completed", &opened.id).await.len() >= 6
    })
    .await;
    let ended = stage.told_of("tool.call.completed", &opened.id).await;
    let count = |outcome: &str| ended.iter().filter(|one| one["outcome"] == outcome).count();
    assert_eq!((count("succeeded"), count("denied")), (4, 2), "{ended:?}");
    assert!(ended.iter().all(|one| one["principal"] == "writer-bot"), "{ended:?}");
    let started = stage.told_of("session.started", &opened.id).await;
    assert_eq!(started.len(), 1, "{started:?}");
    assert_eq!((&started[0]["run"], &started[0]["detail"]["agent"]), (&json!(run), &json!("writer")));
    let explained = stage.site.get(&format!("/sessions/{}/explain", opened.id)).await.to_string();
    assert!(explained.contains("one:work") && explained.contains("two:work"), "{explained}");
}

#[tokio::test]
async fn a_server_that_comes_later_is_in_the_default_session_and_in_no_frozen_one() {
    let stage = Stage::open("").await;
    let agent = stage.site.agent();
    let opened = stage.session(&stage.site.gateway.agent, json!({})).await;
    let four = ["one__work", "one__write", "two__work", "two__write"];
    assert_eq!(names(&opened.client).await, four);
    let late = Worker::start(&["--name", "late", "--instance", "a"]);
    stage.site.configure(&format!("{}{}", stage.toml, remote("late", &late.url)));
    becomes("the agent sees it", || async { names(&agent).await.contains(&"late__work".to_owned()) }).await;
    assert_eq!(names(&opened.client).await, four);
    is_unknown(&response(&opened.client, "late__work", json!({})).await, "late__work");
    done(&call(&agent, "late__work", json!({})).await);
    let after = stage.session(&stage.site.gateway.agent, json!({})).await;
    assert_eq!(names(&after.client).await.len(), 6, "a session that begins now has it");
}

#[tokio::test]
async fn what_a_definition_becomes_does_not_change_an_open_session() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let opened = stage.session(&token, json!({})).await;
    let narrow = "name = \"writer\"\nblocked = [\"one:*\"]";
    stage.site.configure(&stage.toml.replace("name = \"writer\"", narrow));
    let writer = stage.site.agent_with(&token);
    becomes("the default session follows", || async { names(&writer).await.len() == 2 }).await;
    assert_eq!(names(&opened.client).await.len(), 4, "its scope is frozen");
    let after = stage.session(&token, json!({})).await;
    assert_eq!(names(&after.client).await, ["two__work", "two__write"]);
    assert_ne!(after.said["session"]["agent_version"], opened.said["session"]["agent_version"]);
}

#[tokio::test]
async fn an_older_session_is_for_the_credential_that_opened_it() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let one = stage.session(&token, json!({ "mounts": { "servers": ["one"] } })).await;
    let two = stage.session(&token, json!({ "mounts": { "servers": ["two"] } })).await;
    let mine = older(&one.client).await;
    assert_eq!(older_names(&mine).await, ["one__work", "one__write"]);
    let second = stage.bound_token("writer");
    for other in [&two.client.token, &token, &second, &stage.site.gateway.agent, &stage.site.gateway.admin] {
        let mut thief = mine.clone();
        thief.token.clone_from(other);
        let listed = thief.legacy(1, "tools/list", json!({})).await;
        assert_eq!(listed.status, 404, "{listed:?}");
        let params = json!({ "name": "one__work", "arguments": {} });
        assert_eq!(thief.legacy(2, "tools/call", params).await.status, 404);
    }
    assert_eq!(older_names(&mine).await, ["one__work", "one__write"], "its own goes on");
    let moved = stage.at(&one.client, &one.path);
    let mut moved = moved;
    moved.session.clone_from(&mine.session);
    assert_eq!(older_names(&moved).await, ["one__work", "one__write"], "the address is the same session's");
}

#[tokio::test]
async fn every_credential_has_a_default_session_that_the_ledger_can_explain() {
    let stage = Stage::open("").await;
    let (reader, again) = (stage.bound("reader"), stage.bound("reader"));
    done(&call(&reader, "one__work", json!({})).await);
    done(&call(&again, "one__work", json!({})).await);
    let path = "/ledger?kind=tool.call.completed&principal=reader-bot";
    let ends = stage.site.get(path).await["events"].as_array().expect("a list").clone();
    let sessions: Vec<&Value> = ends.iter().map(|one| &one["session"]).collect();
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0], sessions[1], "one for a principal and its agent");
    let id = sessions[0].as_str().expect("an id");
    let shown = stage.site.becomes(&format!("/sessions/{id}"), |one| one["kind"] == "default").await;
    assert_eq!((&shown["agent"], &shown["principal"]), (&json!("reader"), &json!("reader-bot")), "{shown}");
    becomes("it is told once", || async { stage.told_of("session.started", id).await.len() == 1 }).await;
    let closing =
        stage.site.rest(&stage.site.gateway.admin, "DELETE", &format!("/sessions/{id}"), None).await;
    assert_eq!(closing.status, 409, "it is never closed: {closing:?}");
}
