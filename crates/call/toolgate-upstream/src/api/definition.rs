//! Tools as MCP defines them, made of operations and actions.

use connector_file::ConnectorTool;
use openapi_tools::{ApiEffects, ApiTool};
use serde_json::{Map, Value, json};
use toolgate_core::tool::{EXTRA_META, FileSlot, FileStrategy, SlotForm};

/// The member of a definition's `_meta` with the operation behind the tool, so that a change of it is a change of the tool.
const OPERATION_META: &str = "dev.toolgate/operation";

/// The member of `structuredContent` that has a result which is no object.
pub(super) const RESULT: &str = "result";

/// Longer names leave no room for the name of an id.
const NAME_BYTES_MAX: usize = 100;

/// A tool's definition, and what calls of it need to know.
pub(super) struct ToolDefinition {
    /// The JSON text.
    pub(super) text: String,
    pub(super) files: Vec<FileSlot>,
}

/// The parts that operations and actions have alike.
struct DefinitionParts<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: String,
    input_schema: &'a Value,
    output_schema: Option<&'a Value>,
    effects: ApiEffects,
    operation: Option<Value>,
    /// Arguments whose files go with their names and media types.
    labelled: Vec<&'a str>,
}

pub(super) fn of_operation(tool: &ApiTool) -> ToolDefinition {
    let deprecated = if tool.deprecated { "Deprecated. " } else { "" };
    compose(DefinitionParts {
        name: &tool.name,
        title: tool.title.as_deref(),
        description: format!("{deprecated}{}", tool.description),
        input_schema: &tool.input_schema,
        output_schema: tool.output_schema.as_ref(),
        effects: tool.effects,
        operation: Some(json!({ "method": tool.method.as_str(), "path": tool.path })),
        labelled: tool.plan.labelled(),
    })
}

pub(super) fn of_action(tool: &ConnectorTool) -> ToolDefinition {
    compose(DefinitionParts {
        name: &tool.name,
        title: Some(&tool.title),
        description: tool.description.clone(),
        input_schema: &tool.input_schema,
        output_schema: tool.output_schema.as_ref(),
        effects: tool.effects,
        operation: None,
        labelled: Vec::new(),
    })
}

fn compose(parts: DefinitionParts<'_>) -> ToolDefinition {
    let forms = file_forms(parts.input_schema, &parts.labelled);
    let mut definition = Map::new();
    definition.insert("name".into(), parts.name.into());
    if let Some(title) = parts.title.filter(|title| !title.is_empty()) {
        definition.insert("title".into(), title.into());
    }
    definition.insert("description".into(), parts.description.into());
    definition.insert("inputSchema".into(), with_labels(parts.input_schema.clone(), &forms));
    if let Some(schema) = parts.output_schema {
        definition.insert("outputSchema".into(), object_schema(schema));
    }
    definition.insert("annotations".into(), annotations(parts.effects));
    let mut meta = Map::new();
    if let Some(operation) = parts.operation {
        meta.insert(OPERATION_META.into(), operation);
    }
    if !forms.is_empty() {
        meta.insert(EXTRA_META.into(), json!({ "files": forms }));
    }
    if !meta.is_empty() {
        definition.insert("_meta".into(), meta.into());
    }
    let files = FileSlot::all(forms).unwrap_or_default();
    ToolDefinition { text: Value::from(definition).to_string(), files }
}

/// Everything that an API does happens outside.
fn annotations(effects: ApiEffects) -> Value {
    json!({
        "readOnlyHint": effects.read_only,
        "destructiveHint": effects.destructive,
        "idempotentHint": effects.idempotent,
        "openWorldHint": true,
    })
}

/// A schema of results. Those of MCP are objects, so another is one member of an object.
fn object_schema(schema: &Value) -> Value {
    if is_object_schema(schema) {
        return schema.clone();
    }
    let mut inner = schema.clone();
    let definitions = inner.as_object_mut().and_then(|inner| inner.remove("$defs"));
    let mut outer = json!({ "type": "object", "properties": { RESULT: inner }, "required": [RESULT] });
    if let Some(definitions) = definitions {
        outer["$defs"] = definitions;
    }
    outer
}

pub(super) fn is_object_schema(schema: &Value) -> bool {
    schema["type"] == "object"
}

