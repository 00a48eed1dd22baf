//! Runs outlive the gateway: questions stay open, and calls in progress get an end that says so.

use serde_json::json;

use super::work::{NO_HOLD, Work, answer, asked, question};
use crate::files::archive::{Archive, data, structure, taken_out, text};
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(
    an_answer_after_a_crash_lets_the_run_go_on,
    calls_that_a_crash_cut_off_do_not_keep_a_run_from_ending,
);

async fn an_answer_after_a_crash_lets_the_run_go_on(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let long = taken_out(&work.call("docs__big_text", json!({ "bytes": 50_000 })).await);
    let id = work.ask(question("text", "tone")).await;
    let archive = archive.killed().await;
    let work = work.at(&archive);
    assert_eq!(work.state(&archive).await, "paused");
    assert_eq!(text(&asked(&archive, &work.id).await["id"]), id, "it stands in the inbox as before");
    assert_eq!(work.ask(question("text", "tone")).await, id);
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    let told = work.call("request_user_input", question("text", "tone")).await;
    assert_eq!(data(&told)["answer"], "warm", "{told}");
    data(&work.call("read_ref", json!({ "ref_id": long["ref_id"] })).await);
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
    assert_eq!(
        work.transitions(&archive).await,
        ["pending running", "running paused", "paused running", "running completed"]
    );
    archive.verify();
}

async fn calls_that_a_crash_cut_off_do_not_keep_a_run_from_ending(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let work = Work::start(&archive, json!({})).await;
    let path = format!("/runs/{}/tool-calls", work.id);
    let call = json!({ "calls": [{ "id": "a", "name": "docs__slow", "arguments": { "ms": 30_000 } }] });
    let request = archive.site.request(&work.token, "POST", &path, Some(call.clone()));
    let cut_off = tokio::spawn(request.send());
    work.busy(&archive).await;
    let archive = archive.killed().await;
    cut_off.abort();
    let work = work.at(&archive);
    let run = work.show(&archive).await;
    assert_eq!((&run["calls"]["open"], &run["calls"]["unknown"]), (&json!(0), &json!(1)), "{run}");
    let again = archive.site.rest(&work.token, "POST", &path, Some(call)).await.json();
    let result = &again["results"][0];
    assert_eq!(
        (&result["status"], &result["error"]["code"]),
        (&json!("unknown"), &json!("call_unknown")),
        "{again}"
    );
    structure(&work.call("docs__extract_count", json!({})).await);
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
    archive.verify();
}

#[tokio::test]
async fn files_refs_and_artifacts_are_there_after_a_crash() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let file = archive.file("a.txt", b"words").await;
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content_ref_id": file })).await);
    let minted =
        structure(&work.call("docs__parse_document", json!({ "file_id": file })).await)["ref_id"].clone();
    let archive = archive.killed().await;
    let work = work.at(&archive);
    let parsed = work.call("docs__parse_document", json!({ "file_id": file })).await;
    assert_eq!(structure(&parsed)["ref_id"], minted, "{parsed}");
    assert_eq!(data(&work.complete(&["a.txt"]).await)["state"], "completed");
}
