//! Schemas that a file describes itself.

use std::collections::HashMap;

use super::checker::Checker;
use super::xmp_kinds::{FieldKinds, StructureKind};
use super::xmp_node::XmpNode;

const EXTENSION: &str = "http://www.aiim.org/pdfa/ns/extension/";
const SCHEMA: &str = "http://www.aiim.org/pdfa/ns/schema#";
const PROPERTY: &str = "http://www.aiim.org/pdfa/ns/property#";
const TYPE: &str = "http://www.aiim.org/pdfa/ns/type#";
const FIELD: &str = "http://www.aiim.org/pdfa/ns/field#";

/// Described properties by namespace, and described structures by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Extensions {
    schemas: HashMap<String, FieldKinds>,
    structures: HashMap<String, StructureKind>,
}

impl Extensions {
    pub(super) fn kind(&self, space: &str, name: &str) -> Option<String> {
        self.schemas.get(space)?.get(name).cloned()
    }

    pub(super) fn structure(&self, kind: &str) -> Option<&StructureKind> {
        self.structures.get(kind)
    }

    /// These and others, such as those of the document.
    pub(super) fn with(mut self, others: &Extensions) -> Self {
        for (space, fields) in sorted(&others.schemas) {
            self.schemas.entry(space.clone()).or_insert_with(|| fields.clone());
        }
        for (name, structure) in sorted(&others.structures) {
            self.structures.entry(name.clone()).or_insert_with(|| structure.clone());
        }
        self
    }

    /// Reads the descriptions and reports what is missing in them.
    pub(super) fn read(c: &mut Checker<'_>, properties: &[XmpNode]) -> Self {
        let mut extensions = Self::default();
        for container in properties.iter().filter(|it| it.is(EXTENSION, "schemas")) {
            if container.prefix != "pdfaExtension" {
                c.a("6.6.2.3.3-1", format!("the prefix {}", container.prefix));
            }
            for schema in container.items() {
                extensions.schema(c, schema);
            }
        }
        extensions
    }

    fn schema(&mut self, c: &mut Checker<'_>, schema: &XmpNode) {
        let required = [
            ("schema", true),
            ("namespaceURI", true),
            ("prefix", true),
            ("property", false),
            ("valueType", false),
        ];
        entries(c, schema, SCHEMA, "pdfaSchema", &required);
        let space = text(schema, SCHEMA, "namespaceURI");
        for kind in list(schema, SCHEMA, "valueType") {
            self.value_type(c, kind);
        }
        for property in list(schema, SCHEMA, "property") {
            let required = [("name", true), ("valueType", true), ("category", true), ("description", true)];
            entries(c, property, PROPERTY, "pdfaProperty", &required);
            let category = text(property, PROPERTY, "category");
            if !category.is_empty() && category != "internal" && category != "external" {
                c.a("6.6.2.3.3-1", format!("the category {category}"));
            }
            let kind = plain(&text(property, PROPERTY, "valueType"));
            self.schemas.entry(space.clone()).or_default().insert(text(property, PROPERTY, "name"), kind);
        }
    }

    fn value_type(&mut self, c: &mut Checker<'_>, kind: &XmpNode) {
        let required = [
            ("type", true),
            ("namespaceURI", true),
            ("prefix", true),
            ("description", true),
            ("field", true),
        ];
        entries(c, kind, TYPE, "pdfaType", &required);
        let mut structure =
            StructureKind { space: text(kind, TYPE, "namespaceURI"), ..StructureKind::default() };
        for field in list(kind, TYPE, "field") {
            entries(
                c,
                field,
                FIELD,
                "pdfaField",
                &[("name", true), ("valueType", true), ("description", true)],
            );
            structure.fields.insert(text(field, FIELD, "name"), plain(&text(field, FIELD, "valueType")));
        }
        self.structures.insert(text(kind, TYPE, "type"), structure);
    }
}

fn sorted<T>(map: &HashMap<String, T>) -> Vec<(&String, &T)> {
    let mut all: Vec<_> = map.iter().collect();
    all.sort_by_key(|(key, _)| *key);
    all
}

/// Names of types without what they are lists of: `Open Choice of Text` is a text.
fn plain(kind: &str) -> String {
    let lower = kind.to_ascii_lowercase();
    for prefix in ["open choice of ", "closed choice of ", "choice of ", "open choice", "closed choice"] {
        if lower.starts_with(prefix) {
            return kind[prefix.len()..].trim().to_owned();
        }
    }
    for list in ["bag", "seq", "alt"] {
        if lower.starts_with(list) && lower[list.len()..].starts_with(' ') {
            return format!("{list} {}", plain(kind[list.len()..].trim()));
        }
    }
    kind.trim().to_owned()
}

fn entry<'n>(node: &'n XmpNode, space: &str, name: &str) -> Option<&'n XmpNode> {
    node.fields().into_iter().find(|it| it.is(space, name))
}

fn text(node: &XmpNode, space: &str, name: &str) -> String {
    entry(node, space, name).map(|it| it.text.trim().to_owned()).unwrap_or_default()
}

fn list<'n>(node: &'n XmpNode, space: &str, name: &str) -> Vec<&'n XmpNode> {
    entry(node, space, name).map(XmpNode::items).unwrap_or_default()
}

/// Required entries are there, no others are, and the prefix is the one of the standard.
fn entries(c: &mut Checker<'_>, node: &XmpNode, space: &str, prefix: &str, known: &[(&str, bool)]) {
    for (name, required) in known {
        if *required && entry(node, space, name).is_none() {
            c.a("6.6.2.3.3-1", format!("{prefix}:{name} is missing"));
        }
    }
    for field in node.fields() {
        let is_known = field.space == space && known.iter().any(|(name, _)| *name == field.name);
        if !is_known || field.prefix != prefix {
            c.a("6.6.2.3.3-1", format!("{}:{}", field.prefix, field.name));
        }
    }
}
