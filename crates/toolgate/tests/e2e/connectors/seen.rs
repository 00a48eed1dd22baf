//! Who sees connectors: sessions those of mounted providers, people all of them with what to do next.

use serde_json::json;
use toolgate_testkit::providers::{HubSpot, Slack};

use super::office::{Care, HUBSPOT, Office, SLACK};
use crate::console::plain::Visitor;
use crate::files::archive::text;
use crate::kit;

#[tokio::test]
async fn a_session_has_only_connectors_of_mounted_providers() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let (seller, clerk) = (office.agent("seller"), office.agent("clerk"));
    let seen = kit::call(&seller, "connector.list", json!({})).await;
    assert!(seen.to_string().contains("connector.slack:post_message"), "{seen:#}");
    let unseen = kit::call(&clerk, "connector.list", json!({})).await;
    assert!(!unseen.to_string().contains("slack"), "{unseen:#}");
    let refused = kit::call(&clerk, "connector.sync", json!({ "provider": "slack" })).await;
    assert!(kit::text(&refused).contains("there is no connector slack"), "{refused:#}");
    let names = kit::names(&clerk).await;
    assert!(names.iter().all(|name| !name.contains("slack")), "{names:?}");
    let arguments = json!({ "channel": "C1", "text": "Hello" });
    let unknown =
        clerk.modern("tools/call", json!({ "name": office.action("post_message"), "arguments": arguments }));
    assert!(!unknown.await.text.contains("\"succeeded\""), "it is unknown");
    assert_eq!(office.provider.effects(), [""; 0]);
}

#[tokio::test]
async fn a_connector_is_listed_with_its_streams() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let listed = office.done("list", json!({})).await;
    let slack = &listed["connectors"][0];
    assert_eq!((&slack["provider"], &slack["connection"]), (&json!("slack"), &json!("default")), "{slack:#}");
    assert_eq!(slack["streams"], json!(["channels", "users"]), "{slack:#}");
}

#[tokio::test]
async fn a_test_reads_a_page_and_keeps_nothing() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let tested = office.done("test", json!({ "stream": "channels" })).await;
    assert_eq!((&tested["records"], &tested["more"]), (&json!(3), &json!(false)), "{tested:#}");
    assert!(tested["fields"].to_string().contains("\"name\""), "{tested:#}");
    assert!(office.state().await["pointer"]["manifest"].is_null());
}

#[tokio::test]
async fn whoever_makes_a_call_can_look_at_its_request_first() {
    let office = Office::open(SLACK, Slack::default(), Care::Standard).await;
    let (seller, clerk) = (office.agent("seller"), office.agent("clerk"));
    let call =
        json!({ "tool": "connector.slack.post_message", "arguments": { "channel": "C1", "text": "Hello" } });
    let shown = kit::call(&seller, "connector.preview", call.clone()).await;
    let request = &shown["structuredContent"]["data"]["requests"][0];
    assert_eq!(
        (&request["method"], &request["path"]),
        (&json!("POST"), &json!("/chat.postMessage")),
        "{shown:#}"
    );
    assert!(request["body_text"].to_string().contains("Hello"), "{shown:#}");
    let told = shown.to_string();
    assert!(told.contains("••••") && !told.contains(&office.provider.token()), "{shown:#}");
    assert!(!told.contains(&office.provider.origin()), "agents are not told where it leads: {shown:#}");
    let wrong = json!({ "tool": "connector.slack.post_message", "arguments": { "text": "Hello" } });
    let refused = kit::call(&seller, "connector.preview", wrong).await;
    assert!(kit::text(&refused).contains("channel"), "{refused:#}");
    let unseen = kit::call(&clerk, "connector.preview", call).await;
    assert!(kit::text(&unseen).contains("there is no tool"), "{unseen:#}");
    assert!(office.provider.requests().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn the_console_and_the_command_line_show_connectors() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    office.sync(&["users"]).await;
    let told = office.site.say(&["connectors", "status"]);
    assert!(told.contains("server: connector.slack") && told.contains("state: done"), "{told}");
    let visitor = Visitor::enters(&office.site.gateway, &office.site.gateway.admin).await;
    let page = visitor.get("/console/connectors").await.text;
    for part in ["slack", "Last sync", "Rate left", "Sync now", "connector:slack/default"] {
        assert!(page.contains(part), "{part} is missing: {page}");
    }
}

#[tokio::test]
async fn a_disabled_connector_is_shown_as_disabled_with_the_reason() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let admin = &office.site.gateway.admin;
    let visitor = Visitor::enters(&office.site.gateway, admin).await;
    let reason = Some(json!({ "reason": "an audit" }));
    let disabled = office.site.rest(admin, "POST", "/servers/connector.slack/disable", reason).await;
    assert_eq!(disabled.status, 204, "{disabled:?}");
    let state = office.state().await;
    assert_eq!((&state["health"], &state["reason"]), (&json!("disabled"), &json!("an audit")), "{state:#}");
    let next = text(&state["next_step"]);
    assert!(next.contains("toolgate servers enable connector.slack"), "{state:#}");
    let page = visitor.get("/console/connectors").await.text;
    assert!(page.contains("<bdi>disabled</bdi>") && page.contains("an audit"), "{page}");
    assert!(!page.contains("Sync now"), "{page}");
    let enabled = office.site.rest(admin, "POST", "/servers/connector.slack/enable", Some(json!({}))).await;
    assert_eq!(enabled.status, 204, "{enabled:?}");
    office.site.server_is("connector.slack", |server| server["health"] == "healthy").await;
    let state = office.state().await;
    assert_eq!((&state["health"], &state["next_step"]), (&json!("healthy"), &json!(null)), "{state:#}");
    assert!(visitor.get("/console/connectors").await.text.contains("Sync now"));
}

#[tokio::test]
async fn a_call_shows_the_rate_that_is_left_without_any_sync() {
    let office = Office::open(HUBSPOT, HubSpot::default(), Care::Exploratory).await;
    office.provider.with(|hubspot| hubspot.rate_left = 42);
    let arguments = json!({ "contact": "201" });
    let found = kit::call(&office.agent("seller"), &office.action("get_contact"), arguments).await;
    assert!(found.to_string().contains("ann@example.com"), "{found:#}");
    let state = office.state().await;
    assert_eq!((&state["rate"]["remaining"], &state["last_sync"]), (&json!(42), &json!(null)), "{state:#}");
    assert!(state["rate"]["seen_at"].is_string(), "{state:#}");
    let visitor = Visitor::enters(&office.site.gateway, &office.site.gateway.admin).await;
    let page = visitor.get("/console/connectors").await.text;
    assert!(page.contains("42 requests"), "{page}");
}
