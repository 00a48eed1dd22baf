//! The list that agents and gateways see before they call anything.

use serde_json::json;

use crate::drive::start;

const TOOLS: [&str; 10] = [
    "check_document",
    "check_pdf",
    "check_accessibility",
    "find_personal_data",
    "redact",
    "check_readability",
    "check_contract",
    "check_licenses",
    "check_metadata",
    "compare_versions",
];

#[tokio::test]
async fn ten_tools_are_listed_with_schemas_and_file_slots() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        let seen = serde_json::to_value(tool).unwrap();
        assert_eq!(seen["inputSchema"]["additionalProperties"], json!(false), "{seen}");
        assert!(seen["outputSchema"]["properties"].is_object(), "{seen}");
        let slots = &seen["_meta"]["dev.toolgate/tool"]["files"];
        assert_eq!(slots[0]["strategy"], json!("binary_base64"), "{seen}");
    }
}
