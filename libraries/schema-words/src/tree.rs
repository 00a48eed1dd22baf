//! A schema with its references. A schema that means something else in its own dialect than in the newest is not read wrongly: nothing
//! is said about it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::keywords::{is_schema, subschemas};

/// The address of a schema in memory, valid while its document is only read.
pub(crate) type SchemaPtr = *const Value;

pub(crate) fn ptr(schema: &Value) -> SchemaPtr {
    std::ptr::from_ref(schema)
}

/// The dialects that are understood, as far as they agree with the newest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SchemaDialect {
    Newest,
    Draft201909,
    Draft7,
    Draft6,
}

/// Keywords of newer dialects, which mean nothing in older ones.
const NEWER: [&str; 8] = [
    "$anchor",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that may stand beside a `$ref` in any dialect, since they decide nothing.
const NOTES: [&str; 9] =
    ["$comment", "$defs", "$id", "$schema", "default", "definitions", "description", "examples", "title"];

pub(crate) struct SchemaTree<'a> {
    pub(crate) root: &'a Value,
    /// Every place where a schema stands.
    known: BTreeSet<SchemaPtr>,
    anchors: BTreeMap<&'a str, &'a Value>,
    unclear: Option<String>,
}

impl<'a> SchemaTree<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        let mut tree = Self { root, known: BTreeSet::new(), anchors: BTreeMap::new(), unclear: None };
        let dialect = match dialect(root) {
            Ok(dialect) => dialect,
            Err(reason) => {
                tree.unclear = Some(reason);
                SchemaDialect::Newest
            }
        };
        let mut waiting = vec![root];
        while let Some(schema) = waiting.pop() {
            tree.known.insert(ptr(schema));
            let Some(members) = schema.as_object() else { continue };
            if let Some(anchor) = members.get("$anchor").and_then(Value::as_str) {
                tree.anchors.insert(anchor, schema);
            }
            let reason = own_base(root, schema, members).or_else(|| odd(dialect, members));
            if tree.unclear.is_none() {
                tree.unclear = reason;
            }
            waiting.extend(subschemas(members));
        }
        tree
    }

    /// The reason why nothing can be proved of it, if there is one.
    pub(crate) fn unclear(&self) -> Option<&str> {
        self.unclear.as_deref()
    }

    /// Every schema in it, in the order of their addresses.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = SchemaPtr> {
        self.known.iter().copied()
    }

    /// The schema that a reference leads to, within this document.
    pub(crate) fn follow(&self, reference: &str) -> Option<&'a Value> {
        let own = self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let fragment = match reference.split_once('#') {
            Some((base, fragment)) if base.is_empty() || Some(base) == own => fragment,
            None if Some(reference) == own => "",
            _ => return None,
        };
        let found = match self.anchors.get(fragment) {
            Some(schema) => *schema,
            None => self.root.pointer(&percent_decoded(fragment)?)?,
        };
        // Other places were not looked through.
        (is_schema(found) && self.known.contains(&ptr(found))).then_some(found)
    }
}

fn dialect(root: &Value) -> Result<SchemaDialect, String> {
    let Some(named) = root.get("$schema") else { return Ok(SchemaDialect::Newest) };
    let named = named.as_str().unwrap_or_default().trim_end_matches('#');
    let bare = named.trim_start_matches("https:").trim_start_matches("http:");
    match bare {
        "//json-schema.org/draft/2020-12/schema" => Ok(SchemaDialect::Newest),
        "//json-schema.org/draft/2019-09/schema" => Ok(SchemaDialect::Draft201909),
        "//json-schema.org/draft-07/schema" => Ok(SchemaDialect::Draft7),
        "//json-schema.org/draft-06/schema" => Ok(SchemaDialect::Draft6),
        _ => Err(format!("its dialect {} is not known here", crate::quoted::name(named))),
    }
}

fn own_base(root: &Value, schema: &Value, members: &Map<String, Value>) -> Option<String> {
    let is_inner = ptr(root) != ptr(schema) && members.contains_key("$id");
    is_inner.then(|| "a part of it has an `$id` of its own".to_owned())
}

/// A construct that means something else in another dialect, or nothing.
fn odd(dialect: SchemaDialect, members: &Map<String, Value>) -> Option<String> {
    let has = |keyword: &str| members.contains_key(keyword);
    let is_old = matches!(dialect, SchemaDialect::Draft7 | SchemaDialect::Draft6);
    let keyword = match () {
        () if members.get("items").is_some_and(Value::is_array) => "a list as `items`",
        () if has("dependencies") => "`dependencies`",
        () if has("$vocabulary") => "`$vocabulary`",
        () if ["exclusiveMinimum", "exclusiveMaximum"]
            .iter()
            .any(|keyword| members.get(*keyword).is_some_and(|rule| !rule.is_number())) =>
        {
            "an exclusive bound that is no number"
        }
        () if dialect == SchemaDialect::Draft201909 && has("prefixItems") => {
            "`prefixItems` in an older dialect"
        }
        () if is_old && NEWER.iter().any(|keyword| has(keyword)) => "a newer keyword in an older dialect",
        () if dialect == SchemaDialect::Draft6 && has("if") => "`if` in an older dialect",
        () if is_old
            && has("$ref")
            && members.keys().any(|name| name != "$ref" && !NOTES.contains(&name.as_str())) =>
        {
            "something beside a `$ref`, which its dialect ignores"
        }
        () => return None,
    };
    Some(format!("it has {keyword}"))
}

/// A fragment of a URI. `None` if it is not one of text.
fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        match (*first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (byte, after) => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
