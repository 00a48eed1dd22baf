//! One schema of OpenAPI, and the ones within it, as JSON Schema 2020-12.

use serde_json::{Map, Value, json};

use super::definitions::{DefinitionId, InPlace, SchemaDefinitions};
use super::keywords;
use super::pattern;
use super::side::SchemaSide;
use crate::limits::{INLINE_BYTES_MAX, SCHEMA_LEVELS_MAX};
use crate::reference::{Spot, reference_of};

/// A schema with references to definitions.
pub(crate) struct ConvertedSchema {
    pub(super) value: Value,
    /// Bytes as text, about.
    pub(super) bytes: usize,
    pub(super) references: Vec<DefinitionId>,
}

/// A schema that is being made. Several schemas can be made with one draft if they become parts of the same.
pub(crate) struct SchemaDraft<'s, 'd> {
    definitions: &'s mut SchemaDefinitions<'d>,
    side: SchemaSide,
    /// The definition that is being made, if it is one.
    within: Option<DefinitionId>,
    bytes: usize,
    references: Vec<DefinitionId>,
    /// Schemas so far that allow more than the document says.
    opened: usize,
    level: usize,
}

/// Keywords that apply other schemas to the same value.
const COMBINING: [&str; 8] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

impl<'s, 'd> SchemaDraft<'s, 'd> {
    pub(crate) fn new(definitions: &'s mut SchemaDefinitions<'d>, side: SchemaSide) -> Self {
        SchemaDraft { definitions, side, within: None, bytes: 0, references: Vec::new(), opened: 0, level: 0 }
    }

    pub(super) fn of_definition(
        definitions: &'s mut SchemaDefinitions<'d>,
        side: SchemaSide,
        id: DefinitionId,
    ) -> Self {
        SchemaDraft { within: Some(id), ..SchemaDraft::new(definitions, side) }
    }

    pub(crate) fn schema(&mut self, spot: Spot<'d>) -> Value {
        self.convert(spot, Some(InPlace::Always))
    }

    /// The schema that a reference leads to, instead of the reference.
    pub(crate) fn schema_itself(&mut self, spot: Spot<'d>) -> Value {
        let id = reference_of(spot.value).and_then(|reference| self.definitions.find(spot.part, reference));
        let Some(id) = id else { return self.schema(spot) };
        self.within = Some(id);
        let value = self.schema(self.definitions.spot(id));
        self.within = None;
        value
    }

    /// True for a property that only the other side sends.
    pub(crate) fn is_hidden(&mut self, spot: Spot<'d>) -> bool {
        let mark = if self.side == SchemaSide::Input { "readOnly" } else { "writeOnly" };
        let says = |value: &Value| value.get(mark).and_then(Value::as_bool) == Some(true);
        let target =
            reference_of(spot.value).and_then(|reference| self.definitions.find(spot.part, reference));
        says(spot.value) || target.is_some_and(|id| says(self.definitions.spot(id).value))
    }

    /// Adds the words about a parameter or a body, which say more than those about its type.
    pub(crate) fn describe(&mut self, schema: &mut Value, text: &str) {
        if let Value::Object(members) = schema {
            self.put_plain(members, "description", &Value::String(text.to_owned()));
        }
    }

