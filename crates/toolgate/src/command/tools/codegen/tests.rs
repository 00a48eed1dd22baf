//! The code for tools with every difficulty that a schema can have. `clients/test` compiles what is expected here.

use serde_json::Value;

use super::{ToolSchema, python, typescript};

fn tools() -> Vec<ToolSchema> {
    let tools: Vec<Value> = serde_json::from_str(include_str!("tests/tools.json")).expect("a list of tools");
    let schema = |tool: Value| ToolSchema {
        name: tool["name"].as_str().expect("a name").to_owned(),
        about: tool["description"].as_str().unwrap_or_default().to_owned(),
        input: tool["inputSchema"].clone(),
        output: tool.get("outputSchema").cloned(),
    };
    tools.into_iter().map(schema).collect()
}

#[test]
fn typescript_is_written_as_expected() {
    assert_eq!(typescript::write(&tools()), include_str!("tests/tools.ts"));
}

#[test]
fn python_is_written_as_expected() {
    assert_eq!(python::write(&tools()), include_str!("tests/tools.py"));
}
