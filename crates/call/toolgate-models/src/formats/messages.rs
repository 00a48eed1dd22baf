//! The Messages API of Anthropic.

mod reader;

use serde_json::{Value, json};
use toolgate_core::model::{
    MessagePart, ModelCall, ModelDefinition, ModelProvider, ModelRequest, OfferedTool, ToolUse,
};

pub(super) use reader::MessagesReader;

use super::history::{self, CallOutcome, HistoryStep};
use super::id::{legal_name, plain_id};
use super::json;
use super::schema::tool_schema;
use super::wire::{WireRequest, members, output_tokens_max};

/// The version of the format.
const VERSION: &str = "2023-06-01";
/// The text of a failed call that says nothing, since an error without a text is refused.
const NO_TEXT: &str = "The call failed without a text.";

pub(super) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    let mut body = members([
        ("model", definition.model.as_str().into()),
        ("max_tokens", output_tokens_max(definition, request).into()),
    ]);
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
        if let Some(last) = tools.last_mut() {
            mark(last);
        }
        body.insert("tools".to_owned(), tools.into());
        if request.tool_use == ToolUse::Forbidden {
            body.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
    }
    if !request.system.trim().is_empty() {
        let mut system = text_block(&request.system);
        mark(&mut system);
        body.insert("system".to_owned(), vec![system].into());
    }
    body.insert("messages".to_owned(), messages(request).into());
    body.insert("stream".to_owned(), true.into());
    WireRequest::new("/messages", body)
        .with("anthropic-version", Some(VERSION.to_owned()))
        .with("x-api-key", key.map(str::to_owned))
}

/// Sets the end of a prefix that the provider keeps in its cache.
fn mark(block: &mut Value) {
    if let Value::Object(block) = block {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

fn tool(tool: &OfferedTool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool_schema(&tool.schema)})
}

/// Messages of turns: results and what was said after them are one message of the user, with the results first.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for step in history::steps(&request.messages) {
        let (role, blocks): (&str, Vec<Value>) = match step {
            HistoryStep::Said(texts) => ("user", texts.into_iter().map(text_block).collect()),
            HistoryStep::Answer(parts) => ("assistant", parts.iter().filter_map(answer_block).collect()),
            HistoryStep::Results(outcomes) => ("user", outcomes.iter().map(result).collect()),
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let last = turns.last_mut().and_then(|(_, blocks)| blocks.iter_mut().rfind(|one| can_be_marked(one)));
    if let Some(last) = last {
        mark(last);
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// Thinking cannot be marked.
fn can_be_marked(block: &Value) -> bool {
    matches!(json::text(block, "/type"), Some("text" | "tool_use" | "tool_result"))
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn answer_block(part: &MessagePart) -> Option<Value> {
    match part {
        MessagePart::Text(text) => (!text.trim().is_empty()).then(|| text_block(text)),
        MessagePart::Opaque { provider: ModelProvider::Anthropic, raw } => Some(json::value(raw)),
        MessagePart::Call(call) => Some(tool_use(call)),
        MessagePart::Opaque { .. } | MessagePart::Result(_) => None,
    }
}

fn tool_use(call: &ModelCall) -> Value {
    json!({
        "type": "tool_use",
        "id": plain_id(&call.id),
        "name": legal_name(&call.name),
        "input": history::arguments(call),
    })
}

fn result(outcome: &CallOutcome<'_>) -> Value {
    let mut block =
        members([("type", "tool_result".into()), ("tool_use_id", plain_id(&outcome.call.id).into())]);
    let content = match outcome.text.trim() {
        "" => outcome.is_error.then_some(NO_TEXT),
        _ => Some(outcome.text),
    };
    block.extend(content.map(|content| ("content".to_owned(), content.into())));
    if outcome.is_error {
        block.insert("is_error".to_owned(), true.into());
    }
    block.into()
}
