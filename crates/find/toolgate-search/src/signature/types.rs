//! A JSON Schema as a short type: `string`, `"open"|"closed"`, `number[]`, `{id: string, note?: string}`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::plain;

/// The maximum number of listed values of an enumeration.
const VALUES_MAX: usize = 8;
/// The maximum number of their characters.
const VALUES_CHARS_MAX: usize = 72;
/// The maximum number of listed alternatives of a union.
const ALTERNATIVES_MAX: usize = 4;
/// The maximum number of listed members of an object inside an argument.
const MEMBERS_MAX: usize = 6;
/// The maximum length of one argument's type; a longer one is shown by its kind only.
const TYPE_CHARS_MAX: usize = 100;
/// The maximum length of one literal.
const LITERAL_CHARS_MAX: usize = 24;
/// The maximum length of a chain of references. A schema that refers to itself ends here.
const REFERENCES_MAX: usize = 8;
/// Formats a caller would otherwise get wrong.
const FORMATS: [&str; 4] = ["date", "time", "date-time", "duration"];

/// The number of levels below a schema that are shown. Arrays, unions and objects each take one, so that a
/// recursive schema comes to an end.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct SchemaDepth(u8);

impl SchemaDepth {
    /// An argument: a list of objects is shown with the members of the objects.
    pub(super) const ARGUMENT: SchemaDepth = SchemaDepth(3);
    /// A member of an object inside an argument: a list is shown with the kind of its items.
    const MEMBER: SchemaDepth = SchemaDepth(1);

    fn below(self) -> SchemaDepth {
        SchemaDepth(self.0.saturating_sub(1))
    }
}

/// The type of a schema inside `root`, which has the targets of its references: as detailed as fits.
pub(super) fn type_of(schema: &Value, root: &Value, levels: SchemaDepth) -> String {
    let schema = resolved(schema, root);
    let leaner = [levels, SchemaDepth::MEMBER, SchemaDepth(0)].into_iter().filter(|one| *one <= levels);
    let told = leaner.map(|levels| described(schema, root, levels));
    told.into_iter()
        .find(|told| told.chars().count() <= TYPE_CHARS_MAX)
        .unwrap_or_else(|| kind_of(schema).to_owned())
}

/// The final target of a schema's references, or itself.
pub(super) fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..REFERENCES_MAX {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else {
            break;
        };
        schema = target;
    }
    if schema.get("$ref").is_some() { &Value::Null } else { schema }
}

fn described(schema: &Value, root: &Value, levels: SchemaDepth) -> String {
    let Some(map) = schema.as_object() else { return "any".to_owned() };
    if let Some(value) = map.get("const") {
        return literal(value);
    }
    if let Some(values) = map.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty()) {
        return enumeration(values);
    }
    match alternatives(map) {
        Some(_) if levels == SchemaDepth(0) => kind_of(schema).to_owned(),
        Some(schemas) => {
            union(schemas.iter().take(ALTERNATIVES_MAX + 1).map(|one| type_of(one, root, levels.below())))
        }
        None => plain_type(map, root, levels),
    }
}

fn alternatives(map: &Map<String, Value>) -> Option<&Vec<Value>> {
    let typed = map.contains_key("properties");
    let schemas = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| map.get(*key)?.as_array())?;
    (!typed && !schemas.is_empty()).then_some(schemas)
}

fn plain_type(map: &Map<String, Value>, root: &Value, levels: SchemaDepth) -> String {
    match map.get("type") {
        Some(Value::Array(names)) => {
            let named = names.iter().filter_map(Value::as_str).take(ALTERNATIVES_MAX + 1);
            union(named.map(|name| named_type(name, map, root, levels)))
        }
        Some(Value::String(name)) if map.get("nullable") == Some(&Value::Bool(true)) => {
            union([named_type(name, map, root, levels), "null".to_owned()].into_iter())
        }
        Some(Value::String(name)) => named_type(name, map, root, levels),
        _ if map.contains_key("properties") => object(map, root, levels),
        _ if map.contains_key("items") => array(map, root, levels),
        _ => "any".to_owned(),
    }
}

fn named_type(name: &str, map: &Map<String, Value>, root: &Value, levels: SchemaDepth) -> String {
    match name {
        "array" => array(map, root, levels),
        "object" => object(map, root, levels),
        "string" => match map.get("format").and_then(Value::as_str) {
            Some(format) if FORMATS.contains(&format) => format!("string<{format}>"),
            _ => "string".to_owned(),
        },
        "integer" | "number" | "boolean" | "null" => name.to_owned(),
        _ => "any".to_owned(),
    }
}

