//! Asking the person at the client, where a gate lets them decide: `@approvers("caller")`, in both eras.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::bank::{Bank, NO_HOLD, gate, money, moved, pending, status};
use crate::doors::Events;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";

fn open() -> Bank {
    Bank::open(&format!("{}{NO_HOLD}", gate("@approvers(\"caller\") @reason(\"money leaves\")")))
}

fn asking(mut client: HttpClient) -> HttpClient {
    client.capabilities = json!({ "elicitation": {} });
    client
}

async fn older(bank: &Bank) -> HttpClient {
    let mut client = asking(bank.agent());
    client.initialize("2025-11-25").await;
    client
}

/// The call, which must ask.
async fn asked(client: &HttpClient, amount: u64) -> Value {
    let result = call(client, TOOL, money(amount)).await;
    assert_eq!(result["resultType"], "input_required", "{result}");
    result
}

/// The key of the question.
fn key(question: &Value) -> &str {
    question["inputRequests"].as_object().and_then(|all| all.keys().next()).expect("a question")
}

/// The same call again, with an answer to the question.
async fn answered(client: &HttpClient, amount: u64, question: &Value, answer: Value) -> HttpAnswer {
    let state = &question["requestState"];
    let params = json!({ "name": TOOL, "arguments": money(amount), "inputResponses": { key(question): answer }, "requestState": state });
    client.modern("tools/call", params).await
}

fn yes() -> Value {
    json!({ "action": "accept", "content": { "approve": true, "reason": "it is mine" } })
}

