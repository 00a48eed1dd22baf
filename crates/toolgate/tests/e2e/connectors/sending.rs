//! Messages that leave: people see the request, a lost answer is unknown, and nothing is sent twice.

use serde_json::{Value, json};
use toolgate_testkit::providers::{ProviderFault, Slack, WebhookReceiver};

use super::office::{Care, HURRIED_SLACK, Office, SLACK, WEBHOOK, outgoing_request};
use crate::files::archive::text;
use crate::governed::bank::{pending, status};
use crate::kit;

const HELLO: &str = "chat.postMessage C1 Hello";

fn hello() -> Value {
    json!({ "channel": "C1", "text": "Hello" })
}

#[tokio::test]
async fn a_person_sees_the_request_before_a_message_is_sent() {
    let office = Office::open(SLACK, Slack::default(), Care::Standard).await;
    let (agent, post) = (office.agent("seller"), office.action("post_message"));
    let approval = pending(&kit::call(&agent, &post, hello()).await);
    let request = outgoing_request(&office.site, &approval).await;
    for part in ["POST ", "/api/chat.postMessage", "Hello", "••••"] {
        assert!(request.contains(part), "{part} is missing: {request}");
    }
    assert!(!request.contains(&office.provider.token()), "{request}");
    assert_eq!(office.provider.effects(), [""; 0], "nothing was sent yet");
    office.site.say(&["approvals", "approve", &approval]);
    let sent = kit::call(&agent, &post, hello()).await;
    assert_eq!(status(&sent), "succeeded", "{sent:#}");
    assert_eq!(office.provider.effects(), [HELLO]);
}

#[tokio::test]
async fn a_result_says_how_to_take_it_back_and_that_is_a_call_like_any_other() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let agent = office.agent("seller");
    let sent = kit::call(&agent, &office.action("post_message"), hello()).await;
    let undo = &sent["_meta"]["dev.toolgate/undo"];
    assert_eq!(undo["tool"], office.action("delete_message"), "{sent:#}");
    assert!(sent["content"].to_string().contains("to take this back: call connector.slack:delete_message"));
    let undone = kit::call(&agent, text(&undo["tool"]), undo["arguments"].clone()).await;
    assert_eq!(status(&undone), "succeeded", "{undone:#}");
    let effects = office.provider.effects();
    assert!(effects.len() == 2 && effects[1].starts_with("chat.delete C1"), "{effects:?}");
}

#[tokio::test]
async fn a_read_of_a_connector_asks_nobody() {
    let office = Office::open(SLACK, Slack::default(), Care::Standard).await;
    let listed = kit::call(&office.agent("seller"), &office.action("list_channels"), json!({})).await;
    assert_eq!(status(&listed), "succeeded", "{listed:#}");
}

#[tokio::test]
async fn a_200_that_is_not_ok_is_an_error() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let arguments = json!({ "channel": "C404", "text": "Hello" });
    let refused = kit::call(&office.agent("seller"), &office.action("post_message"), arguments).await;
    assert_eq!(status(&refused), "tool_error", "{refused:#}");
    assert!(kit::text(&refused).contains("channel_not_found"), "{refused:#}");
}

/// Sends a message whose answer is lost in this way, and has a person say that it happened.
async fn is_asked_about(fault: ProviderFault) {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    office.provider.misbehave_at("chat.postMessage", fault, 1);
    let lost = kit::call(&office.agent("seller"), &office.action("post_message"), hello()).await;
    assert_eq!(status(&lost), "unknown", "{lost:#}");
    assert_eq!(office.provider.effects(), [HELLO], "it is not sent again");
    let question = office.question().await;
    let asked = question.to_string();
    assert!(asked.contains("connector.slack:post_message") && asked.contains("did it happen"), "{asked}");
    let state = office.state().await;
    assert_eq!(state["doubts"], 1, "{state:#}");
    assert!(text(&state["next_step"]).contains("inbox"), "{state:#}");
    let path = format!("/inputs/{}/answer", text(&question["id"]));
    let answer = json!({ "answer": "happened" });
    let said = office.site.rest(&office.site.gateway.admin, "POST", &path, Some(answer)).await;
    assert_eq!(said.status, 200, "{said:?}");
    assert_eq!(office.provider.effects(), [HELLO], "an answer sends nothing");
}

#[tokio::test]
async fn a_person_is_asked_about_a_message_whose_answer_was_lost() {
    is_asked_about(ProviderFault::LostAfterEffect).await;
}

#[tokio::test]
async fn a_person_is_asked_about_a_message_that_ended_with_500() {
    is_asked_about(ProviderFault::ErrorAfterEffect).await;
}

#[tokio::test]
async fn a_provider_that_limits_its_rate_is_waited_for_by_reads_and_told_to_writers() {
    let office = Office::open(SLACK, Slack::default(), Care::Exploratory).await;
    let agent = office.agent("seller");
    let fault = ProviderFault::RateLimited { after_s: Some(0) };
    office.provider.misbehave_at("conversations.list", fault.clone(), 1);
    let read = kit::call(&agent, &office.action("list_channels"), json!({})).await;
    assert_eq!(status(&read), "succeeded", "{read:#}");
    office.provider.misbehave_at("chat.postMessage", fault, 1);
    let refused = kit::call(&agent, &office.action("post_message"), hello()).await;
    assert_eq!(status(&refused), "tool_error", "{refused:#}");
    assert!(refused.to_string().contains("takes it again in 0 s"), "{refused:#}");
    assert_eq!(office.provider.effects(), [""; 0]);
}

#[tokio::test]
async fn a_read_that_would_wait_past_its_end_is_told_the_time() {
    let office = Office::open(HURRIED_SLACK, Slack::default(), Care::Exploratory).await;
    let fault = ProviderFault::RateLimited { after_s: Some(20) };
    office.provider.misbehave_at("conversations.list", fault, 1);
    let refused = kit::call(&office.agent("seller"), &office.action("list_channels"), json!({})).await;
    assert_eq!(status(&refused), "tool_error", "{refused:#}");
    assert!(refused.to_string().contains("takes it again in 20 s"), "{refused:#}");
}

#[tokio::test]
async fn a_provider_that_takes_a_key_is_given_the_id_of_the_call_each_time() {
    let office = Office::open(WEBHOOK, WebhookReceiver::default(), Care::Exploratory).await;
    office.provider.misbehave_at("/hooks/toolgate", ProviderFault::LostAfterEffect, 1);
    let message = json!({ "type": "invoice.paid", "data": { "id": 7 } });
    let sent = kit::call(&office.agent("seller"), &office.action("send"), message).await;
    assert_eq!(status(&sent), "succeeded", "{sent:#}");
    let requests = office.provider.requests();
    let ids: Vec<Option<&str>> = requests.iter().map(|request| request.header("webhook-id")).collect();
    assert!(ids.len() == 2 && ids[0].is_some() && ids[0] == ids[1], "{ids:?}");
    assert_eq!(office.provider.effects().len(), 1, "it happened once");
}

#[tokio::test]
async fn a_signed_message_that_was_agreed_to_is_sent() {
    let office = Office::open(WEBHOOK, WebhookReceiver::default(), Care::Standard).await;
    let (agent, send) = (office.agent("seller"), office.action("send"));
    let message = json!({ "type": "invoice.paid", "data": { "id": 7 } });
    let approval = pending(&kit::call(&agent, &send, message.clone()).await);
    office.site.say(&["approvals", "approve", &approval]);
    let sent = kit::call(&agent, &send, message).await;
    assert_eq!(status(&sent), "succeeded", "its preview is the same each time: {sent:#}");
}
