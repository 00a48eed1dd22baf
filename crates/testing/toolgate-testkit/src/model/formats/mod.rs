//! The wire formats of providers: reading requests strictly, and writing streamed answers.

mod anthropic;
mod chat;
mod faults;
mod gemini;
mod ollama;
mod responses;

use http::HeaderMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::asked::AskedModel;
use super::checks;
use super::script::ScriptedAnswer;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WireFormat {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Anthropic,
    /// `/v1beta/models/{model}:streamGenerateContent`
    Gemini,
    /// `/api/chat`
    Ollama,
}

/// The facts of an answer that are not its content.
pub(super) struct StreamFacts {
    /// Counts answers, for ids.
    pub(super) number: usize,
    pub(super) model: String,
    pub(super) input_tokens: usize,
    /// Those of the input that an earlier request had too.
    pub(super) cached_tokens: usize,
    pub(super) output_tokens: usize,
}

impl WireFormat {
    pub const ALL: [WireFormat; 5] = [
        WireFormat::Chat,
        WireFormat::Responses,
        WireFormat::Anthropic,
        WireFormat::Gemini,
        WireFormat::Ollama,
    ];

    /// The gateway's name of the format.
    pub fn provider(self) -> &'static str {
        match self {
            WireFormat::Chat => "openai",
            WireFormat::Responses => "openai_responses",
            WireFormat::Anthropic => "anthropic",
            WireFormat::Gemini => "gemini",
            WireFormat::Ollama => "ollama",
        }
    }

    /// The path that an operator configures; the rest is the format's.
    pub fn base_path(self) -> &'static str {
        match self {
            WireFormat::Chat | WireFormat::Responses | WireFormat::Anthropic => "/v1",
            WireFormat::Gemini => "/v1beta",
            WireFormat::Ollama => "",
        }
    }

    /// The header that has the key.
    pub fn key_header(self) -> &'static str {
        match self {
            WireFormat::Chat | WireFormat::Responses | WireFormat::Ollama => "authorization",
            WireFormat::Anthropic => "x-api-key",
            WireFormat::Gemini => "x-goog-api-key",
        }
    }

    pub(super) fn of_path(path: &str) -> Option<WireFormat> {
        match path {
            "/v1/chat/completions" => Some(WireFormat::Chat),
            "/v1/responses" => Some(WireFormat::Responses),
            "/v1/messages" => Some(WireFormat::Anthropic),
            "/api/chat" => Some(WireFormat::Ollama),
            _ => gemini::model_of(path).map(|_| WireFormat::Gemini),
        }
    }

    pub(super) fn key(self, headers: &HeaderMap) -> Option<String> {
        let value = headers.get(self.key_header())?.to_str().ok()?;
        match self.key_header() {
            "authorization" => value.strip_prefix("Bearer ").map(str::to_owned),
            _ => Some(value.to_owned()),
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            WireFormat::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        }
    }

    /// Reads a request. What is wrong with it is added to the problems.
    pub(super) fn read(self, asked: &RawAsked<'_>, problems: &mut Vec<String>) -> AskedModel {
        if asked.query.is_some_and(|query| query.contains("key=")) {
            problems.push("a key stands in the address".to_owned());
        }
        let mut read = match self {
            WireFormat::Chat => chat::read(&asked.body, problems),
            WireFormat::Responses => responses::read(&asked.body, problems),
            WireFormat::Anthropic => anthropic::read(asked, problems),
            WireFormat::Gemini => gemini::read(asked, problems),
            WireFormat::Ollama => ollama::read(&asked.body, problems),
        };
        read.key = self.key(asked.headers);
        read.body = asked.body.clone();
        checks::pairs(&read.items, problems);
        let names: Vec<&str> = read.tools.iter().map(|tool| tool.name.as_str()).collect();
        checks::tool_names(&names, problems);
        for tool in &read.tools {
            checks::tool_name(&tool.name, problems);
            // Gemini takes functions without arguments only without a schema.
            if self != WireFormat::Gemini || !tool.schema.is_null() {
                checks::tool_schema(&tool.schema, &tool.name, problems);
            }
        }
        read.may_call &= !read.tools.is_empty();
        read
    }

    /// The whole answer, in pieces that are sent one by one.
    pub(super) fn frames(self, answer: &ScriptedAnswer, facts: &StreamFacts) -> Vec<String> {
        match self {
            WireFormat::Chat => chat::frames(answer, facts),
            WireFormat::Responses => responses::frames(answer, facts),
            WireFormat::Anthropic => anthropic::frames(answer, facts),
            WireFormat::Gemini => gemini::frames(answer, facts),
            WireFormat::Ollama => ollama::frames(answer, facts),
        }
    }

    pub(super) fn error(self, status: u16, message: &str) -> Value {
        faults::error(self, status, message)
    }

    /// The status and the body of a request that is too large.
    pub(super) fn overflow(self) -> (u16, Value) {
        faults::overflow(self)
    }
}

/// A request as it arrived.
pub(super) struct RawAsked<'a> {
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: Value,
}

/// The signature of thoughts: the same for the same thoughts, and worth checking when it comes back.
pub(super) fn signature(thinking: &str) -> String {
    Sha256::digest(thinking.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// A request without content, to be filled by a reader.
fn blank(format: WireFormat) -> AskedModel {
    AskedModel {
        format,
        model: String::new(),
        system: String::new(),
        items: Vec::new(),
        tools: Vec::new(),
        tools_text: String::new(),
        may_call: true,
        key: None,
        body: Value::Null,
    }
}

/// The id of a call: the script's own, or one that is unique.
fn call_id(own: Option<&String>, prefix: &str, facts: &StreamFacts, at: usize) -> String {
    own.cloned().unwrap_or_else(|| format!("{prefix}{}_{at}", facts.number))
}

/// A text in pieces, as it streams. A short one is one piece.
fn pieces(text: &str) -> Vec<&str> {
    const WHOLE_BYTES_MAX: usize = 20;
    let middle = (text.len() / 2..text.len()).find(|at| text.is_char_boundary(*at));
    match middle {
        Some(middle) if text.len() > WHOLE_BYTES_MAX => vec![&text[..middle], &text[middle..]],
        _ => vec![text],
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn named_event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The arguments as formats with objects have them: a text that is no object stays a text.
fn arguments_value(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}
