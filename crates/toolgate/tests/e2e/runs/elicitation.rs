//! A question reaches the person in front of the client, where the client can ask them, in both eras.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::work::{NO_HOLD, Work, answer, asked, choice, question};
use crate::doors::Events;
use crate::files::archive::{Archive, data, text};
use crate::kit::call;

const TOOL: &str = "request_user_input";

/// A run that may ask people, with a client that can ask.
async fn open() -> (Archive, Work) {
    let archive = Archive::open(NO_HOLD).await;
    let mut work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    work.client.capabilities = json!({ "elicitation": {} });
    (archive, work)
}

fn said(value: Value) -> Value {
    json!({ "action": "accept", "content": { "answer": value } })
}

/// Continues the call with the person's answer.
async fn go_on(client: &HttpClient, arguments: &Value, asked: &Value, said: Value) -> HttpAnswer {
    let (key, _) = asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
    let params = json!({
        "name": TOOL, "arguments": arguments,
        "inputResponses": { key: said }, "requestState": asked["requestState"],
    });
    client.modern("tools/call", params).await
}

#[tokio::test]
async fn a_person_at_a_newer_client_answers_there() {
    let (archive, work) = open().await;
    let arguments = choice("choice", "tone", &["formal", "plain"]);
    let first = call(&work.client, TOOL, arguments.clone()).await;
    assert_eq!(first["resultType"], "input_required", "{first}");
    let request = first["inputRequests"].as_object().and_then(|all| all.values().next()).expect("a question");
    assert_eq!(request["method"], "elicitation/create", "{first}");
    assert_eq!(request["params"]["message"], "What is tone?", "{request}");
    let field = &request["params"]["requestedSchema"]["properties"]["answer"];
    assert_eq!(field["enum"], json!(["formal", "plain"]), "{request}");
    assert_eq!(work.state(&archive).await, "paused");
    let open = asked(&archive, &work.id).await;
    assert_eq!(open["state"], "pending", "it stands in the inbox as well");
    assert!(
        first["inputRequests"].get(open["id"].as_str().expect("an id")).is_some(),
        "under its id: {first}"
    );
    let again = go_on(&work.client, &arguments, &first, said(json!("loud"))).await.result();
    assert_eq!(again["resultType"], "input_required", "what does not fit is asked again: {again}");
    assert!(again.to_string().contains("one of"), "with what is wrong: {again}");
    let done = go_on(&work.client, &arguments, &again, said(json!("plain"))).await.result();
    assert_eq!(data(&done)["answer"], "plain", "{done}");
    let told = archive.site.told("input.resolved").await;
    assert_eq!((told.len(), &told[0]["detail"]["via"]), (1, &json!("elicitation")), "{told:?}");
    assert_eq!(work.state(&archive).await, "running");
    archive.verify();
}

#[tokio::test]
async fn a_person_at_an_older_client_answers_on_the_stream_of_the_call() {
    let (archive, work) = open().await;
    let mut client = work.client.clone();
    client.initialize("2025-11-25").await;
    let types = [
        (question("text", "t"), json!("warm")),
        (choice("multi_choice", "m", &["a", "b", "c"]), json!(["c", "a"])),
        (question("number", "n"), json!(7)),
        (question("boolean", "b"), json!(true)),
        (question("date", "d"), json!("2026-11-15")),
    ];
    for (id, (arguments, expected)) in (1_u64..).zip(types) {
        let params = json!({ "name": TOOL, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let mut events = Events::open(client.legacy_post().body(body.to_string())).await;
        let asked = events.called("elicitation/create").await;
        assert_eq!(asked["params"]["message"], arguments["prompt_key"], "{asked}");
        let reply = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": said(expected.clone()) });
        assert_eq!(HttpClient::finish(client.legacy_post().body(reply.to_string())).await.status, 202);
        let done = events.answer(id).await;
        assert_eq!(data(&done["result"])["answer"], expected, "{done}");
    }
    assert_eq!(archive.site.told("run.resumed").await.len(), 5);
}

#[tokio::test]
async fn who_closes_the_question_has_not_answered_and_somebody_else_can() {
    let (archive, work) = open().await;
    let arguments = question("text", "tone");
    for action in ["cancel", "decline"] {
        let first = call(&work.client, TOOL, arguments.clone()).await;
        let closed = go_on(&work.client, &arguments, &first, json!({ "action": action })).await.result();
        assert_eq!(closed["structuredContent"]["status"], "pending_input", "{action}: {closed}");
    }
    let id = text(&asked(&archive, &work.id).await["id"]).to_owned();
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    let done = call(&work.client, TOOL, arguments).await;
    assert_eq!(data(&done)["answer"], "warm", "{done}");
    assert_eq!(archive.site.told("input.requested").await.len(), 1, "it was one question all the time");
}

#[tokio::test]
async fn somebody_in_the_inbox_may_be_faster_than_the_person_at_the_client() {
    let (archive, work) = open().await;
    let mut client = work.client.clone();
    client.initialize("2025-11-25").await;
    let params = json!({ "name": TOOL, "arguments": question("text", "tone") });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut events = Events::open(client.legacy_post().body(body.to_string())).await;
    events.called("elicitation/create").await;
    let id = text(&asked(&archive, &work.id).await["id"]).to_owned();
    assert_eq!(answer(&archive, archive.admin(), &id, json!("from the inbox")).await.status, 200);
    let done = events.answer(1).await;
    assert_eq!(data(&done["result"])["answer"], "from the inbox", "{done}");
}

#[tokio::test]
async fn an_answer_with_a_state_that_is_forged_or_anothers_counts_nothing() {
    let (archive, work) = open().await;
    let arguments = question("text", "tone");
    let first = call(&work.client, TOOL, arguments.clone()).await;
    let mut forged = first.clone();
    forged["requestState"] = json!("nonsense");
    let said_so = go_on(&work.client, &arguments, &forged, said(json!("x"))).await;
    assert_eq!(said_so.error_code(), -32602, "{said_so:?}");
    let mut stranger = archive.site.agent_with(&archive.site.token("--role agent"));
    stranger.capabilities = work.client.capabilities.clone();
    let foreign = go_on(&stranger, &arguments, &first, said(json!("x"))).await.response();
    assert!(foreign.get("error").is_some(), "{foreign}");
    assert_eq!(asked(&archive, &work.id).await["state"], "pending");
    let done = go_on(&work.client, &arguments, &first, said(json!("mine"))).await.result();
    assert_eq!(data(&done)["answer"], "mine", "{done}");
}
