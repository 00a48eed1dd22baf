#![doc = include_str!("../README.md")]

mod client;
mod fake_llm;
mod program;

pub use client::{Client, ProgressLog, call_of};
pub use fake_llm::{FakeLlm, LlmManner, LlmRequest};
pub use program::{clean, server, speak_with};

use serde_json::{Value, json};

/// Arguments with a file.
pub fn file(bytes: &[u8], more: Value) -> Value {
    with_content("file_data", bytes, more)
}

/// Arguments in which one is the content of a file, and others.
///
/// # Panics
/// If `more` is no object.
pub fn with_content(name: &str, bytes: &[u8], more: Value) -> Value {
    let Value::Object(more) = more else { panic!("arguments are an object: {more}") };
    let mut arguments = serde_json::Map::from_iter([(name.to_owned(), json!(base64(bytes)))]);
    arguments.extend(more);
    Value::Object(arguments)
}

pub fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}
