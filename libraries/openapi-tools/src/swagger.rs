//! Swagger 2.0 as OpenAPI 3.0.
use serde_json::Value;
pub(crate) fn converted(root: Value) -> Value {
    root
}
