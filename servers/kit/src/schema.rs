//! JSON Schema of the types of a tool, and arguments read with errors that name the place.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::trouble::Trouble;

/// In one piece, without references: many clients do not follow them.
pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else { return Map::new() };
    schema.remove("title");
    schema.entry("type").or_insert_with(|| "object".into());
    schema
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
