//! From a filled form to the arguments.

use serde_json::{Map, Value};

use super::FieldErrors;
use super::entry::{EntryForm, TypedFields, WHOLE_JSON, WHOLE_USE, name};
use super::number;
use super::shape::{ControlKind, FormNode, FormShape, ItemKind, NodeGroup};

const NEEDED: &str = "is required";

pub(super) fn read(shape: &FormShape, typed: &TypedFields<'_>) -> Result<Value, FieldErrors> {
    let ControlKind::Group(group) = &shape.root.kind else { return whole(typed) };
    if typed.get(WHOLE_USE).is_some() {
        return whole(typed);
    }
    let mut reader = FormReader { typed, wrong: FieldErrors::new() };
    let members = reader.group("", group);
    let members = reader.complete(group, members);
    if reader.wrong.is_empty() { Ok(Value::Object(members)) } else { Err(reader.wrong) }
}

fn whole(typed: &TypedFields<'_>) -> Result<Value, FieldErrors> {
    let text = typed.get(WHOLE_JSON).map(str::trim).filter(|text| !text.is_empty()).unwrap_or("{}");
    serde_json::from_str(text).map_err(|error| FieldErrors::from([(String::new(), not_json(&error))]))
}

fn not_json(error: &serde_json::Error) -> String {
    format!("is not JSON: {error}")
}

struct FormReader<'a> {
    typed: &'a TypedFields<'a>,
    wrong: FieldErrors,
}

impl FormReader<'_> {
    /// `None` if the field is empty, or invalid.
    fn node(&mut self, node: &FormNode) -> Option<Value> {
        if let Some(text) = self.typed.get(&name(EntryForm::AsJson, &node.pointer)) {
            return self.json(&node.pointer, text);
        }
        let name = name(EntryForm::Plainly, &node.pointer);
        let text = self.typed.get(&name).unwrap_or_default();
        match &node.kind {
            ControlKind::Group(group) => self.inner_group(node, group),
            ControlKind::Choices(choices) => ticked(choices, self.typed.all(&name)),
            _ if text.is_empty() => None,
            ControlKind::Line | ControlKind::Paragraph => Some(Value::String(text.replace("\r\n", "\n"))),
            ControlKind::Number => self.number(&node.pointer, text),
            ControlKind::Truth => self.truth(&node.pointer, text),
            ControlKind::Choice(choices) => self.choice(&node.pointer, choices, text),
            ControlKind::Lines(item) => self.lines(&node.pointer, *item, text),
            ControlKind::Json => None,
        }
    }

    fn json(&mut self, pointer: &str, text: &str) -> Option<Value> {
        if text.trim().is_empty() {
            return None;
        }
        let parsed = serde_json::from_str(text).map_err(|error| not_json(&error));
        self.kept(pointer, parsed)
    }

    fn number(&mut self, pointer: &str, text: &str) -> Option<Value> {
        if text.trim().is_empty() {
            return None;
        }
        self.kept(pointer, number::parse(text).map_err(str::to_owned))
    }

    fn truth(&mut self, pointer: &str, text: &str) -> Option<Value> {
        let parsed = text.parse::<bool>().map(Value::Bool);
        self.kept(pointer, parsed.map_err(|_| "is neither true nor false".to_owned()))
    }

    fn choice(&mut self, pointer: &str, choices: &[Value], text: &str) -> Option<Value> {
        let chosen = choices.iter().find(|choice| written(choice) == text).cloned();
        self.kept(pointer, chosen.ok_or_else(|| "is not one of the choices".to_owned()))
    }

    fn lines(&mut self, pointer: &str, item: ItemKind, text: &str) -> Option<Value> {
        let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
        let lines = lines.filter(|line| !line.trim().is_empty());
        let read = |line: &str| match item {
            ItemKind::Text => Ok(Value::from(line)),
            ItemKind::Number => number::parse(line).map_err(|why| format!("{line:?} {why}")),
        };
        let values = lines.map(read).collect::<Result<Vec<Value>, String>>();
        let values = self.kept(pointer, values.map(Value::Array))?;
        values.as_array().is_some_and(|values| !values.is_empty()).then_some(values)
    }

    fn inner_group(&mut self, node: &FormNode, group: &NodeGroup) -> Option<Value> {
        let wrong_before = self.wrong.len();
        let members = self.group(&node.pointer, group);
        let is_empty = members.is_empty() && self.wrong.len() == wrong_before;
        // A required member of an omitted object is not missing.
        if is_empty {
            return None;
        }
        Some(Value::Object(self.complete(group, members)))
    }

    /// The filled-in members.
    fn group(&mut self, pointer: &str, group: &NodeGroup) -> Map<String, Value> {
        let mut members = Map::new();
        for node in &group.nodes {
            if let Some(value) = self.node(node) {
                members.insert(node.name.clone(), value);
            }
        }
        let more = self.typed.get(&name(EntryForm::More, pointer)).unwrap_or_default();
        match self.json(pointer, more) {
            None => {}
            Some(Value::Object(others)) => {
                for (name, value) in others {
                    members.entry(name).or_insert(value);
                }
            }
            Some(_) => self.says(pointer, "More members must be a JSON object".to_owned()),
        }
        members
    }

    /// Adds implied values; members that are still missing are errors.
    fn complete(&mut self, group: &NodeGroup, mut members: Map<String, Value>) -> Map<String, Value> {
        for node in group.nodes.iter().filter(|node| node.is_required) {
            if members.contains_key(&node.name) || self.wrong.contains_key(&node.pointer) {
                continue;
            }
            match &node.kind {
                ControlKind::Choice(choices) if choices.len() == 1 => {
                    members.insert(node.name.clone(), choices[0].clone());
                }
                _ if node.is_nullable => {
                    members.insert(node.name.clone(), Value::Null);
                }
                ControlKind::Group(inner) => {
                    let inner = self.complete(inner, Map::new());
                    members.insert(node.name.clone(), Value::Object(inner));
                }
                _ => self.says(&node.pointer, NEEDED.to_owned()),
            }
        }
        members
    }

    fn kept(&mut self, pointer: &str, read: Result<Value, String>) -> Option<Value> {
        match read {
            Ok(value) => Some(value),
            Err(why) => {
                self.says(pointer, why);
                None
            }
        }
    }

    fn says(&mut self, pointer: &str, why: String) {
        self.wrong.insert(pointer.to_owned(), why);
    }
}

/// A choice in the form's encoding: as JSON, so that 1 and "1" differ.
fn written(choice: &Value) -> String {
    choice.to_string()
}

fn ticked(choices: &[Value], ticked: &[&str]) -> Option<Value> {
    let held: Vec<Value> =
        choices.iter().filter(|choice| ticked.contains(&written(choice).as_str())).cloned().collect();
    (!held.is_empty()).then_some(Value::Array(held))
}
