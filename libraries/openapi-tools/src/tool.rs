//! The tools of a document.

use serde_json::Value;

use crate::method::{ApiEffects, Method};
use crate::plan::RequestPlan;

/// What the operations of a document became.
#[derive(Clone, Debug, Default)]
pub struct ApiTools {
    pub tools: Vec<ApiTool>,
    /// Operations that are no tools, each with the reason.
    pub left_out: Vec<LeftOutOperation>,
}

/// An operation that is no tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOutOperation {
    /// The key as the document has it.
    pub method: String,
    pub path: String,
    pub reason: String,
}

/// An operation as a tool.
#[derive(Clone, Debug)]
pub struct ApiTool {
    /// At most 64 of `[A-Za-z0-9_-]`. Only operations that would have the same name change it, and then all of them have a hash.
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    /// JSON Schema 2020-12 with everything it refers to in `$defs`; an object without further properties.
    pub input_schema: Value,
    /// The schema of the JSON that a success answers, of any type: where an object is needed, the caller wraps it.
    pub output_schema: Option<Value>,
    pub method: Method,
    /// The path as the document has it, with its templates.
    pub path: String,
    pub operation_id: Option<String>,
    pub effects: ApiEffects,
    pub deprecated: bool,
    pub tags: Vec<String>,
    /// The media types of a success, as the document lists them.
    pub produces: Vec<String>,
    /// The address of an operation that has another server than the document.
    pub server: Option<String>,
    pub plan: RequestPlan,
}
