//! One schema with its references: local references, a single `allOf`, and a value or null. Searched from the
//! outside in, so that keywords beside a reference have precedence over its target. Nothing is copied.

use serde_json::{Map, Value};

use crate::parts::text::cut_at;

/// The maximum length of a chain of references, which also ends circles.
const HOPS_MAX: usize = 16;
/// Options, names and patterns in words.
const NOTE_CHARS: usize = 200;
/// The maximum number of named alternatives.
const ALTERNATIVES_MAX: usize = 8;

pub(super) struct SchemaLayers<'a> {
    /// The outermost first.
    layers: Vec<&'a Map<String, Value>>,
    root: &'a Value,
    pub(super) is_nullable: bool,
}

impl<'a> SchemaLayers<'a> {
    pub(super) fn of(root: &'a Value, schema: &'a Value) -> Self {
        let mut layers = Self { layers: Vec::new(), root, is_nullable: false };
        let mut next = Some(schema);
        for _ in 0..HOPS_MAX {
            let Some(map) = next.and_then(Value::as_object) else { break };
            layers.layers.push(map);
            next = layers.beyond(map);
        }
        layers.is_nullable |= layers.types().contains(&"null");
        layers
    }

    /// The schema behind a reference.
    fn beyond(&mut self, map: &'a Map<String, Value>) -> Option<&'a Value> {
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            return self.root.pointer(&unescaped(reference.strip_prefix('#')?));
        }
        if let Some([only]) = map.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            return Some(only);
        }
        let (only, has_null) = without_null(alternatives(map)?)?;
        self.is_nullable |= has_null;
        Some(only)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn required(&self) -> Vec<&'a str> {
        self.get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn types(&self) -> Vec<&'a str> {
        match self.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The only possible type, null aside.
    pub(super) fn type_word(&self) -> Option<&'a str> {
        let types: Vec<&str> = self.types().into_iter().filter(|one| *one != "null").collect();
        match types.as_slice() {
            [one] => Some(one),
            [] if self.get("properties").is_some() => Some("object"),
            [] if self.get("items").is_some() => Some("array"),
            _ => None,
        }
    }

    /// The only possible values, if the schema lists them.
    pub(super) fn choices(&self) -> Option<Vec<Value>> {
        if let Some(only) = self.get("const") {
            return Some(vec![only.clone()]);
        }
        if let Some(all) = self.get("enum").and_then(Value::as_array).filter(|all| !all.is_empty()) {
            return Some(all.clone());
        }
        let branches = self.layers.iter().find_map(|layer| alternatives(layer))?;
        let constants: Vec<Value> = branches.iter().filter_map(|one| one.get("const")).cloned().collect();
        (!constants.is_empty() && constants.len() == branches.len()).then_some(constants)
    }

    /// True if members that the schema does not name are allowed.
    pub(super) fn is_open(&self) -> bool {
        let said = self.get("additionalProperties").is_some_and(|said| *said != Value::Bool(false));
        let otherwise = ["patternProperties", "oneOf", "anyOf", "allOf"];
        said || otherwise.iter().any(|key| self.get(key).is_some())
    }

    /// The type in words.
    pub(super) fn word(&self) -> String {
        let mut word = match self.type_word() {
            Some("array") => self.list_word(),
            Some(one) => one.to_owned(),
            None if self.choices().is_some() => "one of".to_owned(),
            None => self.alternatives_word(),
        };
        if self.is_nullable {
            word.push_str(" or null");
        }
        word
    }

    fn list_word(&self) -> String {
        let items = self.get("items").filter(|items| items.is_object());
        match items.and_then(|items| SchemaLayers::of(self.root, items).type_word()) {
            Some(one) => format!("list of {one}"),
            None => "list".to_owned(),
        }
    }

    fn alternatives_word(&self) -> String {
        let branches = self.layers.iter().find_map(|layer| alternatives(layer)).map(Vec::as_slice);
        let named = branches.unwrap_or_default().iter().take(ALTERNATIVES_MAX);
        let mut words: Vec<&str> =
            named.map(|one| SchemaLayers::of(self.root, one).type_word().unwrap_or("something")).collect();
        words.extend(self.types().into_iter().filter(|one| *one != "null"));
        words.dedup();
        if words.is_empty() { "anything".to_owned() } else { words.join(" or ") }
    }

    /// The conditions on a value beyond its type.
    pub(super) fn notes(&self) -> Vec<String> {
        let numbers = [
            ("minimum", "at least"),
            ("exclusiveMinimum", "more than"),
            ("maximum", "at most"),
            ("exclusiveMaximum", "less than"),
            ("multipleOf", "a multiple of"),
            ("minLength", "minimum characters:"),
            ("maxLength", "maximum characters:"),
            ("minItems", "minimum entries:"),
            ("maxItems", "maximum entries:"),
        ];
        let told = numbers.iter().filter_map(|(key, word)| {
            self.get(key).filter(|value| value.is_number()).map(|value| format!("{word} {value}"))
        });
        let texts = [("format", "format"), ("pattern", "pattern"), ("contentMediaType", "media type")];
        let texts = texts.iter().filter_map(|(key, word)| {
            self.text(key).map(|text| format!("{word} {}", cut_at(text, NOTE_CHARS).0))
        });
        let unique =
            (self.get("uniqueItems") == Some(&Value::Bool(true))).then(|| "no duplicates".to_owned());
        told.chain(texts).chain(unique).collect()
    }
}

fn alternatives(map: &Map<String, Value>) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].iter().find_map(|key| map.get(*key)).and_then(Value::as_array)
}

/// The one alternative to null.
fn without_null(branches: &[Value]) -> Option<(&Value, bool)> {
    let is_null = |one: &&Value| one.get("type").and_then(Value::as_str) == Some("null");
    let mut others = branches.iter().filter(|one| !is_null(one));
    let only = others.next()?;
    others.next().is_none().then_some((only, branches.len() > 1))
}

/// References are URIs: their parts may be escaped.
fn unescaped(fragment: &str) -> String {
    percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned()
}
