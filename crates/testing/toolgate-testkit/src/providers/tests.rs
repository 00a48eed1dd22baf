//! Facts about the stand-ins themselves.

use reqwest::{Client, Method, Response, redirect};
use serde_json::{Value, json};

use super::*;

type Sent = reqwest::Result<Response>;

async fn sent<P: Provider>(standin: &Standin<P>, method: Method, path: &str, body: Option<Value>) -> Sent {
    let client = Client::builder().redirect(redirect::Policy::none()).build()?;
    let request = client.request(method, format!("{}{path}", standin.base_url()));
    let request = request.header("authorization", format!("Bearer {}", standin.token()));
    let request = request.header("user-agent", "tests").header("content-type", "application/json");
    let request = match body {
        Some(body) => request.body(body.to_string()),
        None => request,
    };
    request.send().await
}

async fn asked<P: Provider>(
    standin: &Standin<P>,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> Response {
    sent(standin, method, path, body).await.expect("an answer")
}

async fn json_of(response: Response) -> Value {
    serde_json::from_slice(&response.bytes().await.expect("a body")).expect("JSON")
}

#[tokio::test]
async fn slack_says_in_the_body_whether_it_worked_and_counts_what_happened() {
    let slack = Standin::start(Slack::default()).expect("a port");
    let hello = json!({ "channel": "C1", "text": "Hello" });
    let posted = json_of(asked(&slack, Method::POST, "/chat.postMessage", Some(hello.clone())).await).await;
    assert_eq!(posted["ok"], true);
    let nowhere = json!({ "channel": "C9", "text": "Hello" });
    let refused = json_of(asked(&slack, Method::POST, "/chat.postMessage", Some(nowhere)).await).await;
    assert_eq!(refused, json!({ "ok": false, "error": "channel_not_found" }));
    slack.misbehave_at("chat.postMessage", ProviderFault::ErrorAfterEffect, 1);
    let broken = asked(&slack, Method::POST, "/chat.postMessage", Some(hello.clone())).await;
    assert_eq!(broken.status(), 500);
    slack.misbehave(ProviderFault::LostAfterEffect);
    let is_lost = match sent(&slack, Method::POST, "/chat.postMessage", Some(hello)).await {
        Ok(begun) => begun.bytes().await.is_err(),
        Err(_) => true,
    };
    assert!(is_lost, "the answer breaks off");
    assert_eq!(slack.effects(), ["chat.postMessage C1 Hello"; 3]);
    assert_eq!(slack.with(|slack| slack.texts("C1").len()), 3);
}

#[tokio::test]
async fn a_fault_before_the_effect_leaves_no_trace() {
    let slack = Standin::start(Slack::default()).expect("a port");
    let private = ProviderFault::Redirect { location: "http://169.254.169.254/latest".to_owned() };
    for (fault, status) in [
        (ProviderFault::RateLimited { after_s: Some(2) }, 429),
        (ProviderFault::RateLimited { after_s: None }, 429),
        (ProviderFault::Html, 200),
        (ProviderFault::ExpiredCredentials, 200),
        (ProviderFault::RevokedCredentials, 200),
        (private, 302),
    ] {
        slack.misbehave(fault.clone());
        let hello = json!({ "channel": "C1", "text": "Hello" });
        let answer = asked(&slack, Method::POST, "/chat.postMessage", Some(hello)).await;
        assert_eq!(answer.status(), status, "{fault:?}");
        let is_timed = fault == ProviderFault::RateLimited { after_s: Some(2) };
        assert_eq!(answer.headers().contains_key("retry-after"), is_timed);
    }
    assert_eq!(slack.effects(), [""; 0]);
    slack.calm();
    slack.renew_token("another");
    let client = Client::new();
    let old =
        client.get(format!("{}/auth.test", slack.base_url())).header("authorization", "Bearer standin-token");
    assert_eq!(json_of(old.send().await.expect("an answer")).await["error"], "invalid_auth");
}

#[tokio::test]
async fn slack_lists_in_pages_that_end_unless_it_is_told_otherwise() {
    let slack = Standin::start(Slack::with_channels(5)).expect("a port");
    let next = async |cursor: &str| {
        let path = format!("/conversations.list?limit=2&cursor={cursor}");
        let page = json_of(asked(&slack, Method::GET, &path, None).await).await;
        page["response_metadata"]["next_cursor"].as_str().expect("a cursor").to_owned()
    };
    let second = next("").await;
    let third = next(&second).await;
    assert!(!third.is_empty() && third != second);
    assert_eq!(next(&third).await, "");
    slack.misbehave(ProviderFault::EndlessPages);
    assert_ne!(next(&third).await, "");
    slack.misbehave(ProviderFault::RepeatedCursor);
    assert_eq!(next(&second).await, second);
}

#[tokio::test]
async fn hubspot_finds_what_changed_since_a_time() {
    let hubspot = Standin::start(HubSpot::with_deals(3)).expect("a port");
    let search = async |since: &str| {
        let filter = json!({ "propertyName": "hs_lastmodifieddate", "operator": "GTE", "value": since });
        let body =
            json!({ "filterGroups": [{ "filters": [filter] }], "limit": 2, "properties": ["dealname"] });
        json_of(asked(&hubspot, Method::POST, "/crm/v3/objects/deals/search", Some(body)).await).await
    };
    let first = search("0").await;
    assert_eq!((&first["total"], &first["paging"]["next"]["after"]), (&json!(3), &json!("2")));
    assert_eq!(first["results"][0]["updatedAt"], "2026-01-01T00:00:01.000Z");
    let last = search("1767225603000").await;
    assert_eq!((&last["total"], &last["results"][0]["id"]), (&json!(1), &json!("3")));
    let change = json!({ "properties": { "dealstage": "won" } });
    asked(&hubspot, Method::PATCH, "/crm/v3/objects/deals/1", Some(change)).await;
    assert_eq!(search("1767225603000").await["total"], 2);
    assert_eq!(hubspot.effects(), [r#"deals.update 1 {"dealstage":"won"}"#]);
}

#[tokio::test]
async fn github_names_the_next_page_and_keeps_updates_from_being_lost() {
    let github = Standin::start(GitHub::with_issues(3)).expect("a port");
    let page = asked(&github, Method::GET, "/repos/acme/site/issues?per_page=2", None).await;
    let link = page.headers()["link"].to_str().expect("text").to_owned();
    assert!(link.ends_with("per_page=2&page=2>; rel=\"next\""), "{link}");
    let last = asked(&github, Method::GET, "/repos/acme/site/issues?per_page=2&page=2", None).await;
    assert!(!last.headers().contains_key("link"));
    let change = json!({ "message": "m", "content": "aGk=", "sha": "0000" });
    let path = "/repos/acme/site/contents/README.md";
    assert_eq!(asked(&github, Method::PUT, path, Some(change)).await.status(), 409);
    let file = json_of(asked(&github, Method::GET, path, None).await).await;
    let change = json!({ "message": "m", "content": "aGk=", "sha": file["sha"] });
    assert_eq!(asked(&github, Method::PUT, path, Some(change)).await.status(), 200);
    assert_eq!(github.effects(), ["contents.write README.md m"]);
}

#[tokio::test]
async fn a_receiver_takes_a_message_once() {
    let receiver = Standin::start(WebhookReceiver::default()).expect("a port");
    for _ in 0..2 {
        let request = Client::new().post(receiver.base_url()).header("webhook-id", "m1");
        let request = request.header("webhook-signature", "v1,x").body("{}");
        assert_eq!(request.send().await.expect("an answer").status(), 202);
    }
    assert_eq!((receiver.requests().len(), receiver.effects()), (2, vec!["message m1 {}".to_owned()]));
}
