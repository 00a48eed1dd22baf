//! Types and functions in TypeScript.

use serde_json::Value;

use super::names::{GivenNames, camel, is_identifier, pascal};
use super::shape::{self, Member, NamedShape, Shape, ShapeDefinition};
use super::{ToolSchema, needs_nothing};

const HEAD: &str =
    "// Written by `toolgate tools codegen --lang typescript`. Write it anew when the tools change.

/** Makes calls, with any client: what it returns is the structured content of the result. */
export interface Caller {
  call(name: string, args: object): Promise<unknown>;
}
";

pub(super) fn write(tools: &[ToolSchema]) -> String {
    let mut types =
        GivenNames::without(&["Caller", "Promise", "Object", "Array", "String", "Number", "Boolean"]);
    let mut functions = GivenNames::without(&["gateway", "args"]);
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
        let function = functions.give(camel(&tool.name));
        let default = if needs_nothing(&found, &takes) { " = {}" } else { "" };
        let gives = gives.unwrap_or_else(|| "unknown".to_owned());
        let quoted = Value::from(tool.name.as_str());
        text.push('\n');
        comment(&mut text, "", &tool.about);
        text.push_str(&format!("export async function {function}(gateway: Caller, args: {takes}{default}): Promise<{gives}> {{\n  return (await gateway.call({quoted}, args as object)) as {gives};\n}}\n"));
    }
    text
}

fn define(text: &mut String, found: &[NamedShape]) {
    for NamedShape { name, about, definition } in found {
        text.push('\n');
        comment(text, "", about);
        match definition {
            ShapeDefinition::Alias(shape) => {
                text.push_str(&format!("export type {name} = {};\n", said(shape)))
            }
            ShapeDefinition::Object { members, open } => {
                text.push_str(&format!("export type {name} = {{\n"));
                for member in members {
                    write_member(text, member);
                }
                if *open {
                    text.push_str("  [key: string]: unknown;\n");
                }
                text.push_str("};\n");
            }
        }
    }
}

fn write_member(text: &mut String, member: &Member) {
    comment(text, "  ", &member.about);
    let key = match is_identifier(&member.key) {
        true => member.key.clone(),
        false => Value::from(member.key.as_str()).to_string(),
    };
    let mark = if member.needed { "" } else { "?" };
    text.push_str(&format!("  {key}{mark}: {};\n", said(&member.shape)));
}

fn said(shape: &Shape) -> String {
    match shape {
        Shape::Unknown => "unknown".to_owned(),
        Shape::Never => "never".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::OneOf(values) => values.iter().map(literal).collect::<Vec<_>>().join(" | "),
        Shape::List(item) => format!("Array<{}>", said(item)),
        Shape::Tuple(items) => format!("[{}]", items.iter().map(said).collect::<Vec<_>>().join(", ")),
        Shape::Table(of) => format!("{{ [key: string]: {} }}", said(of)),
        Shape::Union(choices) => choices.iter().map(said).collect::<Vec<_>>().join(" | "),
        Shape::Named(name) => name.clone(),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => "unknown".to_owned(),
        scalar => scalar.to_string(),
    }
}

fn comment(text: &mut String, indent: &str, about: &str) {
    if about.is_empty() {
        return;
    }
    let about = about.replace("*/", "* /");
    let lines: Vec<&str> = about.lines().map(str::trim_end).collect();
    let lines = match lines[..] {
        [one] => format!("{indent}/** {one} */\n"),
        _ => format!("{indent}/**\n{indent} * {}\n{indent} */\n", lines.join(&format!("\n{indent} * "))),
    };
    text.push_str(&lines);
}
