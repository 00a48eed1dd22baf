//! Bodies whose properties can be arguments of their own.

use serde_json::{Map, Value};

use crate::limits::FIELDS_MAX;
use crate::reference::{DocumentSet, Spot};

/// The properties of an object that has nothing but properties.
#[derive(Default)]
pub(super) struct ObjectFields<'d> {
    pub(super) properties: Vec<(&'d String, Spot<'d>)>,
    pub(super) required: Vec<&'d str>,
}

/// Keywords that say more of an object than its properties can.
const BEYOND: [&str; 18] = [
    "anyOf",
    "oneOf",
    "not",
    "if",
    "enum",
    "const",
    "discriminator",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "$dynamicRef",
    "items",
    "prefixItems",
];
/// Objects within `allOf` of objects.
const LEVELS_MAX: usize = 6;
/// Pairs of an optional property and one that it needs, where a body may be left out.
const DEPENDENTS_MAX: usize = 400;

/// The fields of a body, if its properties say everything about it.
pub(super) fn of<'d>(set: &'d DocumentSet, schema: Spot<'d>, is_required: bool) -> Option<ObjectFields<'d>> {
    let mut fields = ObjectFields::default();
    collect(set, schema, 0, &mut fields)?;
    let (count, required) = (fields.properties.len(), fields.required.len());
    let fits = count > 0 && count <= FIELDS_MAX && (is_required || count * required <= DEPENDENTS_MAX);
    fits.then_some(fields)
}

/// Nothing, if there is more to an object than its properties.
fn collect<'d>(
    set: &'d DocumentSet,
    schema: Spot<'d>,
    level: usize,
    fields: &mut ObjectFields<'d>,
) -> Option<()> {
    let spot = set.follow(schema)?;
    let source = spot.value.as_object()?;
    if level > LEVELS_MAX || !is_plain(source) {
        return None;
    }
    for value in source.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        collect(set, Spot { part: spot.part, value }, level + 1, fields)?;
    }
    for (name, value) in source.get("properties").and_then(Value::as_object).into_iter().flatten() {
        // Two schemas of one property would both have to fit.
        if fields.properties.iter().any(|(known, _)| *known == name) || fields.properties.len() > FIELDS_MAX {
            return None;
        }
        fields.properties.push((name, Spot { part: spot.part, value }));
    }
    let required = source.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !fields.required.contains(&name) {
            fields.required.push(name);
        }
    }
    Some(())
}

fn is_plain(source: &Map<String, Value>) -> bool {
    let is_object = match source.get("type") {
        None => {
            source.contains_key("properties")
                || source.contains_key("allOf")
                || source.contains_key("required")
        }
        Some(kind) => kind == "object",
    };
    let is_closed = matches!(source.get("additionalProperties"), None | Some(Value::Bool(false)));
    let is_null = source.get("nullable").and_then(Value::as_bool) == Some(true);
    is_object && is_closed && !is_null && !BEYOND.iter().any(|key| source.contains_key(*key))
}
