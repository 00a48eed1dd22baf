//! The lists of tools.

use std::time::Instant;

use serde_json::Value;

use crate::drive::start;

#[tokio::test]
async fn four_tools_with_schemas_are_listed() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["generate_pdf", "generate_docx", "convert", "format_document"]);
    for tool in &tools {
        let input = Value::Object(tool.input_schema.as_ref().clone());
        assert_eq!(input["additionalProperties"], false, "{}", tool.name);
        assert!(input["properties"]["style"].is_object(), "{}", tool.name);
        assert!(!input.to_string().contains("$ref"), "{} has references", tool.name);
        assert!(tool.output_schema.is_some(), "{}", tool.name);
    }
    let convert = serde_json::to_value(&tools[2]).unwrap();
    assert_eq!(convert["_meta"]["dev.toolgate/tool"]["files"][0]["strategy"], "binary_base64");
}

/// Setting needs fonts and a library; starting does not.
#[tokio::test]
async fn it_starts_without_loading_anything() {
    let begin = Instant::now();
    let client = start().await;
    client.service.list_all_tools().await.unwrap();
    // An unoptimised build under load is many times slower than the program.
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}
