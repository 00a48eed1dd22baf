//! Tools that run in the server itself: their state, their callers, and what they may answer.

use capability_testkit::call_of;
use nix::sys::signal::Signal;
use rmcp::model::{
    CallToolResult, ClientNotification, CustomNotification, MetaObject, RequestMetaObject, ServerCapabilities,
};
use serde_json::{Value, json};

use super::drive::{ERAS, Http, KitClient, KitEra, LIMIT, eventually, over_stdio, serve};

const CALLER: &str = "dev.toolgate/caller";
const ENDED: &str = "notifications/dev.toolgate/caller_ended";

/// The text of a successful answer.
fn text(result: &CallToolResult) -> &str {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    &result.content[0].as_text().unwrap().text
}

/// Counts for a caller, as a gateway would name it.
async fn count(client: &KitClient, caller: Value) -> String {
    let mut call = call_of("count", json!({}));
    let meta = json!({ CALLER: caller });
    call.meta = Some(RequestMetaObject(MetaObject(meta.as_object().unwrap().clone())));
    text(&client.service.call_tool(call).await.unwrap()).to_owned()
}

async fn counts(client: &KitClient) -> Value {
    client.answer("counts", json!({})).await["counts"].clone()
}

async fn tell_ended(client: &KitClient, params: Value) {
    let ended = CustomNotification::new(ENDED, Some(params));
    client.service.send_notification(ClientNotification::CustomNotification(ended)).await.unwrap();
}

/// As a gateway tells a server of the newer era.
async fn post_ended(server: &Http, origin: Option<&str>, params: &Value) -> u16 {
    let body = json!({ "jsonrpc": "2.0", "method": ENDED, "params": params });
    let mut request = reqwest::Client::new()
        .post(&server.url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", ENDED)
        .body(body.to_string());
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    request.send().await.unwrap().status().as_u16()
}

async fn two_callers_have_two_states(client: &KitClient) {
    let (one, two) = (json!({ "session": "ses_1" }), json!({ "session": "ses_2" }));
    let run = json!({ "session": "ses_1", "run": "run_1" });
    let expected = [(&one, "1"), (&one, "2"), (&two, "1"), (&run, "1"), (&one, "3"), (&run, "2")];
    for (caller, sum) in expected {
        assert_eq!(count(client, caller.clone()).await, sum, "{caller}");
    }
    assert_eq!(counts(client).await, json!({ "ses_1": 3, "ses_2": 1, "run_1": 2 }));
}

#[tokio::test]
async fn a_state_is_kept_between_calls_for_each_caller_until_that_one_has_ended() {
    let server = serve(&[]).await;
    for client in [
        over_stdio(KitEra::Initialize, &[]).await,
        over_stdio(KitEra::Modern, &[]).await,
        server.client(KitEra::Initialize).await,
    ] {
        two_callers_have_two_states(&client).await;
        // None of these names one caller.
        for params in [json!({}), json!({ "session": "ses_2", "run": "run_1" }), json!({ "session": 7 })] {
            tell_ended(&client, params).await;
        }
        tell_ended(&client, json!({ "session": "ses_1" })).await;
        let left = json!({ "ses_2": 1, "run_1": 2 });
        eventually("the state of a session is gone", async || counts(&client).await == left).await;
        tell_ended(&client, json!({ "run": "run_1" })).await;
        eventually("that of a run too", async || counts(&client).await == json!({ "ses_2": 1 })).await;
        tell_ended(&client, json!({ "session": "ses_2" })).await;
        eventually("nothing is left", async || counts(&client).await == json!({})).await;
    }
}

#[tokio::test]
async fn over_http_the_newer_era_tells_of_ends_too_and_foreign_pages_do_not() {
    let server = serve(&[]).await;
    let client = server.client(KitEra::Modern).await;
    two_callers_have_two_states(&client).await;
    let refused = post_ended(&server, Some("https://evil.example"), &json!({ "session": "ses_2" })).await;
    assert_eq!(refused, 403);
    let long = json!({ "session": "x".repeat(32 << 10) });
    assert_eq!(post_ended(&server, None, &long).await, 413);
    for ended in [json!({ "session": "ses_1" }), json!({ "run": "run_1" })] {
        assert_eq!(post_ended(&server, None, &ended).await, 202);
    }
    eventually("both are gone", async || counts(&client).await == json!({ "ses_2": 1 })).await;
}

#[tokio::test]
async fn a_client_that_is_no_gateway_is_one_caller() {
    let client = over_stdio(KitEra::Modern, &[]).await;
    for sum in ["1", "2"] {
        assert_eq!(text(&client.call("count", json!({})).await), sum);
    }
    assert_eq!(counts(&client).await, json!({ "nobody": 2 }));
}

#[tokio::test]
async fn a_server_with_a_state_says_that_it_wants_to_know_its_callers() {
    for era in ERAS {
        let client = over_stdio(era, &[]).await;
        let info = client.service.peer_info().unwrap();
        let declared: &ServerCapabilities = &info.capabilities;
        assert!(declared.experimental.as_ref().unwrap().contains_key(CALLER), "{era:?}: {declared:?}");
    }
}

#[tokio::test]
async fn every_fault_is_an_answer_and_the_state_survives_it() {
    let server = serve(&[]).await;
    for client in [over_stdio(KitEra::Initialize, &[]).await, server.client(KitEra::Modern).await] {
        count(&client, json!({ "session": "ses_1" })).await;
        for (tool, arguments, code, words) in [
            ("stumble", json!({}), "crashed", "stumble failed on this input"),
            (
                "rush",
                json!({ "ms": 60_000 }),
                "timed_out",
                "rush was stopped because it took longer than 0.2 s",
            ),
            ("rush", json!({ "msec": 1 }), "bad_arguments", "unknown field `msec`"),
            ("rush", json!({ "ms": "x" }), "bad_arguments", "ms: invalid type"),
        ] {
            let (said_code, text) = client.trouble(tool, arguments).await;
            assert_eq!(said_code, code, "{tool}: {text}");
            assert!(text.contains(words) && text.contains("\nhint: "), "{tool}: {text}");
        }
        let state = client.answer("counts", json!({})).await;
        assert_eq!(state, json!({ "counts": { "ses_1": 1 }, "dawdling": 0 }));
    }
    assert_eq!(server.metric("capability_calls_total{tool=\"rush\",outcome=\"timed_out\"}").await, 1.0);
}

#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    let server = serve(&[]).await;
    for client in [over_stdio(KitEra::Initialize, &[]).await, server.client(KitEra::Modern).await] {
        let dawdling = async || client.answer("counts", json!({})).await["dawdling"].as_u64().unwrap();
        let call = client.begin("dawdle", json!({ "ms": 60_000 })).await;
        eventually("it has arrived", async || dawdling().await == 1).await;
        call.cancel(Some("enough".to_owned())).await.unwrap();
        eventually("it is gone", async || dawdling().await == 0).await;
    }
}

