//! The live events of a run: a stream that begins with the run and ends with it, and what is told in between and not kept.

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work, answer, question};
use crate::conforming;
use crate::doors::Events;
use crate::files::archive::{Archive, text};
use crate::kit::listed;

async fn follow(archive: &Archive, work: &Work, token: &str) -> Events {
    Events::open(archive.site.request(token, "GET", &format!("/runs/{}/events", work.id), None)).await
}

#[tokio::test]
async fn a_run_is_followed_from_its_beginning_to_its_end() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    let mut live = follow(&archive, &work, archive.agent()).await;
    work.look_around().await;
    let id = work.ask(question("text", "tone")).await;
    let paused = live.find(|event| event["kind"] == "run.paused").await;
    assert_eq!(paused["run"], work.id, "{paused}");
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    work.complete(&[]).await;
    let mut kinds = Vec::new();
    let mut last = None;
    let mut whole = follow(&archive, &work, archive.admin()).await;
    while let Some(event) = whole.next().await {
        let message: Value = event.json();
        assert_eq!(message["run"], work.id, "{message}");
        kinds.push(text(&message["kind"]).to_owned());
        last = event.id;
    }
    assert_eq!(
        (kinds.first().map(String::as_str), kinds.last().map(String::as_str)),
        (Some("run.created"), Some("run.ended"))
    );
    for kind in [
        "run.started",
        "tool.call.started",
        "tool.call.completed",
        "input.requested",
        "input.resolved",
        "run.resumed",
    ] {
        assert!(kinds.iter().any(|one| one == kind), "no {kind} in {kinds:?}");
    }
    live.find(|event| event["kind"] == "run.ended").await;
    assert!(live.next().await.is_none(), "the stream ends with the run");
    let again = archive.site.request(archive.agent(), "GET", &format!("/runs/{}/events", work.id), None);
    let again =
        again.header("last-event-id", last.expect("events have ids")).send().await.expect("an answer");
    assert_eq!(again.status().as_u16(), 204, "there is nothing more");
    archive.verify();
}

#[tokio::test]
async fn whoever_comes_back_hears_what_they_missed_and_nothing_twice() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let mut first = follow(&archive, &work, archive.agent()).await;
    work.call("docs__extract_count", json!({})).await;
    let mut seen = Vec::new();
    let place = loop {
        let event = first.event().await;
        seen.push(text(&event.json()["kind"]).to_owned());
        if seen.last().is_some_and(|kind| kind == "run.started") {
            break event.id.expect("events have ids");
        }
    };
    drop(first);
    work.complete(&[]).await;
    let request = archive.site.request(archive.agent(), "GET", &format!("/runs/{}/events", work.id), None);
    let mut rest = Events::open(request.header("last-event-id", place)).await;
    while let Some(event) = rest.next().await {
        seen.push(text(&event.json()["kind"]).to_owned());
    }
    let count = |kind: &str| seen.iter().filter(|one| *one == kind).count();
    for kind in ["run.created", "run.started", "run.ended"] {
        assert_eq!(count(kind), 1, "{seen:?}");
    }
}

#[tokio::test]
async fn agents_do_not_hear_what_policy_decided_nor_other_runs() {
    let archive = Archive::open("").await;
    let (work, other) = (Work::start(&archive, json!({})).await, Work::start(&archive, json!({})).await);
    other.look_around().await;
    work.look_around().await;
    work.complete(&[]).await;
    let mut events = follow(&archive, &work, &work.token).await;
    while let Some(event) = events.next().await {
        let message = event.json();
        assert_eq!(message["run"], work.id, "{message}");
        assert_ne!(message["kind"], "policy.decided", "{message}");
    }
}

#[tokio::test]
async fn progress_of_a_turns_calls_is_told_while_they_run_and_is_not_kept() {
    let archive = Archive::open(&conforming("conf", &[])).await;
    listed(&archive.site.gateway, "conf__test_tool_with_progress").await;
    let work = Work::start(&archive, json!({})).await;
    let path = format!("/runs/{}/events?after=now", work.id);
    let mut live = Events::open(archive.site.request(&work.token, "GET", &path, None)).await;
    let call = |id: &str| json!({ "id": id, "name": "conf__test_tool_with_progress" });
    let listening = async {
        let mut heard: Vec<Value> = Vec::new();
        while heard.len() < 6 {
            let event = live.event().await;
            assert_ne!(event.kind.as_deref(), Some("run.created"), "that was before now");
            if event.kind.as_deref() == Some("tool.call.progress") {
                assert_eq!(event.id, None, "no stream can be resumed after it");
                heard.push(event.json());
            }
        }
        heard
    };
    let turn = work.batch(&archive, json!([call("one"), call("two")]));
    let (answered, heard) = tokio::join!(turn, listening);
    let answered = answered.json();
    for id in ["one", "two"] {
        let mut results = answered["results"].as_array().into_iter().flatten();
        let result = results.find(|one| one["id"] == id).expect("a result");
        assert_eq!(result["status"], "succeeded", "{result}");
        let reports: Vec<&Value> = heard.iter().filter(|one| one["id"] == id).collect();
        let steps: Vec<f64> = reports.iter().filter_map(|one| one["progress"].as_f64()).collect();
        assert_eq!(steps, [0.0, 50.0, 100.0], "{heard:?}");
        let is_of_call =
            |one: &&Value| one["call"] == result["tool_call_id"] && one["total"].as_f64() == Some(100.0);
        assert!(reports.iter().all(is_of_call), "{heard:?}");
    }
    let kept = work.told(&archive).await;
    assert!(!kept.is_empty() && kept.iter().all(|one| one["kind"] != "tool.call.progress"), "{kept:?}");
    work.complete(&[]).await;
    let over = archive.site.request(&work.token, "GET", &path, None).send().await.expect("an answer");
    assert_eq!(over.status().as_u16(), 204, "the run has ended, and nothing follows");
}
