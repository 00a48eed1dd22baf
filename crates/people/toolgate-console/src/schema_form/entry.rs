//! The content of a field: from a value, or as typed.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use super::shape::{Group, Item, Kind, Node};
use crate::fields::Fields;
use crate::parts::text::misleads;

pub(super) const WHOLE_JSON: &str = "whole:json";
pub(super) const WHOLE_USE: &str = "whole:use";

/// Browsers change line breaks in names; other characters may be anything.
const KEPT: &AsciiSet = &CONTROLS.add(b'%');

/// The form of a part: field or JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Plainly,
    AsJson,
    /// Members that the schema does not name.
    More,
}

/// The name of a field.
pub(super) fn name(written: Written, pointer: &str) -> String {
    let beginning = match written {
        Written::Plainly => "field:",
        Written::AsJson => "json:",
        Written::More => "more:",
    };
    format!("{beginning}{}", utf8_percent_encode(pointer, KEPT))
}

/// The fields that came, by name.
pub(super) struct Typed<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Typed<'a> {
    pub(super) fn of(fields: &'a Fields) -> Self {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in fields.pairs() {
            all.entry(name).or_default().push(value);
        }
        Self(all)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.all(name).first().copied()
    }

    pub(super) fn all(&self, name: &str) -> &[&'a str] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The source of a form's content.
pub(super) enum Filling<'a> {
    Value(&'a Value),
    Typed(Typed<'a>),
}

/// The content of one field.
#[derive(PartialEq, Debug)]
pub(super) enum Entry {
    Plain(String),
    /// Boxes of a list of choices.
    Ticked(Vec<String>),
    Json(String),
    /// The fields are further in.
    Within,
}

impl Filling<'_> {
    pub(super) fn entry(&self, node: &Node) -> Entry {
        match self {
            Filling::Value(value) => of_value(node, value.pointer(&node.pointer)),
            Filling::Typed(typed) => of_typed(node, typed),
        }
    }

    /// Members that the schema does not name, as JSON.
    pub(super) fn more(&self, pointer: &str, group: &Group) -> String {
        match self {
            Filling::Value(value) => {
                let members = value.pointer(pointer).and_then(Value::as_object);
                members.map_or_else(String::new, |members| unnamed(members, group))
            }
            Filling::Typed(typed) => typed.get(&name(Written::More, pointer)).unwrap_or_default().to_owned(),
        }
    }

    /// Everything as JSON, and whether it replaces the fields.
    pub(super) fn whole(&self) -> (String, bool) {
        match self {
            Filling::Value(value) => (json_text(value), !value.is_object() && !value.is_null()),
            Filling::Typed(typed) => {
                let text = typed.get(WHOLE_JSON).unwrap_or_default().to_owned();
                (text, typed.get(WHOLE_USE).is_some())
            }
        }
    }
}

fn of_typed(node: &Node, typed: &Typed<'_>) -> Entry {
    if let Some(text) = typed.get(&name(Written::AsJson, &node.pointer)) {
        return Entry::Json(text.to_owned());
    }
    let name = name(Written::Plainly, &node.pointer);
    match &node.kind {
        Kind::Group(_) => Entry::Within,
        Kind::Json => Entry::Json(String::new()),
        Kind::Choices(_) => Entry::Ticked(typed.all(&name).iter().map(|one| (*one).to_owned()).collect()),
        _ => Entry::Plain(typed.get(&name).unwrap_or_default().to_owned()),
    }
}

/// A value that its field could not return unchanged is written as JSON.
fn of_value(node: &Node, value: Option<&Value>) -> Entry {
    let Some(value) = value else { return empty(&node.kind) };
    let plain = match (&node.kind, value) {
        (Kind::Line | Kind::Paragraph, Value::String(text)) if is_plain(text) => {
            Some(Entry::Plain(text.clone()))
        }
        (Kind::Number, Value::Number(number)) => Some(Entry::Plain(number.to_string())),
        (Kind::Truth, Value::Bool(truth)) => Some(Entry::Plain(truth.to_string())),
        (Kind::Choice(choices), value) if choices.contains(value) => Some(Entry::Plain(value.to_string())),
        (Kind::Lines(item), Value::Array(values)) => lines(*item, values).map(Entry::Plain),
        (Kind::Choices(choices), Value::Array(values)) => ticked(choices, values).map(Entry::Ticked),
        (Kind::Group(_), Value::Object(members)) if goes_without_saying(node) || !members.is_empty() => {
            Some(Entry::Within)
        }
        _ => None,
    };
    plain.unwrap_or_else(|| Entry::Json(json_text(value)))
}

/// An object that is present even if nothing of it is filled in.
fn goes_without_saying(node: &Node) -> bool {
    node.is_certain && !node.is_nullable
}

fn empty(kind: &Kind) -> Entry {
    match kind {
        Kind::Group(_) => Entry::Within,
        Kind::Json => Entry::Json(String::new()),
        Kind::Choices(_) => Entry::Ticked(Vec::new()),
        _ => Entry::Plain(String::new()),
    }
}

/// True if a text survives a field unchanged, and is fully visible.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(misleads)
}

fn lines(item: Item, values: &[Value]) -> Option<String> {
    let line = |value: &Value| match (item, value) {
        (Item::Text, Value::String(text))
            if is_plain(text) && !text.contains('\n') && !text.trim().is_empty() =>
        {
            Some(text.clone())
        }
        (Item::Number, Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let lines: Vec<String> = values.iter().map(line).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The choices in a list, if it has each once and in order.
fn ticked(choices: &[Value], values: &[Value]) -> Option<Vec<String>> {
    let held: Vec<&Value> = choices.iter().filter(|choice| values.contains(choice)).collect();
    let is_same = !values.is_empty() && held.iter().copied().eq(values.iter());
    is_same.then(|| held.into_iter().map(Value::to_string).collect())
}

fn unnamed(members: &Map<String, Value>, group: &Group) -> String {
    let is_named = |name: &str| group.nodes.iter().any(|node| node.name == name);
    let others = members.iter().filter(|(name, _)| !is_named(name));
    let others: Map<String, Value> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if others.is_empty() { String::new() } else { json_text(&Value::Object(others)) }
}

/// JSON in lines, with escapes for characters that would change how other text reads.
pub(super) fn json_text(value: &Value) -> String {
    let written = serde_json::to_string_pretty(value).unwrap_or_default();
    if !written.contains(misleads) {
        return written;
    }
    let mut shown = String::with_capacity(written.len());
    let mut units = [0; 2];
    for one in written.chars() {
        if misleads(one) {
            for unit in one.encode_utf16(&mut units) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(one);
        }
    }
    shown
}
