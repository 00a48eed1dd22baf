//! The shapes of schemas.

use serde_json::json;

use super::*;

fn shape(schema: Value) -> SchemaShape {
    SchemaShape::of_schema(&schema)
}

fn property(schema: Value) -> ShapeField {
    let whole = json!({"type": "object", "properties": {"it": schema}, "required": ["it"]});
    let SchemaShape::Record(mut fields) = shape(whole) else { panic!("an object has fields") };
    fields.remove("it").unwrap()
}

#[test]
fn plain_types_have_plain_shapes() {
    for (schema, expected) in [
        (json!({"type": "string"}), SchemaShape::Text),
        (json!({"type": "boolean"}), SchemaShape::Bool),
        (json!({"type": "integer"}), SchemaShape::Long),
        (json!({"type": "number"}), SchemaShape::Decimal),
        (json!({"type": ["integer", "number"]}), SchemaShape::Decimal),
        (json!({"type": ["integer", "string"]}), SchemaShape::Any),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            SchemaShape::List(Box::new(SchemaShape::Text)),
        ),
        (json!({"type": "array"}), SchemaShape::List(Box::new(SchemaShape::Any))),
        (json!({"enum": ["a", "b"]}), SchemaShape::Text),
        (json!({"enum": [1, 2.5]}), SchemaShape::Decimal),
        (json!({"enum": [1, "a"]}), SchemaShape::Any),
        (json!({"const": true}), SchemaShape::Bool),
        (json!({}), SchemaShape::Any),
        (json!(true), SchemaShape::Any),
        (json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}), SchemaShape::Decimal),
        (json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), SchemaShape::Any),
        (json!({"allOf": [{"type": "number"}, {"minimum": 0}]}), SchemaShape::Decimal),
    ] {
        assert_eq!(shape(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn null_makes_a_required_field_optional() {
    for schema in [
        json!({"type": ["string", "null"]}),
        json!({"type": "string", "nullable": true}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"enum": ["a", null]}),
    ] {
        assert_eq!(
            property(schema.clone()),
            ShapeField { shape: SchemaShape::Text, presence: FieldPresence::Optional },
            "{schema}"
        );
    }
    assert_eq!(property(json!({"type": "string"})).presence, FieldPresence::Required);
}

#[test]
fn alternatives_keep_what_is_common_and_unions_keep_all() {
    let either = shape(json!({"oneOf": [
        {"properties": {"id": {"type": "string"}, "amount": {"type": "integer"}}, "required": ["id", "amount"]},
        {"properties": {"id": {"type": "string"}, "amount": {"type": "number"}, "note": {"type": "string"}}, "required": ["id"]},
    ]}));
    let SchemaShape::Record(fields) = either else { panic!("both are objects") };
    assert_eq!(fields["id"], ShapeField { shape: SchemaShape::Text, presence: FieldPresence::Required });
    assert_eq!(
        fields["amount"],
        ShapeField { shape: SchemaShape::Decimal, presence: FieldPresence::Optional }
    );
    assert_eq!(fields["note"].presence, FieldPresence::Optional);

    let both = shape(json!({"properties": {"a": {"type": "string"}}, "allOf": [
        {"properties": {"a": {}, "b": {"type": "number"}}, "required": ["b", "a"]},
    ]}));
    let SchemaShape::Record(fields) = both else { panic!("it is an object") };
    assert_eq!(fields["a"], ShapeField { shape: SchemaShape::Text, presence: FieldPresence::Required });
    assert_eq!(fields["b"].shape, SchemaShape::Decimal);
}

#[test]
fn references_inside_are_followed_and_circles_end() {
    let schema = json!({
        "$defs": {"money": {"type": "number"}, "node": {"properties": {"next": {"$ref": "#/$defs/node"}, "cost": {"$ref": "#/$defs/money"}}}},
        "properties": {"start": {"$ref": "#/$defs/node"}, "far": {"$ref": "https://example.com/schema"}},
    });
    let shape = shape(schema);
    assert_eq!(shape.field("start").field("cost"), &SchemaShape::Decimal);
    assert_eq!(shape.field("start").field("next"), &SchemaShape::Any);
    assert_eq!(shape.field("far"), &SchemaShape::Any);
}

#[test]
fn a_schema_without_end_costs_little() {
    // Every level refers twice to the next: two to the power of forty parts if it were followed.
    let mut definitions = Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
        definitions.insert(level.to_string(), json!({"properties": {"a": next, "b": next}}));
    }
    let schema = json!({"$defs": definitions, "$ref": "#/$defs/0"});
    assert!(matches!(shape(schema), SchemaShape::Record(_)));
}
