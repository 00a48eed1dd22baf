//! The tools as a client sees them in the list. What they do is in `calls` and `jobs`.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::changes::Changes;

/// In a fixed order that is not alphabetical, so that code that promises an order has to sort.
pub(super) fn tools(changes: &Changes) -> Vec<Tool> {
    let mut tools = content_tools();
    tools.extend(traffic_tools());
    tools.extend(asking_tools());
    tools.extend(change_tools());
    tools.extend(task_tools());
    tools.extend(schema_tools());
    if changes.shows_changing_tool() {
        tools.push(plain("test_changing_tool", "Comes and goes with test_trigger_tool_change"));
    }
    tools
}

fn content_tools() -> Vec<Tool> {
    vec![
        plain("test_simple_text", "Returns a text")
            .annotate(ToolAnnotations::with_title("Text").read_only(true)),
        plain("test_image_content", "Returns a picture"),
        plain("test_audio_content", "Returns a sound"),
        plain("test_embedded_resource", "Returns a resource"),
        plain("test_multiple_content_types", "Returns a text, a picture and a resource"),
        plain("test_resource_link", "Returns a link to a resource"),
        plain("test_error_handling", "Always fails, and says so in its result"),
        with(
            "test_structured_content",
            "Returns its argument doubled, as data and as text",
            json!({ "number": { "type": "number" } }),
            &["number"],
        )
        .with_raw_output_schema(schema(&json!({ "doubled": { "type": "number" } }), &["doubled"])),
        with(
            "echo",
            "Returns the text it is given",
            json!({ "text": { "type": "string", "description": "What to say" } }),
            &["text"],
        ),
    ]
}

fn traffic_tools() -> Vec<Tool> {
    vec![
        plain("test_tool_with_logging", "Logs three lines while it runs"),
        plain("test_logging_tool", "Logs a line if the request asks for log lines"),
        plain("test_tool_with_progress", "Reports progress three times while it runs"),
        plain(
            "test_reconnection",
            "Loses its stream before the result is there; the client has to come back for it",
        ),
        plain("test_cancellation", "Runs until it is cancelled; test_cancellations_seen counts"),
        with(
            "test_cancellations_seen",
            "Says how often test_cancellation was cancelled, or with begun: how often it was called",
            json!({ "begun": { "type": "boolean" } }),
            &[],
        ),
    ]
}

fn asking_tools() -> Vec<Tool> {
    vec![
        with(
            "test_sampling",
            "Asks the client's model",
            json!({ "prompt": { "type": "string", "description": "The prompt to send to the model" } }),
            &["prompt"],
        ),
        with(
            "test_elicitation",
            "Asks the user for a name and an address",
            json!({ "message": { "type": "string", "description": "The message to show the user" } }),
            &["message"],
        ),
        plain("test_elicitation_sep1034_defaults", "Asks the user with a default in every field"),
        plain("test_elicitation_sep1330_enums", "Asks the user with every kind of choice"),
        plain("test_roots", "Asks the client for its roots"),
        plain("test_streaming_elicitation", "Reports progress if asked to, then asks the user"),
        plain("test_missing_capability", "Needs a client with sampling"),
        plain("test_input_required_result_elicitation", "Asks the user for a name"),
        plain("test_input_required_result_sampling", "Asks the client's model for a capital"),
        plain("test_input_required_result_list_roots", "Asks the client for its roots"),
        plain("test_input_required_result_request_state", "Asks the user and wants its state back"),
        plain("test_input_required_result_multiple_inputs", "Asks the user, the model and for roots at once"),
        plain(
            "test_input_required_result_multi_round",
            "Asks the user twice, the second time knowing the first answer",
        ),
        plain(
            "test_input_required_result_tampered_state",
            "Asks the user and refuses a state it did not seal",
        ),
        plain("test_input_required_result_capabilities", "Asks only what the client can answer"),
    ]
}

fn change_tools() -> Vec<Tool> {
    vec![
        plain("test_trigger_tool_change", "Changes the list of tools"),
        plain("test_trigger_prompt_change", "Changes the list of prompts"),
        plain("test_trigger_resource_change", "Changes the list of resources"),
        plain("test_trigger_resource_update", "Changes test://watched-resource"),
    ]
}

fn task_tools() -> Vec<Tool> {
    vec![
        with("greet", "Greets at once", json!({ "name": { "type": "string" } }), &["name"]),
        with(
            "slow_compute",
            "Takes its time; a task where the client knows tasks",
            json!({ "seconds": { "type": "number", "minimum": 0 }, "label": { "type": "string" } }),
            &["seconds"],
        ),
        plain("failing_job", "A task that runs and fails; there is no other way to call it"),
        plain("protocol_error_job", "A task that breaks"),
        with(
            "confirm_delete",
            "A task that asks before it deletes (nothing is deleted)",
            json!({ "filename": { "type": "string" } }),
            &["filename"],
        ),
        plain("multi_input", "A task that asks two questions at once"),
        plain(
            "test_tool_with_task",
            "Asks for a name, then goes on as a task; there is no other way to call it",
        ),
    ]
}

fn schema_tools() -> Vec<Tool> {
    let rich = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    });
    vec![
        Tool::new("json_schema_2020_12_tool", "Has every keyword worth losing", object(&rich)),
        with(
            "test_custom_header",
            "Takes arguments that travel as headers too",
            json!({
                "region": { "type": "string", "x-mcp-header": "Region" },
                "priority": { "type": "integer", "x-mcp-header": "Priority" },
                "query": { "type": "string" }
            }),
            &["region"],
        ),
    ]
}

fn plain(name: &'static str, description: &'static str) -> Tool {
    with(name, description, json!({}), &[])
}

fn with(name: &'static str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    Tool::new(name, description, schema(&properties, required))
}

fn schema(properties: &Value, required: &[&str]) -> Arc<rmcp::model::JsonObject> {
    object(&json!({ "type": "object", "properties": properties, "required": required }))
}

fn object(value: &Value) -> Arc<rmcp::model::JsonObject> {
    Arc::new(value.as_object().expect("schemas of this crate are objects").clone())
}
