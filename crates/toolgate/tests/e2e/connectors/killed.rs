//! Kill -9 in the middle of a sync and of a send: the sync goes on and ends once, and the message is not sent again.

use serde_json::{Value, json};
use toolgate_testkit::providers::Slack;

use super::office::{Care, Office, SLACK};

/// The runs of syncs.
fn syncs(page: &Value) -> Vec<&Value> {
    let runs = page["runs"].as_array().unwrap_or_else(|| panic!("no runs: {page:#}"));
    runs.iter().filter(|run| run["run_type"] == "connector_sync").collect()
}

/// Syncs until the gateway stops at a point, and lets another one go on.
async fn goes_on_after(point: &str) {
    let mut slack = Slack::with_channels(15);
    slack.page_max = 1;
    let office = Office::open_stopping(SLACK, slack, Care::Exploratory, Some(point)).await;
    office.has_its_secret().await;
    let body = json!({ "provider": "slack", "streams": ["channels"], "wait_seconds": 0 });
    let admin = office.site.gateway.admin.clone();
    let begun = office.site.request(&admin, "POST", "/tools/connector.sync", Some(body));
    // A gateway that stops answers nothing.
    let begun = tokio::spawn(begun.send());
    office.stopped_at(point).await;
    begun.abort();
    let office = office.killed().await;
    let page = office.site.becomes("/runs?limit=200", |page| {
        let syncs = syncs(page);
        !syncs.is_empty() && syncs.iter().all(|run| run["state"] == "completed")
    });
    assert_eq!(syncs(&page.await).len(), 1, "the same run went on");
    assert_eq!(office.paths().await.len(), 15, "nothing is lost, and nothing is there twice");
}

#[tokio::test]
async fn a_sync_that_was_killed_after_a_page_goes_on() {
    goes_on_after("page read").await;
}

#[tokio::test]
async fn a_sync_that_was_killed_before_its_pointer_moved_goes_on() {
    goes_on_after("records kept").await;
}

#[tokio::test]
async fn a_sync_that_was_killed_after_its_pointer_moved_goes_on() {
    goes_on_after("records published").await;
}

#[tokio::test]
async fn a_message_whose_gateway_was_killed_is_asked_about_and_not_sent_again() {
    let office = Office::open_stopping(SLACK, Slack::default(), Care::Exploratory, Some("answered")).await;
    let (agent, post) = (office.agent("seller"), office.action("post_message"));
    let sending = tokio::spawn(async move {
        let params = json!({ "name": post, "arguments": { "channel": "C1", "text": "Hello" } });
        // It is refused until the gateway has heard of its secret.
        for _ in 0..1_000 {
            drop(agent.modern_request(1, "tools/call", params.clone()).send().await);
        }
    });
    office.stopped_at("answered").await;
    sending.abort();
    let office = office.killed().await;
    let question = office.question().await.to_string();
    assert!(question.contains("connector.slack:post_message"), "{question}");
    assert_eq!(office.provider.effects(), ["chat.postMessage C1 Hello"]);
}
