//! References that lead out of a schema. Nothing is fetched for them, and the rest of the schema is still
//! used: everything behind such a reference counts as fitting. Under `not`, and in other places where a
//! fitting part makes the whole invalid, that would refuse values that the author allows, so such keywords
//! are loosened along with it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::cost::{
    DEEPER, DEFINITIONS, PARTS, REFERENCES, RefTarget, SchemaDocument, in_place, listed, mapped,
};

/// The replacement for a reference that leads out: a schema that everything fits.
pub(super) const ANYTHING: &str = "urn:toolgate:anything";

/// The address of a subschema in memory, valid while its document is only read.
type SchemaPtr = *const Value;

fn id(schema: &Value) -> SchemaPtr {
    std::ptr::from_ref(schema)
}

/// The schema without the references that lead out of it, and those references; `None` if there are none.
pub(super) fn cut(document: &SchemaDocument) -> Option<(Value, BTreeSet<String>)> {
    let survey = SchemaSurvey::of(document);
    if survey.outside.is_empty() {
        return None;
    }
    let open = survey.hanging();
    let schema = SchemaCut { document, open: &open }.rebuilt(&document.schema);
    Some((schema, survey.outside))
}

/// Every subschema, and which of them apply which.
#[derive(Default)]
struct SchemaSurvey {
    seen: BTreeSet<SchemaPtr>,
    /// From a subschema to those that apply it.
    appliers: BTreeMap<SchemaPtr, Vec<SchemaPtr>>,
    /// The subschemas with a reference that cannot be resolved here.
    unknown: Vec<SchemaPtr>,
    outside: BTreeSet<String>,
}

impl SchemaSurvey {
    fn of(document: &SchemaDocument) -> Self {
        let mut survey = Self::default();
        let mut waiting = vec![&document.schema];
        while let Some(schema) = waiting.pop() {
            let Some(members) = schema.as_object().filter(|_| survey.seen.insert(id(schema))) else {
                continue;
            };
            let own = in_place(members).chain(listed(members, &DEEPER)).chain(mapped(members, &PARTS));
            let mut applied: Vec<&Value> = own.collect();
            survey.follow(document, schema, members, &mut applied);
            for inner in &applied {
                survey.appliers.entry(id(inner)).or_default().push(id(schema));
            }
            waiting.append(&mut applied);
            waiting.extend(mapped(members, &DEFINITIONS));
        }
        survey
    }

    fn follow<'a>(
        &mut self,
        document: &'a SchemaDocument,
        schema: &Value,
        members: &Map<String, Value>,
        applied: &mut Vec<&'a Value>,
    ) {
        for (keyword, reference) in references(members) {
            match document.follow(reference) {
                RefTarget::Nowhere => {
                    self.outside.insert(reference.to_owned());
                    self.unknown.push(id(schema));
                }
                RefTarget::Schema(target) => {
                    applied.push(target);
                    // The targets of the other two depend on the way that leads here.
                    if keyword != "$ref" {
                        self.unknown.push(id(schema));
                    }
                }
                RefTarget::Known => {}
            }
        }
    }

    /// The subschemas whose verdict depends on an unknown one.
    fn hanging(&self) -> BTreeSet<SchemaPtr> {
        let mut open = BTreeSet::new();
        let mut waiting = self.unknown.clone();
        while let Some(schema) = waiting.pop() {
            if open.insert(schema) {
                waiting.extend(self.appliers.get(&schema).into_iter().flatten());
            }
        }
        open
    }
}

fn references(members: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &str)> {
    REFERENCES.into_iter().filter_map(|keyword| Some((keyword, members.get(keyword)?.as_str()?)))
}

struct SchemaCut<'a> {
    document: &'a SchemaDocument,
    open: &'a BTreeSet<SchemaPtr>,
}

impl SchemaCut<'_> {
    fn rebuilt(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut copy: Map<String, Value> =
                    members.iter().map(|(key, member)| (key.clone(), self.rebuilt(member))).collect();
                if self.is_open(value) {
                    self.loosen(members, &mut copy);
                }
                Value::Object(copy)
            }
            Value::Array(items) => items.iter().map(|item| self.rebuilt(item)).collect(),
            scalar => scalar.clone(),
        }
    }

    fn is_open(&self, schema: &Value) -> bool {
        self.open.contains(&id(schema))
    }

    /// `members` are the author's, `copy` is the version that is used.
    fn loosen(&self, members: &Map<String, Value>, copy: &mut Map<String, Value>) {
        let is_open = |keyword: &'static str| listed(members, &[keyword]).any(|inner| self.is_open(inner));
        for (keyword, reference) in references(members) {
            if matches!(self.document.follow(reference), RefTarget::Nowhere) {
                copy.remove(keyword);
                // Older dialects ignore everything beside a `$ref`, so one must stay.
                copy.insert("$ref".to_owned(), ANYTHING.into());
            }
        }
        for keyword in ["not", "if"] {
            if is_open(keyword) {
                copy.remove(keyword);
            }
        }
        if is_open("contains") {
            copy.remove("maxContains");
        }
        if is_open("oneOf") {
            at_least_one(copy);
        }
        // Members that an unknown part would have evaluated are not left over.
        copy.remove("unevaluatedProperties");
        copy.remove("unevaluatedItems");
    }
}

/// Turns `oneOf` into `anyOf`, beside an existing `anyOf`.
fn at_least_one(schema: &mut Map<String, Value>) {
    let Some(forms) = schema.remove("oneOf") else { return };
    let form = json!({ "anyOf": forms });
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(form),
        None => drop(schema.insert("allOf".to_owned(), json!([form]))),
    }
}
