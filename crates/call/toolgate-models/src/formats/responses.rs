//! The Responses API of OpenAI. Nothing is stored there: reasoning goes back encrypted.

mod reader;

use serde_json::{Map, Value, json};
use toolgate_core::model::{
    CallArguments, MessagePart, ModelCall, ModelDefinition, ModelProvider, ModelRequest, OfferedTool, ToolUse,
};

pub(super) use reader::ResponsesReader;

use super::history::{self, CallOutcome, HistoryStep};
use super::id::{legal_name, plain_id};
use super::json;
use super::schema::tool_schema;
use super::wire::{WireRequest, members, output_tokens_max};

/// Families of models without reasoning, which refuse to be asked for it.
const WITHOUT_REASONING: [&str; 3] = ["gpt-3.5", "gpt-4", "chatgpt-4"];

pub(super) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    let mut body = members([("model", definition.model.as_str().into())]);
    if !request.system.is_empty() {
        body.insert("instructions".to_owned(), Value::from(&*request.system));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        if request.tool_use == ToolUse::Forbidden {
            body.insert("tool_choice".to_owned(), "none".into());
        }
    }
    body.insert("input".to_owned(), input(request).into());
    body.insert("max_output_tokens".to_owned(), output_tokens_max(definition, request).into());
    body.insert("store".to_owned(), false.into());
    if !WITHOUT_REASONING.iter().any(|family| definition.model.starts_with(family)) {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    body.insert("stream".to_owned(), true.into());
    WireRequest::new("/responses", body).with_bearer(key)
}

/// Strict schemas would refuse what the tools of others have, so they are off.
fn tool(tool: &OfferedTool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool_schema(&tool.schema),
        "strict": false,
    })
}

fn input(request: &ModelRequest) -> Vec<Value> {
    let mut items = Vec::new();
    for step in history::steps(&request.messages) {
        match step {
            HistoryStep::Said(texts) => {
                items.push(json!({"role": "user", "content": texts.join("\n\n")}));
            }
            HistoryStep::Answer(parts) => answer(parts, &mut items),
            HistoryStep::Results(outcomes) => items.extend(outcomes.iter().map(result)),
        }
    }
    items
}

fn answer(parts: &[MessagePart], items: &mut Vec<Value>) {
    for (place, part) in parts.iter().enumerate() {
        match part {
            MessagePart::Text(text) if text.trim().is_empty() => {}
            MessagePart::Text(text) => items.push(message(text, amendment(parts.get(place + 1)))),
            MessagePart::Call(call) => items.push(function_call(call)),
            // Without a type it amends the text before it, and went with that.
            MessagePart::Opaque { provider: ModelProvider::OpenaiResponses, raw } => {
                items.extend(Some(json::value(raw)).filter(|item| item.get("type").is_some()));
            }
            MessagePart::Opaque { .. } | MessagePart::Result(_) => {}
        }
    }
}

/// The members of a message's own that stand behind its text.
fn amendment(part: Option<&MessagePart>) -> Option<Map<String, Value>> {
    let Some(MessagePart::Opaque { provider: ModelProvider::OpenaiResponses, raw }) = part else {
        return None;
    };
    raw.decode::<Map<String, Value>>().ok().filter(|own| !own.contains_key("type"))
}

/// A message of the model as it gave it, or a plain one if another provider's model did.
fn message(text: &str, own: Option<Map<String, Value>>) -> Value {
    let Some(own) = own else { return json!({"role": "assistant", "content": text}) };
    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
    let mut message = members([("type", "message".into()), ("role", "assistant".into())]);
    message.insert("status".to_owned(), "completed".into());
    message.extend(own);
    message.insert("content".to_owned(), content);
    message.into()
}

fn function_call(call: &ModelCall) -> Value {
    let arguments = match &call.arguments {
        CallArguments::Object(raw) => raw.as_str().to_owned(),
        CallArguments::Broken(_) => history::arguments(call).to_string(),
    };
    let mut item = members([("type", "function_call".into())]);
    if let Some(id) = history::own_member(call, "item_id") {
        item.insert("id".to_owned(), id);
    }
    item.insert("call_id".to_owned(), plain_id(&call.id).into());
    item.insert("name".to_owned(), legal_name(&call.name).into());
    item.insert("arguments".to_owned(), arguments.into());
    item.into()
}

fn result(outcome: &CallOutcome<'_>) -> Value {
    json!({
        "type": "function_call_output",
        "call_id": plain_id(&outcome.call.id),
        "output": outcome.text,
    })
}
