//! Values that are built from a schema, as a careful client would: what is required, and the optional ones where that is possible.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::pattern;

/// Names of members that a schema wants without naming them.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Levels of values.
const LEVELS_MAX: usize = 12;

/// How much of what is optional is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Arguments at the top, and below only what is required.
    Arguments,
    /// Only what is required.
    Required,
}

/// Arguments that fit the schema, if they are found.
pub(crate) fn arguments(schema: &Value, validator: &Validator) -> Option<Map<String, Value>> {
    let maker = ValueMaker { root: schema };
    [Extent::Arguments, Extent::Required].into_iter().find_map(|extent| {
        let value = maker.object(schema, 0, extent);
        if !validator.is_valid(&value) {
            return None;
        }
        value.as_object().cloned()
    })
}

struct ValueMaker<'s> {
    root: &'s Value,
}

impl ValueMaker<'_> {
    fn value(&self, schema: &Value, level: usize) -> Value {
        if level > LEVELS_MAX {
            return Value::Null;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(target.trim_start_matches('#'));
            return target.map_or(Value::Null, |target| self.value(target, level + 1));
        }
        if let Some(fixed) = schema.get("const") {
            return fixed.clone();
        }
        if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
            return first.clone();
        }
        self.combined(schema, level).unwrap_or_else(|| self.typed(schema, level))
    }

    /// The value of `allOf`, or of the first of several that has one.
    fn combined(&self, schema: &Value, level: usize) -> Option<Value> {
        if let Some(all) = schema.get("allOf").and_then(Value::as_array) {
            let mut merged = match self.typed(schema, level) {
                Value::Object(members) => members,
                _ => Map::new(),
            };
            for part in all {
                match self.value(part, level + 1) {
                    Value::Object(members) => merged.extend(members),
                    other if !other.is_null() && merged.is_empty() => return Some(other),
                    _ => {}
                }
            }
            return Some(Value::Object(merged));
        }
        let several = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)?;
        let values = several.iter().map(|one| self.value(one, level + 1)).filter(|value| !value.is_null());
        let mut own = match self.typed(schema, level) {
            Value::Object(members) if schema.get("properties").is_some() => members,
            _ => return values.into_iter().find(|value| self.fits(schema, value)).or(Some(Value::Null)),
        };
        if let Some(Value::Object(members)) = values.into_iter().next() {
            own.extend(members);
        }
        Some(Value::Object(own))
    }

    /// True if the value fits the schema by itself, with the definitions of the root.
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut whole = schema.clone();
        if let (Value::Object(members), Some(defs)) = (&mut whole, self.root.get("$defs")) {
            members.insert("$defs".to_owned(), defs.clone());
        }
        jsonschema::draft202012::new(&whole).is_ok_and(|validator| validator.is_valid(value))
    }

    fn typed(&self, schema: &Value, level: usize) -> Value {
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            Some(kind) => kind.as_str(),
            None if schema.get("properties").is_some() => Some("object"),
            None if schema.get("items").is_some() => Some("array"),
            None => None,
        };
        match kind {
            Some("object") => self.object(schema, level, Extent::Required),
            Some("array") => self.array(schema, level),
            Some("integer") => number(schema, 1.0),
            Some("number") if schema["format"].as_str().is_some_and(|format| format.starts_with("int")) => {
                number(schema, 1.0)
            }
            Some("number") => number(schema, 1.5),
            Some("boolean") => json!(true),
            Some("null") => Value::Null,
            _ => text(schema),
        }
    }

    fn object(&self, schema: &Value, level: usize, extent: Extent) -> Value {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut made = Map::new();
        for (name, property) in properties {
            let is_required = required.contains(&name.as_str());
            if !is_required && extent == Extent::Required {
                continue;
            }
            let value = self.value(property, level + 1);
            if is_required || (!value.is_null() && self.fits(property, &value)) {
                made.insert(name.clone(), value);
            }
        }
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            made.insert((*name).to_owned(), json!("a"));
        }
        let least = schema.get("minProperties").and_then(Value::as_u64).unwrap_or(0) as usize;
        for (name, property) in properties.iter().take(least) {
            if made.len() < least {
                made.insert(name.clone(), self.value(property, level + 1));
            }
        }
        for name in NAMES.iter().take(least.saturating_sub(made.len())) {
            let name_schema = schema.get("propertyNames").map(|names| self.value(names, level + 1));
            let name = name_schema.as_ref().and_then(Value::as_str).unwrap_or(name).to_owned();
            made.insert(
                name,
                schema.get("additionalProperties").map_or(json!("a"), |any| self.value(any, level + 1)),
            );
        }
        Value::Object(made)
    }

    fn array(&self, schema: &Value, level: usize) -> Value {
        let fixed = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
        let mut items: Vec<Value> = fixed.map(|item| self.value(item, level + 1)).collect();
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).max(1);
        let any = json!({});
        let item = schema.get("items").unwrap_or(&any);
        let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let choices = item.get("enum").and_then(Value::as_array);
        for index in items.len()..least.min(most).min(100) as usize {
            let choice = choices.and_then(|choices| choices.get(index)).cloned();
            items.push(choice.unwrap_or_else(|| self.value(item, level + 1)));
        }
        Value::Array(items)
    }
}

fn number(schema: &Value, usual: f64) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|least| least + 1.0));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|most| most - 1.0));
    let mut value = least.map_or(usual, |least| usual.max(least));
    value = most.map_or(value, |most| value.min(most));
    if let Some(step) = bound("multipleOf") {
        value = (value / step).ceil() * step;
    }
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    if is_whole { json!(value as i64) } else { json!(value) }
}

fn text(schema: &Value) -> Value {
    if let Some(example) =
        schema.get("examples").and_then(|all| all.get(0)).filter(|example| example.is_string())
        && schema.get("pattern").is_some()
    {
        return example.clone();
    }
    if let Some(text) = schema.get("pattern").and_then(Value::as_str).and_then(pattern::matching) {
        return json!(lengthened(schema, &text));
    }
    if schema.get("contentEncoding").is_some_and(|encoding| encoding == "base64") {
        return json!("aGVsbG8=");
    }
    let usual = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-02T03:04:05Z",
        Some("date") => "2026-01-02",
        Some("time") => "03:04:05Z",
        Some("duration") => "P1D",
        Some("email" | "idn-email") => "someone@example.com",
        Some("uri" | "url" | "iri" | "uri-reference") => "https://example.com/a",
        Some("uuid") => "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("hostname") => "example.com",
        Some("byte") => "aGVsbG8=",
        _ => "a",
    };
    json!(lengthened(schema, usual))
}

fn lengthened(schema: &Value, text: &str) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64).map(|count| count as usize);
    let (least, most) = (bound("minLength").unwrap_or(0), bound("maxLength").unwrap_or(usize::MAX));
    let mut text = text.to_owned();
    while text.chars().count() < least.min(10_000) {
        text.push(text.chars().last().unwrap_or('a'));
    }
    text.chars().take(most).collect()
}
