//! The ends of runs: by completion, once everything in them has ended.

use serde_json::json;

use super::work::{NO_HOLD, Work};
use crate::files::archive::{Archive, code, data, structure, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;
use crate::live::site::refused;

on_both!(a_run_ends_once_the_calls_in_flight_have, a_run_that_has_ended_takes_no_more_calls,);

async fn a_run_ends_once_the_calls_in_flight_have(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({})).await;
    let slow = {
        let client = work.client.clone();
        tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 1_500 })).await })
    };
    work.busy(&archive).await;
    let completed = work.complete(&[]).await;
    assert_eq!(data(&completed)["state"], "completed", "{completed}");
    assert!(slow.is_finished() || structure(&slow.await.expect("answered"))["ms"] == 1_500);
    let calls = archive.site.get(&format!("/runs/{}/calls", work.id)).await;
    let states: Vec<&str> =
        calls["calls"].as_array().expect("a list").iter().map(|one| text(&one["state"])).collect();
    assert_eq!(states[0], "completed", "{calls}");
    let events = work.told(&archive).await;
    let place = |kind: &str, tool: &str| {
        events.iter().position(|one| one["kind"] == kind && (tool.is_empty() || one["tool"] == tool))
    };
    assert!(place("tool.call.completed", "docs:slow") < place("run.ended", ""), "{events:?}");
    let started = place("tool.call.started", "toolgate.runs.complete");
    assert!(started.is_some() && started < place("run.ended", ""), "{events:?}");
    let end = &events[place("tool.call.completed", "docs:slow").expect("recorded")];
    let tokens = &end["detail"]["tokens"];
    assert!(tokens["arguments"].as_u64() > Some(0) && tokens["result"].as_u64() > Some(0), "{end}");
    archive.verify();
}

async fn a_run_that_has_ended_takes_no_more_calls(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
    for (tool, arguments) in [
        ("complete_workflow", json!({ "summary": "again" })),
        ("docs__extract_count", json!({})),
        ("store_artifact", json!({ "file_name": "a", "content": "a" })),
        ("request_user_input", json!({ "slot_type": "text", "slot_id": "a", "prompt_key": "Why?" })),
    ] {
        let late = work.call(tool, arguments).await;
        assert_eq!(code(&late), "run_ended", "{tool}: {late}");
    }
    for verb in ["pause", "resume", "cancel"] {
        let late = work.steer(&archive, archive.admin(), verb).await;
        assert!([409, 410].contains(&late.status), "{verb}: {late:?}");
    }
    let joined =
        archive.site.rest(archive.agent(), "POST", "/sessions", Some(json!({ "run": work.id }))).await;
    assert_eq!(joined.status, 410, "{joined:?}");
    let run = work.show(&archive).await;
    assert_eq!((&run["state"], &run["summary"]), (&json!("completed"), &json!("done")), "{run}");
    assert_eq!(work.transitions(&archive).await, ["pending running", "running completed"]);
}

#[tokio::test]
async fn a_run_names_only_artifacts_that_it_made() {
    let archive = Archive::open("").await;
    let (work, other) = (Work::start(&archive, json!({})).await, Work::start(&archive, json!({})).await);
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content": "a" })).await);
    data(&other.call("store_artifact", json!({ "file_name": "b.txt", "content": "b" })).await);
    let refused = work.complete(&["a.txt", "b.txt"]).await;
    assert_eq!(code(&refused), "unknown_artifact", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("there are a.txt"), "{refused}");
    assert_eq!(work.state(&archive).await, "running", "it goes on");
    assert_eq!(data(&work.complete(&["a.txt"]).await)["state"], "completed");
    assert_eq!(work.show(&archive).await["output"][0]["name"], "a.txt");
    assert_eq!(data(&other.complete(&[]).await)["state"], "completed");
    assert_eq!(
        other.show(&archive).await["output"][0]["name"],
        "b.txt",
        "nothing named is all that it stored"
    );
}

#[tokio::test]
async fn a_call_that_takes_too_long_keeps_the_run_open_and_is_named() {
    let archive = Archive::open("[runs]\ncompletion_wait_seconds = 1\n").await;
    let work = Work::start(&archive, json!({})).await;
    let slow = {
        let client = work.client.clone();
        tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 4_000 })).await })
    };
    work.busy(&archive).await;
    let refused = work.complete(&[]).await;
    assert_eq!(code(&refused), "calls_in_flight", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("docs:slow"), "{refused}");
    assert_eq!(work.state(&archive).await, "running");
    structure(&slow.await.expect("answered"));
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
}

#[tokio::test]
async fn a_run_with_open_runs_within_it_does_not_end() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let child = Work::start(&archive, json!({ "parent": work.id })).await;
    let refused = work.complete(&[]).await;
    assert_eq!(code(&refused), "children_running", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains(&child.id), "{refused}");
    child.look_around().await;
    assert_eq!(data(&child.complete(&[]).await)["state"], "completed");
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
}

#[tokio::test]
async fn a_run_is_its_own_and_nobody_elses() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let stranger = archive.site.token("--role agent --principal mallory");
    let never = "run_00000000000000000000000000000000";
    for (method, path, body) in [
        ("GET", "", None),
        ("GET", "/calls", None),
        ("GET", "/children", None),
        ("GET", "/events", None),
        ("POST", "/pause", None),
        ("POST", "/cancel", Some(json!({}))),
        ("POST", "/tool-calls", Some(json!({ "calls": [{ "id": "a", "name": "docs__slow" }] }))),
    ] {
        let theirs =
            archive.site.rest(&stranger, method, &format!("/runs/{}{path}", work.id), body.clone()).await;
        let nobodys = archive.site.rest(&stranger, method, &format!("/runs/{never}{path}"), body).await;
        refused(&theirs, 404, "unknown_run");
        assert_eq!(theirs.text.replace(&work.id, "X"), nobodys.text.replace(never, "X"), "{path}");
    }
    let listed = archive.site.rest(&stranger, "GET", "/runs", None).await.json();
    assert_eq!(listed["runs"], json!([]));
    let child = archive.site.rest(&stranger, "POST", "/runs", Some(json!({ "parent": work.id }))).await;
    assert_eq!(child.status, 404, "{child:?}");
}
