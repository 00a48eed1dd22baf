//! The live events of a run: a stream that begins with the run and ends with it.

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work, answer, question};
use crate::doors::Events;
use crate::files::archive::{Archive, text};

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
