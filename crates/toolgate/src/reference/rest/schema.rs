//! Schemas of the OpenAPI document: a value's type in one line, and the page of all named ones.

use serde_json::Value;

use super::super::markdown::{anchor, code, prose, sentence, table};
use super::{members, strings};

const START: &str = "# REST schemas

What the routes of the [REST API](rest.md) take and answer with. A field that is not marked as needed may be missing.
";

pub(super) fn page(schemas: &Value) -> String {
    let mut text = START.to_owned();
    let mut named: Vec<(&String, &Value)> = members(schemas).collect();
    named.sort_by_key(|(name, _)| *name);
    for (name, schema) in named {
        text.push_str(&section(name, schema));
    }
    text
}

fn section(name: &str, schema: &Value) -> String {
    let about = prose(&sentence(schema["description"].as_str().unwrap_or_default()));
    let about = if about.is_empty() { String::new() } else { format!("{about}\n\n") };
    format!("\n## {name}\n\n{about}{}", body(schema))
}

fn body(schema: &Value) -> String {
    let parts = ["allOf", "oneOf", "anyOf"].into_iter().find_map(|key| Some((key, schema[key].as_array()?)));
    let own = fields(schema);
    match parts {
        _ if !own.is_empty() => table(&["Field", "Type", "Meaning"], own),
        Some(("allOf", parts)) => {
            let shared: Vec<String> =
                parts.iter().filter(|part| part.get("$ref").is_some()).map(kind).collect();
            let fields = parts.iter().flat_map(fields).collect::<Vec<_>>();
            let with = if shared.is_empty() {
                String::new()
            } else {
                format!("Everything of {}, and:\n\n", shared.join(", "))
            };
            format!("{with}{}", table(&["Field", "Type", "Meaning"], fields))
        }
        Some((_, parts)) => parts.iter().map(|part| format!("- {}\n", alternative(part))).collect(),
        None => format!("{}.\n", kind(schema)),
    }
}

fn alternative(part: &Value) -> String {
    match part["description"].as_str() {
        Some(about) => format!("{}: {}", kind(part), prose(&sentence(about))),
        None => kind(part),
    }
}

fn fields(schema: &Value) -> Vec<Vec<String>> {
    let needed = strings(&schema["required"]);
    let row = |(name, one): (&String, &Value)| {
        let about = prose(&sentence(one["description"].as_str().unwrap_or_default()));
        let needed = if needed.contains(&name.as_str()) { " Needed." } else { "" };
        vec![code(name), kind(one), format!("{about}{needed}")]
    };
    members(&schema["properties"]).map(row).collect()
}

fn members_of(schema: &Value) -> String {
    let shown = members(&schema["properties"]).map(|(name, one)| format!("{} ({})", code(name), kind(one)));
    shown.collect::<Vec<_>>().join(", ")
}

/// A value's type, in one line.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](rest-schemas.md#{})", anchor(name));
    }
    if let Some(words) = schema["enum"].as_array() {
        let shown: Vec<String> = words.iter().map(|word| code(word.as_str().unwrap_or("null"))).collect();
        return shown.join(", ");
    }
    for (key, between) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[key].as_array() {
            let parts = parts.iter().filter(|part| part["type"] != "null");
            return parts.map(kind).collect::<Vec<_>>().join(between);
        }
    }
    let mut types: Vec<&str> = strings(&schema["type"]);
    types.extend(schema["type"].as_str());
    types.retain(|one| *one != "null");
    match types[..] {
        ["array"] => format!("list of {}", kind(&schema["items"])),
        ["object"] if schema["additionalProperties"].is_object() => {
            format!("{} by name", kind(&schema["additionalProperties"]))
        }
        ["object"] if schema["properties"].is_object() => format!("an object with {}", members_of(schema)),
        [] => "anything".to_owned(),
        _ => types.join(" or "),
    }
}
