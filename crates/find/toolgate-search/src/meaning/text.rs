//! The text a tool is embedded by.
//!
//! The beginning of a description tells the purpose of a tool; the rest tells how to call it, and makes all
//! tools of a server alike. A short text is also embedded faster: these have 14 to 29 in a hundred fewer word
//! pieces.

use crate::{ToolDocument, words};

const DESCRIPTION_CHARS_MAX: usize = 200;
const ARGUMENTS_MAX: usize = 12;

/// Server and name split into words, the beginning of the description, and the names of the arguments.
pub fn text(document: &ToolDocument) -> String {
    let apart = |name: &str| words::name_key(name).replace('_', " ");
    let mut text = format!(
        "{} {}: {}",
        apart(document.server.as_str()),
        apart(&document.own),
        beginning(&document.description)
    );
    let arguments: Vec<String> =
        document.arguments.iter().take(ARGUMENTS_MAX).map(|argument| apart(&argument.name)).collect();
    if !arguments.is_empty() {
        text.push_str(&format!(" ({})", arguments.join(", ")));
    }
    text
}

/// Whole words, with single spaces between them.
fn beginning(description: &str) -> String {
    let mut text = String::new();
    let mut chars = 0;
    for word in description.split_whitespace() {
        chars += word.chars().count() + 1;
        if chars > DESCRIPTION_CHARS_MAX + 1 && !text.is_empty() {
            break;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.extend(word.chars().take(DESCRIPTION_CHARS_MAX));
    }
    text
}
