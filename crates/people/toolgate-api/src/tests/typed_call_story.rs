//! Tools by their own paths.

use http::StatusCode;
use serde_json::Value;
use toolgate_core::Role;

use super::gate::{Gate, somebody};
use crate::openapi_document;

#[tokio::test]
async fn the_body_is_the_arguments_byte_for_byte() {
    let gate = Gate::open().await;
    let agent = somebody("agent-7", Role::Agent);
    let said = gate.post(&agent, "/tools/say:succeeded", r#"{"n":1.00}"#).await;
    assert_eq!(said.status, StatusCode::OK);
    assert!(said.text.contains(r#""arguments":{"n":1.00}"#), "{said:?}");
    let bare = gate.post(&agent, "/tools/say:succeeded", "").await;
    assert!(bare.text.contains(r#""arguments":{}"#), "nothing counts as no arguments: {bare:?}");
    assert_eq!(gate.post(&agent, "/tools/nothing", "{}").await.problem(), "unknown_tool");
    for bad in ["[1]", "{", "7"] {
        let refused = gate.post(&agent, "/tools/say:succeeded", bad).await;
        assert!(refused.status.is_client_error(), "{bad}: {refused:?}");
        refused.problem();
    }
}

#[test]
fn the_document_has_the_path_of_every_tool_of_the_platform() {
    let tools = toolgate_platform::control().tools();
    let document: Value = serde_json::from_str(&openapi_document(&tools)).expect("JSON");
    let operation = &document["paths"]["/tools/toolgate.runs.ask"]["post"];
    assert_eq!(operation["summary"], "Ask a person");
    assert_eq!(operation["x-roles"], document["paths"]["/tools/{name}"]["post"]["x-roles"]);
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["required"][0], "slot_type");
    let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"]["allOf"];
    assert_eq!(answer[1]["properties"]["data"]["properties"]["input_id"]["type"], "string");
    let envelope = answer[0]["$ref"].as_str().and_then(|name| name.rsplit('/').next()).expect("a reference");
    assert!(document["components"]["schemas"].get(envelope).is_some(), "{envelope}");
}
