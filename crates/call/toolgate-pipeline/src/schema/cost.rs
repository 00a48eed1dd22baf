//! The amount of work that a schema can cause. Branches that refer to branches double at each step, so a
//! short schema can require more than any machine can do; the validator remembers verdicts in most places,
//! but not where it collects errors. This module walks ahead as the validator would, counts, and stops at a
//! limit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::elsewhere::{self, ANYTHING};
use super::words::shortened;

/// Subschemas that apply to the very same value, through references and branches, for one schema.
const IN_PLACE_MAX: usize = 2_000;
/// The same over all subschemas of one document.
const IN_PLACE_SUM_MAX: usize = 1_000_000;
/// Applications of subschemas to parts of a value while errors are collected.
const EXPLAIN_MAX: usize = 50_000;
/// The depth at which the walk counts as endless.
const WALK_DEPTH_MAX: usize = 512;
/// The number of characters of a reference that are quoted, and the number of references.
const REFERENCE_CHARS_MAX: usize = 200;
const REFERENCES_TOLD_MAX: usize = 3;

/// Schemas of JSON Schema itself; the validator carries them with it.
const META_SCHEMAS: [&str; 2] = ["http://json-schema.org/", "https://json-schema.org/"];

pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
pub(super) const DEEPER: [&str; 8] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
];
pub(super) const PARTS: [&str; 2] = ["properties", "patternProperties"];
/// Schemas that apply only through a reference.
pub(super) const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

#[derive(Debug, thiserror::Error)]
pub(super) enum NotBounded {
    #[error(
        "its branches and references lead to more than {IN_PLACE_MAX} checks of one value, or to endless ones"
    )]
    TooIntricate,
}

/// A schema in which every reference resolves.
pub(super) struct SchemaDocument {
    pub(super) schema: Value,
    /// The parts that the author wrote but that are not checked, in words.
    pub(super) left_out: Option<String>,
    /// Anchor to the JSON pointer of the subschema that has it.
    anchors: BTreeMap<String, String>,
}

pub(super) enum RefTarget<'a> {
    Schema(&'a Value),
    /// The validator has it with it.
    Known,
    Nowhere,
}

impl SchemaDocument {
    pub(super) fn new(schema: Value) -> Result<SchemaDocument, NotBounded> {
        let mut document = SchemaDocument::read(schema, None);
        if let Some((schema, outside)) = elsewhere::cut(&document) {
            document = SchemaDocument::read(schema, Some(told(&outside)));
        }
        document.check_in_place()?;
        Ok(document)
    }

    fn read(schema: Value, left_out: Option<String>) -> SchemaDocument {
        let mut anchors = BTreeMap::new();
        collect_anchors(&schema, "", &mut anchors);
        SchemaDocument { schema, left_out, anchors }
    }

    /// True if collecting every error of this value is bounded work.
    pub(super) fn can_explain(&self, value: &Value) -> bool {
        let mut walk = CostWalk { document: self, steps_left: EXPLAIN_MAX, depth_left: WALK_DEPTH_MAX };
        walk.apply(&self.schema, Some(value)).is_ok()
    }

    /// The subschema at a JSON pointer, behind its references.
    pub(super) fn resolved(&self, pointer: &str) -> Option<&Value> {
        let mut schema = self.schema.pointer(pointer)?;
        for _ in 0..WALK_DEPTH_MAX {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
            let RefTarget::Schema(target) = self.follow(reference) else { break };
            schema = target;
        }
        Some(schema)
    }

    fn check_in_place(&self) -> Result<(), NotBounded> {
        let mut waiting = vec![&self.schema];
        let mut steps_left = IN_PLACE_SUM_MAX;
        while let Some(schema) = waiting.pop() {
            let mut walk = CostWalk {
                document: self,
                steps_left: IN_PLACE_MAX.min(steps_left),
                depth_left: WALK_DEPTH_MAX,
            };
            let steps_before = walk.steps_left;
            walk.apply(schema, None)?;
            steps_left -= steps_before - walk.steps_left;
            if let Some(members) = schema.as_object() {
                waiting.extend(
                    in_place(members)
                        .chain(listed(members, &DEEPER))
                        .chain(mapped(members, &PARTS))
                        .chain(mapped(members, &DEFINITIONS)),
                );
            }
        }
        Ok(())
    }

    pub(super) fn follow(&self, reference: &str) -> RefTarget<'_> {
        let own = self.schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let fragment = match reference.split_once('#') {
            Some((base, fragment)) if base.is_empty() || Some(base) == own => fragment,
            None if Some(reference) == own => "",
            _ if META_SCHEMAS.iter().any(|meta| reference.starts_with(meta)) => return RefTarget::Known,
            _ if reference == ANYTHING => return RefTarget::Known,
            _ => return RefTarget::Nowhere,
        };
        let pointer = match self.anchors.get(fragment) {
            Some(pointer) => pointer.clone(),
            None => percent_decoded(fragment),
        };
        self.schema.pointer(&pointer).map_or(RefTarget::Nowhere, RefTarget::Schema)
    }
}

