//! The validity of definitions for clients. Client SDKs refuse a whole list for one entry that violates the
//! protocol, so a careless server would take away everyone's tools. Invalid definitions are left out.

use toolgate_core::{Raw, RawJson};
use toolgate_wire::ObjectMembers;

/// The required type of a member.
#[derive(Clone, Copy)]
enum MemberType {
    Text,
    Object,
    List,
}

/// A member, its required type, and whether it may be missing.
type MemberRule = (&'static str, MemberType, bool);

const OPTIONAL: bool = true;
const REQUIRED: bool = false;

const TOOL: [MemberRule; 6] = [
    ("inputSchema", MemberType::Object, REQUIRED),
    ("outputSchema", MemberType::Object, OPTIONAL),
    ("title", MemberType::Text, OPTIONAL),
    ("description", MemberType::Text, OPTIONAL),
    ("annotations", MemberType::Object, OPTIONAL),
    ("icons", MemberType::List, OPTIONAL),
];
const PROMPT: [MemberRule; 4] = [
    ("title", MemberType::Text, OPTIONAL),
    ("description", MemberType::Text, OPTIONAL),
    ("arguments", MemberType::List, OPTIONAL),
    ("icons", MemberType::List, OPTIONAL),
];
const RESOURCE: [MemberRule; 6] = [
    ("name", MemberType::Text, REQUIRED),
    ("title", MemberType::Text, OPTIONAL),
    ("description", MemberType::Text, OPTIONAL),
    ("mimeType", MemberType::Text, OPTIONAL),
    ("annotations", MemberType::Object, OPTIONAL),
    ("icons", MemberType::List, OPTIONAL),
];

/// The error in a tool's definition.
pub(crate) fn fault_of_tool(definition: &RawJson) -> Option<String> {
    fault(definition, &TOOL).or_else(|| {
        let schema = ObjectMembers::of(definition).ok()?.get("inputSchema")?;
        let schema = ObjectMembers::parse(schema).ok()?;
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

fn fault(definition: &RawJson, rules: &[MemberRule]) -> Option<String> {
    let Ok(members) = ObjectMembers::of(definition) else { return Some("it is not an object".into()) };
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

impl MemberType {
    fn fits(self, value: Raw<'_>) -> bool {
        let first = value.get().as_bytes().first();
        match self {
            MemberType::Text => first == Some(&b'"'),
            MemberType::Object => first == Some(&b'{'),
            MemberType::List => first == Some(&b'['),
        }
    }

    fn name(self) -> &'static str {
        match self {
            MemberType::Text => "text",
            MemberType::Object => "an object",
            MemberType::List => "a list",
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
