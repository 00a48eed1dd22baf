//! JSON Schemas as types that both languages have. What a schema says beyond that is left out: a type may allow more than its
//! schema, and never less.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::names::{GivenNames, pascal};

/// Schemas within schemas; what lies deeper may be anything.
const DEPTH_MAX: usize = 64;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    Unknown,
    Never,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these values.
    OneOf(Vec<Value>),
    List(Box<Shape>),
    Tuple(Vec<Shape>),
    /// An object whose members have any names.
    Table(Box<Shape>),
    Union(Vec<Shape>),
    /// A type of that name.
    Named(String),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) about: String,
    pub(super) shape: Shape,
    pub(super) needed: bool,
}

/// What stands behind a name.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ShapeDefinition {
    /// `open` if it may have other members.
    Object {
        members: Vec<Member>,
        open: bool,
    },
    Alias(Shape),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct NamedShape {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) definition: ShapeDefinition,
}

/// Reads one schema; its types get names that no other has.
pub(super) struct CodeShapeReader<'a> {
    root: &'a Value,
    names: &'a mut GivenNames,
    prefix: String,
    /// Names by the pointer that leads to them.
    known: HashMap<String, String>,
    found: Vec<NamedShape>,
}

/// The type of a whole schema, under a name of its own, with all that it is made of.
pub(super) fn read(schema: &Value, name: &str, names: &mut GivenNames) -> (String, Vec<NamedShape>) {
    let mut reader = CodeShapeReader {
        root: schema,
        names,
        prefix: name.to_owned(),
        known: HashMap::new(),
        found: Vec::new(),
    };
    let own = reader.named("#", schema, name.to_owned(), 0);
    let mut found = reader.found;
    untie(&mut found);
    (own, found)
}

impl CodeShapeReader<'_> {
    /// Gives a schema a name. It has the name before it is read, so it may lead back to itself.
    fn named(&mut self, pointer: &str, schema: &Value, wanted: String, depth: usize) -> String {
        if let Some(known) = self.known.get(pointer) {
            return known.clone();
        }
        let name = self.names.give(wanted);
        self.known.insert(pointer.to_owned(), name.clone());
        let place = self.found.len();
        let definition = ShapeDefinition::Alias(Shape::Unknown);
        self.found.push(NamedShape { name: name.clone(), about: about(schema), definition });
        let definition = match schema {
            Value::Object(map) if is_object(map) => self.object(map, &name, depth),
            other => ShapeDefinition::Alias(self.shape(other, &name, depth + 1)),
        };
        self.found[place].definition = definition;
        name
    }

    fn shape(&mut self, schema: &Value, name: &str, depth: usize) -> Shape {
        if depth > DEPTH_MAX {
            return Shape::Unknown;
        }
        let map = match schema {
            Value::Bool(false) => return Shape::Never,
            Value::Object(map) => map,
            _ => return Shape::Unknown,
        };
        let shape = self.of_map(map, name, depth);
        if map.get("nullable") == Some(&Value::Bool(true)) { union(vec![shape, Shape::Null]) } else { shape }
    }

    fn of_map(&mut self, map: &Map<String, Value>, name: &str, depth: usize) -> Shape {
        if let Some(pointer) = map.get("$ref").and_then(Value::as_str) {
            return self.reference(pointer, depth);
        }
        if let Some(value) = map.get("const") {
            return Shape::OneOf(vec![value.clone()]);
        }
        if let Some(Value::Array(values)) = map.get("enum") {
            return if values.is_empty() { Shape::Never } else { Shape::OneOf(values.clone()) };
        }
        if is_object(map) {
            return self.inner_object(map, name, depth);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = map.get(key) {
                let choice =
                    |(number, one)| self.shape(one, &format!("{name}Option{}", number + 1), depth + 1);
                return union(choices.iter().enumerate().map(choice).collect());
            }
        }
        if let Some(Value::Array(parts)) = map.get("allOf") {
            // One part is that; of several that are no objects together, any value is said.
            return if let [one] = &parts[..] { self.shape(one, name, depth + 1) } else { Shape::Unknown };
        }
        match map.get("type") {
            Some(Value::String(kind)) => self.of_kind(kind, map, name, depth),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                union(kinds.map(|kind| self.of_kind(kind, map, name, depth)).collect())
            }
            _ if map.contains_key("items") || map.contains_key("prefixItems") => self.list(map, name, depth),
            _ => Shape::Unknown,
        }
    }

    fn of_kind(&mut self, kind: &str, map: &Map<String, Value>, name: &str, depth: usize) -> Shape {
        match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::Text,
            "array" => self.list(map, name, depth),
            "object" => self.inner_object(map, name, depth),
            _ => Shape::Unknown,
        }
    }

    fn list(&mut self, map: &Map<String, Value>, name: &str, depth: usize) -> Shape {
        let items = map.get("items");
        let fixed = map.get("prefixItems").or(items).and_then(Value::as_array);
        if let Some(fixed) = fixed {
            let is_closed = items == Some(&Value::Bool(false))
                && map.get("minItems").and_then(Value::as_u64) == Some(fixed.len() as u64);
            if !is_closed {
                return Shape::List(Box::new(Shape::Unknown));
            }
            let one = |(number, one)| self.shape(one, &format!("{name}Item{}", number + 1), depth + 1);
            return Shape::Tuple(fixed.iter().enumerate().map(one).collect());
        }
        let item = items.map_or(Shape::Unknown, |items| self.shape(items, &format!("{name}Item"), depth + 1));
        Shape::List(Box::new(item))
    }

    /// An object within another type: named, unless it is a mere table.
    fn inner_object(&mut self, map: &Map<String, Value>, name: &str, depth: usize) -> Shape {
        let has_members = map.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
        if !has_members && !map.contains_key("allOf") {
            return match map.get("additionalProperties") {
                Some(of @ Value::Object(_)) => {
                    Shape::Table(Box::new(self.shape(of, &format!("{name}Value"), depth + 1)))
                }
                _ => Shape::Table(Box::new(Shape::Unknown)),
            };
        }
        let own = self.names.give(name.to_owned());
        let place = self.found.len();
        let definition = ShapeDefinition::Alias(Shape::Unknown);
        self.found.push(NamedShape {
            name: own.clone(),
            about: about(&Value::Object(map.clone())),
            definition,
        });
        self.found[place].definition = self.object(map, &own, depth + 1);
        Shape::Named(own)
    }

    fn object(&mut self, map: &Map<String, Value>, name: &str, depth: usize) -> ShapeDefinition {
        let mut parts = vec![map.clone()];
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            match self.resolved(part, 0) {
                Some(Value::Object(part)) if !part.contains_key("allOf") => parts.push(part),
                // It could say anything about the members.
                _ => return ShapeDefinition::Alias(Shape::Table(Box::new(Shape::Unknown))),
            }
        }
        let mut members: Vec<Member> = Vec::new();
        let mut open = true;
        for part in &parts {
            open &= part.get("additionalProperties") != Some(&Value::Bool(false));
            let needed = |key: &str| {
                let lists = parts.iter().filter_map(|part| part.get("required").and_then(Value::as_array));
                lists.flatten().any(|one| one == key)
            };
            for (key, schema) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if members.iter().any(|known| known.key == *key) {
                    continue;
                }
                let shape = self.shape(schema, &format!("{name}{}", pascal(key)), depth + 1);
                members.push(Member { key: key.clone(), about: about(schema), shape, needed: needed(key) });
            }
        }
        ShapeDefinition::Object { members, open }
    }

    fn reference(&mut self, pointer: &str, depth: usize) -> Shape {
        let Some(target) = self.target(pointer) else { return Shape::Unknown };
        let last = pointer.rsplit('/').next().filter(|_| pointer != "#").unwrap_or_default();
        let wanted = format!("{}{}", self.prefix, if last.is_empty() { String::new() } else { pascal(last) });
        Shape::Named(self.named(pointer, &target, wanted, depth + 1))
    }

    fn target(&self, pointer: &str) -> Option<Value> {
        let path = pointer.strip_prefix('#')?;
        self.root.pointer(path).cloned()
    }

    /// What a chain of references leads to.
    fn resolved(&self, schema: &Value, depth: usize) -> Option<Value> {
        match schema.get("$ref").and_then(Value::as_str) {
            None => Some(schema.clone()),
            Some(_) if depth > DEPTH_MAX => None,
            Some(pointer) => self.resolved(&self.target(pointer)?, depth + 1),
        }
    }
}

