//! Chat completions of OpenAI, and of every server that is compatible with them.

mod reader;

use serde_json::{Value, json};
use toolgate_core::model::{
    CallArguments, MessagePart, ModelCall, ModelDefinition, ModelProvider, ModelRequest, ToolUse,
};

pub(super) use reader::ChatReader;

use super::history::{self, CallOutcome};
use super::id::{digits_id, legal_name};
use super::schema::functions;
use super::wire::{WireRequest, members, output_tokens_max};

/// The member of a call that goes back with it: signatures of models behind compatible servers.
const OWN_MEMBER: &str = "extra_content";

pub(super) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    let mut body = members([("model", definition.model.as_str().into())]);
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), functions(&request.tools));
        if request.tool_use == ToolUse::Forbidden {
            body.insert("tool_choice".to_owned(), "none".into());
        }
    }
    body.insert("messages".to_owned(), history::in_roles(request, answer, result).into());
    let limit = output_tokens_max(definition, request);
    body.insert(limit_member(&definition.url).to_owned(), limit.into());
    body.insert("stream".to_owned(), true.into());
    body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    WireRequest::new("/chat/completions", body).with_bearer(key)
}

/// OpenAI and Azure refuse the older name for their newer models; other servers often know only that.
fn limit_member(url: &str) -> &'static str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = after_scheme.split(['/', ':', '?']).next().unwrap_or_default();
    let is_theirs = host == "api.openai.com" || host.ends_with(".openai.azure.com");
    if is_theirs { "max_completion_tokens" } else { "max_tokens" }
}

/// Nothing for an answer that has neither text nor calls.
fn answer(parts: &[MessagePart]) -> Option<Value> {
    let texts = history::texts(parts);
    let calls: Vec<Value> = history::calls(parts).map(call).collect();
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if texts.is_empty() { Value::Null } else { texts.join("\n\n").into() };
    let mut message = members([("role", "assistant".into()), ("content", content)]);
    for own in history::opaque(parts, ModelProvider::Openai) {
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
    let arguments = match &call.arguments {
        CallArguments::Object(raw) => raw.as_str().to_owned(),
        CallArguments::Broken(_) => history::arguments(call).to_string(),
    };
    let function = json!({"name": legal_name(&call.name), "arguments": arguments});
    let mut call_form =
        members([("id", digits_id(&call.id).into()), ("type", "function".into()), ("function", function)]);
    if let Some(own) = history::own_member(call, OWN_MEMBER) {
        call_form.insert(OWN_MEMBER.to_owned(), own);
    }
    call_form.into()
}

fn result(outcome: &CallOutcome<'_>) -> Value {
    json!({"role": "tool", "tool_call_id": digits_id(&outcome.call.id), "content": outcome.text})
}
