//! The API of Ollama itself: lines of JSON.

use serde_json::{Value, json};

use super::super::asked::{AskedCall, AskedModel, HistoryItem};
use super::super::checks::{list, list_if_any, only, text};
use super::super::exchange::StreamFacts;
use super::super::format::WireFormat;
use super::super::script::{ScriptedAnswer, ScriptedPart};
use super::chat::read_tool;
use super::wire::{arguments_value, blank, pieces};

const MEMBERS: &[&str] = &[
    "model",
    "messages",
    "tools",
    "stream",
    "options",
    "format",
    "keep_alive",
    "think",
    "truncate",
    "shift",
];

pub(super) fn read(body: &Value, problems: &mut Vec<String>) -> AskedModel {
    let mut asked = blank(WireFormat::Ollama);
    only(body, MEMBERS, "the body", problems);
    asked.model = text(&body["model"], "model", problems);
    if body["stream"] == false {
        problems.push("stream is false".to_owned());
    }
    for tool in list_if_any(&body["tools"], "tools", problems) {
        asked.tools.push(read_tool(tool, problems));
    }
    let (mut calls, mut results) = (0, 0);
    for (at, message) in list(&body["messages"], "messages", problems).iter().enumerate() {
        match message["role"].as_str() {
            Some("system") if at == 0 => asked.system = text(&message["content"], "system", problems),
            Some("user") => {
                let said = text(&message["content"], "a user's content", problems);
                asked.items.push(HistoryItem::User(said));
            }
            Some("assistant") => read_assistant(message, &mut calls, &mut asked.items, problems),
            Some("tool") => {
                only(message, &["role", "content", "tool_name", "tool_call_id"], "a result", problems);
                let name = text(&message["tool_name"], "tool_name", problems);
                let said = text(&message["content"], "a result's content", problems);
                // They belong to calls by their order and their names.
                asked.items.push(HistoryItem::Result { id: format!("{results} {name}"), text: said });
                results += 1;
            }
            _ => problems.push(format!("a message has no role here: {message}")),
        }
    }
    asked
}

fn read_assistant(
    message: &Value,
    calls: &mut usize,
    items: &mut Vec<HistoryItem>,
    problems: &mut Vec<String>,
) {
    only(message, &["role", "content", "tool_calls", "thinking"], "an answer", problems);
    let said = text(&message["content"], "an answer's content", problems);
    if !said.is_empty() {
        items.push(HistoryItem::Said(said));
    }
    for call in list_if_any(&message["tool_calls"], "tool_calls", problems) {
        only(call, &["id", "type", "function"], "a call", problems);
        let function = &call["function"];
        if !function["arguments"].is_object() {
            problems.push(format!("the arguments of a call are no object: {call}"));
        }
        let name = text(&function["name"], "the name of a call", problems);
        let id = format!("{calls} {name}");
        *calls += 1;
        let arguments = function["arguments"].clone();
        items.push(HistoryItem::Call(AskedCall { id, name, arguments, signature: None }));
    }
}

pub(super) fn frames(answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    let line = |mut message: Value| {
        message["role"] = json!("assistant");
        if message["content"].is_null() {
            message["content"] = json!("");
        }
        let whole = json!({ "model": facts.model, "created_at": "2026-11-17T10:00:00Z", "message": message, "done": false });
        format!("{whole}\n")
    };
    let mut frames = Vec::new();
    for part in &answer.parts {
        match part {
            ScriptedPart::Text(text) => {
                frames.extend(pieces(text).into_iter().map(|piece| line(json!({ "content": piece }))));
            }
            ScriptedPart::Thinking(text) => frames.push(line(json!({ "thinking": text }))),
            ScriptedPart::Call(call) => {
                let function = json!({ "name": call.name, "arguments": arguments_value(&call.arguments) });
                frames.push(line(json!({ "tool_calls": [{ "function": function }] })));
            }
        }
    }
    let reason = if answer.is_cut_off { "length" } else { "stop" };
    let end = json!({
        "model": facts.model, "created_at": "2026-11-17T10:00:00Z",
        "message": { "role": "assistant", "content": "" },
        "done": true, "done_reason": reason,
        "total_duration": 1, "load_duration": 1,
        "prompt_eval_count": facts.input_tokens, "prompt_eval_duration": 1,
        "eval_count": facts.output_tokens, "eval_duration": 1,
    });
    frames.push(format!("{end}\n"));
    frames
}