fn is_object(map: &Map<String, Value>) -> bool {
    let is_said = map.get("type").is_none_or(|kind| kind == "object");
    let of_parts = map.get("allOf").and_then(Value::as_array).is_some_and(|parts| parts.len() > 1);
    is_said
        && (map.contains_key("properties") || (of_parts && map.get("type").is_some()))
        && !map.contains_key("$ref")
}

fn about(schema: &Value) -> String {
    ["description", "title"]
        .iter()
        .find_map(|key| schema.get(key)?.as_str())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The choices, each once; anything if one of them is that.
fn union(choices: Vec<Shape>) -> Shape {
    let mut flat: Vec<Shape> = Vec::new();
    for choice in choices {
        let inner = if let Shape::Union(inner) = choice { inner } else { vec![choice] };
        for one in inner {
            if one != Shape::Never && !flat.contains(&one) {
                flat.push(one);
            }
        }
    }
    match flat.len() {
        _ if flat.contains(&Shape::Unknown) => Shape::Unknown,
        0 => Shape::Never,
        1 => flat.remove(0),
        _ => Shape::Union(flat),
    }
}

/// Cuts names that lead to nothing but themselves, which no language has.
fn untie(found: &mut [NamedShape]) {
    for place in 0..found.len() {
        let name = found[place].name.clone();
        let ShapeDefinition::Alias(shape) = &found[place].definition else { continue };
        if leads_to(shape, &name, found, 0) {
            found[place].definition = ShapeDefinition::Alias(Shape::Unknown);
        }
    }
}

fn leads_to(shape: &Shape, name: &str, found: &[NamedShape], depth: usize) -> bool {
    match shape {
        _ if depth > DEPTH_MAX => true,
        Shape::Named(other) if other == name => true,
        Shape::Named(other) => {
            let of = found.iter().find(|one| one.name == *other).map(|one| &one.definition);
            matches!(of, Some(ShapeDefinition::Alias(inner)) if leads_to(inner, name, found, depth + 1))
        }
        Shape::Union(choices) => choices.iter().any(|one| leads_to(one, name, found, depth + 1)),
        _ => false,
    }
}
