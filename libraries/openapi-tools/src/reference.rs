//! References: within a document, and between documents.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use crate::limits::REFERENCE_STEPS_MAX;

/// A document and those it refers to. The first one is the document itself, and its name is empty.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSet {
    parts: Vec<DocumentPart>,
}

#[derive(Clone, Debug)]
struct DocumentPart {
    /// The address without a fragment: relative to the first document, or absolute.
    name: String,
    root: Value,
}

/// A value within a set of documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'d> {
    pub(crate) part: usize,
    pub(crate) value: &'d Value,
}

impl DocumentSet {
    pub(crate) fn new(root: Value) -> Self {
        DocumentSet { parts: vec![DocumentPart { name: String::new(), root }] }
    }

    pub(crate) fn root(&self) -> &Value {
        &self.parts[0].root
    }

    pub(crate) fn add(&mut self, name: String, root: Value) {
        self.parts.push(DocumentPart { name, root });
    }

    pub(crate) fn name(&self, part: usize) -> &str {
        &self.parts[part].name
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The target of a reference, and its address: the number of its document and the pointer.
    pub(crate) fn find<'d>(&'d self, from: usize, reference: &str) -> Option<(Spot<'d>, SpotAddress)> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let part = if document.is_empty() { from } else { self.part(from, document)? };
        let decoded = percent_decode_str(fragment).decode_utf8_lossy();
        let root = &self.parts[part].root;
        let by = |pointer: &str| root.pointer(pointer).map(|value| (value, pointer.to_owned()));
        let (value, pointer) = by(&decoded).or_else(|| by(fragment))?;
        Some((Spot { part, value }, SpotAddress { part, pointer }))
    }

    fn part(&self, from: usize, document: &str) -> Option<usize> {
        let name = absolute(&self.parts[from].name, document);
        self.parts.iter().position(|part| part.name == name)
    }

    /// What stands at the end of a chain of references, if the chain ends.
    pub(crate) fn follow<'d>(&'d self, mut spot: Spot<'d>) -> Option<Spot<'d>> {
        for _ in 0..REFERENCE_STEPS_MAX {
            let Some(reference) = reference_of(spot.value) else { return Some(spot) };
            spot = self.find(spot.part, reference)?.0;
        }
        None
    }

    /// Names of documents that references name, and that are not here.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut names = Vec::new();
        for part in &self.parts {
            collect(&part.root, false, &mut |reference| {
                let document = reference.split('#').next().unwrap_or_default();
                let name = if document.is_empty() { String::new() } else { absolute(&part.name, document) };
                if !self.parts.iter().any(|known| known.name == name) && !names.contains(&name) {
                    names.push(name);
                }
            });
        }
        names
    }
}

/// The address of a value within a set of documents.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SpotAddress {
    pub(crate) part: usize,
    pub(crate) pointer: String,
}

/// The reference that stands in the place of a value.
pub(crate) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

/// Members of these are named by the author, so none of them is a keyword.
const NAME_MAPS: [&str; 8] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "schemas",
    "dependentSchemas",
    "responses",
    "paths",
];
/// What stands under these is data.
const DATA: [&str; 5] = ["example", "examples", "default", "enum", "const"];

fn collect<'d>(value: &'d Value, has_names: bool, take: &mut impl FnMut(&'d str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, false, take)),
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(reference) if key == "$ref" && !has_names => take(reference),
                    _ if !has_names && (DATA.contains(&key.as_str()) || key.starts_with("x-")) => {}
                    _ => collect(member, !has_names && NAME_MAPS.contains(&key.as_str()), take),
                }
            }
        }
        _ => {}
    }
}

/// The address of a document that one at `base` names.
fn absolute(base: &str, document: &str) -> String {
    if let Ok(url) = Url::parse(document) {
        return url.into();
    }
    if let Ok(joined) = Url::parse(base).and_then(|base| base.join(document)) {
        return joined.into();
    }
    let folder = base.rfind('/').map_or("", |end| &base[..=end]);
    let path = if document.starts_with('/') { document.to_owned() } else { format!("{folder}{document}") };
    normal(&path)
}

/// A path without `.` and without a `..` that has something to go up from.
fn normal(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "." => {}
            ".." if steps.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_named_from_where_they_are_named() {
        for (base, document, expected) in [
            ("", "a.yaml", "a.yaml"),
            ("", "./parts/a.yaml", "parts/a.yaml"),
            ("parts/a.yaml", "b.yaml", "parts/b.yaml"),
            ("parts/a.yaml", "../b.yaml", "b.yaml"),
            ("parts/a.yaml", "../../b.yaml", "../b.yaml"),
            ("parts/a.yaml", "/b.yaml", "/b.yaml"),
            ("https://api.example.com/v1/a.json", "b.json", "https://api.example.com/v1/b.json"),
            ("a.yaml", "https://api.example.com/b.json", "https://api.example.com/b.json"),
        ] {
            assert_eq!(absolute(base, document), expected, "{base} {document}");
        }
    }

    #[test]
    fn a_chain_of_references_that_comes_back_leads_nowhere() {
        let set = DocumentSet::new(
            json!({ "a": { "$ref": "#/b" }, "b": { "$ref": "#/a" }, "c": { "$ref": "#/d" }, "d": 1 }),
        );
        let follow =
            |name: &str| set.follow(Spot { part: 0, value: &set.root()[name] }).map(|spot| spot.value);
        assert_eq!(follow("a"), None);
        assert_eq!(follow("c"), Some(&json!(1)));
    }

    #[test]
    fn references_in_examples_are_data() {
        let set = DocumentSet::new(json!({
            "schemas": { "example": { "$ref": "a.json#/A" }, "$ref": { "$ref": "b.json" } },
            "example": { "$ref": "c.json" }, "x-more": { "$ref": "d.json" },
        }));
        assert_eq!(set.missing(), ["a.json", "b.json"]);
    }
}
