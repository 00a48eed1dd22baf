//! The tools as a client sees them in the list.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

pub(super) fn tools() -> Vec<Tool> {
    let mut tools = taking_files();
    tools.extend(taking_text());
    tools.extend(making_results());
    tools
}

fn taking_files() -> Vec<Tool> {
    let file = json!({ "file_data": string("The file as Base64"), "file_type": string("Its media type") });
    let file_fields = &["file_data", "file_type"];
    vec![
        reads("parse_document", "Reads a document and keeps it", &file, file_fields),
        reads("extract_text", "Says what a document says", &file, file_fields),
        reads("extract_count", "How often extract_text has run", &json!({}), &[]),
        reads(
            "ocr",
            "Reads a picture",
            &json!({ "image_data": string("The picture as Base64"), "image_type": string("Its media type") }),
            &["image_data", "image_type"],
        ),
        reads(
            "compare",
            "Compares two files",
            &json!({ "left_data": string("One as Base64"), "right_data": string("The other as Base64") }),
            &["left_data", "right_data"],
        ),
        reads(
            "merge",
            "Puts files together",
            &json!({ "files_data": { "type": "array", "items": string("A file as Base64") } }),
            &["files_data"],
        ),
        reads(
            "sink",
            "Counts what it is given, as fast as it can",
            &json!({ "file_data": string("As Base64") }),
            &["file_data"],
        ),
        tool(
            "create_job",
            "Fetches an address, whole and in part",
            &json!({
                "input_url": string("What to fetch"),
                "echo": { "type": "boolean", "description": "Say the address in the result" },
            }),
            &["input_url"],
            ToolAnnotations::new().read_only(false).destructive(false).open_world(true),
        ),
    ]
}

fn taking_text() -> Vec<Tool> {
    let tailor = json!({
        "source_ref_id": string("The ref_id of the document to start from"),
        "target_role": string("What it is for"),
    });
    vec![
        reads("classify_text", "Looks at a text", &json!({ "text": string("The text") }), &["text"]),
        reads("summarize", "Shortens a text", &json!({ "content": string("The text") }), &["content"]),
        tool(
            "tailor_resume",
            "Makes a document out of another one",
            &tailor,
            &["source_ref_id", "target_role"],
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
        ),
    ]
}

fn making_results() -> Vec<Tool> {
    let bytes = json!({ "bytes": { "type": "integer", "minimum": 0, "description": "How much" } });
    vec![
        reads("big_text", "Returns a text of this size", &bytes, &["bytes"]),
        reads("picture", "Returns a picture", &json!({}), &[]),
        reads("pdf_blob", "Returns a document of this size as a resource", &bytes, &["bytes"]),
        reads("embedded_base64", "Returns Base64 of this many bytes within JSON", &bytes, &["bytes"]),
        reads(
            "slow",
            "Takes its time",
            &json!({ "ms": { "type": "integer", "minimum": 0, "description": "How long it takes" } }),
            &["ms"],
        ),
    ]
}

fn string(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn reads(name: &'static str, description: &'static str, properties: &Value, required: &[&str]) -> Tool {
    tool(name, description, properties, required, ToolAnnotations::new().read_only(true).open_world(false))
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
    annotations: ToolAnnotations,
) -> Tool {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let schema: JsonObject = schema.as_object().expect("it was made as an object").clone();
    Tool::new(name, description, Arc::new(schema)).annotate(annotations)
}
