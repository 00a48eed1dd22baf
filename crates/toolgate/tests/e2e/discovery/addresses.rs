//! `/mcp/{agent}` and `/mcp/{session}`: an address selects, and never grants more than the credential has.

use serde_json::json;
use toolgate_testkit::gateway::HttpClient;

use super::stage::{Stage, is_unknown, list_text, older, older_names, response};
use crate::kit::{call, names};
use crate::live::site::done;

#[tokio::test]
async fn the_address_of_an_agent_gives_the_list_that_its_token_gives() {
    let stage = Stage::open("").await;
    for agent in ["reader", "writer", "other", "nothing", "default"] {
        let bound = stage.bound(agent);
        let path = format!("/mcp/{agent}");
        let at = stage.at(&stage.site.agent(), &path);
        assert_eq!(list_text(&at).await, list_text(&bound).await, "{agent}");
        assert_eq!(list_text(&stage.at(&bound, &path)).await, list_text(&bound).await, "{agent}");
        assert_eq!(older_names(&older(&at).await).await, names(&bound).await, "{agent}, older era");
    }
    let reader = stage.at(&stage.site.agent(), "/mcp/reader");
    assert_eq!(done(&call(&reader, "one__work", json!({ "n": 3 })).await)["arguments"]["n"], 3);
    is_unknown(&response(&reader, "two__work", json!({})).await, "two__work");
}

#[tokio::test]
async fn a_bound_token_at_the_address_of_another_agent_has_what_both_have() {
    let stage = Stage::open("").await;
    for (own, asked, both) in [
        ("reader", "writer", &["one__work"][..]),
        ("writer", "reader", &["one__work"]),
        ("other", "writer", &["two__work", "two__write"]),
        ("reader", "other", &[]),
        ("reader", "default", &["one__work"]),
    ] {
        let client = stage.at(&stage.bound(own), &format!("/mcp/{asked}"));
        assert_eq!(names(&client).await, both, "{own} at {asked}");
        assert_eq!(older_names(&older(&client).await).await, both, "{own} at {asked}, older era");
        if !both.contains(&"two__work") {
            is_unknown(&response(&client, "two__work", json!({})).await, "two__work");
        }
    }
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_not_found() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("reader");
    let opened = stage.session(&token, json!({})).await;
    let elsewhere = stage.session(&stage.bound_token("other"), json!({})).await;
    let (agent, admin) = (stage.site.gateway.agent.clone(), stage.site.gateway.admin.clone());
    let cases = [
        (&agent, "/mcp/nobody".to_owned()),
        (&admin, "/mcp/nobody".to_owned()),
        (&token, "/mcp/nobody".to_owned()),
        (&agent, "/mcp/ses_00000000000000000000000000000000".to_owned()),
        (&agent, opened.path.clone()),
        (&token, elsewhere.path.clone()),
        (&admin, opened.path.clone()),
        (&opened.client.token, elsewhere.path.clone()),
        (&opened.client.token, "/mcp/reader".to_owned()),
        (&opened.client.token, "/mcp/other".to_owned()),
    ];
    for (token, path) in cases {
        let client = HttpClient::new(&stage.site.gateway.url(&path), token);
        let newer = client.modern("tools/list", json!({})).await;
        assert_eq!(newer.status, 404, "{path}: {newer:?}");
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let older = client.raw(body.to_string()).await;
        assert_eq!(older.status, 404, "{path}: {older:?}");
        for answer in [newer, older] {
            let media = answer.headers["content-type"].to_str().unwrap_or_default().to_owned();
            assert!(media.contains("json") && !answer.text.contains("one__work"), "{path}: {answer:?}");
        }
    }
    for path in [opened.path.as_str(), "/mcp"] {
        let client = stage.at(&opened.client, path);
        assert_eq!(names(&client).await, ["one__work"], "its own token reaches it at {path}");
    }
    let owner = stage.at(&stage.site.agent_with(&token), &opened.path);
    assert_eq!(names(&owner).await, ["one__work"], "and so does its principal");
}
