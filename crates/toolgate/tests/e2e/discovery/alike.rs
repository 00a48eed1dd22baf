//! Every question about an invisible tool gets the same answer as for an unknown name.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::stage::{Stage, older};
use crate::kit::{call, text};

/// Names of one length: hidden ones, and one that never existed.
const HIDDEN: [&str; 2] = ["two__write", "one__write"];
const NOBODYS: &str = "six__write";

/// Requests of either era that name a tool, in every way a client can dress them up.
fn dressed(name: &str) -> Vec<(&'static str, Value)> {
    let with = |more: Value| {
        let mut params = json!({ "name": name, "arguments": { "n": 1 } });
        let members = more.as_object().expect("an object").clone();
        params.as_object_mut().expect("an object").extend(members);
        params
    };
    vec![
        ("plain", with(json!({}))),
        ("no arguments", json!({ "name": name })),
        ("arguments that do not fit", with(json!({ "arguments": { "n": "one" } }))),
        ("arguments that are no object", with(json!({ "arguments": [1] }))),
        ("a state", with(json!({ "requestState": "x" }))),
        ("answers", with(json!({ "inputResponses": { "a": { "action": "accept" } } }))),
        ("a state and answers", with(json!({ "requestState": "x", "inputResponses": {} }))),
        ("progress", with(json!({ "_meta": { "progressToken": 7 } }))),
        ("a task", with(json!({ "task": { "ttl": 1000 } }))),
        ("a run", with(json!({ "_meta": { "dev.toolgate/run_id": "r" } }))),
    ]
}

/// An answer without its hint, which suggests similar visible names.
fn bytes(answer: &HttpAnswer, name: &str) -> (u16, String) {
    let text = answer.text.replace(name, "NAME");
    assert!(HIDDEN.iter().all(|hidden| !text.contains(hidden)), "{text}");
    let said = text.split(",\"data\":{\"code\":\"unknown_tool\"").next().expect("a text");
    (answer.status, said.trim_end_matches('}').to_owned())
}

/// Both eras, each with and without all client capabilities.
async fn compare(client: &HttpClient) {
    let able =
        json!({ "elicitation": {}, "sampling": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
    for capabilities in [json!({}), able] {
        let mut newer = client.clone();
        newer.capabilities = capabilities;
        let older = older(&newer).await;
        for hidden in HIDDEN {
            for ((what, seen), (_, never)) in dressed(hidden).into_iter().zip(dressed(NOBODYS)) {
                let one = newer.modern("tools/call", seen.clone()).await;
                let other = newer.modern("tools/call", never.clone()).await;
                assert_eq!(bytes(&one, hidden), bytes(&other, NOBODYS), "{hidden}, newer era: {what}");
                let one = older.legacy(3, "tools/call", seen).await;
                let other = older.legacy(3, "tools/call", never).await;
                assert_eq!(bytes(&one, hidden), bytes(&other, NOBODYS), "{hidden}, older era: {what}");
            }
        }
    }
}

#[tokio::test]
async fn a_hidden_name_is_answered_like_one_that_has_never_been() {
    let stage = Stage::open("").await;
    let reader = stage.bound("reader");
    compare(&reader).await;
    let opened = stage.session(&reader.token, json!({})).await;
    compare(&opened.client).await;
}

/// An answer without its hint, which suggests visible names.
fn plain(result: &Value, name: &str) -> String {
    let said = text(result).split("hint:").next().expect("a text").replace(name, "NAME");
    let said = said.split("; did you mean").next().expect("a text").to_owned();
    let hint = text(result).replace(name, "");
    assert!(HIDDEN.iter().all(|hidden| !hint.contains(hidden)), "{result}");
    format!("{said} {} {}", result["isError"], result["structuredContent"]["status"])
}

#[tokio::test]
async fn call_tool_describe_tools_and_rest_tell_them_apart_no_better() {
    let stage = Stage::open("").await;
    let reader = stage.bound("reader");
    for hidden in HIDDEN {
        for arguments in [json!({ "n": 1 }), json!({ "n": "one" }), json!("{}"), json!(7)] {
            let wish = |name: &str| json!({ "name": name, "arguments": arguments });
            let one = call(&reader, "call_tool", wish(hidden)).await;
            let other = call(&reader, "call_tool", wish(NOBODYS)).await;
            assert_eq!(plain(&one, hidden), plain(&other, NOBODYS), "{arguments}");
        }
        let one = call(&reader, "describe_tools", json!({ "names": [hidden] })).await;
        let other = call(&reader, "describe_tools", json!({ "names": [NOBODYS] })).await;
        assert_eq!(plain(&one, hidden), plain(&other, NOBODYS));
        for arguments in [json!({ "n": 1 }), json!({ "n": "one" })] {
            let body = |name: &str| Some(json!({ "name": name, "arguments": arguments }));
            let one = stage.site.rest(&reader.token, "POST", "/tools/call", body(hidden)).await;
            let other = stage.site.rest(&reader.token, "POST", "/tools/call", body(NOBODYS)).await;
            let told = |answer: &HttpAnswer, name: &str| {
                let mut problem = answer.json();
                let hint = problem["hint"].take().to_string();
                assert!(!hint.contains("write"), "{hint}");
                (answer.status, problem.to_string().replace(name, "NAME"))
            };
            assert_eq!(told(&one, hidden), told(&other, NOBODYS), "{arguments}");
        }
    }
}

#[tokio::test]
async fn what_a_session_asks_to_touch_tells_nothing_of_what_its_agent_does_not_see() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("reader");
    let ask = |server: &'static str| {
        let body = json!({ "mounts": { "servers": [server] } });
        stage.site.rest(&token, "POST", "/sessions", Some(body))
    };
    let (hidden, never) = (ask("two").await, ask("six").await);
    assert_eq!(bytes(&hidden, "two"), bytes(&never, "six"), "{hidden:?}");
    assert!(!ask("twoo").await.text.replace("twoo", "").contains("two"), "nor a hint");
    assert_eq!(ask("one").await.status, 201);
}
