//! The Responses API of OpenAI.

use serde_json::{Value, json};

use super::super::asked::{AskedCall, AskedModel, AskedTool, HistoryItem};
use super::super::checks::{list, list_if_any, only, text, texts};
use super::super::exchange::{StreamFacts, signature};
use super::super::format::WireFormat;
use super::super::script::{ScriptedAnswer, ScriptedPart};
use super::wire::{blank, call_id, named_event, pieces};

const MEMBERS: &[&str] = &[
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "store",
    "include",
    "max_output_tokens",
    "reasoning",
    "temperature",
    "top_p",
    "truncation",
    "prompt_cache_key",
    "text",
];

pub(super) fn read(body: &Value, problems: &mut Vec<String>) -> AskedModel {
    let mut asked = blank(WireFormat::Responses);
    only(body, MEMBERS, "the body", problems);
    asked.model = text(&body["model"], "model", problems);
    if body["stream"] != true {
        problems.push("stream is not true".to_owned());
    }
    if body["store"] != false {
        problems.push("the provider would keep the answer: store is not false".to_owned());
    }
    if !body["instructions"].is_null() {
        asked.system = text(&body["instructions"], "instructions", problems);
    }
    for tool in list_if_any(&body["tools"], "tools", problems) {
        only(tool, &["type", "name", "description", "parameters", "strict"], "a tool", problems);
        asked.tools.push(AskedTool {
            name: text(&tool["name"], "the name of a tool", problems),
            schema: tool["parameters"].clone(),
        });
    }
    asked.may_call = body["tool_choice"] != "none";
    for item in list(&body["input"], "input", problems) {
        read_item(item, &mut asked, problems);
    }
    asked
}

fn read_item(item: &Value, asked: &mut AskedModel, problems: &mut Vec<String>) {
    let read = match (item["type"].as_str(), item["role"].as_str()) {
        (None | Some("message"), Some("user")) => {
            HistoryItem::User(texts(&item["content"], "input_text", "a user's content", problems))
        }
        (None | Some("message"), Some("assistant")) => {
            HistoryItem::Said(texts(&item["content"], "output_text", "an answer's content", problems))
        }
        (None | Some("message"), Some("system" | "developer")) if asked.items.is_empty() => {
            asked.system = texts(&item["content"], "input_text", "system", problems);
            return;
        }
        (Some("function_call"), _) => {
            only(item, &["type", "id", "call_id", "name", "arguments", "status"], "a call", problems);
            let arguments = text(&item["arguments"], "arguments", problems);
            HistoryItem::Call(AskedCall {
                id: text(&item["call_id"], "call_id", problems),
                name: text(&item["name"], "the name of a call", problems),
                arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
                signature: None,
            })
        }
        (Some("function_call_output"), _) => {
            only(item, &["type", "id", "call_id", "output", "status"], "a result", problems);
            HistoryItem::Result {
                id: text(&item["call_id"], "call_id", problems),
                text: texts(&item["output"], "input_text", "output", problems),
            }
        }
        (Some("reasoning"), _) => {
            HistoryItem::Opaque(text(&item["encrypted_content"], "encrypted_content", problems))
        }
        _ => {
            problems.push(format!("an item of the input is of no known kind: {item}"));
            return;
        }
    };
    asked.items.push(read);
}

/// Writes events with their running numbers.
struct EventWriter {
    frames: Vec<String>,
    output: Vec<Value>,
}

impl EventWriter {
    fn event(&mut self, name: &str, mut data: Value) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.frames.len());
        self.frames.push(named_event(name, &data));
    }

    fn item(&mut self, begun: Value, done: Value, inside: impl FnOnce(&mut Self, usize)) {
        let at = self.output.len();
        self.event("response.output_item.added", json!({ "output_index": at, "item": begun }));
        inside(self, at);
        self.event("response.output_item.done", json!({ "output_index": at, "item": done.clone() }));
        self.output.push(done);
    }

    fn message(&mut self, text: &str, id: &str, status: &str) {
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        let item = |status: &str, content: Value| json!({ "id": id, "type": "message", "role": "assistant", "status": status, "content": content });
        self.item(item("in_progress", json!([])), item(status, content), |writer, at| {
            let place = json!({ "item_id": id, "output_index": at, "content_index": 0 });
            let with = |name: &str, value: Value| {
                let mut data = place.clone();
                data[name] = value;
                data
            };
            let empty = json!({ "type": "output_text", "text": "", "annotations": [] });
            writer.event("response.content_part.added", with("part", empty));
            for piece in pieces(text) {
                writer.event("response.output_text.delta", with("delta", json!(piece)));
            }
            writer.event("response.output_text.done", with("text", json!(text)));
        });
    }

    fn reasoning(&mut self, text: &str, id: &str) {
        let item = json!({ "id": id, "type": "reasoning",
            "summary": [{ "type": "summary_text", "text": text }], "encrypted_content": signature(text) });
        let begun = json!({ "id": id, "type": "reasoning", "summary": [] });
        self.item(begun, item, |writer, at| {
            let data = json!({ "item_id": id, "output_index": at, "summary_index": 0, "delta": text });
            writer.event("response.reasoning_summary_text.delta", data);
        });
    }

    fn call(&mut self, id: &str, call_id: &str, name: &str, arguments: &str) {
        let item = |arguments: &str, status: &str| {
            json!({ "id": id, "type": "function_call", "call_id": call_id,
            "name": name, "arguments": arguments, "status": status })
        };
        self.item(item("", "in_progress"), item(arguments, "completed"), |writer, at| {
            for piece in pieces(arguments) {
                let data = json!({ "item_id": id, "output_index": at, "delta": piece });
                writer.event("response.function_call_arguments.delta", data);
            }
            let data = json!({ "item_id": id, "output_index": at, "arguments": arguments });
            writer.event("response.function_call_arguments.done", data);
        });
    }
}

pub(super) fn frames(answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    let mut writer = EventWriter { frames: Vec::new(), output: Vec::new() };
    let response = |status: &str, output: Value| {
        json!({ "id": format!("resp_{}", facts.number), "object": "response", "created_at": 1,
            "model": facts.model, "status": status, "output": output })
    };
    writer.event("response.created", json!({ "response": response("in_progress", json!([])) }));
    let status = if answer.is_cut_off { "incomplete" } else { "completed" };
    for (at, part) in answer.parts.iter().enumerate() {
        let number = format!("{}_{at}", facts.number);
        match part {
            ScriptedPart::Text(text) => writer.message(text, &format!("msg_{number}"), status),
            ScriptedPart::Thinking(text) => writer.reasoning(text, &format!("rs_{number}")),
            ScriptedPart::Call(call) => {
                let call_id = call_id(call.id.as_ref(), "call_", facts, at);
                writer.call(&format!("fc_{number}"), &call_id, &call.name, &call.arguments);
            }
        }
    }
    let mut whole = response(status, Value::Array(writer.output.clone()));
    whole["usage"] = json!({
        "input_tokens": facts.input_tokens,
        "input_tokens_details": { "cached_tokens": facts.cached_tokens },
        "output_tokens": facts.output_tokens,
        "total_tokens": facts.input_tokens + facts.output_tokens,
    });
    if answer.is_cut_off {
        whole["incomplete_details"] = json!({ "reason": "max_output_tokens" });
    }
    writer.event(&format!("response.{status}"), json!({ "response": whole }));
    writer.frames
}
