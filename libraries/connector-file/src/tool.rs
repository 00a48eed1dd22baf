//! An action as a tool.

use openapi_tools::ApiEffects;
use serde_json::Value;

/// The definition of an action, as agents see it.
#[derive(Clone, PartialEq, Debug)]
pub struct ConnectorTool {
    pub name: String,
    pub title: String,
    pub description: String,
    /// JSON Schema 2020-12.
    pub input_schema: Value,
    pub output_schema: Option<Value>,
    pub effects: ApiEffects,
}
