//! Chat completions of OpenAI.

use serde_json::{Value, json};

use super::super::asked::{AskedCall, AskedModel, AskedTool, HistoryItem};
use super::super::checks::{list, list_if_any, only, text, texts};
use super::super::exchange::StreamFacts;
use super::super::format::WireFormat;
use super::super::script::{ScriptedAnswer, ScriptedPart};
use super::wire::{blank, call_id, event, pieces};

const MEMBERS: &[&str] = &[
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "user",
    "store",
    "prompt_cache_key",
    "reasoning_effort",
];

/// Members of an answer, and those that compatible servers have beside the provider's.
const ANSWER_MEMBERS: &[&str] = &[
    "role",
    "content",
    "tool_calls",
    "refusal",
    "name",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
];

pub(super) fn read(body: &Value, problems: &mut Vec<String>) -> AskedModel {
    let mut asked = blank(WireFormat::Chat);
    only(body, MEMBERS, "the body", problems);
    asked.model = text(&body["model"], "model", problems);
    if body["stream"] != true {
        problems.push("stream is not true".to_owned());
    }
    if body["stream_options"]["include_usage"] != true {
        problems.push("usage is not asked for".to_owned());
    }
    for tool in list_if_any(&body["tools"], "tools", problems) {
        asked.tools.push(read_tool(tool, problems));
    }
    asked.may_call = body["tool_choice"] != "none";
    for (at, message) in list(&body["messages"], "messages", problems).iter().enumerate() {
        match message["role"].as_str() {
            Some("system" | "developer") if at == 0 => {
                asked.system = texts(&message["content"], "text", "system", problems);
            }
            _ => read_message(message, &mut asked.items, problems),
        }
    }
    asked
}

/// A tool in the form that Ollama took over.
pub(super) fn read_tool(tool: &Value, problems: &mut Vec<String>) -> AskedTool {
    only(tool, &["type", "function"], "a tool", problems);
    let function = &tool["function"];
    only(function, &["name", "description", "parameters", "strict"], "a function", problems);
    if tool["type"] != "function" {
        problems.push(format!("a tool is no function: {tool}"));
    }
    AskedTool {
        name: text(&function["name"], "the name of a tool", problems),
        schema: function["parameters"].clone(),
    }
}

fn read_message(message: &Value, items: &mut Vec<HistoryItem>, problems: &mut Vec<String>) {
    match message["role"].as_str() {
        Some("user") => {
            only(message, &["role", "content", "name"], "a message", problems);
            items.push(HistoryItem::User(texts(&message["content"], "text", "a user's content", problems)));
        }
        Some("assistant") => read_assistant(message, items, problems),
        Some("tool") => {
            only(message, &["role", "content", "tool_call_id"], "a result", problems);
            items.push(HistoryItem::Result {
                id: text(&message["tool_call_id"], "tool_call_id", problems),
                text: texts(&message["content"], "text", "a result's content", problems),
            });
        }
        _ => problems.push(format!("a message has no role here: {message}")),
    }
}

fn read_assistant(message: &Value, items: &mut Vec<HistoryItem>, problems: &mut Vec<String>) {
    only(message, ANSWER_MEMBERS, "an answer", problems);
    let calls = list_if_any(&message["tool_calls"], "tool_calls", problems);
    if message.get("tool_calls").is_some() && calls.is_empty() {
        problems.push("tool_calls is an empty list".to_owned());
    }
    if !message["content"].is_null() {
        let said = texts(&message["content"], "text", "an answer's content", problems);
        if !said.is_empty() {
            items.push(HistoryItem::Said(said));
        }
    } else if calls.is_empty() {
        problems.push("an answer has neither content nor calls".to_owned());
    }
    for call in calls {
        only(call, &["id", "type", "function", "extra_content"], "a call", problems);
        only(&call["function"], &["name", "arguments"], "a call's function", problems);
        let arguments = text(&call["function"]["arguments"], "arguments", problems);
        items.push(HistoryItem::Call(AskedCall {
            id: text(&call["id"], "the id of a call", problems),
            name: text(&call["function"]["name"], "the name of a call", problems),
            arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            signature: None,
        }));
    }
}

pub(super) fn frames(answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        event(&json!({
            "id": format!("chatcmpl-{}", facts.number), "object": "chat.completion.chunk", "created": 1,
            "model": facts.model,
            "choices": [{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }],
        }))
    };
    let mut frames = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    let mut calls = 0;
    for part in &answer.parts {
        match part {
            ScriptedPart::Text(text) => {
                frames.extend(
                    pieces(text).into_iter().map(|piece| chunk(json!({ "content": piece }), Value::Null)),
                );
            }
            ScriptedPart::Thinking(text) => {
                frames.push(chunk(json!({ "reasoning_content": text }), Value::Null));
            }
            ScriptedPart::Call(call) => {
                let head = json!({ "index": calls, "id": call_id(call.id.as_ref(), "call_", facts, calls),
                    "type": "function", "function": { "name": call.name, "arguments": "" } });
                frames.push(chunk(json!({ "tool_calls": [head] }), Value::Null));
                for piece in pieces(&call.arguments) {
                    let more = json!({ "index": calls, "function": { "arguments": piece } });
                    frames.push(chunk(json!({ "tool_calls": [more] }), Value::Null));
                }
                calls += 1;
            }
        }
    }
    let finish = match (answer.is_cut_off, calls) {
        (true, _) => "length",
        (false, 0) => "stop",
        (false, _) => "tool_calls",
    };
    frames.push(chunk(json!({}), json!(finish)));
    frames.push(usage(facts));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn usage(facts: &StreamFacts) -> String {
    event(&json!({
        "id": format!("chatcmpl-{}", facts.number), "object": "chat.completion.chunk", "created": 1,
        "model": facts.model, "choices": [],
        "usage": {
            "prompt_tokens": facts.input_tokens,
            "completion_tokens": facts.output_tokens,
            "total_tokens": facts.input_tokens + facts.output_tokens,
            "prompt_tokens_details": { "cached_tokens": facts.cached_tokens },
        },
    }))
}
