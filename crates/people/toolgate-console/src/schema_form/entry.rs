//! The content of a field: from a value, or as typed.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use super::shape::{ControlKind, FormNode, ItemKind, NodeGroup};
use crate::fields::FormFields;
use crate::parts::text::misleads;

pub(super) const WHOLE_JSON: &str = "whole:json";
pub(super) const WHOLE_USE: &str = "whole:use";

/// Browsers change line breaks in names; other characters may be anything.
const KEPT: &AsciiSet = &CONTROLS.add(b'%');

/// The form of a part: field or JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryForm {
    Plainly,
    AsJson,
    /// Members that the schema does not name.
    More,
}

/// The name of a field.
pub(super) fn name(written: EntryForm, pointer: &str) -> String {
    let beginning = match written {
        EntryForm::Plainly => "field:",
        EntryForm::AsJson => "json:",
        EntryForm::More => "more:",
    };
    format!("{beginning}{}", utf8_percent_encode(pointer, KEPT))
}

/// The fields that came, by name.
pub(super) struct TypedFields<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> TypedFields<'a> {
    pub(super) fn of(fields: &'a FormFields) -> Self {
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
pub(super) enum FormContent<'a> {
    Value(&'a Value),
    Typed(TypedFields<'a>),
}

/// The content of one field.
#[derive(PartialEq, Debug)]
pub(super) enum FieldEntry {
    Plain(String),
    /// Boxes of a list of choices.
    Ticked(Vec<String>),
    Json(String),
    /// The fields are further in.
    Within,
}

impl FormContent<'_> {
    pub(super) fn entry(&self, node: &FormNode) -> FieldEntry {
        match self {
            FormContent::Value(value) => of_value(node, value.pointer(&node.pointer)),
            FormContent::Typed(typed) => of_typed(node, typed),
        }
    }

    /// Members that the schema does not name, as JSON.
    pub(super) fn more(&self, pointer: &str, group: &NodeGroup) -> String {
        match self {
            FormContent::Value(value) => {
                let members = value.pointer(pointer).and_then(Value::as_object);
                members.map_or_else(String::new, |members| unnamed(members, group))
            }
            FormContent::Typed(typed) => {
                typed.get(&name(EntryForm::More, pointer)).unwrap_or_default().to_owned()
            }
        }
    }

    /// Everything as JSON, and whether it replaces the fields.
    pub(super) fn whole(&self) -> (String, bool) {
        match self {
            FormContent::Value(value) => (json_text(value), !value.is_object() && !value.is_null()),
            FormContent::Typed(typed) => {
                let text = typed.get(WHOLE_JSON).unwrap_or_default().to_owned();
                (text, typed.get(WHOLE_USE).is_some())
            }
        }
    }
}

fn of_typed(node: &FormNode, typed: &TypedFields<'_>) -> FieldEntry {
    if let Some(text) = typed.get(&name(EntryForm::AsJson, &node.pointer)) {
        return FieldEntry::Json(text.to_owned());
    }
    let name = name(EntryForm::Plainly, &node.pointer);
    match &node.kind {
        ControlKind::Group(_) => FieldEntry::Within,
        ControlKind::Json => FieldEntry::Json(String::new()),
        ControlKind::Choices(_) => {
            FieldEntry::Ticked(typed.all(&name).iter().map(|one| (*one).to_owned()).collect())
        }
        _ => FieldEntry::Plain(typed.get(&name).unwrap_or_default().to_owned()),
    }
}

/// A value that its field could not return unchanged is written as JSON.
fn of_value(node: &FormNode, value: Option<&Value>) -> FieldEntry {
    let Some(value) = value else { return empty(&node.kind) };
    let plain = match (&node.kind, value) {
        (ControlKind::Line | ControlKind::Paragraph, Value::String(text)) if is_plain(text) => {
            Some(FieldEntry::Plain(text.clone()))
        }
        (ControlKind::Number, Value::Number(number)) => Some(FieldEntry::Plain(number.to_string())),
        (ControlKind::Truth, Value::Bool(truth)) => Some(FieldEntry::Plain(truth.to_string())),
        (ControlKind::Choice(choices), value) if choices.contains(value) => {
            Some(FieldEntry::Plain(value.to_string()))
        }
        (ControlKind::Lines(item), Value::Array(values)) => lines(*item, values).map(FieldEntry::Plain),
        (ControlKind::Choices(choices), Value::Array(values)) => {
            ticked(choices, values).map(FieldEntry::Ticked)
        }
        (ControlKind::Group(_), Value::Object(members))
            if goes_without_saying(node) || !members.is_empty() =>
        {
            Some(FieldEntry::Within)
        }
        _ => None,
    };
    plain.unwrap_or_else(|| FieldEntry::Json(json_text(value)))
}

/// An object that is present even if nothing of it is filled in.
fn goes_without_saying(node: &FormNode) -> bool {
    node.is_certain && !node.is_nullable
}

fn empty(kind: &ControlKind) -> FieldEntry {
    match kind {
        ControlKind::Group(_) => FieldEntry::Within,
        ControlKind::Json => FieldEntry::Json(String::new()),
        ControlKind::Choices(_) => FieldEntry::Ticked(Vec::new()),
        _ => FieldEntry::Plain(String::new()),
    }
}

/// True if a text survives a field unchanged, and is fully visible.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(misleads)
}

fn lines(item: ItemKind, values: &[Value]) -> Option<String> {
    let line = |value: &Value| match (item, value) {
        (ItemKind::Text, Value::String(text))
            if is_plain(text) && !text.contains('\n') && !text.trim().is_empty() =>
        {
            Some(text.clone())
        }
        (ItemKind::Number, Value::Number(number)) => Some(number.to_string()),
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

fn unnamed(members: &Map<String, Value>, group: &NodeGroup) -> String {
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
