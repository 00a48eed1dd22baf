//! Whom a server's question reaches on a connection that several requests share.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_core::port::AskKind;
use toolgate_core::server::{Era, EraChoice, ServerSpec};

use crate::fleet::{call, definition, judged, said};
use crate::kit::{Agent, LIMIT, UpstreamGateway, fault_code, someone, text_of};
use crate::neighbour::child;
use crate::web::{Body, Seen, Web, empty, event, events, ok, reply};

fn able(principal: &str, client: u64) -> Arc<Agent> {
    Agent { can: vec![AskKind::Elicitation], ..Agent::new(principal, client) }.shared()
}

async fn with_hanging_call_of(gateway: &UpstreamGateway, caller: &Arc<Agent>) -> tokio::task::JoinHandle<()> {
    let call = gateway.call("hang", "{}", caller);
    let hanging = tokio::spawn(async move { drop(call.await) });
    gateway
        .recorder
        .until("the call", |told| told.stderr.iter().any(|line| line.starts_with("hanging")))
        .await;
    hanging
}

#[tokio::test]
async fn a_question_reaches_the_only_client_under_way() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let caller = able("a", 7);
    assert!(gateway.text("ask", &caller).await.contains(r#""client": 7"#));
    assert_eq!(caller.questions(), 1);
    gateway.end().await;
}

#[tokio::test]
async fn a_client_is_not_asked_in_place_of_one_that_cannot_answer() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let bystander = able("a", 7);
    let hanging = with_hanging_call_of(&gateway, &bystander).await;
    let answer = gateway.text("ask", &someone()).await;
    assert!(answer.contains("-32603") && answer.contains("isolation"), "{answer}");
    assert_eq!(bystander.questions(), 0);
    hanging.abort();
    gateway.end().await;
}

#[tokio::test]
async fn a_question_that_could_be_for_two_clients_reaches_neither() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let (one, other) = (able("a", 1), able("a", 2));
    let hanging = with_hanging_call_of(&gateway, &one).await;
    let answer = gateway.text("ask", &other).await;
    assert!(answer.contains("-32603") && answer.contains("isolation"), "{answer}");
    assert_eq!((one.questions(), other.questions()), (0, 0));
    hanging.abort();
    gateway.end().await;
}

#[tokio::test]
async fn a_missing_capability_is_named() {
    let gateway = UpstreamGateway::with(child("legacy"));
    let answer = gateway.text("ask_roots", &able("a", 1)).await;
    assert!(answer.contains("-32601") && answer.contains("the client does not support roots"), "{answer}");
    gateway.end().await;
}

#[tokio::test]
async fn a_question_ends_with_the_call_it_belongs_to() {
    let gateway = UpstreamGateway::with(child("legacy"));
    gateway.recorder.healthy().await;
    let caller = Agent {
        can: vec![AskKind::Elicitation],
        answer_after: Duration::from_secs(1000),
        ..Agent::new("a", 1)
    }
    .shared();
    let call = tokio::spawn(gateway.call("ask", "{}", &caller));
    crate::kit::eventually("the question", || caller.questions() == 1).await;
    call.abort();
    crate::kit::eventually("the end of the question", || Arc::strong_count(&caller) == 1).await;
    gateway.end().await;
}

/// A server whose SDK speaks both eras, and whose tool asks in the older way: in the newer era it answers
/// with `refusal`.
async fn of_both_eras(refusal: fn(&Seen) -> http::Response<Body>) -> Web {
    Web::start(move |seen| {
        let is_newer = seen.header("mcp-protocol-version") == Some("2026-07-28");
        let response = match seen.rpc() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}});
                let mut response = ok(&seen.result(result));
                response.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
                response
            }
            "server/discover" => ok(&crate::fleet::basics(&seen, &Value::Null).unwrap()),
            "tools/list" if is_newer => ok(&crate::fleet::basics(&seen, &json!([definition("1")])).unwrap()),
            "tools/list" => ok(&seen.result(json!({"tools": [definition("1")]}))),
            "tools/call" if is_newer => refusal(&seen),
            "tools/call" => said(&seen, "asked and answered"),
            "notifications/initialized" => empty(202),
            "ping" => ok(&seen.result(json!({}))),
            _ => empty(405),
        };
        std::future::ready(response)
    })
    .await
}

fn refuses(seen: &Seen) -> http::Response<Body> {
    let message = "Cannot send 'elicitation/create': this transport context has no back-channel";
    let error = json!({"code": -32600, "message": message});
    reply(200, &json!({"jsonrpc": "2.0", "id": seen.id(), "error": error}))
}

fn asks_on_the_stream(_seen: &Seen) -> http::Response<Body> {
    let ask =
        json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": {"message": "Sure?"}});
    events(&[event(&ask)])
}

async fn falls_back(refusal: fn(&Seen) -> http::Response<Body>) -> String {
    let web = of_both_eras(refusal).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    let caller = able("a", 1);
    let first = tokio::time::timeout(LIMIT, gateway.request(call(judged("1")), &caller)).await.unwrap();
    let first = fault_or_message(first.unwrap_err());
    let again = gateway.request(call(judged("1")), &caller).await.unwrap();
    assert_eq!(text_of(&again), "asked and answered");
    let told = gateway.recorder.until("the older era", |told| {
        told.states.last().is_some_and(|state| state.era == Some(Era::Legacy))
    });
    told.await;
    gateway.end().await;
    first
}

fn fault_or_message(error: toolgate_core::port::ServerError) -> String {
    match error {
        toolgate_core::port::ServerError::Rpc(error) => error.message.clone(),
        fault => fault_code(fault).to_owned(),
    }
}

#[tokio::test]
async fn a_server_that_asks_in_the_older_way_is_spoken_to_in_the_older_era() {
    assert!(falls_back(refuses).await.contains("elicitation/create"));
}

#[tokio::test]
async fn a_question_that_the_newer_era_has_no_way_back_for_ends_the_call() {
    assert_eq!(falls_back(asks_on_the_stream).await, "server_lost");
}

#[tokio::test]
async fn nobody_who_could_answer_means_no_other_era() {
    let web = of_both_eras(refuses).await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    for _ in 0..3 {
        gateway.request(call(judged("1")), &someone()).await.unwrap_err();
    }
    assert_eq!(web.count("initialize"), 0);
    gateway.end().await;
}

#[tokio::test]
async fn the_operator_says_which_era_is_spoken() {
    let web = of_both_eras(refuses).await;
    let newer = UpstreamGateway::with(ServerSpec { era: EraChoice::Newer, ..web.spec() });
    newer.recorder.healthy().await;
    for _ in 0..2 {
        newer.request(call(judged("1")), &able("a", 1)).await.unwrap_err();
    }
    assert_eq!(web.count("initialize"), 0);
    newer.end().await;
    let asked = web.count("server/discover");
    let older = UpstreamGateway::with(ServerSpec { era: EraChoice::Older, ..web.spec() });
    older.recorder.healthy().await;
    assert_eq!(
        text_of(&older.request(call(judged("1")), &able("a", 1)).await.unwrap()),
        "asked and answered"
    );
    assert_eq!(web.count("server/discover"), asked, "it is not even asked");
    older.end().await;
}
