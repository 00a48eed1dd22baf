//! The Messages API of Anthropic.

use serde_json::{Value, json};

use super::super::asked::{AskedCall, AskedModel, AskedTool, HistoryItem};
use super::super::checks::{alternate, list, list_if_any, only, text, texts};
use super::super::exchange::{RawAsked, StreamFacts, signature};
use super::super::format::WireFormat;
use super::super::script::{ScriptedAnswer, ScriptedPart};
use super::wire::{blank, call_id, named_event, pieces};

const MEMBERS: &[&str] = &[
    "model",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "max_tokens",
    "stream",
    "thinking",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "cache_control",
];
/// The provider takes no more marks of its cache.
const CACHE_MARKS_MAX: usize = 4;

pub(super) fn read(asked_raw: &RawAsked<'_>, problems: &mut Vec<String>) -> AskedModel {
    let (mut asked, body) = (blank(WireFormat::Anthropic), &asked_raw.body);
    only(body, MEMBERS, "the body", problems);
    asked.model = text(&body["model"], "model", problems);
    if !asked_raw.headers.contains_key("anthropic-version") {
        problems.push("there is no anthropic-version".to_owned());
    }
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        problems.push("max_tokens is missing".to_owned());
    }
    if body["stream"] != true {
        problems.push("stream is not true".to_owned());
    }
    if body.to_string().matches("\"cache_control\"").count() > CACHE_MARKS_MAX {
        problems.push("there are more than four marks of the cache".to_owned());
    }
    if !body["system"].is_null() {
        asked.system = texts(&body["system"], "text", "system", problems);
    }
    for tool in list_if_any(&body["tools"], "tools", problems) {
        only(tool, &["name", "description", "input_schema", "cache_control", "type"], "a tool", problems);
        asked.tools.push(AskedTool {
            name: text(&tool["name"], "the name of a tool", problems),
            schema: tool["input_schema"].clone(),
        });
    }
    asked.may_call = body["tool_choice"]["type"] != "none";
    read_messages(&body["messages"], &mut asked, problems);
    asked
}

fn read_messages(messages: &Value, asked: &mut AskedModel, problems: &mut Vec<String>) {
    let messages = list(messages, "messages", problems);
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    alternate(&roles, "user", problems);
    for message in messages {
        only(message, &["role", "content"], "a message", problems);
        let is_user = message["role"] == "user";
        if let Some(said) = message["content"].as_str() {
            let said = filled(said, problems);
            asked.items.push(if is_user { HistoryItem::User(said) } else { HistoryItem::Said(said) });
            continue;
        }
        let blocks = list(&message["content"], "content", problems);
        if blocks.is_empty() {
            problems.push("a message has no content".to_owned());
        }
        let results = blocks.iter().rposition(|block| block["type"] == "tool_result");
        let others = blocks.iter().position(|block| block["type"] != "tool_result");
        if results.zip(others).is_some_and(|(result, other)| other < result) {
            problems.push("results are not the first blocks of their message".to_owned());
        }
        for block in blocks {
            asked.items.push(read_block(block, is_user, problems));
        }
    }
}

fn read_block(block: &Value, is_user: bool, problems: &mut Vec<String>) -> HistoryItem {
    match (block["type"].as_str(), is_user) {
        (Some("text"), _) => {
            let said = filled(&text(&block["text"], "text", problems), problems);
            if is_user { HistoryItem::User(said) } else { HistoryItem::Said(said) }
        }
        (Some("tool_result"), true) => {
            only(
                block,
                &["type", "tool_use_id", "content", "is_error", "cache_control"],
                "a result",
                problems,
            );
            let content = match &block["content"] {
                Value::Null => String::new(),
                content => texts(content, "text", "a result's content", problems),
            };
            HistoryItem::Result { id: text(&block["tool_use_id"], "tool_use_id", problems), text: content }
        }
        (Some("tool_use"), false) => {
            only(block, &["type", "id", "name", "input", "cache_control"], "a call", problems);
            if !block["input"].is_object() {
                problems.push(format!("the input of a call is no object: {block}"));
            }
            let id = text(&block["id"], "the id of a call", problems);
            if !id.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-') {
                problems.push(format!("the id {id:?} has characters that the provider refuses"));
            }
            let name = text(&block["name"], "the name of a call", problems);
            HistoryItem::Call(AskedCall { id, name, arguments: block["input"].clone(), signature: None })
        }
        (Some("thinking"), false) => {
            text(&block["thinking"], "thinking", problems);
            HistoryItem::Opaque(text(&block["signature"], "signature", problems))
        }
        _ => {
            problems.push(format!("a block stands where it may not: {block}"));
            HistoryItem::Opaque(block.to_string())
        }
    }
}

/// The provider refuses texts without a word.
fn filled(said: &str, problems: &mut Vec<String>) -> String {
    if said.trim().is_empty() {
        problems.push("a text is empty".to_owned());
    }
    said.to_owned()
}

pub(super) fn frames(answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    let usage = json!({
        "input_tokens": facts.input_tokens - facts.cached_tokens,
        "cache_read_input_tokens": facts.cached_tokens,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    });
    let message = json!({ "id": format!("msg_{}", facts.number), "type": "message", "role": "assistant",
        "model": facts.model, "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage });
    let start = json!({ "type": "message_start", "message": message });
    let mut frames =
        vec![named_event("message_start", &start), named_event("ping", &json!({ "type": "ping" }))];
    for (at, part) in answer.parts.iter().enumerate() {
        block_frames(part, at, facts, &mut frames);
    }
    let stop = match (answer.is_cut_off, answer.calls().next()) {
        (true, _) => "max_tokens",
        (false, None) => "end_turn",
        (false, Some(_)) => "tool_use",
    };
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null },
        "usage": { "output_tokens": facts.output_tokens } });
    frames.push(named_event("message_delta", &delta));
    frames.push(named_event("message_stop", &json!({ "type": "message_stop" })));
    frames
}

fn block_frames(part: &ScriptedPart, at: usize, facts: &StreamFacts, frames: &mut Vec<String>) {
    let (block, deltas) = match part {
        ScriptedPart::Text(text) => {
            let deltas = pieces(text).into_iter().map(|piece| json!({ "type": "text_delta", "text": piece }));
            (json!({ "type": "text", "text": "" }), deltas.collect::<Vec<Value>>())
        }
        ScriptedPart::Thinking(text) => {
            let deltas = vec![
                json!({ "type": "thinking_delta", "thinking": text }),
                json!({ "type": "signature_delta", "signature": signature(text) }),
            ];
            (json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas)
        }
        ScriptedPart::Call(call) => {
            let id = call_id(call.id.as_ref(), "toolu_", facts, at);
            let deltas = pieces(&call.arguments).into_iter();
            let deltas = deltas.map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
            (json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} }), deltas.collect())
        }
    };
    let start = json!({ "type": "content_block_start", "index": at, "content_block": block });
    frames.push(named_event("content_block_start", &start));
    for delta in deltas {
        let data = json!({ "type": "content_block_delta", "index": at, "delta": delta });
        frames.push(named_event("content_block_delta", &data));
    }
    frames.push(named_event("content_block_stop", &json!({ "type": "content_block_stop", "index": at })));
}
