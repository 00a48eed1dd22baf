//! Parts that the formats share: a request without content, ids, and the writing of events.

use serde_json::{Value, json};

use super::super::asked::AskedModel;
use super::super::exchange::StreamFacts;
use super::super::format::WireFormat;

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
