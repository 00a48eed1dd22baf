//! `generateContent` of Gemini, streamed.

mod reader;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use toolgate_core::model::{
    MessagePart, ModelCall, ModelDefinition, ModelProvider, ModelRequest, OfferedTool, ToolUse,
};

pub(super) use reader::GeminiReader;

use super::history::{self, CallOutcome, HistoryStep};
use super::id::{legal_name, plain_id};
use super::json;
use super::schema::tool_schema;
use super::wire::{WireRequest, members, output_tokens_max};

/// The signature of a call or a text.
const SIGNATURE: &str = "thoughtSignature";
/// Stands for the signature of a call that another provider's model made. Newer models refuse a first call without one.
const NOT_SIGNED: &str = "skip_thought_signature_validator";
/// What may stand in a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

pub(super) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    let mut body = Map::new();
    if !request.system.trim().is_empty() {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": &*request.system}]}));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".to_owned(), json!([{"functionDeclarations": tools}]));
        if request.tool_use == ToolUse::Forbidden {
            body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": {"mode": "NONE"}}));
        }
    }
    body.insert("contents".to_owned(), contents(request).into());
    let limit = output_tokens_max(definition, request);
    body.insert("generationConfig".to_owned(), json!({"maxOutputTokens": limit}));
    WireRequest::new(path(&definition.model), body).with("x-goog-api-key", key.map(str::to_owned))
}

/// A model without a folder is one of `models/`.
fn path(model: &str) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    let model = utf8_percent_encode(model, PLAIN);
    format!("/{folder}{model}:streamGenerateContent?alt=sse")
}

fn tool(tool: &OfferedTool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool_schema(&tool.schema),
    })
}

/// Results stand alone in their content, directly after the calls.
fn contents(request: &ModelRequest) -> Vec<Value> {
    let mut contents = Vec::new();
    for step in history::steps(&request.messages) {
        let (role, parts) = match step {
            HistoryStep::Said(texts) => ("user", texts.into_iter().map(text_part).collect()),
            HistoryStep::Answer(parts) => ("model", answer(parts)),
            HistoryStep::Results(outcomes) => ("user", outcomes.iter().map(result).collect::<Vec<Value>>()),
        };
        if !parts.is_empty() {
            contents.push(json!({"role": role, "parts": parts}));
        }
    }
    contents
}

fn text_part(text: &str) -> Value {
    json!({"text": text})
}

fn answer(parts: &[MessagePart]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    let mut has_call = false;
    for part in parts {
        match part {
            MessagePart::Text(text) if text.trim().is_empty() => {}
            MessagePart::Text(text) => values.push(text_part(text)),
            MessagePart::Opaque { provider: ModelProvider::Gemini, raw } => {
                put_back(json::value(raw), &mut values);
            }
            MessagePart::Call(call) => {
                values.push(function_call(call, !has_call));
                has_call = true;
            }
            MessagePart::Opaque { .. } | MessagePart::Result(_) => {}
        }
    }
    values
}

/// A signature alone belongs to the text before it; other parts go back as they are.
fn put_back(own: Value, values: &mut Vec<Value>) {
    let signature = own.get(SIGNATURE).filter(|_| own.get("text").is_none()).cloned();
    match (signature, values.last_mut()) {
        (Some(signature), Some(Value::Object(part))) if part.contains_key("text") => {
            part.insert(SIGNATURE.to_owned(), signature);
        }
        _ => values.push(own),
    }
}

fn function_call(call: &ModelCall, is_first: bool) -> Value {
    let function = json!({
        "id": plain_id(&call.id),
        "name": legal_name(&call.name),
        "args": history::arguments(call),
    });
    let mut part = members([("functionCall", function)]);
    let of_gemini = call.raw.as_ref().map(json::value).filter(|own| own.get(SIGNATURE).is_some());
    let signature = match of_gemini {
        Some(_) => history::own_member(call, SIGNATURE),
        None => is_first.then(|| NOT_SIGNED.into()),
    };
    part.extend(signature.map(|signature| (SIGNATURE.to_owned(), signature)));
    part.into()
}

fn result(outcome: &CallOutcome<'_>) -> Value {
    let member = if outcome.is_error { "error" } else { "output" };
    json!({"functionResponse": {
        "id": plain_id(&outcome.call.id),
        "name": legal_name(&outcome.call.name),
        "response": {member: outcome.text},
    }})
}
