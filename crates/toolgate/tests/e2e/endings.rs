//! Ends: answers after the end of input, counted streams, bounded batches, filters that know their kind.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{boot, conforming};

fn modern(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let gateway = boot(&conforming("conf", &[]));
    for _ in 0..2 {
        let mut child = gateway
            .cli_command(&["stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let call =
            modern(7, "tools/call", json!({ "name": "conf__echo", "arguments": { "text": "last words" } }));
        let mut stdin = child.stdin.take().expect("stdin is piped");
        writeln!(stdin, "{call}").expect("the line is taken");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("last words") && text.contains("\"id\":7"), "{text}");
    }
}

#[tokio::test]
async fn calls_that_stream_are_counted_like_all_others() {
    let gateway = boot(&conforming("conf", &[]));
    let client = gateway.client();
    client.tool_names(1).await;
    let params = json!({ "name": "conf__test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "p" } });
    assert!(client.modern("tools/call", params).await.messages().len() > 1, "the call streams");
    let metrics =
        client.http.get(gateway.url("/metrics")).send().await.expect("metrics").text().await.expect("text");
    let counted = |line: &&str| line.starts_with("toolgate_requests_total") && line.contains("tools/call");
    assert!(metrics.lines().find(counted).is_some_and(|line| line.ends_with(" 1")), "{metrics}");
    assert!(metrics.contains("toolgate_server_up{server=\"conf\"} 1"), "{metrics}");
}

#[tokio::test]
async fn a_batch_has_a_bound() {
    let gateway = boot("[limits]\ncalls_per_client_max = 4\n");
    let mut client = gateway.client();
    client.initialize("2025-03-26").await;
    let batch = |count: u64| {
        let pings: Vec<Value> =
            (1..=count).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })).collect();
        json!(pings).to_string()
    };
    let few = toolgate_testkit::gateway::HttpClient::finish(client.legacy_post().body(batch(32))).await;
    assert_eq!(few.json().as_array().map(Vec::len), Some(32), "{few:?}");
    let many = toolgate_testkit::gateway::HttpClient::finish(client.legacy_post().body(batch(33))).await;
    assert_eq!((many.status, many.error_code()), (400, -32600));
}

#[tokio::test]
async fn a_tool_filter_leaves_prompts_alone() {
    let gateway = boot(&(conforming("conf", &[]) + "tools = { deny = [\"*\"] }\n"));
    let client = gateway.client();
    let prompts = client.modern("prompts/list", json!({})).await.result();
    assert!(prompts["prompts"].as_array().is_some_and(|prompts| !prompts.is_empty()), "{prompts}");
    let tools = client.modern("tools/list", json!({})).await.result();
    assert_eq!(tools["tools"], json!([]));
}
