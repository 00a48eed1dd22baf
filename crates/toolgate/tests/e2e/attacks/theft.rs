//! Data that is carried from its place to a forbidden one.

use serde_json::json;

use super::server::{Stage, tool};
use crate::kit::{call, listed, text};

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// The agent carries data of one server to another. The filter inspects outgoing data, regardless of its
/// origin.
#[tokio::test]
async fn a_secret_that_one_server_gave_does_not_reach_another_where_a_filter_watches() {
    let vault = json!({ "tools": [tool("read", "Reads")],
        "results": { "read": { "content": [{ "type": "text", "text": format!("the key is {KEY}") }] } } });
    let post = json!({ "tools": [{ "name": "send", "description": "Sends", "inputSchema": { "type": "object" } }],
        "results": { "send": { "content": [{ "type": "text", "text": "sent" }] } } });
    let filter = "[[filters]]\nname = \"keys stay\"\non = \"arguments\"\ntools = [\"post:*\"]\nkinds = [\"secrets\"]\naction = \"block\"\n";
    let gateway = Stage::new(filter).with("vault", &vault).with("post", &post).open();
    listed(&gateway, "post__send").await;
    listed(&gateway, "vault__read").await;
    let agent = gateway.client();
    let loot = text(&call(&agent, "vault__read", json!({})).await).to_owned();
    for arguments in [
        json!({ "text": loot }),
        json!({ "text": json!({ "deep": loot }).to_string() }),
        json!({ loot.clone(): 1 }),
    ] {
        let refused = call(&agent, "post__send", arguments).await;
        assert_eq!(refused["structuredContent"]["error"]["code"], "filter_blocked", "{refused}");
        assert!(!refused.to_string().contains(KEY), "{refused}");
    }
    assert_eq!(text(&call(&agent, "post__send", json!({ "text": "hello" })).await), "sent");
}

/// The same without a filter: an agent that may use both servers may carry anything.
#[tokio::test]
async fn without_a_filter_an_agent_carries_what_it_was_given_and_both_calls_are_on_record() {
    let vault = json!({ "tools": [tool("read", "Reads")], "results": { "read": { "content": [{ "type": "text", "text": "plan B" }] } } });
    let post = json!({ "tools": [tool("send", "Sends")], "results": { "send": { "content": [{ "type": "text", "text": "sent" }] } } });
    let gateway = Stage::new("").with("vault", &vault).with("post", &post).open();
    listed(&gateway, "post__send").await;
    listed(&gateway, "vault__read").await;
    let agent = gateway.client();
    let loot = text(&call(&agent, "vault__read", json!({})).await).to_owned();
    assert_eq!(text(&call(&agent, "post__send", json!({ "text": loot })).await), "sent");
    let ledger = String::from_utf8(gateway.cli(&["ledger", "export"]).stdout).expect("text");
    assert!(ledger.contains("vault:read") && ledger.contains("post:send"), "{ledger}");
}
