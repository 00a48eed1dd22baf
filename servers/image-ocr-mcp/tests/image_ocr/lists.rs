//! The lists that agents and gateways see before they call anything.

use serde_json::json;

use crate::drive::{with_weights, without_anything};

#[tokio::test]
async fn two_tools_are_listed_with_schemas_and_a_slot_for_pictures() {
    let client = without_anything().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["extract", "describe_image"]);
    for tool in &tools {
        let seen = serde_json::to_value(tool).unwrap();
        assert_eq!(seen["inputSchema"]["additionalProperties"], json!(false), "{seen}");
        assert!(seen["inputSchema"]["properties"]["image_data"].is_object(), "{seen}");
        assert!(seen["outputSchema"]["properties"]["warnings"].is_object(), "{seen}");
        assert_eq!(
            seen["_meta"]["dev.toolgate/tool"]["files"][0]["strategy"],
            json!("image_base64"),
            "{seen}"
        );
    }
    let output = serde_json::to_value(tools[0].output_schema.as_ref().unwrap()).unwrap();
    for field in ["text", "lines", "width", "height", "engine", "angle", "mean_confidence"] {
        assert!(output["properties"][field].is_object(), "{field} in {output}");
    }
}

#[tokio::test]
async fn a_tool_that_is_off_is_listed_with_how_to_switch_it_on() {
    let client = without_anything().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let description = tools[0].description.as_deref().unwrap();
    assert!(description.contains("Unavailable on this machine"), "{description}");
    assert!(description.contains("script/ocr-model"), "{description}");
    assert!(!tools[1].description.as_deref().unwrap().contains("Unavailable on this machine"));
}

#[tokio::test]
async fn with_weights_nothing_is_off() {
    let Some(client) = with_weights().await else { return };
    for tool in client.service.list_all_tools().await.unwrap() {
        assert!(!tool.description.as_deref().unwrap().contains("Unavailable on this machine"));
    }
}
