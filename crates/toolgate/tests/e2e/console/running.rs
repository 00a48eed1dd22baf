//! Runs: seen as they happen, stopped for a while and for good.

use serde_json::json;

use super::office::Office;
use super::person::Person;
use crate::governed::bank::envelope;
use crate::runs::work::{Work, question};

#[tokio::test]
async fn a_run_is_seen_live_paused_resumed_and_cancelled() {
    let office = Office::open().await;
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/runs").await;
    person.click(&work.id).await;
    person.sees("This run has not called a tool yet").await;
    person.is_live().await;
    work.look_around().await;
    person.sees("docs:extract_count").await;
    work.call("store_artifact", json!({ "file_name": "letter.md", "content": "# Dear Ann\n" })).await;
    person.sees("letter.md").await;
    person.click("Pause").await;
    person.sees("Paused.").await;
    assert_eq!(work.state(&office.archive).await, "paused");
    person.click("Resume").await;
    person.sees("The run continues").await;
    person.click("Cancel this run").await;
    person.fill("Reason", "nobody needs it").await;
    person.click("Cancel run").await;
    person.agrees().await;
    person.sees("Cancelled.").await;
    person.sees("nobody needs it").await;
    assert_eq!(work.state(&office.archive).await, "cancelled");
    person.click("letter.md").await;
    person.sees("Dear Ann").await;
    person.leaves().await;
}

/// True once every picture of the page has arrived.
const PICTURES_ARE_THERE: &str = "const all = [...document.querySelectorAll('img.preview')]; \
    return all.length > 0 && all.every(one => { one.loading = 'eager'; return one.complete && one.naturalWidth > 0 && one.alt !== ''; });";

#[tokio::test]
async fn a_picture_stands_in_the_run_and_with_the_call_that_brought_it_and_with_a_question() {
    let office = Office::open().await;
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    work.look_around().await;
    let taken = work.call("docs__picture", json!({})).await;
    let reference = envelope(&taken)["refs"][0]["ref_id"].clone();
    let mut asking = question("text", "letters");
    asking["purpose"] = json!("captcha");
    asking["picture_ref_id"] = reference.clone();
    let asked = work.ask(asking).await;

    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open(&format!("/console/runs/{}", work.id)).await;
    person.sees("docs:picture").await;
    person.until("the picture in the run", PICTURES_ARE_THERE).await;
    person.click("docs:picture").await;
    person.until("the picture of the call", PICTURES_ARE_THERE).await;
    person.leaves().await;

    let approver = office.token("approver", "ann");
    let person = Person::logged_in(office.gateway(), &approver).await;
    person.open("/console/inbox").await;
    person.sees("captcha").await;
    person.open(&format!("/console/inbox/inputs/{asked}")).await;
    person.until("the picture of the question", PICTURES_ARE_THERE).await;
    person.fill("Your answer", "XK7P").await;
    person.click("Answer").await;
    person.sees("Nothing is waiting").await;
    person.leaves().await;
    assert_eq!(work.state(&office.archive).await, "running");
}

#[tokio::test]
async fn a_picture_for_a_question_is_one_that_can_be_shown_and_is_the_agents_own() {
    let office = Office::open().await;
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    work.look_around().await;
    let text = office.archive.upload(&office.helper.token, "notes.txt", b"no picture").await["id"].clone();
    for (id, says) in [(text, "no picture"), (json!("ref_unknown"), "ref_unknown")] {
        let mut asking = question("text", "letters");
        asking["picture_ref_id"] = id;
        let refused = work.call("request_user_input", asking).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused.to_string().contains(says), "{refused}");
    }
    assert_eq!(work.state(&office.archive).await, "running", "nobody was asked");
}
