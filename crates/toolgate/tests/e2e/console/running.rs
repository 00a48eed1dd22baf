//! Runs: seen as they happen, stopped for a while and for good.

use serde_json::json;

use super::office::Office;
use super::person::Person;
use crate::runs::work::Work;

#[tokio::test]
async fn a_run_is_seen_live_paused_resumed_and_cancelled() {
    let office = Office::open().await;
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/runs").await;
    person.click(&work.id).await;
    person.sees("It has not called anything yet").await;
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
