//! The Cedar schema of the current tools, made from their JSON Schemas, so that policies over arguments are
//! type-checked before they are in force. Parts without a Cedar type are left out: a policy that names them
//! does not check.

use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

use cedar_policy::Schema;
use toolgate_core::Tool;

use crate::plan::ToolFacts;
use crate::problem::{PolicyError, PolicyProblem};
use crate::shape::{FieldPresence, SchemaShape, ShapeField};

/// A schema, to read and to check against.
#[derive(Clone, Debug)]
pub struct GeneratedSchema {
    /// In the form of a `.cedarschema` file.
    pub text: String,
    pub schema: Schema,
}

const HEADER: &str = r#"// Made from the tools in the catalogue.

entity Group;
entity Role;
entity Server;
entity Human in [Group, Role] { "name": String, "role": String };
entity Agent in [Group, Role] { "name": String, "role": String };
entity Service in [Group, Role] { "name": String, "role": String };
entity Tool in [Server] {
  "server": String,
  "name": String,
  "effects": Set<String>,
  "read": Bool,
  "write": Bool,
  "external": Bool,
  "destructive": Bool,
  "traits": Set<String>,
  "version": String
};
"#;

/// The schema for these tools, in the order of their names.
pub fn schema_for(tools: &[Arc<Tool>]) -> Result<GeneratedSchema, PolicyError> {
    let mut sorted: Vec<&Tool> = tools.iter().map(Arc::as_ref).collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted.dedup_by(|a, b| a.name == b.name);
    let mut text = HEADER.to_owned();
    for tool in sorted {
        text.push_str(&action(tool));
    }
    let schema = Schema::from_str(&text).map_err(|error| {
        let problem =
            PolicyProblem::of_file("the schema of the tools", format!("is not understood by Cedar: {error}"));
        PolicyError { problems: vec![problem] }
    })?;
    Ok(GeneratedSchema { text, schema })
}

fn action(tool: &Tool) -> String {
    let input = match ToolFacts::of(tool).shape {
        SchemaShape::Record(fields) => SchemaShape::Record(fields),
        _ => SchemaShape::Record(Default::default()),
    };
    let input = cedar_type(&input, 2).expect("a record has a type");
    format!(
        "\naction {name} appliesTo {{\n  principal: [Human, Agent, Service],\n  resource: [Tool],\n  context: {{\n    \"input\": {input},\n    \"session\"?: String,\n    \"agent\"?: String,\n    \"run\"?: String,\n    \"task\"?: String,\n    \"credentials\"?: Set<String>,\n    \"credential_origins\"?: Set<String>,\n    \"new_credentials\"?: Set<String>,\n    \"template\": String\n  }}\n}};\n",
        name = quoted(tool.name.as_str()),
    )
}

/// The type for a shape, if Cedar has one. `depth` is how far its lines are indented.
fn cedar_type(shape: &SchemaShape, depth: usize) -> Option<String> {
    Some(match shape {
        SchemaShape::Any => return None,
        SchemaShape::Bool => "Bool".to_owned(),
        SchemaShape::Long => "Long".to_owned(),
        SchemaShape::Decimal => "decimal".to_owned(),
        SchemaShape::Text => "String".to_owned(),
        SchemaShape::List(element) => format!("Set<{}>", cedar_type(element, depth)?),
        SchemaShape::Record(fields) => {
            let indent = "  ".repeat(depth + 1);
            let typed = fields.iter().filter_map(|(name, field)| member(name, field, depth));
            let members: Vec<String> = typed.map(|member| format!("{indent}{member}")).collect();
            if members.is_empty() {
                return Some("{}".to_owned());
            }
            format!("{{\n{}\n{}}}", members.join(",\n"), "  ".repeat(depth))
        }
    })
}

fn member(name: &str, field: &ShapeField, depth: usize) -> Option<String> {
    let mark = match field.presence {
        FieldPresence::Required => "",
        FieldPresence::Optional => "?",
    };
    Some(format!("{}{mark}: {}", quoted(name), cedar_type(&field.shape, depth + 1)?))
}

/// A string of Cedar: everything but plain characters is escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            plain if !plain.is_control() => quoted.push(plain),
            control => write!(quoted, "\\u{{{:x}}}", u32::from(control)).expect("a string takes all text"),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