#[tokio::test]
async fn a_person_at_a_newer_client_lets_their_call_run_once() {
    let bank = open();
    let client = asking(bank.agent());
    let question = asked(&client, 1).await;
    let request = &question["inputRequests"][key(&question)];
    let params = &request["params"];
    assert_eq!(request["method"], "elicitation/create", "{question}");
    let message = params["message"].as_str().expect("a message");
    assert!(
        message.contains("bank:transfer")
            && message.contains("\"amount\":1")
            && message.contains("money leaves"),
        "{message}"
    );
    assert_eq!(params["requestedSchema"]["properties"]["approve"]["type"], "boolean", "{params}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    let done = answered(&client, 1, &question, yes()).await.result();
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!(bank.ran(), [moved(1)]);
    let voted = bank.events(&["--kind", "approval.voted"]);
    assert_eq!((voted.len(), &voted[0]["detail"]["via"]), (1, &json!("elicitation")), "{voted:?}");
    bank.verify();
}

#[tokio::test]
async fn a_state_that_was_used_forged_or_is_anothers_lets_nothing_run() {
    let bank = open();
    let client = asking(bank.agent());
    let question = asked(&client, 1).await;
    let with = |state: &str| json!({ "inputRequests": question["inputRequests"], "requestState": state });
    let sealed = question["requestState"].as_str().expect("text");
    let mut forged = sealed.to_owned();
    let last = forged.pop().expect("not empty");
    forged.push(if last == 'A' { 'B' } else { 'A' });
    let refused = |answer: &HttpAnswer, what: &str| {
        assert_eq!(answer.error_code(), -32602, "{what}: {answer:?}");
        assert_eq!(bank.ran(), Vec::<String>::new(), "{what}");
    };
    for state in [forged.as_str(), "g.", "", "u.AAAA", "nonsense"] {
        let answer = answered(&client, 1, &with(state), yes()).await;
        if state.is_empty() && answer.response().get("error").is_none() {
            // No state at all: the question is asked again.
            assert_eq!(answer.result()["resultType"], "input_required");
            continue;
        }
        refused(&answer, state);
    }
    refused(&answered(&client, 2, &question, yes()).await, "other arguments");
    let stranger = asking(bank.agent_with(&bank.token("--role agent")));
    refused(&answered(&stranger, 1, &question, yes()).await, "somebody else");
    assert_eq!(
        status(&answered(&client, 1, &question, yes()).await.result()),
        "succeeded",
        "its owner may use it"
    );
    let replayed = answered(&client, 1, &question, yes()).await;
    assert_eq!(replayed.error_code(), -32602, "{replayed:?}");
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_person_at_the_client_may_say_no_or_nothing() {
    let bank = open();
    let client = asking(bank.agent());
    let no = json!({ "action": "accept", "content": { "approve": false, "reason": "not me" } });
    let question = asked(&client, 1).await;
    let said = answered(&client, 1, &question, no).await.result();
    assert_eq!(status(&said), "denied", "{said}");
    assert!(text(&said).contains("not me"), "{said}");
    let question = asked(&client, 2).await;
    let said = answered(&client, 2, &question, json!({ "action": "decline" })).await.result();
    assert_eq!(status(&said), "denied", "{said}");
    let question = asked(&client, 3).await;
    let said = answered(&client, 3, &question, json!({ "action": "cancel" })).await.result();
    let id = pending(&said);
    assert_eq!(bank.approval(&id)["state"], "pending", "whoever closes the window has not decided");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_person_at_an_older_client_is_asked_on_the_stream_of_the_call() {
    let bank = open();
    let client = older(&bank).await;
    for (id, answer, expected) in [
        (1, yes(), "succeeded"),
        (2, json!({ "action": "decline" }), "denied"),
        (3, json!({ "action": "cancel" }), "pending_approval"),
    ] {
        let params = json!({ "name": TOOL, "arguments": money(id) });
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let mut events = Events::open(client.legacy_post().body(body.to_string())).await;
        let question = events.called("elicitation/create").await;
        assert!(
            question["params"]["message"].as_str().is_some_and(|said| said.contains("bank:transfer")),
            "{question}"
        );
        let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        assert_eq!(HttpClient::finish(client.legacy_post().body(reply.to_string())).await.status, 202);
        let said = events.answer(id).await;
        assert_eq!(status(&said["result"]), expected, "{said}");
    }
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_call_that_is_repeated_from_the_start_asks_under_the_key_of_its_approval() {
    let bank = open();
    let client = asking(bank.agent());
    let first = asked(&client, 1).await;
    let second = asked(&client, 1).await;
    assert_eq!(key(&first), key(&second), "the answer that a client has for one is good for the other");
    assert_eq!(bank.approval(key(&first))["state"], "pending");
    assert_ne!(key(&asked(&client, 2).await), key(&first), "another call is another question");
    let done = answered(&client, 1, &second, yes()).await.result();
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!(bank.ran(), [moved(1)]);
    bank.verify();
}

#[tokio::test]
async fn a_client_that_cannot_ask_leaves_the_question_to_others() {
    let bank = open();
    let client = bank.agent();
    let id = pending(&call(&client, TOOL, money(1)).await);
    let approver = bank.token("--role approver --principal ann --group finance");
    let refused = bank.decide(&approver, &id, json!({ "decision": "approve" })).await;
    assert_eq!(refused.status, 403, "only the caller was named: {refused:?}");
    bank.approve_as(&bank.gateway.admin, &id).await;
    assert_eq!(status(&call(&client, TOOL, money(1)).await), "succeeded");
}

#[tokio::test]
async fn a_caller_may_not_decide_where_others_must_agree() {
    for annotations in ["@approvers(\"finance\")", "@approvers(\"caller\") @quorum(\"2\")", ""] {
        let bank = Bank::open(&format!("{}{NO_HOLD}", gate(annotations)));
        pending(&call(&asking(bank.agent()), TOOL, money(1)).await);
    }
}

#[tokio::test]
async fn a_question_that_was_open_when_the_gateway_was_killed_is_put_again() {
    let bank = open();
    let client = asking(bank.agent());
    let question = asked(&client, 1).await;
    let bank = bank.killed();
    let client = asking(bank.agent_with(&client.token));
    let stale = answered(&client, 1, &question, yes()).await;
    assert_eq!(stale.error_code(), -32602, "{stale:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    let question = asked(&client, 1).await;
    assert_eq!(bank.events(&["--kind", "approval.requested"]).len(), 1, "it is the same approval");
    let done = answered(&client, 1, &question, yes()).await.result();
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!(bank.ran(), [moved(1)]);
    bank.verify();
}
