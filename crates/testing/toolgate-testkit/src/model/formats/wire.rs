//! Parts that all formats share: the raw request, the facts of an answer, and the writing of events.

use http::HeaderMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::asked::AskedModel;
use super::super::format::WireFormat;

/// The facts of an answer that are not its content.
pub(in super::super) struct StreamFacts {
    /// Counts answers, for ids.
    pub(in super::super) number: usize,
    pub(in super::super) model: String,
    pub(in super::super) input_tokens: usize,
    /// Those of the input that an earlier request had too.
    pub(in super::super) cached_tokens: usize,
    pub(in super::super) output_tokens: usize,
}

/// A request as it arrived.
pub(in super::super) struct RawAsked<'a> {
    pub(in super::super) path: &'a str,
    pub(in super::super) query: Option<&'a str>,
    pub(in super::super) headers: &'a HeaderMap,
    pub(in super::super) body: Value,
}

/// The signature of thoughts: the same for the same thoughts, and worth checking when it comes back.
pub(in super::super) fn signature(thinking: &str) -> String {
    Sha256::digest(thinking.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// A request without content, to be filled by a reader.
pub(super) fn blank(format: WireFormat) -> AskedModel {
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
pub(super) fn call_id(own: Option<&String>, prefix: &str, facts: &StreamFacts, at: usize) -> String {
    own.cloned().unwrap_or_else(|| format!("{prefix}{}_{at}", facts.number))
}

/// A text in pieces, as it streams. A short one is one piece.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    const WHOLE_BYTES_MAX: usize = 20;
    let middle = (text.len() / 2..text.len()).find(|at| text.is_char_boundary(*at));
    match middle {
        Some(middle) if text.len() > WHOLE_BYTES_MAX => vec![&text[..middle], &text[middle..]],
        _ => vec![text],
    }
}

pub(super) fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

pub(super) fn named_event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The arguments as formats with objects have them: a text that is no object stays a text.
pub(super) fn arguments_value(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}
