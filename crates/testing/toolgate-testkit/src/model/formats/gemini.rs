//! `streamGenerateContent` of Gemini.

use serde_json::{Value, json};

use super::super::asked::{AskedCall, AskedModel, AskedTool, HistoryItem};
use super::super::checks::{alternate, list, list_if_any, only, text};
use super::super::exchange::{RawAsked, StreamFacts, signature};
use super::super::format::WireFormat;
use super::super::script::{ScriptedAnswer, ScriptedPart};
use super::wire::{arguments_value, blank, event, pieces};

const MEMBERS: &[&str] = &[
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
];
/// Keywords of JSON Schema that `parameters` has not; `parametersJsonSchema` has them.
const FOREIGN_KEYWORDS: &[&str] = &["$schema", "$ref", "$defs", "additionalProperties", "oneOf", "const"];

pub(super) fn read(asked_raw: &RawAsked<'_>, problems: &mut Vec<String>) -> AskedModel {
    let (mut asked, body) = (blank(WireFormat::Gemini), &asked_raw.body);
    only(body, MEMBERS, "the body", problems);
    asked.model = WireFormat::gemini_model(asked_raw.path).unwrap_or_default().to_owned();
    if !asked_raw.query.is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse")) {
        problems.push("a stream of events is not asked for: alt=sse".to_owned());
    }
    for part in list_if_any(&body["systemInstruction"]["parts"], "systemInstruction", problems) {
        asked.system.push_str(&text(&part["text"], "the text of systemInstruction", problems));
    }
    for tool in list_if_any(&body["tools"], "tools", problems) {
        for declared in list(&tool["functionDeclarations"], "functionDeclarations", problems) {
            asked.tools.push(read_tool(declared, problems));
        }
    }
    asked.may_call = body["toolConfig"]["functionCallingConfig"]["mode"] != "NONE";
    read_contents(&body["contents"], &mut asked, problems);
    asked
}

fn read_tool(declared: &Value, problems: &mut Vec<String>) -> AskedTool {
    let members = ["name", "description", "parameters", "parametersJsonSchema"];
    only(declared, &members, "a declaration", problems);
    let name = text(&declared["name"], "the name of a tool", problems);
    let subset = declared["parameters"].to_string();
    for keyword in FOREIGN_KEYWORDS.iter().filter(|word| subset.contains(&format!("\"{word}\":"))) {
        problems.push(format!("parameters of {name:?} have {keyword:?}, which the provider refuses"));
    }
    let is_plain = declared["parametersJsonSchema"].is_null();
    let schema = if is_plain { &declared["parameters"] } else { &declared["parametersJsonSchema"] };
    AskedTool { name, schema: schema.clone() }
}

fn read_contents(contents: &Value, asked: &mut AskedModel, problems: &mut Vec<String>) {
    let contents = list(contents, "contents", problems);
    let mut roles: Vec<&str> = contents.iter().filter_map(|content| content["role"].as_str()).collect();
    // Results stand alone, and what is said after them follows in a content of its own.
    roles.dedup_by(|one, before| one == before && *one == "user");
    alternate(&roles, "user", problems);
    let (mut calls, mut results) = (0, 0);
    for content in contents {
        only(content, &["role", "parts"], "a content", problems);
        let is_user = content["role"] == "user";
        let parts = list(&content["parts"], "parts", problems);
        if parts.is_empty() {
            problems.push("a content has no parts".to_owned());
        }
        for part in parts {
            read_part(part, is_user, (&mut calls, &mut results), asked, problems);
        }
    }
}

/// Calls and results need no ids: they belong together by their order and their names.
fn read_part(
    part: &Value,
    is_user: bool,
    (calls, results): (&mut usize, &mut usize),
    asked: &mut AskedModel,
    problems: &mut Vec<String>,
) {
    let signed = part["thoughtSignature"].as_str().map(str::to_owned);
    if let Some(call) = part.get("functionCall").filter(|_| !is_user) {
        if !call["args"].is_object() {
            problems.push(format!("the arguments of a call are no object: {part}"));
        }
        let name = text(&call["name"], "the name of a call", problems);
        let id = format!("{calls} {name}");
        *calls += 1;
        let arguments = call["args"].clone();
        asked.items.push(HistoryItem::Call(AskedCall { id, name, arguments, signature: signed }));
    } else if let Some(result) = part.get("functionResponse").filter(|_| is_user) {
        if !result["response"].is_object() {
            problems.push(format!("the response of a function is no object: {part}"));
        }
        let name = text(&result["name"], "the name of a result", problems);
        let id = format!("{results} {name}");
        *results += 1;
        asked.items.push(HistoryItem::Result { id, text: joined(&result["response"]) });
    } else if part["thought"] == true {
        asked.items.push(HistoryItem::Opaque(signed.unwrap_or_default()));
    } else {
        let said = text(&part["text"], "the text of a part", problems);
        asked.items.push(if is_user { HistoryItem::User(said) } else { HistoryItem::Said(said) });
    }
}

/// The text of a response: that of its only member, or all of it.
fn joined(response: &Value) -> String {
    let members = response.as_object();
    let only = members.filter(|members| members.len() == 1).and_then(|members| members.values().next());
    only.and_then(Value::as_str).map_or_else(|| response.to_string(), str::to_owned)
}

pub(super) fn frames(answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    let chunk = |parts: Value, finish: Option<&str>| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        if let Some(finish) = finish {
            candidate["finishReason"] = json!(finish);
        }
        event(&json!({
            "candidates": [candidate],
            "usageMetadata": {
                "promptTokenCount": facts.input_tokens,
                "cachedContentTokenCount": facts.cached_tokens,
                "candidatesTokenCount": facts.output_tokens,
                "totalTokenCount": facts.input_tokens + facts.output_tokens,
            },
            "modelVersion": facts.model,
            "responseId": format!("r{}", facts.number),
        }))
    };
    let mut frames = Vec::new();
    // Only the first call of a message is signed.
    let mut thought = Some(answer.thinking()).filter(|text| !text.is_empty());
    for part in &answer.parts {
        match part {
            ScriptedPart::Text(text) => {
                frames.extend(pieces(text).into_iter().map(|piece| chunk(json!([{ "text": piece }]), None)));
            }
            ScriptedPart::Thinking(text) => {
                frames.push(chunk(json!([{ "text": text, "thought": true }]), None));
            }
            ScriptedPart::Call(call) => {
                let mut part = json!({ "functionCall": { "name": call.name, "args": arguments_value(&call.arguments) } });
                if let Some(id) = &call.id {
                    part["functionCall"]["id"] = json!(id);
                }
                if let Some(thought) = thought.take() {
                    part["thoughtSignature"] = json!(signature(&thought));
                }
                frames.push(chunk(json!([part]), None));
            }
        }
    }
    let finish = if answer.is_cut_off { "MAX_TOKENS" } else { "STOP" };
    frames.push(chunk(json!([{ "text": "" }]), Some(finish)));
    frames
}
