//! `x-mcp-header`: arguments that a tool requires as `Mcp-Param-…` headers too.

use serde_json::Value;

use crate::header;

const KEYWORD: &str = "x-mcp-header";

/// One annotated argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamHeader {
    /// The property names that lead to the argument.
    pub path: Vec<String>,
    /// The whole header name, `Mcp-Param-Region`.
    pub header: String,
}

impl ParamHeader {
    /// The required value of the header for these arguments; `None` if the argument is absent or null.
    pub fn value(&self, arguments: &Value) -> Option<String> {
        let value = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// True if a received header matches the arguments. Integers are compared as numbers.
    pub fn matches(&self, received: &str, arguments: &Value) -> bool {
        let (Some(received), Some(expected)) = (header::decode_value(received), self.value(arguments)) else {
            return false;
        };
        received == expected
            || matches!((received.parse::<f64>(), expected.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
    }
}

/// Finds the annotations of an input schema. An invalid one makes the tool unusable over HTTP: `Err` has the
/// reason.
pub fn of_schema(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let mut found = Vec::new();
    walk(schema, &mut Vec::new(), &mut found)?;
    let annotated = count(schema);
    if annotated > found.len() {
        return Err(format!("`{KEYWORD}` stands where no chain of `properties` leads"));
    }
    for (at, one) in found.iter().enumerate() {
        if found[..at].iter().any(|other| other.header.eq_ignore_ascii_case(&one.header)) {
            return Err(format!("two arguments share the header {}", one.header));
        }
    }
    Ok(found)
}

fn walk(schema: &Value, path: &mut Vec<String>, found: &mut Vec<ParamHeader>) -> Result<(), String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(annotation) = property.get(KEYWORD) {
            found.push(ParamHeader { path: path.clone(), header: header_name(name, property, annotation)? });
        }
        walk(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn header_name(name: &str, property: &Value, annotation: &Value) -> Result<String, String> {
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    let Some(suffix) = annotation.as_str().filter(|text| is_token(text)) else {
        return Err(format!("`{KEYWORD}` of \"{name}\" is not a header token"));
    };
    match property.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(format!("Mcp-Param-{suffix}")),
        _ => Err(format!("`{KEYWORD}` of \"{name}\" needs type string, integer or boolean")),
    }
}

/// Every occurrence of the keyword, reachable or not; data under `default`, `enum`, `const` and `examples` is
/// not schema.
fn count(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "default" | "enum" | "const" | "examples"))
            .map(|(key, value)| match value {
                Value::Object(properties) if key == "properties" => properties.values().map(count).sum(),
                _ => usize::from(key == KEYWORD) + count(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_properties_are_found_with_their_path() {
        let schema = json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "where": {"type": "object", "properties": {"zone": {"type": "integer", "x-mcp-header": "Zone"}}}}});
        let found = of_schema(&schema).expect("valid");
        assert_eq!(found.len(), 2);
        let zone = found.iter().find(|one| one.header == "Mcp-Param-Zone").expect("found");
        assert_eq!(zone.value(&json!({"where": {"zone": 7}})).as_deref(), Some("7"));
        assert!(zone.matches("7.0", &json!({"where": {"zone": 7}})));
        assert!(!zone.matches("8", &json!({"where": {"zone": 7}})));
        assert_eq!(zone.value(&json!({"where": {"zone": null}})), None);
    }

    #[test]
    fn invalid_annotations_are_refused() {
        for schema in [
            json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "A B"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": 1}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "X"}, "b": {"type": "string", "x-mcp-header": "x"}}}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "X"}}}}),
        ] {
            assert!(of_schema(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn a_property_that_is_called_like_the_keyword_is_a_property() {
        assert_eq!(of_schema(&json!({"properties": {"x-mcp-header": {"type": "string"}}})), Ok(vec![]));
    }
}
