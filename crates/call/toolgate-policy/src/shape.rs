//! A tool's JSON Schema of its arguments, as far as Cedar can express it. The shape decides two things that
//! must agree: the type that policies are checked against, and how a number in a call becomes a Cedar value.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SchemaShape {
    /// Unknown, or not expressible in Cedar.
    Any,
    Bool,
    Long,
    Decimal,
    Text,
    List(Box<SchemaShape>),
    Record(BTreeMap<String, ShapeField>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShapeField {
    pub(crate) shape: SchemaShape,
    pub(crate) presence: FieldPresence,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldPresence {
    Required,
    /// May be absent or null, which are the same to a policy.
    Optional,
}

/// Schemas nested deeper, and schemas of more parts, are not looked into any further.
const DEPTH_MAX: usize = 16;
const PARTS_MAX: usize = 4_096;

impl SchemaShape {
    /// Reads a tool's input schema.
    pub(crate) fn of_schema(schema: &Value) -> SchemaShape {
        let mut reader = ShapeReader { root: schema, parts: 0, references: Vec::new() };
        reader.read(schema, 0).shape
    }

    pub(crate) fn field(&self, name: &str) -> &SchemaShape {
        match self {
            SchemaShape::Record(fields) => fields.get(name).map_or(&SchemaShape::Any, |field| &field.shape),
            _ => &SchemaShape::Any,
        }
    }

    pub(crate) fn element(&self) -> &SchemaShape {
        match self {
            SchemaShape::List(element) => element,
            _ => &SchemaShape::Any,
        }
    }

    /// The shape of a value that may have either.
    fn join(self, other: SchemaShape) -> SchemaShape {
        match (self, other) {
            (SchemaShape::Long, SchemaShape::Decimal) | (SchemaShape::Decimal, SchemaShape::Long) => {
                SchemaShape::Decimal
            }
            (SchemaShape::List(a), SchemaShape::List(b)) => SchemaShape::List(Box::new(a.join(*b))),
            (SchemaShape::Record(a), SchemaShape::Record(b)) => SchemaShape::Record(join_fields(a, b)),
            (a, b) if a == b => a,
            _ => SchemaShape::Any,
        }
    }

    /// The shape of a value that must have both.
    fn meet(self, other: SchemaShape) -> SchemaShape {
        match (self, other) {
            (SchemaShape::Any, known) | (known, SchemaShape::Any) => known,
            (SchemaShape::Long, SchemaShape::Decimal) | (SchemaShape::Decimal, SchemaShape::Long) => {
                SchemaShape::Long
            }
            (SchemaShape::List(a), SchemaShape::List(b)) => SchemaShape::List(Box::new(a.meet(*b))),
            (SchemaShape::Record(a), SchemaShape::Record(b)) => SchemaShape::Record(meet_fields(a, b)),
            (a, _) => a,
        }
    }
}

fn join_fields(
    a: BTreeMap<String, ShapeField>,
    mut b: BTreeMap<String, ShapeField>,
) -> BTreeMap<String, ShapeField> {
    let mut joined = BTreeMap::new();
    for (name, left) in a {
        let field = match b.remove(&name) {
            Some(right) => {
                let both =
                    left.presence == FieldPresence::Required && right.presence == FieldPresence::Required;
                ShapeField {
                    shape: left.shape.join(right.shape),
                    presence: if both { FieldPresence::Required } else { FieldPresence::Optional },
                }
            }
            None => ShapeField { presence: FieldPresence::Optional, ..left },
        };
        joined.insert(name, field);
    }
    let only_right =
        b.into_iter().map(|(name, field)| (name, ShapeField { presence: FieldPresence::Optional, ..field }));
    joined.extend(only_right);
    joined
}

fn meet_fields(
    mut a: BTreeMap<String, ShapeField>,
    b: BTreeMap<String, ShapeField>,
) -> BTreeMap<String, ShapeField> {
    for (name, right) in b {
        let field = match a.remove(&name) {
            Some(left) => {
                let either =
                    left.presence == FieldPresence::Required || right.presence == FieldPresence::Required;
                ShapeField {
                    shape: left.shape.meet(right.shape),
                    presence: if either { FieldPresence::Required } else { FieldPresence::Optional },
                }
            }
            None => right,
        };
        a.insert(name, field);
    }
    a
}

/// A shape, and whether null is allowed in its place.
struct ShapeReading {
    shape: SchemaShape,
    nullable: bool,
}

const UNKNOWN: ShapeReading = ShapeReading { shape: SchemaShape::Any, nullable: false };

struct ShapeReader<'a> {
    root: &'a Value,
    parts: usize,
    /// References that are being followed: a circular one has no shape.
    references: Vec<&'a str>,
}

impl<'a> ShapeReader<'a> {
    fn read(&mut self, schema: &'a Value, depth: usize) -> ShapeReading {
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
    fn read_own(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> ShapeReading {
        let types = types(keywords);
        let nullable = types.contains(&"null") || keywords.get("nullable") == Some(&Value::Bool(true));
        let named: Vec<&str> = types.iter().copied().filter(|name| *name != "null").collect();
        if named.is_empty() {
            return self.read_untyped(keywords, nullable, depth);
        }
        let shapes = named.iter().map(|name| self.read_typed(name, keywords, depth));
        ShapeReading { shape: shapes.reduce(SchemaShape::join).unwrap_or(SchemaShape::Any), nullable }
    }

    fn read_typed(&mut self, name: &str, keywords: &'a Map<String, Value>, depth: usize) -> SchemaShape {
        match name {
            "boolean" => SchemaShape::Bool,
            "integer" => SchemaShape::Long,
            "number" => SchemaShape::Decimal,
            "string" => SchemaShape::Text,
            "array" => self.read_list(keywords, depth),
            "object" => self.read_record(keywords, depth),
            _ => SchemaShape::Any,
        }
    }

    fn read_untyped(
        &mut self,
        keywords: &'a Map<String, Value>,
        nullable: bool,
        depth: usize,
    ) -> ShapeReading {
        if keywords.contains_key("properties") {
            return ShapeReading { shape: self.read_record(keywords, depth), nullable };
        }
        if keywords.contains_key("items") {
            return ShapeReading { shape: self.read_list(keywords, depth), nullable };
        }
        let constant = keywords.get("const").into_iter();
        let values: Vec<&Value> = list(keywords, "enum").iter().chain(constant).collect();
        let shapes = values.iter().filter(|value| !value.is_null()).map(|value| shape_of_value(value));
        let null = values.iter().any(|value| value.is_null());
        ShapeReading {
            shape: shapes.reduce(SchemaShape::join).unwrap_or(SchemaShape::Any),
            nullable: nullable || null,
        }
    }

    fn read_list(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> SchemaShape {
        let items = keywords.get("items").filter(|_| !keywords.contains_key("prefixItems"));
        let element = items.map_or(SchemaShape::Any, |items| self.read(items, depth + 1).shape);
        SchemaShape::List(Box::new(element))
    }

    fn read_record(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> SchemaShape {
        let required: Vec<&str> = list(keywords, "required").iter().filter_map(Value::as_str).collect();
        let properties = keywords.get("properties").and_then(Value::as_object);
        let mut fields = BTreeMap::new();
        for (name, schema) in properties.into_iter().flatten() {
            let ShapeReading { shape, nullable } = self.read(schema, depth + 1);
            let certain = required.contains(&name.as_str()) && !nullable;
            let presence = if certain { FieldPresence::Required } else { FieldPresence::Optional };
            fields.insert(name.clone(), ShapeField { shape, presence });
        }
        SchemaShape::Record(fields)
    }

    /// Follows a reference inside the schema. Others are not followed: policy does not read the network.
    fn follow(&mut self, target: &'a str, depth: usize) -> ShapeReading {
        let pointed = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(schema) = pointed.filter(|_| !self.references.contains(&target)) else { return UNKNOWN };
        self.references.push(target);
        let reading = self.read(schema, depth + 1);
        self.references.pop();
        reading
    }

    fn read_either(&mut self, alternatives: &'a [Value], depth: usize) -> Option<ShapeReading> {
        let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
        let null = alternatives.iter().any(is_null);
        let others = alternatives.iter().filter(|schema| !is_null(schema));
        let readings = others.map(|schema| self.read(schema, depth + 1));
        let either = readings
            .reduce(|a, b| ShapeReading { shape: a.shape.join(b.shape), nullable: a.nullable || b.nullable });
        either.map(|reading| ShapeReading { nullable: reading.nullable || null, ..reading })
    }
}

fn meet(a: ShapeReading, b: ShapeReading) -> ShapeReading {
    // Null counts if either part mentions it: leaving a field optional asks more of a policy, never less.
    ShapeReading { shape: a.shape.meet(b.shape), nullable: a.nullable || b.nullable }
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

fn shape_of_value(value: &Value) -> SchemaShape {
    match value {
        Value::String(_) => SchemaShape::Text,
        Value::Bool(_) => SchemaShape::Bool,
        Value::Number(number) if crate::number::whole(number).is_some() => SchemaShape::Long,
        Value::Number(_) => SchemaShape::Decimal,
        Value::Null | Value::Array(_) | Value::Object(_) => SchemaShape::Any,
    }
}

#[cfg(test)]
mod tests;
