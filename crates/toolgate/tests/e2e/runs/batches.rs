//! The calls of one turn, all at once: in parallel, answered in the order asked, `complete_workflow` last, and never twice.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work, answer, asked, question};
use crate::files::archive::{Archive, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::refused;

on_both!(
    calls_run_at_once_and_are_answered_in_the_order_asked_with_the_end_last,
    what_is_sent_again_is_answered_and_does_not_run_again,
);

fn slow(id: &str, ms: u64) -> Value {
    json!({ "id": id, "name": "docs__slow", "arguments": { "ms": ms } })
}

fn results(answer: &toolgate_testkit::gateway::HttpAnswer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["results"].as_array().expect("a list").clone()
}

/// The number of executed calls that count.
async fn runs(archive: &Archive) -> u64 {
    let counted = crate::kit::call(&archive.site.agent(), "docs__extract_count", json!({})).await;
    counted["structuredContent"]["count"].as_u64().expect("a number")
}

async fn calls_run_at_once_and_are_answered_in_the_order_asked_with_the_end_last(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({})).await;
    let end = json!({ "id": "end", "name": "complete_workflow", "arguments": { "summary": "all done", "artifacts": ["a.txt"] } });
    let store =
        json!({ "id": "store", "name": "store_artifact", "input": { "file_name": "a.txt", "content": "a" } });
    let texts = json!({ "id": "text", "name": "docs:slow", "arguments": "{\"ms\": 10}" });
    let unknown = json!({ "id": "unknown", "name": "docs__nothing" });
    let wrong = json!({ "id": "wrong", "name": "docs__slow", "arguments": { "ms": "x" } });
    let broken = json!({ "id": "broken", "name": "docs__slow", "arguments": "{\"ms\":" });
    let calls = json!([
        end,
        slow("a", 2_000),
        slow("b", 2_000),
        slow("c", 1_900),
        store,
        texts,
        unknown,
        wrong,
        broken
    ]);
    let answered = work.batch(&archive, calls).await;
    let results = results(&answered);
    let said: Vec<(&str, &str)> =
        results.iter().map(|one| (text(&one["id"]), text(&one["status"]))).collect();
    assert_eq!(
        said,
        [
            ("end", "succeeded"),
            ("a", "succeeded"),
            ("b", "succeeded"),
            ("c", "succeeded"),
            ("store", "succeeded"),
            ("text", "succeeded"),
            ("unknown", "not_called"),
            ("wrong", "invalid"),
            ("broken", "not_called"),
        ],
        "{results:?}"
    );
    assert_eq!(answered.json()["state"], "completed");
    assert_eq!(results[1]["data"]["structuredContent"]["ms"], 2_000);
    let events = work.told(&archive).await;
    let ended = events.iter().position(|one| one["kind"] == "run.ended").expect("it ended");
    let is_begun =
        |one: &&Value| one["kind"] == "tool.call.started" && one["tool"] != "toolgate.runs.complete";
    let after = events[ended..].iter().filter(is_begun).count();
    assert_eq!(after, 0, "nothing begins after the end: {events:?}");
    let at_once: Vec<&Value> = results[1..4].iter().map(|one| &one["tool_call_id"]).collect();
    let times = |kind: &str| -> Vec<i64> {
        let is_one = |one: &&Value| one["kind"] == kind && at_once.contains(&&one["call"]);
        events.iter().filter(is_one).map(|one| one["at_ms"].as_i64().expect("a time")).collect()
    };
    let (begun, done) = (times("tool.call.started"), times("tool.call.completed"));
    assert_eq!((begun.len(), done.len()), (3, 3), "{events:?}");
    assert!(begun.iter().max() < done.iter().min(), "all have begun before one is done: {begun:?} {done:?}");
    archive.verify();
}

