//! The validity of definitions for clients. Client SDKs refuse a whole list for one entry that violates the
//! protocol, so a careless server would take away everyone's tools. Invalid definitions are left out.

use toolgate_core::{Raw, RawJson};
use toolgate_wire::Members;

/// The required type of a member.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Object,
    List,
}

/// A member, its required type, and whether it may be missing.
type Rule = (&'static str, Shape, bool);

const OPTIONAL: bool = true;
const REQUIRED: bool = false;

const TOOL: [Rule; 6] = [
    ("inputSchema", Shape::Object, REQUIRED),
    ("outputSchema", Shape::Object, OPTIONAL),
    ("title", Shape::Text, OPTIONAL),
    ("description", Shape::Text, OPTIONAL),
    ("annotations", Shape::Object, OPTIONAL),
    ("icons", Shape::List, OPTIONAL),
];
const PROMPT: [Rule; 4] = [
    ("title", Shape::Text, OPTIONAL),
    ("description", Shape::Text, OPTIONAL),
    ("arguments", Shape::List, OPTIONAL),
    ("icons", Shape::List, OPTIONAL),
];
const RESOURCE: [Rule; 6] = [
    ("name", Shape::Text, REQUIRED),
    ("title", Shape::Text, OPTIONAL),
    ("description", Shape::Text, OPTIONAL),
    ("mimeType", Shape::Text, OPTIONAL),
    ("annotations", Shape::Object, OPTIONAL),
    ("icons", Shape::List, OPTIONAL),
];

/// The error in a tool's definition.
pub(crate) fn fault_of_tool(definition: &RawJson) -> Option<String> {
    fault(definition, &TOOL).or_else(|| {
        let schema = Members::of(definition).ok()?.get("inputSchema")?;
        let schema = Members::parse(schema).ok()?;
        // A missing type is completed: it can only be an object.
        let is_other = schema.get("type").is_some() && schema.get_str("type").as_deref() != Some("object");
        is_other.then(|| "the type of `inputSchema` is not \"object\"".into())
    })
}

/// The error in a prompt's definition.
pub(crate) fn fault_of_prompt(definition: &RawJson) -> Option<String> {
    fault(definition, &PROMPT)
}

/// The error in the definition of a resource or a template.
pub(crate) fn fault_of_resource(definition: &RawJson) -> Option<String> {
    fault(definition, &RESOURCE)
}

fn fault(definition: &RawJson, rules: &[Rule]) -> Option<String> {
    let Ok(members) = Members::of(definition) else { return Some("it is not an object".into()) };
    if members.has_duplicates() {
        // An agent may use the other one, which was not checked.
        return Some("a member of its definition stands twice".into());
    }
    rules.iter().find_map(|(key, shape, optional)| match members.get(key) {
        None if *optional => None,
        None => Some(format!("it has no `{key}`")),
        Some(value) if shape.fits(value) => None,
        Some(_) => Some(format!("its `{key}` is not {}", shape.name())),
    })
}

impl Shape {
    fn fits(self, value: Raw<'_>) -> bool {
        let first = value.get().as_bytes().first();
        match self {
            Shape::Text => first == Some(&b'"'),
            Shape::Object => first == Some(&b'{'),
            Shape::List => first == Some(&b'['),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Object => "an object",
            Shape::List => "a list",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(text: &str) -> Option<String> {
        fault_of_tool(&RawJson::parse(text.to_owned().into()).expect("JSON"))
    }

    #[test]
    fn what_clients_can_read_is_without_fault() {
        assert_eq!(tool(r#"{"name":"a","inputSchema":{"type":"object"},"x-own":null}"#), None);
        assert_eq!(tool(r#"{"name":"a","inputSchema":{"type":"object"},"title":"","annotations":{}}"#), None);
    }

    #[test]
    fn what_clients_choke_on_is_named() {
        let cases = [
            (r#"{"name":"a"}"#, "it has no `inputSchema`"),
            (r#"{"name":"a","inputSchema":null}"#, "its `inputSchema` is not an object"),
            (r#"{"name":"a","inputSchema":{"type":"array"}}"#, "the type of `inputSchema` is not \"object\""),
            (
                r#"{"name":"a","inputSchema":{"type":["object"]}}"#,
                "the type of `inputSchema` is not \"object\"",
            ),
            (r#"{"name":"a","inputSchema":{"type":"object"},"title":null}"#, "its `title` is not text"),
            (
                r#"{"name":"a","name":"b","inputSchema":{"type":"object"}}"#,
                "a member of its definition stands twice",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(tool(text).as_deref(), Some(expected), "{text}");
        }
    }
}
