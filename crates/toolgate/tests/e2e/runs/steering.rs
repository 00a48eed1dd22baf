//! Stopping runs, for a while or for good.

use serde_json::json;

use super::work::{NO_HOLD, Work, answer, question};
use crate::files::archive::{Archive, code, structure, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;
use crate::live::site::refused;

on_both!(a_run_is_paused_resumed_and_cancelled, what_is_within_a_run_ends_with_it);

async fn a_run_is_paused_resumed_and_cancelled(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    structure(&work.call("docs__extract_count", json!({})).await);
    let slow = {
        let client = work.client.clone();
        tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 800 })).await })
    };
    work.busy(&archive).await;
    assert_eq!(work.steer(&archive, archive.admin(), "pause").await.status, 200);
    let held = work.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&held), "run_paused", "{held}");
    structure(&slow.await.expect("what was under way goes on"));
    refused(&work.steer(&archive, archive.admin(), "pause").await, 409, "run_state");
    refused(&work.steer(&archive, archive.agent(), "resume").await, 403, "not_allowed");
    assert_eq!(work.steer(&archive, archive.admin(), "resume").await.status, 200);
    refused(&work.steer(&archive, archive.admin(), "resume").await, 409, "run_state");
    structure(&work.call("docs__extract_count", json!({})).await);
    let path = format!("/runs/{}/cancel", work.id);
    let body = json!({ "reason": "nobody needs it" });
    let cancelled = archive.site.rest(archive.agent(), "POST", &path, Some(body)).await;
    assert_eq!((cancelled.status, &cancelled.json()["state"]), (200, &json!("cancelled")), "{cancelled:?}");
    assert_eq!(code(&work.call("docs__extract_count", json!({})).await), "run_ended");
    assert_eq!(work.show(&archive).await["reason"], "nobody needs it");
    assert_eq!(
        work.transitions(&archive).await,
        ["pending running", "running paused", "paused running", "running cancelled"]
    );
    archive.verify();
}

async fn what_is_within_a_run_ends_with_it(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let parent = Work::start(&archive, json!({})).await;
    let child = Work::start(&archive, json!({ "parent": parent.id })).await;
    let grandchild = Work::start(&archive, json!({ "parent": child.id })).await;
    let done = Work::start(&archive, json!({ "parent": parent.id })).await;
    done.look_around().await;
    done.complete(&[]).await;
    grandchild.look_around().await;
    let id = grandchild.ask(question("text", "tone")).await;
    assert_eq!(parent.steer(&archive, archive.admin(), "cancel").await.status, 200);
    for (run, state) in
        [(&parent, "cancelled"), (&child, "cancelled"), (&grandchild, "cancelled"), (&done, "completed")]
    {
        assert_eq!(run.state(&archive).await, state, "{}", run.id);
    }
    assert_eq!(code(&grandchild.call("docs__extract_count", json!({})).await), "run_ended");
    let late = answer(&archive, archive.admin(), &id, json!("warm")).await;
    refused(&late, 410, "input_cancelled");
    assert_eq!(archive.site.get("/inbox").await["entries"], json!([]));
    let late =
        archive.site.rest(archive.agent(), "POST", "/runs", Some(json!({ "parent": parent.id }))).await;
    assert_eq!(late.status, 410, "{late:?}");
    archive.verify();
}

#[tokio::test]
async fn a_run_that_is_resumed_without_an_answer_goes_on_without_it() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let id = work.ask(question("text", "tone")).await;
    assert_eq!(work.steer(&archive, archive.agent(), "resume").await.status, 200, "it is their own question");
    refused(&answer(&archive, archive.admin(), &id, json!("warm")).await, 410, "input_cancelled");
    structure(&work.call("docs__extract_count", json!({})).await);
    assert_ne!(work.ask(question("text", "tone")).await, id, "who asks again asks anew");
}

#[tokio::test]
async fn runs_are_listed_by_what_they_are() {
    let archive = Archive::open("").await;
    let (one, two) = (Work::start(&archive, json!({})).await, Work::start(&archive, json!({})).await);
    one.look_around().await;
    assert_eq!(two.steer(&archive, archive.admin(), "cancel").await.status, 200);
    for (query, wanted) in [("", 2), ("?state=running", 1), ("?state=cancelled", 1), ("?state=paused", 0)] {
        let listed = archive.site.get(&format!("/runs{query}")).await;
        assert_eq!(listed["runs"].as_array().map(Vec::len), Some(wanted), "{query}: {listed}");
    }
    let listed = archive.site.get("/runs?limit=1").await;
    assert_eq!(listed["runs"][0]["id"], two.id, "newest first: {listed}");
    let next = archive.site.get(&format!("/runs?limit=1&cursor={}", text(&listed["next_cursor"]))).await;
    assert_eq!(next["runs"][0]["id"], one.id, "{next}");
    let by_session = archive.site.rest(&one.token, "GET", "/runs", None).await.json();
    assert_eq!(
        by_session["runs"].as_array().map(Vec::len),
        Some(1),
        "a session sees its own run: {by_session}"
    );
}
