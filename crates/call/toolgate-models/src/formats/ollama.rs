//! The API of Ollama itself.

mod reader;

use serde_json::{Value, json};
use toolgate_core::model::{MessagePart, ModelCall, ModelDefinition, ModelProvider, ModelRequest, ToolUse};

pub(super) use reader::OllamaReader;

use super::history::{self, CallOutcome};
use super::id::{legal_name, plain_id};
use super::schema::functions;
use super::wire::{WireRequest, members, output_tokens_max};

pub(super) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    let mut body = members([("model", definition.model.as_str().into())]);
    // Calls cannot be forbidden here, so the tools are not named then.
    if !request.tools.is_empty() && request.tool_use == ToolUse::Allowed {
        body.insert("tools".to_owned(), functions(&request.tools));
    }
    body.insert("messages".to_owned(), history::in_roles(request, answer, result).into());
    let limit = output_tokens_max(definition, request);
    // The default context is small, and what is beyond it is left out without a word.
    body.insert("options".to_owned(), json!({"num_ctx": definition.context_tokens, "num_predict": limit}));
    body.insert("truncate".to_owned(), false.into());
    body.insert("shift".to_owned(), false.into());
    body.insert("stream".to_owned(), true.into());
    WireRequest::new("/api/chat", body).with_bearer(key)
}

/// Nothing for an answer that has neither text nor calls.
fn answer(parts: &[MessagePart]) -> Option<Value> {
    let content = history::texts(parts).join("\n\n");
    let calls: Vec<Value> = history::calls(parts).map(call).collect();
    if content.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = members([("role", "assistant".into()), ("content", content.into())]);
    for own in history::opaque(parts, ModelProvider::Ollama) {
        if let Value::Object(own) = own {
            message.extend(own);
        }
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(message.into())
}

fn call(call: &ModelCall) -> Value {
    let function = json!({"name": legal_name(&call.name), "arguments": history::arguments(call)});
    json!({"id": plain_id(&call.id), "function": function})
}

fn result(outcome: &CallOutcome<'_>) -> Value {
    json!({
        "role": "tool",
        "tool_name": legal_name(&outcome.call.name),
        "tool_call_id": plain_id(&outcome.call.id),
        "content": outcome.text,
    })
}
