//! The lists that agents and gateways see before they call anything.

use serde_json::{Value, json};

use crate::drive::start;

#[tokio::test]
async fn three_tools_are_listed_with_schemas_and_file_slots() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["extract_text", "extract_tables", "document_info"]);
    for tool in &tools {
        let seen = serde_json::to_value(tool).unwrap();
        assert_eq!(seen["inputSchema"]["additionalProperties"], json!(false), "{seen}");
        assert!(seen["inputSchema"]["properties"]["file_data"].is_object(), "{seen}");
        assert!(seen["outputSchema"]["properties"]["warnings"].is_object(), "{seen}");
        let slots = &seen["_meta"]["dev.toolgate/tool"]["files"];
        assert_eq!(slots[0]["strategy"], json!("binary_base64"), "{seen}");
    }
}

#[tokio::test]
async fn what_a_gateway_takes_of_a_text_is_in_the_schema() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let schema: Value = serde_json::to_value(tools[0].output_schema.as_ref().unwrap()).unwrap();
    for field in ["text", "ref_id", "truncated", "chars", "page_count", "pages", "language"] {
        assert!(schema["properties"][field].is_object(), "{field} in {schema}");
    }
}
