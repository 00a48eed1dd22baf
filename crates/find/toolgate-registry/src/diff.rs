//! The changes of a definition, readable for people: a unified diff of both, written line by line with sorted
//! keys, and descriptions as plain text.

use schema_words::SchemaDifference;
use serde_json::Value;
use similar::TextDiff;
use toolgate_core::registry::{Definition, ToolRow};
use toolgate_core::tool::EXTRA_META;

use crate::pins;

/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;
/// In this order; the other members are not part of the pinned definition.
const TEXTS: [&str; 3] = ["name", "title", "description"];
const OBJECTS: [&str; 3] = ["inputSchema", "outputSchema", "annotations"];

/// The words for a change of what a tool says about itself to the gateway alone.
const EXTRA_CHANGED: &str = "what it says about its handling changed";

/// A definition longer than this is shown by its beginning: the reader of a diff is a person.
const LINES_MAX: usize = 5000;

/// Both definitions, written out: the pinned one and the offered one. A tool that waits for its first review
/// is all new; without a pending review both are the same.
pub(crate) fn sides(row: &ToolRow) -> (String, String) {
    let pinned = written(&row.pinned);
    match &row.candidate {
        Some(candidate) => (pinned, written(candidate)),
        None if pins::is_unreviewed(row) => (String::new(), pinned),
        None => (pinned.clone(), pinned),
    }
}

/// From the pinned to the offered definition.
pub(crate) fn unified(old: &str, new: &str) -> String {
    headed(old, new, ("pinned", "offered"))
}

/// From one version to another.
pub(crate) fn between(from: &Definition, to: &Definition) -> String {
    let names = (from.version.to_string(), to.version.to_string());
    headed(&written(from), &written(to), (&names.0, &names.1))
}

/// The changes that wait for a review, in words: one sentence, and each of them.
pub(crate) fn words(row: &ToolRow) -> (String, Vec<String>) {
    match &row.candidate {
        Some(candidate) => told(&row.pinned, candidate),
        None => (String::new(), Vec::new()),
    }
}

/// The changes from one version to another, in words.
pub(crate) fn told(from: &Definition, to: &Definition) -> (String, Vec<String>) {
    let read = |definition: &Definition| definition.json.decode::<Value>().unwrap_or_default();
    let (old, new) = (read(from), read(to));
    let SchemaDifference { summary, changes } = schema_words::tool_difference(&old, &new);
    let mut words: Vec<String> = changes.into_iter().map(|change| change.words).collect();
    if extra(&old) == extra(&new) {
        return (summary, words);
    }
    words.push(EXTRA_CHANGED.to_owned());
    match words.len() {
        1 => (EXTRA_CHANGED.to_owned(), words),
        _ => (format!("{summary}; {EXTRA_CHANGED}"), words),
    }
}

fn extra(definition: &Value) -> Option<&Value> {
    definition.get("_meta")?.get(EXTRA_META)
}

fn headed(old: &str, new: &str, names: (&str, &str)) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT_LINES).header(names.0, names.1).to_string()
}

fn written(definition: &Definition) -> String {
    let value: Value = definition.json.decode().unwrap_or_default();
    let mut text = String::new();
    for key in TEXTS {
        write_text(&mut text, key, value.get(key));
    }
    for key in OBJECTS {
        write_object(&mut text, key, value.get(key));
    }
    write_object(&mut text, "extra", extra(&value));
    cut(text)
}

fn write_text(text: &mut String, key: &str, value: Option<&Value>) {
    match value {
        None => {}
        Some(Value::String(value)) if value.contains('\n') => {
            line(text, &format!("{key}:"));
            value.lines().for_each(|one| line(text, &format!("  {}", visible(one))));
        }
        Some(Value::String(value)) => sentences(text, key, value),
        Some(other) => line(text, &format!("{key}: {other}")),
    }
}

/// One line each, so that a changed one stands out of a long description.
fn sentences(text: &mut String, key: &str, value: &str) {
    let parts: Vec<&str> = value.split_inclusive(". ").collect();
    if let [only] = parts[..] {
        return line(text, &format!("{key}: {}", visible(only)));
    }
    line(text, &format!("{key}:"));
    parts.iter().for_each(|part| line(text, &format!("  {}", visible(part.trim_end()))));
}

fn write_object(text: &mut String, key: &str, value: Option<&Value>) {
    let Some(value) = value else { return };
    let mut value = value.clone();
    value.sort_all_objects();
    let pretty = serde_json::to_string_pretty(&value).expect("a JSON value is written");
    line(text, &format!("{key}: {}", visible_lines(&pretty)));
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// Invisible characters are written as their code: they may be the only change, and a terminal may obey them.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0x00ad | 0x034f | 0x061c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

fn cut(text: String) -> String {
    match text.match_indices('\n').nth(LINES_MAX) {
        None => text,
        Some((at, _)) => format!("{}\n(and more)\n", &text[..at]),
    }
}

#[cfg(test)]
mod tests;