    /// Counts bytes that the caller adds.
    pub(crate) fn count(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    pub(crate) fn finish(self, value: Value) -> ConvertedSchema {
        ConvertedSchema { value, bytes: self.bytes, references: self.references }
    }

    /// A schema that everything fits.
    fn open(&mut self) -> Value {
        self.opened += 1;
        self.bytes += 2;
        Value::Object(Map::new())
    }

    fn convert(&mut self, spot: Spot<'d>, place: Option<InPlace>) -> Value {
        let source = match spot.value {
            Value::Object(source) => source,
            Value::Bool(any) => return Value::Bool(*any),
            _ => return self.open(),
        };
        if self.level >= SCHEMA_LEVELS_MAX || self.bytes >= INLINE_BYTES_MAX {
            return self.open();
        }
        self.level += 1;
        let value = match reference_of(spot.value) {
            Some(reference) => self.reference(reference, source, spot.part, place),
            None => self.keywords(source, spot.part, place, &[]),
        };
        self.level -= 1;
        value
    }

    fn reference(
        &mut self,
        reference: &'d str,
        source: &'d Map<String, Value>,
        part: usize,
        place: Option<InPlace>,
    ) -> Value {
        let siblings = if self.definitions.siblings_count() {
            self.keywords(source, part, place, &["$ref"])
        } else {
            self.annotations(source)
        };
        let Value::Object(mut made) = siblings else { return siblings };
        let Some(id) = self.definitions.find(part, reference) else {
            self.opened += 1;
            return Value::Object(made);
        };
        let circle = place.zip(self.within);
        if circle.is_some_and(|(how, from)| self.definitions.comes_back(from, how, id)) {
            let Spot { part, value } = self.definitions.spot(id);
            let own = value.as_object().map(|source| self.keywords(source, part, None, &COMBINING));
            for (key, value) in own.as_ref().and_then(Value::as_object).into_iter().flatten() {
                made.entry(key).or_insert_with(|| value.clone());
            }
        } else {
            let target = format!("#/$defs/{}", self.definitions.name(id));
            self.bytes += target.len() + 12;
            self.references.push(id);
            made.insert("$ref".to_owned(), Value::String(target));
        }
        or_null(made, source)
    }

    /// What people read, which also counts beside a reference.
    fn annotations(&mut self, source: &Map<String, Value>) -> Value {
        let mut made = Map::new();
        for key in ["description", "deprecated"] {
            if let Some(value) = source.get(key) {
                self.put_plain(&mut made, key, value);
            }
        }
        Value::Object(made)
    }

    fn put_plain(&mut self, made: &mut Map<String, Value>, key: &str, value: &Value) {
        if let Some(value) = keywords::plain(key, value, self.side) {
            self.bytes += key.len() + 4 + keywords::size(&value);
            made.insert(key.to_owned(), value);
        }
    }

    fn keywords(
        &mut self,
        source: &'d Map<String, Value>,
        part: usize,
        place: Option<InPlace>,
        skipped: &[&str],
    ) -> Value {
        let mut made = Map::new();
        self.bytes += 2;
        for (key, value) in source {
            if !skipped.contains(&key.as_str()) {
                self.keyword(&mut made, key, Spot { part, value }, place);
            }
        }
        self.finish_types(&mut made, source);
        self.finish_required(&mut made, source, part);
        or_null(made, source)
    }

    fn keyword(&mut self, made: &mut Map<String, Value>, key: &str, spot: Spot<'d>, place: Option<InPlace>) {
        let perhaps = place.map(|_| InPlace::Perhaps);
        match key {
            "properties" | "patternProperties" | "dependentSchemas" => self.named_schemas(made, key, spot),
            "items" | "prefixItems" => self.items(made, key, spot),
            "additionalProperties" | "propertyNames" | "contains" => self.put(made, key, spot, None),
            "allOf" => self.combine(made, key, spot, place),
            "anyOf" | "oneOf" => self.combine(made, key, spot, perhaps),
            "not" => self.negate(made, spot, perhaps),
            _ => self.put_plain(made, key, spot.value),
        }
    }

    fn put(&mut self, made: &mut Map<String, Value>, key: &str, spot: Spot<'d>, place: Option<InPlace>) {
        if spot.value.is_object() || spot.value.is_boolean() {
            self.bytes += key.len() + 4;
            let value = self.convert(spot, place);
            made.insert(key.to_owned(), value);
        }
    }

    fn named_schemas(&mut self, made: &mut Map<String, Value>, key: &str, spot: Spot<'d>) {
        let Some(source) = spot.value.as_object() else { return };
        let mut schemas = Map::new();
        for (name, value) in source {
            let spot = Spot { part: spot.part, value };
            let is_usable = key != "patternProperties" || pattern::is_portable(name);
            if is_usable && !self.is_hidden(spot) {
                self.bytes += name.len() + 4;
                let value = self.convert(spot, None);
                schemas.insert(name.clone(), value);
            }
        }
        self.bytes += key.len() + 6;
        made.insert(key.to_owned(), Value::Object(schemas));
    }

    /// A list of schemas under `items` was how older versions said `prefixItems`.
    fn items(&mut self, made: &mut Map<String, Value>, key: &str, spot: Spot<'d>) {
        let Some(listed) = spot.value.as_array() else { return self.put(made, key, spot, None) };
        let part = spot.part;
        let items: Vec<Value> = listed.iter().map(|value| self.convert(Spot { part, value }, None)).collect();
        if !items.is_empty() {
            made.insert("prefixItems".to_owned(), Value::Array(items));
        }
    }

    fn combine(&mut self, made: &mut Map<String, Value>, key: &str, spot: Spot<'d>, place: Option<InPlace>) {
        let Some(listed) = spot.value.as_array().filter(|listed| !listed.is_empty()) else { return };
        let (part, opened) = (spot.part, self.opened);
        let members: Vec<Value> =
            listed.iter().map(|value| self.convert(Spot { part, value }, place)).collect();
        self.bytes += key.len() + 4;
        // Of schemas that allow too much, more than one may fit.
        let key = if key == "oneOf" && self.opened > opened { "anyOf" } else { key };
        made.insert(key.to_owned(), Value::Array(members));
    }

    /// What must not fit may not be made to fit more.
    fn negate(&mut self, made: &mut Map<String, Value>, spot: Spot<'d>, place: Option<InPlace>) {
        let opened = self.opened;
        let value = self.convert(spot, place);
        let is_schema = spot.value.is_object() || spot.value.is_boolean();
        if is_schema && self.opened == opened && !value.to_string().contains("\"$ref\"") {
            made.insert("not".to_owned(), value);
        }
    }

    fn finish_types(&mut self, made: &mut Map<String, Value>, source: &Map<String, Value>) {
        let types = source.get("type").map(keywords::types).unwrap_or_default();
        match types.as_slice() {
            [] => {}
            [one] => {
                made.insert("type".to_owned(), json!(one));
            }
            several => {
                made.insert("type".to_owned(), json!(several));
            }
        }
        self.bytes += 16 * types.len();
        bounds(made, source, "minimum", "exclusiveMinimum");
        bounds(made, source, "maximum", "exclusiveMaximum");
        if source.get("format").and_then(Value::as_str) == Some("byte") {
            made.insert("contentEncoding".to_owned(), json!("base64"));
        }
        if self.side == SchemaSide::Input
            && let Some(examples) = keywords::examples(source)
        {
            self.bytes += 14 + keywords::size(&examples);
            made.insert("examples".to_owned(), examples);
        }
    }

    /// Names of properties that are left out are not required.
    fn finish_required(
        &mut self,
        made: &mut Map<String, Value>,
        source: &'d Map<String, Value>,
        part: usize,
    ) {
        let Some(properties) = source.get("properties").and_then(Value::as_object) else { return };
        let Some(Value::Array(names)) = made.get_mut("required") else { return };
        let name_of = |name: &Value| name.as_str().and_then(|name| properties.get(name));
        names.retain(|name| name_of(name).is_none_or(|value| !self.is_hidden(Spot { part, value })));
        if names.is_empty() {
            made.remove("required");
        }
    }
}

/// Version 3.0 says with `true` that the bound itself does not fit.
fn bounds(made: &mut Map<String, Value>, source: &Map<String, Value>, bound: &str, exclusive: &str) {
    match source.get(exclusive) {
        Some(Value::Bool(true)) => {
            if let Some(value) = made.remove(bound) {
                made.insert(exclusive.to_owned(), value);
            }
        }
        Some(Value::Number(number)) => {
            made.insert(exclusive.to_owned(), json!(number));
        }
        _ => {}
    }
}

/// The schema, and null where `nullable` says so.
fn or_null(mut made: Map<String, Value>, source: &Map<String, Value>) -> Value {
    if source.get("nullable").and_then(Value::as_bool) != Some(true) {
        return Value::Object(made);
    }
    if COMBINING.iter().any(|key| made.contains_key(*key)) || made.contains_key("const") {
        return json!({ "anyOf": [Value::Object(made), { "type": "null" }] });
    }
    if let Some(Value::String(one)) = made.get("type") {
        let both = json!([one, "null"]);
        made.insert("type".to_owned(), both);
    }
    if let Some(Value::Array(values)) = made.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(made)
}
