//! Arguments are checked against a tool's schema: formats too, and everything that does not depend on another
//! document.

use serde_json::{Value, json};

use super::site::{Site, done, failure};
use super::worker::Worker;
use crate::kit::{call, listed};

const AWAY: &str = "https://schemas.example/address.json";

fn tools() -> Value {
    let text = |format: &str| json!({ "type": "string", "format": format });
    let formats = json!({ "at": text("date-time"), "mail": text("email"), "link": text("uri"), "id": text("uuid"), "host": text("ipv4") });
    let order = json!({ "address": { "$ref": AWAY }, "count": { "type": "integer" } });
    let tool = |name: &str, properties: Value| json!({ "name": name, "description": "Takes it", "inputSchema": { "type": "object", "properties": properties } });
    json!([tool("formats", formats.clone()), tool("loose", formats), tool("order", order)])
}

async fn working(site: &Site) -> Worker {
    site.offer("tools.json", &tools());
    let token = site.server_token("jobs");
    let worker = site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json")]);
    listed(&site.gateway, "jobs__order").await;
    worker
}

#[tokio::test]
async fn arguments_of_the_wrong_format_do_not_reach_the_server() {
    let site = Site::open_with("[[tools]]\nname = \"jobs:loose\"\nformats = false\n");
    let _worker = working(&site).await;
    let agent = site.agent();
    for (key, wrong, right) in [
        ("at", "tomorrow at nine", "2026-08-31T09:00:00Z"),
        ("mail", "ada at example.com", "ada@example.com"),
        ("link", "example.com/a b", "https://example.com/a"),
        ("id", "42", "0198f0a2-7c1d-7b3e-9d52-3f0c1a6b5e11"),
        ("host", "localhost", "192.0.2.1"),
    ] {
        let refused = call(&agent, "jobs__formats", json!({ key: wrong })).await;
        let said = failure(&refused);
        assert!(said.contains(&format!("/{key}: expected ")) && said.contains(wrong), "{said}");
        assert_eq!(done(&call(&agent, "jobs__formats", json!({ key: right })).await)["tool"], "formats");
        // The operator knows that this server accepts informal values.
        assert_eq!(done(&call(&agent, "jobs__loose", json!({ key: wrong })).await)["tool"], "loose");
    }
    assert_eq!(site.get("/tools/jobs:loose").await["formats"], false);
}

#[tokio::test]
async fn a_schema_that_refers_to_the_network_is_checked_for_the_rest_and_marked_where_people_look() {
    let site = Site::open();
    let _worker = working(&site).await;
    let agent = site.agent();
    let refused = call(&agent, "jobs__order", json!({ "address": 5, "count": "many" })).await;
    assert!(failure(&refused).contains("/count: expected a whole number"), "{refused}");
    let result = call(&agent, "jobs__order", json!({ "address": 5, "count": 2 })).await;
    let warnings = &result["_meta"]["dev.toolgate/envelope"]["warnings"];
    assert_eq!(warnings[0]["code"], "input_unchecked", "{result}");
    let shown = site.get("/tools/jobs:order").await;
    assert!(shown["unchecked"].as_str().is_some_and(|why| why.contains(AWAY)), "{shown}");
    assert_eq!(site.get("/tools/jobs:formats").await["unchecked"], Value::Null);
    assert!(site.say(&["tools", "describe", "jobs__order"]).contains(AWAY));
    let doctor = site.gateway.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("ok    tools: jobs:order: ") && said.contains(AWAY), "{said}");
}