#[tokio::test]
async fn progress_is_heard_before_the_answer() {
    let client = over_stdio(KitEra::Modern, &[]).await;
    assert_eq!(text(&client.call("dawdle", json!({ "ms": 1 })).await), "done at last");
    eventually("it was heard", async || !client.heard().is_empty()).await;
    assert_eq!(client.heard()[0].message.as_deref(), Some("half of it"));
}

#[tokio::test]
async fn an_answer_in_words_has_no_schema_and_may_have_bytes_beside_it() {
    for era in ERAS {
        let client = over_stdio(era, &[]).await;
        let tools = client.service.list_all_tools().await.unwrap();
        let shown = tools.iter().find(|tool| tool.name == "show").unwrap();
        assert!(shown.output_schema.is_none());
        let result = serde_json::to_value(client.call("show", json!({})).await).unwrap();
        assert_eq!(result.get("structuredContent"), None, "{result}");
        let kinds: Vec<&Value> =
            result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
        assert_eq!(kinds, ["text", "image", "resource"], "{result}");
        let encoded = "Ynl0ZXM=";
        assert_eq!(result["content"][0]["text"], "look");
        assert_eq!(result["content"][1]["data"], encoded);
        let resource = &result["content"][2]["resource"];
        assert_eq!((&resource["blob"], &resource["mimeType"]), (&json!(encoded), &json!("application/pdf")));
        assert_eq!(resource["uri"], "attachment:///a%20page%2Epdf");
    }
}

#[tokio::test]
async fn a_credential_arrives_from_a_gateway_only_and_for_its_own_origin() {
    let client = over_stdio(KitEra::Modern, &[]).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let unlock = serde_json::to_value(tools.iter().find(|tool| tool.name == "unlock").unwrap()).unwrap();
    assert_eq!(unlock["_meta"]["dev.toolgate/tool"]["secrets"], json!([{ "argument": "secret" }]));
    assert_eq!(unlock["inputSchema"]["properties"]["secret"]["type"], "string", "agents see a handle");
    let secret = json!({ "handle": "cred_1.password", "origin": "https://jobs.example", "value": "hunter2" });
    let opened = client.call("unlock", json!({ "secret": secret, "page": "https://jobs.example" })).await;
    assert_eq!(text(&opened), "cred_1.password has 7 characters");
    let elsewhere = json!({ "secret": secret, "page": "https://evil.example" });
    let (code, said) = client.trouble("unlock", elsewhere).await;
    assert!(code == "bad_arguments" && said.contains("belongs to https://jobs.example"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
    let bare = json!({ "secret": "cred_1.password", "page": "https://jobs.example" });
    let (code, said) = client.trouble("unlock", bare).await;
    assert!(code == "bad_arguments" && said.contains("behind a Toolgate gateway only"), "{said}");
}

#[tokio::test]
async fn a_credential_is_not_in_the_log_however_much_is_logged() {
    let mut server = serve(&["--log", "trace,rmcp=trace"]).await;
    for era in ERAS {
        let secret =
            json!({ "handle": "cred_1.password", "origin": "https://jobs.example", "value": "hunter2" });
        let arguments = json!({ "secret": secret, "page": "https://jobs.example" });
        assert_eq!(
            text(&server.client(era).await.call("unlock", arguments).await),
            "cred_1.password has 7 characters"
        );
    }
    server.signal(Signal::SIGTERM);
    tokio::time::timeout(LIMIT, server.process.wait()).await.unwrap().unwrap();
    server.said("the counters are closed").await;
    assert_eq!(server.logged("hunter2"), 0);
}

#[tokio::test]
async fn the_state_is_closed_with_the_server() {
    let mut server = serve(&[]).await;
    server.client(KitEra::Modern).await.is_well().await;
    server.signal(Signal::SIGTERM);
    tokio::time::timeout(LIMIT, server.process.wait()).await.unwrap().unwrap();
    server.said("the counters are closed").await;
}
