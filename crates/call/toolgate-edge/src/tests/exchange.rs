//! One request under way: what its door gets to write, and how it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use toolgate_core::RawJson;
use toolgate_wire::ProtocolVersion;

use super::kit::{EdgeFixture, client, next, request, tool_call, until};
use crate::messages::frame::Frame;

#[tokio::test]
async fn an_answer_is_the_only_frame_of_a_call_that_says_nothing_else() {
    let house = EdgeFixture::new();
    let ada = Arc::new(client("ada", ProtocolVersion::LATEST_MODERN, json!({})));
    let (answer, rest) = next(house.start(&ada, tool_call(3, "say"))).await;
    assert_eq!(answer["id"], 3);
    assert_eq!(answer["result"]["content"][0]["text"], "done");
    assert!(rest.is_none(), "nothing follows an answer");
}

#[tokio::test]
async fn progress_comes_first_and_under_the_clients_own_token() {
    let house = EdgeFixture::new();
    let ada = Arc::new(client("ada", ProtocolVersion::LATEST_MODERN, json!({})));
    let mut call = tool_call(1, "tell");
    call.parts.meta.progress_token = Some(json!("mine").into());
    let (first, rest) = next(house.start(&ada, call)).await;
    assert_eq!(first["method"], "notifications/progress");
    assert_eq!(first["params"], json!({"progress": 1, "progressToken": "mine"}));
    let (answer, _) = next(rest.expect("the answer follows")).await;
    assert_eq!(answer["id"], 1);
    let (answer, _) = next(house.start(&ada, tool_call(2, "tell"))).await;
    assert_eq!(answer["id"], 2, "without a token there is no progress");
}

#[tokio::test]
async fn a_session_is_asked_in_the_middle_of_its_call() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({"elicitation": {}}));
    let (question, rest) = next(house.start_in(&session, tool_call(1, "ask"))).await;
    assert_eq!(question["method"], "elicitation/create");
    let message = question["params"]["message"].as_str().expect("a text");
    assert!(message.contains("files") && message.contains("why?"), "it says who asks: {message}");
    let reply: RawJson = json!({"action": "accept", "content": {"why": "so"}}).into();
    session.answered(&question["id"].to_string(), Ok(reply));
    let (answer, _) = next(rest.expect("the call goes on")).await;
    assert_eq!(answer["result"]["content"], json!({"why": "so"}));
}

#[tokio::test]
async fn a_client_that_declared_nothing_is_never_asked() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    let (answer, _) = next(house.start_in(&session, tool_call(1, "ask"))).await;
    let error = answer["error"]["message"].as_str().or(answer["result"]["content"][0]["text"].as_str());
    let error = error.expect("the server is told, and so is the client");
    assert!(error.contains("does not support elicitation"), "{error}");
}

#[tokio::test]
async fn a_client_of_the_newer_era_that_goes_away_cancels() {
    let house = EdgeFixture::new();
    let ada = Arc::new(client("ada", ProtocolVersion::LATEST_MODERN, json!({})));
    let exchange = house.start(&ada, tool_call(1, "hang"));
    until("the call was sent", || house.ports.requests.lock().len() == 1).await;
    assert_eq!(house.ports.dropped.load(Ordering::Relaxed), 0);
    drop(exchange);
    until("the server is let go", || house.ports.dropped.load(Ordering::Relaxed) == 1).await;
}

#[tokio::test]
async fn a_call_of_a_session_goes_on_without_its_reader_and_frees_its_id() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    drop(house.start_in(&session, tool_call(1, "say")));
    until("the call was sent", || house.ports.requests.lock().len() == 1).await;
    until("its id is free again", || session.begin("1", 10).is_ok()).await;
    assert_eq!(house.ports.dropped.load(Ordering::Relaxed), 0, "it came to its end");
}

#[tokio::test]
async fn a_request_that_was_given_up_has_no_answer() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    let exchange = house.start_in(&session, tool_call(1, "hang"));
    until("the call was sent", || house.ports.requests.lock().len() == 1).await;
    session.cancel("1");
    let (Frame::Response(response), None) = exchange.next().await else { panic!("it has ended") };
    assert!(response.cancelled, "nothing has to be sent");
    assert!(session.begin("1", 10).is_ok(), "the id is free");
}

#[tokio::test]
async fn ids_of_one_session_are_in_use_once_and_so_many_at_most() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    let _first = house.start_in(&session, tool_call(1, "hang"));
    let error = session.begin("1", 10).err().expect("it is under way");
    assert!(error.message.contains("already under way"), "{}", error.message);
    let error = session.begin("2", 1).err().expect("one is enough");
    assert!(error.message.starts_with("1 requests are already under way"), "{}", error.message);
    assert!(session.begin("2", 2).is_ok());
}

#[tokio::test]
async fn an_error_of_the_protocol_is_an_answer_with_its_code() {
    let house = EdgeFixture::new();
    let ada = Arc::new(client("ada", ProtocolVersion::LATEST_MODERN, json!({})));
    let exchange = house.start(&ada, request(9, "tools/eat", json!({})));
    let (Frame::Response(response), None) = exchange.next().await else { panic!("it is answered") };
    assert_eq!(response.error_code, Some(toolgate_core::RpcError::METHOD_NOT_FOUND));
    assert!(!response.cancelled);
}
