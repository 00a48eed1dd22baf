//! The requests and answers of each wire format: reading strictly, and writing streams.

mod anthropic;
mod chat;
mod faults;
mod gemini;
mod ollama;
mod responses;
mod wire;

use serde_json::Value;

use super::asked::AskedModel;
use super::checks;
use super::exchange::{RawAsked, StreamFacts};
use super::format::WireFormat;
use super::script::ScriptedAnswer;

/// Reads a request. What is wrong with it is added to the problems.
pub(super) fn read(format: WireFormat, asked: &RawAsked<'_>, problems: &mut Vec<String>) -> AskedModel {
    if asked.query.is_some_and(|query| query.contains("key=")) {
        problems.push("a key stands in the address".to_owned());
    }
    let mut read = match format {
        WireFormat::Chat => chat::read(&asked.body, problems),
        WireFormat::Responses => responses::read(&asked.body, problems),
        WireFormat::Anthropic => anthropic::read(asked, problems),
        WireFormat::Gemini => gemini::read(asked, problems),
        WireFormat::Ollama => ollama::read(&asked.body, problems),
    };
    read.key = format.key(asked.headers);
    read.body = asked.body.clone();
    checks::pairs(&read.items, problems);
    let names: Vec<&str> = read.tools.iter().map(|tool| tool.name.as_str()).collect();
    checks::tool_names(&names, problems);
    for tool in &read.tools {
        checks::tool_name(&tool.name, problems);
        // Gemini takes functions without arguments only without a schema.
        if format != WireFormat::Gemini || !tool.schema.is_null() {
            checks::tool_schema(&tool.schema, &tool.name, problems);
        }
    }
    read.may_call &= !read.tools.is_empty();
    read
}

/// The whole answer, in pieces that are sent one by one.
pub(super) fn frames(format: WireFormat, answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
    match format {
        WireFormat::Chat => chat::frames(answer, facts),
        WireFormat::Responses => responses::frames(answer, facts),
        WireFormat::Anthropic => anthropic::frames(answer, facts),
        WireFormat::Gemini => gemini::frames(answer, facts),
        WireFormat::Ollama => ollama::frames(answer, facts),
    }
}

pub(super) fn error(format: WireFormat, status: u16, message: &str) -> Value {
    faults::error(format, status, message)
}

/// The status and the body of a request that is too large.
pub(super) fn overflow(format: WireFormat) -> (u16, Value) {
    faults::overflow(format)
}
