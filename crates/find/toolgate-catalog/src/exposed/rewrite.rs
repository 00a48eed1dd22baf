//! The schema of a tool's arguments with the ids of files in it.

use serde_json::{Value, json};
use toolgate_core::Raw;
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{elements, push_member};
use toolgate_wire::scan::NotJson;

/// Keywords with schemas that speak of the same object of arguments: lists of them, and single ones.
pub(super) const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
pub(super) const BRANCH: [&str; 4] = ["if", "then", "else", "not"];
/// Keywords that require something else if an argument is present: names, or a schema.
const DEPENDENT: [&str; 3] = ["dependentRequired", "dependentSchemas", "dependencies"];
/// The bounds of a list of contents that also apply to the list of ids.
const LIST_BOUNDS: [&str; 2] = ["minItems", "maxItems"];

/// Slots that expand, and fit the schema that is rewritten.
pub(super) struct SchemaRewrite<'a> {
    pub(super) slots: &'a [&'a FileSlot],
}

/// The treatment of one of the server's arguments.
enum ArgumentRole<'a> {
    Kept,
    /// Replaced by the id.
    Content(&'a FileSlot),
    /// Says more about the content. Filled in by the gateway only: it is present whenever the id is.
    Label(&'a FileSlot),
    /// The server has an argument of the name that the id has.
    Id(&'a FileSlot),
}

impl SchemaRewrite<'_> {
    /// The depth of the rewritten schema is limited by the maximum depth of JSON that is read at all.
    pub(super) fn schema(&self, schema: Raw<'_>) -> Result<String, NotJson> {
        if !schema.is_object() {
            return Ok(schema.get().to_owned());
        }
        let mut text = String::from("{");
        for (key, value) in ObjectMembers::parse(schema)?.iter() {
            if let Some(value) = self.keyword(key, value)? {
                push_member(&mut text, key, &value);
            }
        }
        text.push('}');
        Ok(text)
    }

    /// `None` for a keyword that has become empty.
    fn keyword(&self, key: &str, value: Raw<'_>) -> Result<Option<String>, NotJson> {
        match key {
            "properties" => self.properties(value).map(Some),
            "required" => Ok(self.names(value, None)),
            key if DEPENDENT.contains(&key) => self.dependents(value),
            key if BRANCHES.contains(&key) => {
                let branches = elements(value)?.into_iter().map(|branch| self.schema(branch));
                Ok(Some(format!("[{}]", branches.collect::<Result<Vec<_>, _>>()?.join(","))))
            }
            key if BRANCH.contains(&key) => self.schema(value).map(Some),
            _ => Ok(Some(value.get().to_owned())),
        }
    }

    fn properties(&self, value: Raw<'_>) -> Result<String, NotJson> {
        let members = ObjectMembers::parse(value)?;
        let mut text = String::from("{");
        for (name, schema) in members.iter() {
            match self.role(name) {
                ArgumentRole::Label(_) => {}
                ArgumentRole::Id(slot) if members.get(&slot.content).is_some() => {}
                ArgumentRole::Kept | ArgumentRole::Id(_) => push_member(&mut text, name, schema.get()),
                ArgumentRole::Content(slot) => {
                    let own = members.get(&slot.argument).filter(|_| slot.argument != slot.content);
                    push_member(&mut text, &slot.argument, &id_schema(slot, schema, own).to_string());
                }
            }
        }
        text.push('}');
        Ok(text)
    }

    /// A list of required arguments, if any are left beside the one that causes it.
    fn names(&self, value: Raw<'_>, because_of: Option<&str>) -> Option<String> {
        let names: Vec<String> = serde_json::from_str(value.get()).unwrap_or_default();
        let mut kept: Vec<&str> = Vec::with_capacity(names.len());
        for name in names.iter().map(|name| self.name(name)) {
            if !kept.contains(&name) && Some(name) != because_of {
                kept.push(name);
            }
        }
        (!kept.is_empty()).then(|| json!(kept).to_string())
    }

    fn dependents(&self, value: Raw<'_>) -> Result<Option<String>, NotJson> {
        let mut text = String::from("{");
        let mut written: Vec<&str> = Vec::new();
        let members = ObjectMembers::parse(value)?;
        for (name, value) in members.iter() {
            let name = self.name(name);
            let value = match value.is_object() {
                true => Some(self.schema(value)?),
                false => self.names(value, Some(name)),
            };
            // Content and media type are one argument now. Conditions on only one of them are left to the
            // server.
            if let Some(value) = value.filter(|_| !written.contains(&name)) {
                push_member(&mut text, name, &value);
                written.push(name);
            }
        }
        text.push('}');
        Ok((!written.is_empty()).then_some(text))
    }

    /// The agents' name for one of the server's arguments.
    fn name<'n>(&'n self, name: &'n str) -> &'n str {
        match self.role(name) {
            ArgumentRole::Kept | ArgumentRole::Id(_) => name,
            ArgumentRole::Content(slot) | ArgumentRole::Label(slot) => &slot.argument,
        }
    }

    fn role(&self, name: &str) -> ArgumentRole<'_> {
        for slot in self.slots {
            if slot.content == name {
                return ArgumentRole::Content(slot);
            }
            if slot.argument == name {
                return ArgumentRole::Id(slot);
            }
            if slot.fills(name) {
                return ArgumentRole::Label(slot);
            }
        }
        ArgumentRole::Kept
    }
}

/// The schema of the argument with the id, for agents. `own` is the server's schema of an argument of that
/// name.
fn id_schema(slot: &FileSlot, content: Raw<'_>, own: Option<Raw<'_>>) -> Value {
    let decoded = |raw: Raw<'_>| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
    let own = own.and_then(|own| Some(decoded(own).get("description")?.as_str()?.to_owned()));
    let description = own.unwrap_or_else(|| description(slot));
    if !slot.many {
        return json!({ "type": "string", "description": description });
    }
    let mut schema = json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let content = decoded(content);
    for bound in LIST_BOUNDS {
        if let Some(count) = content.get(bound) {
            schema[bound] = count.clone();
        }
    }
    schema
}

/// In few words: agents pay for them with each list.
fn description(slot: &FileSlot) -> String {
    let ids = match (slot.strategy, slot.many) {
        (FileStrategy::ImageBase64, false) => {
            "Id of an image file (file_…), ref (ref_…) or artifact (sha256:…)"
        }
        (FileStrategy::ImageBase64, true) => {
            "Ids of image files (file_…), refs (ref_…) or artifacts (sha256:…)"
        }
        (_, false) => "Id of a file (file_…), ref (ref_…) or artifact (sha256:…)",
        (_, true) => "Ids of files (file_…), refs (ref_…) or artifacts (sha256:…)",
    };
    let sent = match slot.strategy {
        FileStrategy::BinaryBase64 | FileStrategy::ImageBase64 => "bytes are",
        FileStrategy::PlainTextContent | FileStrategy::PlainTextText => "text is",
        FileStrategy::VideoS3PresignedUrl => "address is",
        FileStrategy::Passthrough => "id is",
    };
    let whose = if slot.many { "their" } else { "its" };
    format!("{ids}; {whose} {sent} sent")
}
