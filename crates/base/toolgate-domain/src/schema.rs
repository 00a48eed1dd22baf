//! JSON Schema of the types of a tool, and the tool as the catalogue has it.

use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use toolgate_core::platform::{OWN_SERVER, PlatformTool, ToolPresence};
use toolgate_core::scope::MountNeed;
use toolgate_core::tool::version_of;
use toolgate_core::{
    AuditLevel, CanonicalName, Effects, OutputCheck, RawJson, ServerName, Tool, ToolHandling,
};

use crate::definition::ToolDefinition;

/// The part of a canonical name that names the domain.
fn domain_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The schema of a tool's arguments: an object that has no other members.
pub(crate) fn of_arguments<T: JsonSchema>() -> Value {
    let mut schema = of::<T>(SchemaSettings::draft2020_12());
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.insert("additionalProperties".to_owned(), false.into());
    Value::Object(schema)
}

/// The schema of a tool's data.
pub(crate) fn of_output<T: JsonSchema>() -> Value {
    Value::Object(of::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

/// In one piece, without references: many clients do not follow them.
fn of<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    slim(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    // Both are about the type, for readers of the code.
    schema.remove("title");
    schema.remove("description");
    schema
}

/// Agents pay for every word of a schema, so what only this program needs is left out: `null` for a member that may be
/// missing anyway, and the width of numbers.
fn slim(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            if fields.get("format").and_then(Value::as_str).is_some_and(is_width) {
                fields.remove("format");
            }
            without_null(fields);
            fields.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}

fn is_width(format: &str) -> bool {
    ["uint", "int", "float", "double"].iter().any(|kind| format.starts_with(kind))
}

fn without_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let Some(Value::Array(choices)) = fields.get_mut("anyOf") else { return };
    choices.retain(|choice| choice["type"] != "null");
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        fields.remove("anyOf");
        for (key, value) in only {
            fields.entry(key).or_insert(value);
        }
    }
}

/// The tool as the catalogue, policy and the ledger have it.
pub(crate) fn describe(of: &ToolDefinition, input: Value, output: Value, is_prepared: bool) -> PlatformTool {
    let wire = of.wire.map_or_else(|| of.name.replace('.', "__"), str::to_owned);
    let mut definition = json!({ "name": wire, "description": of.description, "inputSchema": input });
    if of.presence == ToolPresence::InScope {
        definition["annotations"] = annotations(of);
    }
    let capabilities = (of.presence == ToolPresence::InScope).then(|| domain_of(of.name).to_owned());
    let tool = Tool {
        name: CanonicalName::recorded(of.name),
        server: ServerName::new(OWN_SERVER).expect("letters alone"),
        own: wire.as_str().into(),
        version: version_of(&definition),
        effects: of.effects,
        hinted: false,
        idempotent: of.idempotent,
        audit: AuditLevel::Standard,
        input_schema: Some(RawJson::from(input)),
        output_schema: None,
        // Its data have the type of the function.
        output_check: Some(OutputCheck::Off),
        handling: ToolHandling {
            capabilities: capabilities.into_iter().collect(),
            needs: needs_of(of),
            traits: Some(of.traits),
            ..ToolHandling::default()
        },
    };
    PlatformTool {
        tool: Arc::new(tool),
        wire: wire.into(),
        title: of.title,
        old_names: of.old_names,
        definition: definition.into(),
        output_schema: output.into(),
        presence: of.presence,
        kind: of.kind,
        is_prepared,
    }
}

fn needs_of(of: &ToolDefinition) -> Arc<[MountNeed]> {
    let pointer = of.mount.map(|_| MountNeed::Pointer);
    pointer.into_iter().chain(of.is_for_operators.then_some(MountNeed::Operator)).collect()
}

/// The hints of MCP, as far as they are not the default.
fn annotations(of: &ToolDefinition) -> Value {
    let changes = of.effects.changes_something();
    let mut hints = json!({ "readOnlyHint": !changes });
    if changes {
        hints["destructiveHint"] = of.effects.contains(Effects::DESTRUCTIVE).into();
    }
    if changes && of.idempotent {
        hints["idempotentHint"] = true.into();
    }
    if !of.effects.contains(Effects::EXTERNAL) {
        hints["openWorldHint"] = false.into();
    }
    hints
}
