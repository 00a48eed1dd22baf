//! A tool's JSON Schema of its arguments, as far as Cedar can express it. The shape decides two things that
//! must agree: the type that policies are checked against, and how a number in a call becomes a Cedar value.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Unknown, or not expressible in Cedar.
    Any,
    Bool,
    Long,
    Decimal,
    Text,
    List(Box<Shape>),
    Record(BTreeMap<String, Field>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub(crate) shape: Shape,
    pub(crate) presence: Presence,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Required,
    /// May be absent or null, which are the same to a policy.
    Optional,
}

/// Schemas nested deeper, and schemas of more parts, are not looked into any further.
const DEPTH_MAX: usize = 16;
const PARTS_MAX: usize = 4_096;

impl Shape {
    /// Reads a tool's input schema.
    pub(crate) fn of_schema(schema: &Value) -> Shape {
        let mut reader = Reader { root: schema, parts: 0, references: Vec::new() };
        reader.read(schema, 0).shape
    }

    pub(crate) fn field(&self, name: &str) -> &Shape {
        match self {
            Shape::Record(fields) => fields.get(name).map_or(&Shape::Any, |field| &field.shape),
            _ => &Shape::Any,
        }
    }

    pub(crate) fn element(&self) -> &Shape {
        match self {
            Shape::List(element) => element,
            _ => &Shape::Any,
        }
    }

    /// The shape of a value that may have either.
    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Long, Shape::Decimal) | (Shape::Decimal, Shape::Long) => Shape::Decimal,
            (Shape::List(a), Shape::List(b)) => Shape::List(Box::new(a.join(*b))),
            (Shape::Record(a), Shape::Record(b)) => Shape::Record(join_fields(a, b)),
            (a, b) if a == b => a,
            _ => Shape::Any,
        }
    }

    /// The shape of a value that must have both.
    fn meet(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Any, known) | (known, Shape::Any) => known,
            (Shape::Long, Shape::Decimal) | (Shape::Decimal, Shape::Long) => Shape::Long,
            (Shape::List(a), Shape::List(b)) => Shape::List(Box::new(a.meet(*b))),
            (Shape::Record(a), Shape::Record(b)) => Shape::Record(meet_fields(a, b)),
            (a, _) => a,
        }
    }
}

fn join_fields(a: BTreeMap<String, Field>, mut b: BTreeMap<String, Field>) -> BTreeMap<String, Field> {
    let mut joined = BTreeMap::new();
    for (name, left) in a {
        let field = match b.remove(&name) {
            Some(right) => {
                let both = left.presence == Presence::Required && right.presence == Presence::Required;
                Field {
                    shape: left.shape.join(right.shape),
                    presence: if both { Presence::Required } else { Presence::Optional },
                }
            }
            None => Field { presence: Presence::Optional, ..left },
        };
        joined.insert(name, field);
    }
    let only_right =
        b.into_iter().map(|(name, field)| (name, Field { presence: Presence::Optional, ..field }));
    joined.extend(only_right);
    joined
}

fn meet_fields(mut a: BTreeMap<String, Field>, b: BTreeMap<String, Field>) -> BTreeMap<String, Field> {
    for (name, right) in b {
        let field = match a.remove(&name) {
            Some(left) => {
                let either = left.presence == Presence::Required || right.presence == Presence::Required;
                Field {
                    shape: left.shape.meet(right.shape),
                    presence: if either { Presence::Required } else { Presence::Optional },
                }
            }
            None => right,
        };
        a.insert(name, field);
    }
    a
}

/// A shape, and whether null is allowed in its place.
struct Reading {
    shape: Shape,
    nullable: bool,
}

const UNKNOWN: Reading = Reading { shape: Shape::Any, nullable: false };

