//! The example of a connector, with a stand-in in place of Slack.

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::providers::{Slack, Standin};

use super::examples;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::live::secrets::set_secret;
use crate::live::site::Site;

#[tokio::test]
async fn the_example_of_a_connector_takes_records_in() {
    let slack = Standin::start(Slack::default()).expect("a port is free");
    let example = std::fs::read_to_string(examples().join("connectors/toolgate.toml")).expect("it is there");
    let toml = example.replace("https://slack.com/api", &slack.base_url());
    let site = Site::open_as(Backing::Sqlite, &format!("[network]\nallow_loopback = true\n{toml}"));
    set_secret(&site, &["connector.slack", "slack_bot_token"], &slack.token());
    site.server_is("connector.slack", |server| server["health"] == "healthy").await;
    let admin = site.gateway.admin.clone();
    let body = json!({ "provider": "slack" });
    // The gateway hears of the secret a moment after the command that stores it.
    let synced = until_async(WAIT, || async {
        let answer = site.rest(&admin, "POST", "/tools/connector.sync", Some(body.clone())).await;
        (!answer.text.contains("the vault has no secret")).then(|| answer.json())
    });
    let synced = synced.await.expect("the gateway hears of the secret");
    assert_eq!(
        (&synced["data"]["state"], &synced["data"]["records"]),
        (&json!("done"), &json!(5)),
        "{synced:#}"
    );
}