async fn what_is_sent_again_is_answered_and_does_not_run_again(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({})).await;
    let file = archive.file("a.txt", b"words").await;
    let call = json!({ "id": "call_1", "name": "docs__extract_text", "arguments": { "file_id": file } });
    let first = results(&work.batch(&archive, json!([call])).await);
    assert_eq!((&first[0]["status"], first[0].get("replayed")), (&json!("succeeded"), None), "{first:?}");
    let again = results(&work.batch(&archive, json!([slow("other", 1), call])).await);
    assert_eq!(again[1]["replayed"], true, "{again:?}");
    let mut same = again[1].clone();
    same.as_object_mut().expect("an object").remove("replayed");
    assert_eq!(same, first[0], "the very same answer");
    assert_eq!(runs(&archive).await, 1);
    let other =
        json!({ "id": "call_1", "name": "docs__extract_text", "arguments": { "file_id": "file_other" } });
    let other = results(&work.batch(&archive, json!([other])).await);
    assert_eq!(other[0]["error"]["code"], "call_id_reused", "{other:?}");
    // Across a crash.
    let archive = archive.killed().await;
    let work = work.at(&archive);
    let after = results(&work.batch(&archive, json!([call])).await);
    assert_eq!(
        (&after[0]["replayed"], &after[0]["tool_call_id"]),
        (&json!(true), &first[0]["tool_call_id"]),
        "{after:?}"
    );
    assert_eq!(runs(&archive).await, 0, "the server began anew, and nobody asked it");
    // Another run has its own ids.
    let another = Work::start(&archive, json!({})).await;
    let fresh = results(&another.batch(&archive, json!([call])).await);
    assert_eq!(fresh[0].get("replayed"), None, "{fresh:?}");
    assert_eq!(runs(&archive).await, 1);
}

#[tokio::test]
async fn one_call_that_is_sent_twice_at_the_same_time_runs_once() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let (one, two) = tokio::join!(
        work.batch(&archive, json!([slow("a", 700)])),
        work.batch(&archive, json!([slow("a", 700)])),
    );
    let (one, two) = (results(&one), results(&two));
    assert_eq!(one[0]["tool_call_id"], two[0]["tool_call_id"], "{one:?} {two:?}");
    let started = work.told(&archive).await.iter().filter(|one| one["kind"] == "tool.call.started").count();
    assert_eq!(started, 1);
    assert_eq!(work.show(&archive).await["used"]["calls"], 1);
}

#[tokio::test]
async fn no_more_run_at_once_than_was_set() {
    let archive = Archive::open("[runs]\nparallel_calls_max = 2\n").await;
    let work = Work::start(&archive, json!({})).await;
    let calls: Vec<Value> = (0..4).map(|at| slow(&format!("c{at}"), 400)).collect();
    let began = Instant::now();
    results(&work.batch(&archive, json!(calls)).await);
    assert!(began.elapsed() >= Duration::from_millis(800), "two and two: {:?}", began.elapsed());
    let path = format!("/runs/{}/tool-calls", work.id);
    let body = json!({ "calls": [slow("x", 1)], "parallel_max": 3 });
    refused(&archive.site.rest(&work.token, "POST", &path, Some(body)).await, 422, "field_invalid");
}

#[tokio::test]
async fn a_question_in_a_batch_waits_and_is_taken_up_again() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    let ask = json!({ "id": "ask", "name": "request_user_input", "arguments": question("text", "tone") });
    let end = json!({ "id": "end", "name": "complete_workflow", "arguments": { "summary": "x" } });
    let calls = json!([end, ask, slow("a", 1), slow("b", 2)]);
    let first = work.batch(&archive, calls.clone()).await;
    let said = results(&first);
    assert_eq!(
        (&said[1]["status"], &said[2]["status"]),
        (&json!("pending_input"), &json!("succeeded")),
        "{said:?}"
    );
    assert_eq!(said[0]["error"]["code"], "run_paused", "the end does not come before the answer: {said:?}");
    assert_eq!(first.json()["state"], "paused");
    let id = text(&asked(&archive, &work.id).await["id"]).to_owned();
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    let again = work.batch(&archive, calls).await;
    let said = results(&again);
    assert_eq!(said[1]["data"]["structuredContent"]["answer"], "warm", "{said:?}");
    assert_eq!((&said[2]["replayed"], &said[0]["status"]), (&json!(true), &json!("succeeded")), "{said:?}");
    assert_eq!(again.json()["state"], "completed");
}

#[tokio::test]
async fn a_batch_that_makes_no_sense_calls_nothing() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    for (calls, code) in [
        (json!([]), "field_invalid"),
        (json!([slow("a", 1), slow("a", 2)]), "call_id_twice"),
        (json!([slow("", 1)]), "field_invalid"),
        (json!((0..129).map(|at| slow(&format!("c{at}"), 1)).collect::<Vec<_>>()), "field_invalid"),
    ] {
        refused(&work.batch(&archive, calls).await, 422, code);
    }
    assert_eq!(work.state(&archive).await, "pending");
    let path = format!("/runs/{}/tool-calls", work.id);
    let body = Some(json!({ "calls": [slow("a", 1)] }));
    refused(&archive.site.rest(archive.admin(), "POST", &path, body).await, 403, "not_allowed");
}
