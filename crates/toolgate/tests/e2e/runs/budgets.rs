//! The budget of a run: calls, bytes and time. Its use counts in every run above it.

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work, question};
use crate::files::archive::{Archive, code, data, structure, text};
use crate::files::bytes::pdf;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::refused;

on_both!(calls_are_counted_and_the_rest_still_works, many_calls_at_once_do_not_exceed_the_budget);

async fn calls_are_counted_and_the_rest_still_works(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({ "budget": { "calls": 2 } })).await;
    work.look_around().await;
    let over = work.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&over), "budget_exhausted", "{over}");
    let words = text(&over["content"][0]["text"]);
    assert!(words.contains("2 of 2 calls") && words.contains("complete_workflow"), "{words}");
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content": "what there is" })).await);
    assert_eq!(data(&work.complete(&["a.txt"]).await)["state"], "partial");
    let run = work.show(&archive).await;
    assert_eq!((&run["used"]["calls"], &run["state"]), (&json!(2), &json!("partial")), "{run}");
    archive.verify();
}

async fn many_calls_at_once_do_not_exceed_the_budget(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({ "budget": { "calls": 3 } })).await;
    let calls: Vec<Value> = (0..10)
        .map(|at| json!({ "id": format!("c{at}"), "name": "docs__slow", "arguments": { "ms": 50 } }))
        .collect();
    let answer = work.batch(&archive, json!(calls)).await.json();
    let results = answer["results"].as_array().expect("a list");
    let done = results.iter().filter(|one| one["status"] == "succeeded").count();
    let over = results.iter().filter(|one| one["error"]["code"] == "budget_exhausted").count();
    assert_eq!((done, over), (3, 7), "{answer}");
}

#[tokio::test]
async fn bytes_are_counted_with_those_of_files() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({ "budget": { "bytes": 60_000 } })).await;
    let (small, large) =
        (archive.file("a.pdf", &pdf(1, 20_000)).await, archive.file("b.pdf", &pdf(2, 50_000)).await);
    structure(&work.call("docs__parse_document", json!({ "file_id": small })).await);
    let over = work.call("docs__parse_document", json!({ "file_id": large })).await;
    assert_eq!(code(&over), "budget_exhausted", "it would take more than is left: {over}");
    assert!(text(&over["content"][0]["text"]).contains("bytes"), "{over}");
    structure(&work.call("docs__extract_count", json!({})).await);
    let big = work.call("docs__big_text", json!({ "bytes": 50_000 })).await;
    assert_ne!(big["isError"], true, "how long a result is shows when it is there: {big}");
    let over = work.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&over), "budget_exhausted", "{over}");
    let used = work.show(&archive).await["used"]["bytes"].as_u64().expect("a number");
    assert!((70_000..72_000).contains(&used), "{used}");
    assert_eq!(data(&work.complete(&[]).await)["state"], "partial");
}

#[tokio::test]
async fn time_ends_a_run_as_partial_if_it_made_something_and_as_failed_if_not() {
    let archive = Archive::open("").await;
    let budget = json!({ "budget": { "seconds": 1 } });
    let (made, idle) = (Work::start(&archive, budget.clone()).await, Work::start(&archive, budget).await);
    idle.call("docs__extract_count", json!({})).await;
    data(&made.call("store_artifact", json!({ "file_name": "a.txt", "content": "a" })).await);
    made.call("docs__extract_count", json!({})).await;
    let ended = made.becomes(&archive, "partial").await;
    assert_eq!(
        (&ended["reason"], &ended["output"][0]["name"]),
        (&json!("budget.seconds"), &json!("a.txt")),
        "{ended}"
    );
    let ended = idle.becomes(&archive, "failed").await;
    assert_eq!(ended["reason"], "budget.seconds", "{ended}");
    assert_eq!(code(&idle.call("docs__extract_count", json!({})).await), "run_ended");
    archive.verify();
}

#[tokio::test]
async fn the_time_that_people_take_does_not_count() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({ "budget": { "seconds": 4 } })).await;
    work.look_around().await;
    let id = work.ask(question("text", "tone")).await;
    // Longer than the budget.
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    assert_eq!(work.state(&archive).await, "paused");
    assert_eq!(super::work::answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    structure(&work.call("docs__extract_count", json!({})).await);
}

#[tokio::test]
async fn what_a_run_uses_is_used_in_the_runs_above_it() {
    let archive = Archive::open("").await;
    let parent = Work::start(&archive, json!({ "budget": { "calls": 3 } })).await;
    structure(&parent.call("docs__extract_count", json!({})).await);
    let child = Work::start(&archive, json!({ "parent": parent.id, "budget": { "calls": 100 } })).await;
    child.look_around().await;
    let over = child.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&over), "budget_exhausted", "{over}");
    let over = parent.call("docs__extract_count", json!({})).await;
    assert_eq!(code(&over), "budget_exhausted", "{over}");
    assert_eq!(parent.show(&archive).await["used"]["calls"], 3);
    let listed = archive.site.get(&format!("/runs/{}/children", parent.id)).await;
    assert_eq!(listed["runs"][0]["id"], child.id, "{listed}");
}

#[tokio::test]
async fn a_budget_of_nothing_is_none() {
    let archive = Archive::open("").await;
    for budget in
        [json!({ "calls": 0 }), json!({ "seconds": -1 }), json!({ "bytes": "many" }), json!({ "colour": 1 })]
    {
        let answer =
            archive.site.rest(archive.agent(), "POST", "/runs", Some(json!({ "budget": budget }))).await;
        assert!([400, 422].contains(&answer.status), "{budget}: {answer:?}");
    }
    let task = json!({ "name": "small", "budget": { "calls": 1 } });
    let task = archive.site.rest(archive.admin(), "POST", "/tasks", Some(task)).await.json();
    let work = Work::start(&archive, json!({ "task": task["id"], "budget": { "calls": 50 } })).await;
    assert_eq!(work.show(&archive).await["budget"]["calls"], 1, "no more than the task admits");
    let unknown =
        archive.site.rest(archive.agent(), "POST", "/runs", Some(json!({ "task": "task_nothing" }))).await;
    refused(&unknown, 404, "unknown_task");
}