fn array(map: &Map<String, Value>, root: &Value, levels: SchemaDepth) -> String {
    if levels == SchemaDepth(0) {
        return "array".to_owned();
    }
    let item =
        map.get("items").map_or_else(|| "any".to_owned(), |items| type_of(items, root, levels.below()));
    if alternatives_of(&item).len() > 1 { format!("({item})[]") } else { format!("{item}[]") }
}

/// The alternatives of a type; those inside its members and literals do not count.
fn alternatives_of(told: &str) -> Vec<&str> {
    let (mut found, mut start, mut inside, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, c) in told.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '(' => inside += 1,
            '}' | ')' => inside = inside.saturating_sub(1),
            '|' if inside == 0 => {
                found.push(&told[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&told[start..]);
    found
}

fn object(map: &Map<String, Value>, root: &Value, levels: SchemaDepth) -> String {
    let members = map.get("properties").and_then(Value::as_object).filter(|members| !members.is_empty());
    if levels <= SchemaDepth::MEMBER {
        return "object".to_owned();
    }
    match (members, map.get("additionalProperties")) {
        (Some(_), _) => {
            let (members, left_out) = arguments(map, root, MEMBERS_MAX, SchemaDepth::MEMBER);
            let more = if left_out > 0 { ", …" } else { "" };
            format!("{{{}{more}}}", members.join(", "))
        }
        (None, Some(value @ Value::Object(_))) => {
            format!("{{[key]: {}}}", type_of(value, root, SchemaDepth::MEMBER))
        }
        _ => "object".to_owned(),
    }
}

/// The members of an object as `name: type` and `name?: type`, the required ones first, and the number of
/// omitted ones.
pub(super) fn arguments(
    map: &Map<String, Value>,
    root: &Value,
    arguments_max: usize,
    levels: SchemaDepth,
) -> (Vec<String>, usize) {
    let empty = Map::new();
    let members = map.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: HashSet<&str> = map
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let (needed, optional): (Vec<_>, Vec<_>) =
        members.iter().partition(|(name, _)| required.contains(name.as_str()));
    let told = needed
        .iter()
        .map(|(name, schema)| format!("{}: {}", member_name(name), type_of(schema, root, levels)));
    let told =
        told.chain(optional.iter().map(|(name, schema)| optional_argument(name, schema, root, levels)));
    (told.take(arguments_max).collect(), members.len().saturating_sub(arguments_max))
}

/// An optional argument need not say that it may be null as well.
fn optional_argument(name: &str, schema: &Value, root: &Value, levels: SchemaDepth) -> String {
    let told = type_of(schema, root, levels);
    format!("{}?: {}", member_name(name), told.strip_suffix("|null").unwrap_or(&told))
}

const MEMBER_CHARS_MAX: usize = 64;

fn member_name(name: &str) -> String {
    let plain =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.'));
    if plain && name.chars().count() <= MEMBER_CHARS_MAX {
        return name.to_owned();
    }
    Value::String(plain::shortened(&plain::line(name), MEMBER_CHARS_MAX)).to_string()
}

fn enumeration(values: &[Value]) -> String {
    let mut told = String::new();
    for (place, value) in values.iter().enumerate() {
        let value = literal(value);
        if place == VALUES_MAX || told.chars().count() + value.chars().count() > VALUES_CHARS_MAX {
            return told + "|…";
        }
        told.push_str(if place > 0 { "|" } else { "" });
        told.push_str(&value);
    }
    told
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => {
            Value::String(plain::shortened(&plain::line(text), LITERAL_CHARS_MAX)).to_string()
        }
        Value::Array(_) => "any[]".to_owned(),
        Value::Object(_) => "object".to_owned(),
        plain => plain.to_string(),
    }
}

/// Alternatives without repetition, `null` last.
fn union(types: impl Iterator<Item = String>) -> String {
    let mut told: Vec<String> = Vec::new();
    for one in types {
        let new = alternatives_of(&one).into_iter().filter(|one| !told.iter().any(|known| known == one));
        let new: Vec<String> = new.map(str::to_owned).collect();
        told.extend(new);
    }
    let nullable = told.iter().position(|one| one == "null").map(|at| told.remove(at));
    let is_long = told.len() > ALTERNATIVES_MAX && !told.iter().all(|one| one.starts_with('"') || one == "…");
    if is_long {
        told.truncate(ALTERNATIVES_MAX);
        told.push("…".to_owned());
    }
    told.extend(nullable);
    told.join("|")
}

/// A type by its kind alone.
fn kind_of(schema: &Value) -> &'static str {
    let name = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match name {
        Some("array") => "array",
        Some("object") => "object",
        Some("integer") => "integer",
        Some("number") => "number",
        Some("boolean") => "boolean",
        Some("string") => "string",
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("enum").and_then(|values| values.get(0)).is_some_and(Value::is_string) => "string",
        _ => "any",
    }
}
