//! Calls that wait for a client of the newer era to come back.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolgate_core::RawJson;
use toolgate_core::port::AskKind;
use toolgate_wire::ProtocolVersion;

use super::kit::{EdgeFixture, caller, client, next, request, tool_call};
use crate::clients::client::Client;
use crate::messages::parts::OwnedRequest;
use crate::messages::seal::Sealer;
use crate::protocol::exchange::Exchange;
use crate::protocol::incoming::resume_parked;
use crate::protocol::parked::{ParkedExchanges, ParkedQuestion, ResumeOutcome};

fn person(principal: &str) -> Arc<Client> {
    Arc::new(client(principal, ProtocolVersion::LATEST_MODERN, json!({"elicitation": {}})))
}

/// A call that asks, up to the point where its client is asked: what it is told.
async fn asked(house: &EdgeFixture) -> Value {
    let (told, rest) = next(house.start(&person("ada"), tool_call(1, "ask"))).await;
    assert!(rest.is_none(), "a question is an answer in the newer era");
    assert_eq!(told["result"]["resultType"], "input_required");
    told["result"].clone()
}

/// The call once more, with its handle and perhaps with an answer.
fn retry(tool: &str, state: &Value, answer: Option<Value>) -> OwnedRequest {
    let mut params =
        json!({"name": format!("files__{tool}"), "arguments": {"what": "this"}, "requestState": state});
    if let Some(answer) = answer {
        params["inputResponses"] = json!({"input": answer});
    }
    request(2, "tools/call", params)
}

fn resumed(house: &EdgeFixture, client: &Client, request: &OwnedRequest) -> Result<ResumeOutcome, String> {
    let found = resume_parked(&house.gateway, client, request).expect("it has a handle of ours");
    found.map_err(|error| error.message)
}

fn yes() -> Option<Value> {
    Some(json!({"action": "accept", "content": {"why": "so"}}))
}

#[tokio::test]
async fn a_retry_with_the_answer_goes_on_with_the_call_under_its_new_id() {
    let house = EdgeFixture::new();
    let told = asked(&house).await;
    assert_eq!(told["inputRequests"]["input"]["method"], "elicitation/create");
    let Ok(ResumeOutcome::GoesOn(exchange)) =
        resumed(&house, &person("ada"), &retry("ask", &told["requestState"], yes()))
    else {
        panic!("the call goes on")
    };
    let (answer, _) = next(*exchange).await;
    assert_eq!(answer["id"], 2);
    assert_eq!(answer["result"]["content"], json!({"why": "so"}));
}

#[tokio::test]
async fn a_retry_without_an_answer_is_asked_again_and_may_answer_then() {
    let house = EdgeFixture::new();
    let told = asked(&house).await;
    let ada = person("ada");
    let Ok(ResumeOutcome::AskedAgain(again)) =
        resumed(&house, &ada, &retry("ask", &told["requestState"], None))
    else {
        panic!("it is asked again")
    };
    let again: Value = serde_json::from_slice(&again.body.joined()).expect("JSON");
    assert_eq!(again["id"], 2);
    assert_eq!(again["result"]["inputRequests"], told["inputRequests"]);
    let new = retry("ask", &again["result"]["requestState"], yes());
    assert!(matches!(resumed(&house, &ada, &new), Ok(ResumeOutcome::GoesOn(_))));
}

#[tokio::test]
async fn a_handle_works_once_for_one_client_and_one_request() {
    let house = EdgeFixture::new();
    let told = asked(&house).await;
    let state = &told["requestState"];
    let refused = |client: &Client, request: &OwnedRequest| {
        resumed(&house, client, request).err().expect("it is refused")
    };
    let bob = refused(&person("bob"), &retry("ask", state, yes()));
    assert_eq!(bob, "requestState belongs to someone else; call again without it");
    let other = refused(&person("ada"), &retry("say", state, yes()));
    assert_eq!(other, "requestState belongs to a different request; call again without it");
    // Neither attempt used it up.
    assert!(matches!(
        resumed(&house, &person("ada"), &retry("ask", state, yes())),
        Ok(ResumeOutcome::GoesOn(_))
    ));
    let again = refused(&person("ada"), &retry("ask", state, yes()));
    assert_eq!(again, "requestState has expired or was used before; call again without it");
}

#[tokio::test]
async fn a_handle_that_was_made_up_is_refused() {
    let house = EdgeFixture::new();
    let told = asked(&house).await;
    let state = told["requestState"].as_str().expect("a text");
    for forged in [format!("{state}A"), "g.AAAA".to_owned()] {
        let why = resumed(&house, &person("ada"), &retry("ask", &json!(forged), yes())).err();
        let expected = "requestState was not issued by this gateway; call again without it";
        assert_eq!(why.as_deref(), Some(expected), "{forged}");
    }
    // Other states are no handles of ours, and are looked at with the call.
    let server_state = retry("ask", &json!("u.AAAA"), yes());
    assert!(resume_parked(&house.gateway, &person("ada"), &server_state).is_none());
}

#[tokio::test]
async fn arguments_in_another_order_are_the_same_request() {
    let house = EdgeFixture::new();
    let first = json!({"name": "files__ask", "arguments": {"what": "this", "to": {"a": 1, "b": 2}}});
    let (told, _) = next(house.start(&person("ada"), request(1, "tools/call", first))).await;
    let state = told["result"]["requestState"].as_str().expect("a handle");
    let text = format!(
        r#"{{"requestState":"{state}","arguments":{{"to":{{"b":2,"a":1}},"what":"this"}},"name":"files__ask"}}"#
    );
    let mut again = request(2, "tools/call", json!({"name": "files__ask", "requestState": state}));
    again.head.params = RawJson::from_composed(text);
    assert!(matches!(resumed(&house, &person("ada"), &again), Ok(ResumeOutcome::AskedAgain(_))));
}

#[tokio::test]
async fn a_call_that_nobody_comes_back_for_is_given_up() {
    let house = EdgeFixture::new();
    let check = |keep: Duration, is_given_up: bool| {
        let parked = Arc::new(ParkedExchanges::new(Sealer::new([1; 32]), keep));
        let cancel = CancellationToken::new();
        let (hub, head) = (house.gateway.hub.clone(), tool_call(1, "ask").head);
        let caller = Arc::new(caller(client("ada", ProtocolVersion::LATEST_MODERN, json!({}))));
        let exchange = Exchange::new(hub, parked.clone(), caller, head, cancel.clone());
        let (answer, _answered) = oneshot::channel();
        let question =
            ParkedQuestion { id: "input".into(), kind: AskKind::Elicitation, params: RawJson::EMPTY, answer };
        drop(parked.park(exchange, question));
        parked.sweep();
        assert_eq!(cancel.is_cancelled(), is_given_up, "kept for {keep:?}");
    };
    check(Duration::ZERO, true);
    check(Duration::from_secs(3600), false);
}
