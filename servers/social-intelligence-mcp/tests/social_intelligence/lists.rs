//! The lists that agents and gateways see before they call anything.

use serde_json::{Value, json};

use crate::drive::start;

#[tokio::test]
async fn seven_tools_are_listed_with_schemas_and_descriptions() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let expected = [
        "analyze_creative",
        "score_headlines",
        "score_content",
        "check_platform_specs",
        "suggest_variants",
        "hashtags",
        "best_length",
    ];
    assert_eq!(names, expected);
    for tool in &tools {
        let seen = serde_json::to_value(tool).unwrap();
        assert_eq!(seen["inputSchema"]["additionalProperties"], json!(false), "{seen}");
        assert!(seen["outputSchema"]["properties"].is_object(), "{seen}");
        assert!(tool.description.as_deref().is_some_and(|said| said.len() > 40), "{seen}");
        assert_eq!(seen["_meta"]["dev.toolgate/tool"]["effects"], json!(["read"]), "{seen}");
    }
}

#[tokio::test]
async fn pictures_and_texts_have_slots_for_files() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let slot = |name: &str| -> Value {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        serde_json::to_value(tool).unwrap()["_meta"]["dev.toolgate/tool"]["files"][0].clone()
    };
    assert_eq!(slot("analyze_creative")["strategy"], "image_base64");
    assert_eq!(slot("check_platform_specs")["strategy"], "image_base64");
    assert_eq!(slot("score_content")["content"], "file_text");
    assert_eq!(slot("hashtags")["content"], "file_text");
    assert_eq!(slot("score_headlines"), Value::Null);
}
