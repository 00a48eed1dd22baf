//! Types and functions in Python.

use serde_json::Value;

use super::names::{GivenNames, is_identifier, is_reserved, pascal, snake};
use super::shape::{self, Member, NamedShape, Shape, ShapeDefinition};
use super::{ToolSchema, needs_nothing};

const HEAD: &str =
    "\"\"\"Written by `toolgate tools codegen --lang python`. Write it anew when the tools change.\"\"\"

from __future__ import annotations

from typing import Any, Literal, Never, NotRequired, Protocol, Required, TypeAlias, TypedDict, cast


class Caller(Protocol):
    \"\"\"Makes calls, with any client: what it returns is the structured content of the result.\"\"\"

    def call(self, name: str, args: Any) -> Any: ...
";

/// Names of the file's own.
const USED: [&str; 13] = [
    "Any",
    "Caller",
    "Literal",
    "Never",
    "None",
    "NotRequired",
    "Protocol",
    "Required",
    "True",
    "False",
    "TypeAlias",
    "TypedDict",
    "cast",
];

pub(super) fn write(tools: &[ToolSchema]) -> String {
    let mut types = GivenNames::without(&USED);
    let mut functions = GivenNames::without(&["gateway", "args", "cast", "annotations"]);
    let mut text = HEAD.to_owned();
    for tool in tools {
        let name = pascal(&tool.name);
        let (takes, found) = shape::read(&tool.input, &format!("{name}Arguments"), &mut types);
        define(&mut text, &found);
        let gives = tool.output.as_ref().map(|output| {
            let (gives, found) = shape::read(output, &format!("{name}Result"), &mut types);
            define(&mut text, &found);
            gives
        });
        let function = functions.give(snake(&tool.name));
        let quoted = quoted(&tool.name);
        let (parameter, argument) = match needs_nothing(&found, &takes) {
            true => (format!("args: {takes} | None = None"), "{} if args is None else args"),
            false => (format!("args: {takes}"), "args"),
        };
        let (gives, call) = match gives {
            Some(gives) => (gives.clone(), format!("cast({gives:?}, gateway.call({quoted}, {argument}))")),
            None => ("Any".to_owned(), format!("gateway.call({quoted}, {argument})")),
        };
        let about = documentation("    ", &tool.about);
        text.push_str(&format!(
            "\n\ndef {function}(gateway: Caller, {parameter}) -> {gives}:\n{about}    return {call}\n"
        ));
    }
    text
}

fn define(text: &mut String, found: &[NamedShape]) {
    for NamedShape { name, about, definition } in found {
        match definition {
            // In quotes: what it is made of may come later.
            ShapeDefinition::Alias(shape) => {
                text.push_str(&format!("\n\n{name}: TypeAlias = {}\n", quoted(&said(shape))));
            }
            ShapeDefinition::Object { members, .. } if members.iter().all(|one| fits(&one.key)) => {
                write_class(text, name, about, members);
            }
            ShapeDefinition::Object { members, .. } => write_table(text, name, members),
        }
    }
}

fn fits(key: &str) -> bool {
    is_identifier(key) && !is_reserved(key) && !key.starts_with("__")
}

fn write_class(text: &mut String, name: &str, about: &str, members: &[Member]) {
    text.push_str(&format!("\n\nclass {name}(TypedDict, total=False):\n{}", documentation("    ", about)));
    for member in members {
        text.push_str(&format!("    {}: {}\n", member.key, marked(member)));
        text.push_str(&documentation("    ", &member.about));
    }
    if members.is_empty() && about.is_empty() {
        text.push_str("    pass\n");
    }
}

/// A class whose keys are no names.
fn write_table(text: &mut String, name: &str, members: &[Member]) {
    text.push_str(&format!("\n\n{name} = TypedDict(\n    \"{name}\",\n    {{\n"));
    for member in members {
        text.push_str(&format!("        {}: {},\n", quoted(&member.key), quoted(&marked(member))));
    }
    text.push_str("    },\n    total=False,\n)\n");
}

fn marked(member: &Member) -> String {
    let mark = if member.needed { "Required" } else { "NotRequired" };
    format!("{mark}[{}]", said(&member.shape))
}

fn said(shape: &Shape) -> String {
    match shape {
        Shape::Unknown => "Any".to_owned(),
        Shape::Never => "Never".to_owned(),
        Shape::Null => "None".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer => "int".to_owned(),
        Shape::Number => "float".to_owned(),
        Shape::Text => "str".to_owned(),
        Shape::OneOf(values) => one_of(values),
        Shape::List(item) => format!("list[{}]", said(item)),
        Shape::Tuple(items) if items.is_empty() => "tuple[()]".to_owned(),
        // A JSON array is a list, also where its length is known.
        Shape::Tuple(items) => {
            let mut kinds: Vec<String> = items.iter().map(said).collect();
            kinds.dedup();
            format!("list[{}]", kinds.join(" | "))
        }
        Shape::Table(of) => format!("dict[str, {}]", said(of)),
        Shape::Union(choices) => choices.iter().map(said).collect::<Vec<_>>().join(" | "),
        Shape::Named(name) => name.clone(),
    }
}

/// `Literal` takes texts, whole numbers, truth and nothing.
fn one_of(values: &[Value]) -> String {
    let mut literals = Vec::new();
    let mut others = Vec::new();
    for value in values {
        match value {
            Value::Null => literals.push("None".to_owned()),
            Value::Bool(true) => literals.push("True".to_owned()),
            Value::Bool(false) => literals.push("False".to_owned()),
            Value::String(text) => literals.push(quoted(text)),
            Value::Number(number) if number.is_i64() || number.is_u64() => literals.push(number.to_string()),
            Value::Number(_) if !others.contains(&"float") => others.push("float"),
            Value::Number(_) => {}
            Value::Array(_) | Value::Object(_) => return "Any".to_owned(),
        }
    }
    let mut kinds: Vec<String> = others.into_iter().map(str::to_owned).collect();
    if !literals.is_empty() {
        kinds.insert(0, format!("Literal[{}]", literals.join(", ")));
    }
    kinds.join(" | ")
}

/// A text of Python: its escapes are those of JSON, as long as all is ASCII.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' | '\\' => quoted.extend(['\\', one]),
            ' '..='~' => quoted.push(one),
            other if u32::from(other) <= 0xffff => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(other)));
            }
            other => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(other)));
            }
        }
    }
    quoted.push('"');
    quoted
}

fn documentation(indent: &str, about: &str) -> String {
    if about.is_empty() {
        return String::new();
    }
    let about = about.replace('\\', "\\\\").replace('"', "'");
    let lines: Vec<&str> = about.lines().map(str::trim_end).collect();
    match lines[..] {
        [one] => format!("{indent}\"\"\"{one}\"\"\"\n"),
        _ => format!("{indent}\"\"\"{}\n{indent}\"\"\"\n", lines.join(&format!("\n{indent}"))),
    }
}
