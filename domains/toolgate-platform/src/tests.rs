//! The definitions of these tools: every session that has them pays for their words.

use serde_json::{Value, json};
use toolgate_core::platform::ToolPresence;

fn tools() -> Vec<std::sync::Arc<toolgate_core::platform::PlatformTool>> {
    [crate::control().tools(), crate::file().tools()].concat()
}

fn schema(wire: &str) -> Value {
    let tool = tools().into_iter().find(|tool| &*tool.wire == wire).expect("one of them");
    let definition: Value = tool.definition.decode().expect("JSON");
    assert_eq!(definition["name"], wire);
    definition["inputSchema"].clone()
}

#[test]
fn what_every_session_reads_is_short() {
    for tool in tools() {
        let most = match tool.presence {
            ToolPresence::Always => 400,
            ToolPresence::WithFiles => 350,
            ToolPresence::WithRun | ToolPresence::InScope => 1_100,
        };
        let bytes = tool.definition.as_str().len();
        assert!(bytes <= most, "{} takes {bytes} bytes", tool.wire);
    }
}

#[test]
fn schemas_come_from_the_types() {
    assert_eq!(
        schema("read_ref"),
        json!({
            "type": "object",
            "properties": {
                "ref_id": { "type": "string" },
                "range": {
                    "type": "string", "pattern": "^[0-9]+-[0-9]*$", "description": "Bytes: 0-4000, or 4000-",
                },
                "query": { "type": "string", "description": "Text to find instead" },
            },
            "required": ["ref_id"],
            "additionalProperties": false,
        })
    );
    let store = schema("store_artifact");
    assert_eq!(
        store["properties"]["content_encoding"],
        json!({ "type": "string", "enum": ["utf-8", "base64"] })
    );
    let ask = schema("request_user_input");
    assert_eq!(ask["required"], json!(["slot_type", "slot_id", "prompt_key"]));
    assert_eq!(ask["properties"]["options"]["default"], json!([]));
    assert_eq!(ask["properties"]["slot_type"]["enum"][6], "file");
    assert_eq!(ask["properties"]["purpose"]["enum"], json!(["question", "captcha"]));
    assert_eq!(ask["properties"]["picture_ref_id"]["type"], "string");
    assert_eq!(schema("complete_workflow")["required"], json!(["summary"]));
}
