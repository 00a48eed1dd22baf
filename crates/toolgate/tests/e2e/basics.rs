//! Every door, both eras, the same tool.

use serde_json::json;

use crate::{boot, conforming};

#[tokio::test]
async fn a_tool_is_listed_and_called_in_the_newer_era() {
    let gateway = boot(&conforming("conf", &[]));
    let client = gateway.client();
    assert!(client.tool_names(1).await.contains(&"conf__echo".to_owned()));
    let result = client
        .modern("tools/call", json!({"name": "conf__echo", "arguments": {"text": "hello"}}))
        .await
        .result();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"][0]["text"], "hello");
}

#[tokio::test]
async fn a_tool_is_listed_and_called_in_every_older_revision() {
    let gateway = boot(&conforming("conf", &[]));
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = gateway.client();
        assert_eq!(client.initialize(version).await["protocolVersion"], version);
        let result = client
            .legacy(1, "tools/call", json!({"name": "conf__echo", "arguments": {"text": version}}))
            .await
            .result();
        assert_eq!(result["content"][0]["text"], version);
    }
}