/// The arguments that hold bytes. Agents give the id of a file in their place.
fn file_forms(schema: &Value, labelled: &[&str]) -> Vec<SlotForm> {
    let properties = schema["properties"].as_object();
    let holds_bytes = |(name, argument): &(&String, &Value)| {
        let is_bytes =
            argument["contentEncoding"] == "base64" || argument["items"]["contentEncoding"] == "base64";
        is_bytes
            && name.len() <= NAME_BYTES_MAX
            && !name.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    let names = properties.into_iter().flatten().filter(holds_bytes).map(|(name, _)| name);
    let names: Vec<&String> = names.take(FileSlot::SLOTS_MAX).collect();
    let is_taken = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    let argument = |name: &str| match names.len() {
        1 if !is_taken(FileSlot::ARGUMENT) => FileSlot::ARGUMENT.to_owned(),
        _ => format!("{name}_{}", FileSlot::ARGUMENT),
    };
    let form = |name: &&String| SlotForm {
        strategy: FileStrategy::BinaryBase64,
        argument: Some(argument(name)),
        content: Some((*name).clone()),
        // Where no schema has an argument of this name, none is filled in.
        media_type: Some(format!("{name}_media_type_")),
        file_name: labelled.contains(&name.as_str()).then(|| format!("{name}_file_name_")),
    };
    let forms: Vec<SlotForm> = names.iter().map(form).collect();
    let is_free = forms.iter().all(|form| !form.argument.as_deref().is_some_and(is_taken));
    if is_free { forms } else { Vec::new() }
}

/// The arguments that only the gateway fills in: agents see a file as one argument.
fn with_labels(mut schema: Value, forms: &[SlotForm]) -> Value {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return schema };
    for form in forms {
        let (Some(content), Some(file_name)) = (&form.content, &form.file_name) else { continue };
        let is_list = properties.get(content).is_some_and(|content| content["type"] == "array");
        let text = json!({ "type": "string" });
        let label = if is_list { json!({ "type": "array", "items": text }) } else { text };
        for name in [Some(file_name), form.media_type.as_ref()].into_iter().flatten() {
            properties.entry(name).or_insert_with(|| label.clone());
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_given_by_its_id_and_several_by_one_each() {
        let bytes = json!({ "type": "string", "contentEncoding": "base64" });
        let named = |schema: Value| -> Vec<(String, String)> {
            let slots = FileSlot::all(file_forms(&schema, &[])).expect("good slots");
            slots.into_iter().map(|slot| (slot.argument, slot.content)).collect()
        };
        let pair = |argument: &str, content: &str| (argument.to_owned(), content.to_owned());
        assert_eq!(named(json!({ "properties": { "photo": bytes, "a": {} } })), [pair("file_id", "photo")]);
        let list = json!({ "type": "array", "items": bytes });
        assert_eq!(
            named(json!({ "properties": { "one": bytes, "more": list } })),
            [pair("one_file_id", "one"), pair("more_file_id", "more")]
        );
        assert_eq!(
            named(json!({ "properties": { "photo": bytes, "file_id": {} } })),
            [pair("photo_file_id", "photo")]
        );
        assert!(named(json!({ "properties": { "a": { "type": "string" } } })).is_empty());
    }

    #[test]
    fn a_file_of_a_form_goes_with_its_name_and_its_media_type() {
        let bytes = json!({ "type": "string", "contentEncoding": "base64" });
        let schema = json!({ "properties": { "one": bytes, "more": { "type": "array", "items": bytes } } });
        let forms = file_forms(&schema, &["one", "more"]);
        let labelled = with_labels(schema.clone(), &forms);
        assert_eq!(labelled["properties"]["one_file_name_"], json!({ "type": "string" }));
        assert_eq!(labelled["properties"]["more_media_type_"]["type"], "array");
        assert_eq!(with_labels(schema.clone(), &file_forms(&schema, &[])), schema);
    }

    #[test]
    fn a_result_that_is_no_object_becomes_a_member_and_its_definitions_stay_reachable() {
        let list = json!({ "type": "array", "items": { "$ref": "#/$defs/pet" }, "$defs": { "pet": { "type": "object" } } });
        assert_eq!(
            object_schema(&list),
            json!({
                "type": "object",
                "properties": { "result": { "type": "array", "items": { "$ref": "#/$defs/pet" } } },
                "required": ["result"],
                "$defs": { "pet": { "type": "object" } },
            })
        );
        let object = json!({ "type": "object", "properties": { "a": {} } });
        assert_eq!(object_schema(&object), object);
    }
}