struct CostWalk<'a> {
    document: &'a SchemaDocument,
    steps_left: usize,
    depth_left: usize,
}

impl<'a> CostWalk<'a> {
    /// Counts the work of applying a schema; without a value, only the work at one place.
    fn apply(&mut self, schema: &'a Value, value: Option<&Value>) -> Result<(), NotBounded> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(NotBounded::TooIntricate)?;
        let Some(members) = schema.as_object() else { return Ok(()) };
        self.depth_left = self.depth_left.checked_sub(1).ok_or(NotBounded::TooIntricate)?;
        in_place(members).try_for_each(|inner| self.apply(inner, value))?;
        self.apply_references(members, value)?;
        match value {
            Some(Value::Object(found)) => self.apply_to_members(members, found)?,
            Some(Value::Array(found)) => self.apply_to_items(members, found)?,
            _ => {}
        }
        self.depth_left += 1;
        Ok(())
    }

    fn apply_references(
        &mut self,
        members: &'a Map<String, Value>,
        value: Option<&Value>,
    ) -> Result<(), NotBounded> {
        for reference in REFERENCES.iter().filter_map(|keyword| members.get(*keyword)?.as_str()) {
            if let RefTarget::Schema(target) = self.document.follow(reference) {
                self.apply(target, value)?;
            }
        }
        Ok(())
    }

    fn apply_to_members(
        &mut self,
        schema: &'a Map<String, Value>,
        found: &Map<String, Value>,
    ) -> Result<(), NotBounded> {
        let named = schema.get("properties").and_then(Value::as_object);
        for (key, value) in found {
            match named.and_then(|properties| properties.get(key)) {
                Some(property) => self.apply(property, Some(value))?,
                None => self
                    .apply_each(listed(schema, &["additionalProperties", "unevaluatedProperties"]), value)?,
            }
            self.apply_each(mapped(schema, &["patternProperties"]), value)?;
        }
        Ok(())
    }

    fn apply_to_items(&mut self, schema: &'a Map<String, Value>, found: &[Value]) -> Result<(), NotBounded> {
        let by_place = ["prefixItems", "items"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
        for (place, value) in found.iter().enumerate() {
            match by_place.and_then(|schemas| schemas.get(place)) {
                Some(item) => self.apply(item, Some(value))?,
                None => {
                    let rest = ["items", "additionalItems", "unevaluatedItems"];
                    self.apply_each(rest.iter().filter_map(|keyword| schema.get(*keyword)), value)?;
                }
            }
            self.apply_each(listed(schema, &["contains"]), value)?;
        }
        Ok(())
    }

    fn apply_each(
        &mut self,
        mut schemas: impl Iterator<Item = &'a Value>,
        value: &Value,
    ) -> Result<(), NotBounded> {
        schemas.try_for_each(|schema| self.apply(schema, Some(value)))
    }
}

pub(super) fn in_place(members: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    listed(members, &IN_PLACE).chain(mapped(members, &IN_PLACE_MAPS))
}

/// The schemas under keywords with one schema or a list of them.
pub(super) fn listed<'a>(
    members: &'a Map<String, Value>,
    keywords: &'a [&str],
) -> impl Iterator<Item = &'a Value> {
    keywords.iter().filter_map(|keyword| members.get(*keyword)).flat_map(|value| match value {
        Value::Array(schemas) => schemas.iter(),
        schema => std::slice::from_ref(schema).iter(),
    })
}

/// The schemas under keywords with schemas by name.
pub(super) fn mapped<'a>(
    members: &'a Map<String, Value>,
    keywords: &'a [&str],
) -> impl Iterator<Item = &'a Value> {
    keywords.iter().filter_map(|keyword| members.get(*keyword)?.as_object()).flat_map(Map::values)
}

/// `it refers to "https://…", which is not part of it, and nothing is fetched`.
fn told(outside: &BTreeSet<String>) -> String {
    let mut quoted: Vec<String> = outside
        .iter()
        .take(REFERENCES_TOLD_MAX)
        .map(|reference| format!("{:?}", shortened(reference, REFERENCE_CHARS_MAX)))
        .collect();
    if outside.len() > REFERENCES_TOLD_MAX {
        quoted.push(format!("{} more", outside.len() - REFERENCES_TOLD_MAX));
    }
    let is = if outside.len() == 1 { "is" } else { "are" };
    format!("it refers to {}, which {is} not part of it, and nothing is fetched", quoted.join(", "))
}

fn collect_anchors(value: &Value, pointer: &str, anchors: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            for anchor in
                ["$anchor", "$dynamicAnchor"].iter().filter_map(|keyword| members.get(*keyword)?.as_str())
            {
                anchors.insert(anchor.to_owned(), pointer.to_owned());
            }
            for (key, member) in members {
                let step = crate::canonical::escape_step(key);
                collect_anchors(member, &format!("{pointer}/{step}"), anchors);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                collect_anchors(item, &format!("{pointer}/{place}"), anchors);
            }
        }
        _ => {}
    }
}

/// Decodes a fragment of a URI.
fn percent_decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = (*first == b'%').then(|| after.get(..2)).flatten();
        let code = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
