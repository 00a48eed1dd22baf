//! A tool in one line: its call and its purpose.
//!
//! Two lengths: a typed signature with the first sentence of its description, which is enough to call most
//! tools, and one line with only its purpose.

mod sentence;
#[cfg(test)]
mod tests;
mod types;

use serde_json::Value;

use crate::plain;
use types::SchemaDepth;

/// The maximum number of arguments in a signature.
const ARGUMENTS_MAX: usize = 12;
/// The maximum number of characters of its arguments; of the others only the number is given.
const ARGUMENTS_CHARS_MAX: usize = 320;
/// The number of characters of the first sentence in a signature.
const SENTENCE_CHARS_MAX: usize = 120;
/// The number of characters of the first sentence in one line.
const LINE_CHARS_MAX: usize = 64;
/// The number of characters of a name; names in the catalogue are shorter.
const NAME_CHARS_MAX: usize = 128;

const DASH: &str = " — ";

/// `create_issue(owner: string, title: string, body?: string) — Creates an issue in a repository.`
pub fn signature(name: &str, definition: &Value) -> String {
    let call = format!("{}({})", shown_name(name), arguments(definition));
    joined(call, &plain::shortened(&first_sentence(definition), SENTENCE_CHARS_MAX))
}

/// `create_issue — Creates an issue`
pub fn one_line(name: &str, definition: &Value) -> String {
    joined(shown_name(name), &short_sentence(definition))
}

fn short_sentence(definition: &Value) -> String {
    let sentence = first_sentence(definition);
    plain::shortened(sentence.trim_end_matches(['.', '。']), LINE_CHARS_MAX)
}

fn joined(head: String, sentence: &str) -> String {
    if sentence.is_empty() { head } else { format!("{head}{DASH}{sentence}") }
}

/// The first sentence of the description, or else the title.
fn first_sentence(definition: &Value) -> String {
    let texts = [
        definition.get("description"),
        definition.get("title"),
        definition.get("annotations").and_then(|annotations| annotations.get("title")),
    ];
    let sentences = texts.into_iter().flatten().filter_map(Value::as_str).map(sentence::first_sentence);
    sentences.into_iter().find(|sentence| !sentence.is_empty()).unwrap_or_default()
}

fn shown_name(name: &str) -> String {
    plain::shortened(&plain::line(name), NAME_CHARS_MAX)
}

fn arguments(definition: &Value) -> String {
    let Some(root) = definition.get("inputSchema") else { return String::new() };
    let Some(schema) = types::resolved(root, root).as_object() else { return String::new() };
    let (told, mut left_out) = types::arguments(schema, root, ARGUMENTS_MAX, SchemaDepth::ARGUMENT);
    let mut text = String::new();
    for (place, argument) in told.iter().enumerate() {
        if place > 0 && text.chars().count() + argument.chars().count() > ARGUMENTS_CHARS_MAX {
            left_out += told.len() - place;
            break;
        }
        text.push_str(if place > 0 { ", " } else { "" });
        text.push_str(argument);
    }
    if left_out > 0 { format!("{text}, … {left_out} more") } else { text }
}
