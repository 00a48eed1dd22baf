//! Calls through `call_tool` that take more than one round: questions of the server, handles, cancelled and
//! slow ones.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::stage::older;
use super::through::{describe, open};
use crate::doors::WAIT;
use crate::governed::bank::{GATED, envelope, money, moved, pending, status};
use crate::kit::{call, child, text};

const ASKS: &str = "asks__ask";

fn wish(tool: &str, arguments: &Value) -> Value {
    json!({ "name": "call_tool", "arguments": { "name": tool, "arguments": arguments } })
}

/// Continues a call that was asked something.
async fn answered(client: &HttpClient, question: &Value, mut params: Value) -> Value {
    let (key, _) =
        question["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
    params["inputResponses"] = json!({ key: { "action": "accept", "content": { "word": "well" } } });
    params["requestState"] = question["requestState"].clone();
    client.modern("tools/call", params).await.response()
}

#[tokio::test]
async fn a_server_asks_through_call_tool_and_the_same_call_goes_on() {
    for era in ["modern", "legacy"] {
        let bank = open(&child("asks", "bad-neighbour", &["--era", era, "--label", "through"]));
        let mut client = bank.agent();
        client.capabilities = json!({ "elicitation": {} });
        describe(&client, &[ASKS]).await;
        let params = wish(ASKS, &json!({}));
        let question = client.modern("tools/call", params.clone()).await.result();
        assert_eq!(question["resultType"], "input_required", "{era}: {question}");
        let other = answered(&client, &question, wish(ASKS, &json!({ "more": 1 }))).await;
        assert!(!other.to_string().contains("well"), "an answer to one call is none to another: {other}");
        let done = answered(&client, &question, params.clone()).await;
        assert!(text(&done["result"]).contains("well"), "{era}: {done}");
        let again = answered(&client, &question, params).await;
        assert!(!again.to_string().contains("\"well\""), "{era}: it is taken once: {again}");
        let started = bank.events(&["--kind", "tool.call.started", "--tool", "asks:ask"]);
        assert_eq!(started.len(), 1, "{era}: {started:?}");
        bank.verify();
    }
}

#[tokio::test]
async fn a_client_that_takes_handles_gets_one_through_call_tool() {
    let bank = open(GATED);
    let mut client = bank.agent();
    client.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    describe(&client, &["bank__transfer"]).await;
    let task = client.modern("tools/call", wish("bank__transfer", &money(9))).await.result();
    assert_eq!(task["resultType"], "task", "{task}");
    bank.approve(&pending(&task));
    let ended = until_async(WAIT, || async {
        let task = client.modern("tasks/get", json!({ "taskId": task["taskId"] })).await.result();
        (task["status"] != "working").then_some(task)
    });
    let ended = ended.await.expect("the task ends");
    assert_eq!(status(&ended["result"]), "succeeded", "{ended}");
    assert_eq!(bank.ran(), [moved(9)]);
}

#[tokio::test]
async fn an_older_client_is_asked_through_call_tool_over_its_stream() {
    let bank = open(&crate::conforming("conf", &[]));
    let mut client = bank.agent();
    client.capabilities = json!({ "elicitation": {} });
    let older = older(&client).await;
    describe(&client, &["conf__test_tool_with_progress"]).await;
    let mut params = wish("conf__test_tool_with_progress", &json!({}));
    params["_meta"] = json!({ "progressToken": "p" });
    let answer = older.legacy(5, "tools/call", params).await;
    let progress: Vec<Value> = answer
        .messages()
        .into_iter()
        .filter(|one| one["method"] == "notifications/progress")
        .map(|one| one["params"]["progressToken"].clone())
        .collect();
    assert_eq!(progress, vec![json!("p"); 3], "{answer:?}");
    let called = envelope(&answer.result())["tool_call_id"].as_str().expect("an id").to_owned();
    let events = bank.events(&["--call", &called]);
    assert!(events.iter().all(|one| one["tool"] == "conf:test_tool_with_progress"), "{events:?}");
}

#[tokio::test]
async fn what_tools_answer_through_call_tool_is_what_they_answer() {
    // A ref of a result has another name each time.
    let inline = "[results]\nbinary = \"inline\"\n";
    let bank = open(&(inline.to_owned() + &crate::conforming("conf", &[])));
    let agent = bank.agent();
    for (tool, arguments) in [
        ("conf__echo", json!({ "text": "grüße \u{0}\u{1F980} 12345678901234567890" })),
        ("conf__test_structured_content", json!({ "number": 21 })),
        ("conf__test_multiple_content_types", json!({})),
        ("conf__test_error_handling", json!({})),
        ("bank__statement", json!({})),
    ] {
        describe(&agent, &[tool]).await;
        let mut direct = call(&agent, tool, arguments.clone()).await;
        let mut through = agent.modern("tools/call", wish(tool, &arguments)).await.result();
        for result in [&mut direct, &mut through] {
            result["_meta"].take();
        }
        assert_eq!(direct, through, "{tool}");
    }
}
