//! JSON Schema of the types of a tool, and arguments read with errors that name the place.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::digits;
use crate::trouble::Trouble;

/// In one piece, without references: many clients do not follow them.
pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    slim(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    schema.remove("title");
    schema.entry("type").or_insert_with(|| "object".into());
    schema
}

/// Agents pay for every word of a schema: words without information are removed. `default: null` and the like
/// state the meaning of a missing field anyway, `format: uint8` is about this program, and words that are
/// each described become a plain list if the field itself is described.
fn slim(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if matches!(fields.get("default"), Some(Value::Null | Value::Bool(false))) {
                fields.remove("default");
            }
            if fields.get("format").and_then(Value::as_str).is_some_and(is_of_rust) {
                fields.remove("format");
                slim_bounds(fields);
            }
            if fields.contains_key("description") {
                list_words(fields);
            }
            fields.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}

fn is_of_rust(format: &str) -> bool {
    ["uint", "int", "float", "double"].iter().any(|kind| format.starts_with(kind))
}

/// The bounds of a type of ours are no bounds of the tool.
fn slim_bounds(fields: &mut Map<String, Value>) {
    const TYPE_BOUNDS: [u64; 2] = [u8::MAX as u64, u16::MAX as u64];
    if fields.get("maximum").and_then(Value::as_u64).is_some_and(|bound| TYPE_BOUNDS.contains(&bound)) {
        fields.remove("maximum");
    }
}

fn list_words(fields: &mut Map<String, Value>) {
    let word = |choice: &Value| choice.get("const").and_then(Value::as_str).map(Value::from);
    let choices = fields.get("oneOf").and_then(Value::as_array);
    let words: Option<Vec<Value>> = choices.and_then(|choices| choices.iter().map(word).collect());
    if let Some(words) = words {
        fields.remove("oneOf");
        fields.insert("type".to_owned(), "string".into());
        fields.insert("enum".to_owned(), words.into());
    }
}

/// The answer as JSON, with rounded fractions.
pub(crate) fn written(answer: &impl Serialize) -> Result<Value, Trouble> {
    let mut answer = serde_json::to_value(answer)
        .map_err(|error| Trouble::internal(format!("the answer could not be written: {error}")))?;
    digits::round(&mut answer);
    Ok(answer)
}

/// The arguments as the tool's own type.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(arguments: Value) -> Result<T, Trouble> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let place = error.path().to_string();
        let message = match place.as_str() {
            "." => error.inner().to_string(),
            _ => format!("{place}: {}", error.inner()),
        };
        Trouble::bad_arguments(message).hint(format!("the arguments are: {}", names_of::<T>().join(", ")))
    })
}

fn names_of<T: JsonSchema>() -> Vec<String> {
    let schema = of::<T>();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum SampleWord {
        /// The first.
        One,
        /// The second.
        Two,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct SampleArguments {
        /// Which one.
        word: SampleWord,
        bare: SampleWord,
        count: Option<u8>,
    }

    #[test]
    fn a_schema_says_only_what_a_caller_needs() {
        let schema = of::<SampleArguments>();
        assert_eq!(
            schema["properties"]["word"],
            json!({"type": "string", "enum": ["One", "Two"], "description": "Which one."})
        );
        assert!(
            schema["properties"]["bare"].get("oneOf").is_some(),
            "words that nothing else describes keep their own words"
        );
        assert_eq!(schema["properties"]["count"], json!({"type": ["integer", "null"], "minimum": 0}));
    }
}