struct Reader<'a> {
    root: &'a Value,
    parts: usize,
    /// References that are being followed: a circular one has no shape.
    references: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Value, depth: usize) -> Reading {
        self.parts += 1;
        let Value::Object(keywords) = schema else { return UNKNOWN };
        if depth > DEPTH_MAX || self.parts > PARTS_MAX {
            return UNKNOWN;
        }
        let mut reading = self.read_own(keywords, depth);
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
            reading = meet(reading, self.follow(target, depth));
        }
        for part in list(keywords, "allOf") {
            reading = meet(reading, self.read(part, depth + 1));
        }
        for alternatives in ["anyOf", "oneOf"] {
            if let Some(either) = self.read_either(list(keywords, alternatives), depth) {
                reading = meet(reading, either);
            }
        }
        reading
    }

    /// The shape from the keywords of this very schema.
    fn read_own(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Reading {
        let types = types(keywords);
        let nullable = types.contains(&"null") || keywords.get("nullable") == Some(&Value::Bool(true));
        let named: Vec<&str> = types.iter().copied().filter(|name| *name != "null").collect();
        if named.is_empty() {
            return self.read_untyped(keywords, nullable, depth);
        }
        let shapes = named.iter().map(|name| self.read_typed(name, keywords, depth));
        Reading { shape: shapes.reduce(Shape::join).unwrap_or(Shape::Any), nullable }
    }

    fn read_typed(&mut self, name: &str, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        match name {
            "boolean" => Shape::Bool,
            "integer" => Shape::Long,
            "number" => Shape::Decimal,
            "string" => Shape::Text,
            "array" => self.read_list(keywords, depth),
            "object" => self.read_record(keywords, depth),
            _ => Shape::Any,
        }
    }

    fn read_untyped(&mut self, keywords: &'a Map<String, Value>, nullable: bool, depth: usize) -> Reading {
        if keywords.contains_key("properties") {
            return Reading { shape: self.read_record(keywords, depth), nullable };
        }
        if keywords.contains_key("items") {
            return Reading { shape: self.read_list(keywords, depth), nullable };
        }
        let constant = keywords.get("const").into_iter();
        let values: Vec<&Value> = list(keywords, "enum").iter().chain(constant).collect();
        let shapes = values.iter().filter(|value| !value.is_null()).map(|value| shape_of_value(value));
        let null = values.iter().any(|value| value.is_null());
        Reading { shape: shapes.reduce(Shape::join).unwrap_or(Shape::Any), nullable: nullable || null }
    }

    fn read_list(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        let items = keywords.get("items").filter(|_| !keywords.contains_key("prefixItems"));
        let element = items.map_or(Shape::Any, |items| self.read(items, depth + 1).shape);
        Shape::List(Box::new(element))
    }

    fn read_record(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        let required: Vec<&str> = list(keywords, "required").iter().filter_map(Value::as_str).collect();
        let properties = keywords.get("properties").and_then(Value::as_object);
        let mut fields = BTreeMap::new();
        for (name, schema) in properties.into_iter().flatten() {
            let Reading { shape, nullable } = self.read(schema, depth + 1);
            let certain = required.contains(&name.as_str()) && !nullable;
            let presence = if certain { Presence::Required } else { Presence::Optional };
            fields.insert(name.clone(), Field { shape, presence });
        }
        Shape::Record(fields)
    }

    /// Follows a reference inside the schema. Others are not followed: policy does not read the network.
    fn follow(&mut self, target: &'a str, depth: usize) -> Reading {
        let pointed = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(schema) = pointed.filter(|_| !self.references.contains(&target)) else { return UNKNOWN };
        self.references.push(target);
        let reading = self.read(schema, depth + 1);
        self.references.pop();
        reading
    }

    fn read_either(&mut self, alternatives: &'a [Value], depth: usize) -> Option<Reading> {
        let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
        let null = alternatives.iter().any(is_null);
        let others = alternatives.iter().filter(|schema| !is_null(schema));
        let readings = others.map(|schema| self.read(schema, depth + 1));
        let either = readings
            .reduce(|a, b| Reading { shape: a.shape.join(b.shape), nullable: a.nullable || b.nullable });
        either.map(|reading| Reading { nullable: reading.nullable || null, ..reading })
    }
}

fn meet(a: Reading, b: Reading) -> Reading {
    // Null counts if either part mentions it: leaving a field optional asks more of a policy, never less.
    Reading { shape: a.shape.meet(b.shape), nullable: a.nullable || b.nullable }
}

fn types(keywords: &Map<String, Value>) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn list<'a>(keywords: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    keywords.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn shape_of_value(value: &Value) -> Shape {
    match value {
        Value::String(_) => Shape::Text,
        Value::Bool(_) => Shape::Bool,
        Value::Number(number) if crate::number::whole(number).is_some() => Shape::Long,
        Value::Number(_) => Shape::Decimal,
        Value::Null | Value::Array(_) | Value::Object(_) => Shape::Any,
    }
}

#[cfg(test)]
mod tests;
