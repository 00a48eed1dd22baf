//! Two gateways on one Postgres: one run, one inbox, one budget.

use serde_json::{Value, json};

use super::work::{Work, answer, asked, question};
use crate::files::archive::{Archive, Storage, code, data, structure, text};
use crate::files::bytes::{pdf, sha256};
use crate::governed::database::Backing;
use crate::kit::call;

async fn two(more: &str) -> (Archive, Archive) {
    let one = Archive::open_on(Backing::postgres(), more).await;
    let two = one.another(more).await;
    (one, two)
}

#[tokio::test]
async fn an_answer_that_is_given_at_one_gateway_reaches_the_call_that_waits_at_the_other() {
    let (one, two) = two("[runs]\ninput_hold_seconds = 20\n").await;
    let work = Work::start(&one, json!({})).await;
    work.look_around().await;
    let held = {
        let client = work.client.clone();
        tokio::spawn(async move { call(&client, "request_user_input", question("text", "tone")).await })
    };
    let id = text(&asked(&two, &work.id).await["id"]).to_owned();
    assert_eq!(answer(&two, two.admin(), &id, json!("warm")).await.status, 200);
    let told = held.await.expect("answered");
    assert_eq!(data(&told)["answer"], "warm", "{told}");
    assert_eq!(work.at(&two).complete(&[]).await["structuredContent"]["data"]["state"], "completed");
    two.verify();
}

#[tokio::test]
async fn a_budget_counts_at_both() {
    let (one, two) = two("").await;
    let here = Work::start(&one, json!({ "budget": { "calls": 6 } })).await;
    let there = here.at(&two);
    let calls: Vec<_> = (0..12)
        .map(|at| {
            let client = if at % 2 == 0 { here.client.clone() } else { there.client.clone() };
            tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 20 })).await })
        })
        .collect();
    let mut done = 0;
    for one in calls {
        let result: Value = one.await.expect("answered");
        match result["isError"] == true {
            true => assert_eq!(code(&result), "budget_exhausted", "{result}"),
            false => done += 1,
        }
    }
    assert_eq!(done, 6);
    assert_eq!(here.show(&two).await["used"]["calls"], 6);
}

#[tokio::test]
async fn the_end_at_one_waits_for_a_call_at_the_other() {
    let (one, two) = two("").await;
    let here = Work::start(&one, json!({})).await;
    let there = here.at(&two);
    structure(&there.call("docs__extract_count", json!({})).await);
    let slow = {
        let client = there.client.clone();
        tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 1_500 })).await })
    };
    here.busy(&one).await;
    assert_eq!(data(&here.complete(&[]).await)["state"], "completed");
    structure(&slow.await.expect("answered"));
    let late = there.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&late), "run_ended", "{late}");
}

#[tokio::test]
async fn a_call_of_a_batch_runs_once_at_both_together() {
    let (one, two) = two("").await;
    let here = Work::start(&one, json!({})).await;
    let calls = json!([{ "id": "a", "name": "docs__slow", "arguments": { "ms": 600 } }]);
    let (first, second) = tokio::join!(here.batch(&one, calls.clone()), here.batch(&two, calls.clone()));
    let (first, second) = (first.json()["results"][0].clone(), second.json()["results"][0].clone());
    assert_eq!(first["tool_call_id"], second["tool_call_id"], "{first} {second}");
    assert_eq!(here.show(&one).await["used"]["calls"], 1);
    let started = here.told(&two).await.iter().filter(|one| one["kind"] == "tool.call.started").count();
    assert_eq!(started, 1);
}

#[tokio::test]
async fn a_run_that_is_cancelled_at_one_takes_no_calls_at_the_other() {
    let (one, two) = two("").await;
    let here = Work::start(&one, json!({})).await;
    let there = here.at(&two);
    structure(&there.call("docs__extract_count", json!({})).await);
    assert_eq!(here.steer(&one, one.admin(), "pause").await.status, 200);
    assert_eq!(code(&there.call("docs__extract_count", json!({})).await), "run_paused");
    assert_eq!(there.steer(&two, two.admin(), "resume").await.status, 200);
    structure(&here.call("docs__extract_count", json!({})).await);
    assert_eq!(there.steer(&two, two.admin(), "cancel").await.status, 200);
    assert_eq!(code(&here.call("docs__extract_count", json!({})).await), "run_ended");
}

#[tokio::test]
async fn a_file_that_came_in_at_one_is_used_at_the_other() {
    let more = Storage::S3.toml("");
    let (one, two) = two(&more).await;
    let bytes = pdf(1, 30_000);
    let file = one.file("a.pdf", &bytes).await;
    let parsed = call(&two.site.agent(), "docs__parse_document", json!({ "file_id": file })).await;
    assert_eq!(structure(&parsed)["sha256"], sha256(&bytes), "{parsed}");
    let gone = two.site.rest(two.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    let refused = call(&one.site.agent(), "docs__parse_document", json!({ "file_id": file })).await;
    assert_eq!(code(&refused), "unknown_file", "{refused}");
}
