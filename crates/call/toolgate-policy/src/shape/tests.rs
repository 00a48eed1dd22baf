//! The shapes of schemas.

use serde_json::json;

use super::*;

fn shape(schema: Value) -> Shape {
    Shape::of_schema(&schema)
}

fn property(schema: Value) -> Field {
    let whole = json!({"type": "object", "properties": {"it": schema}, "required": ["it"]});
    let Shape::Record(mut fields) = shape(whole) else { panic!("an object has fields") };
    fields.remove("it").unwrap()
}

#[test]
fn plain_types_have_plain_shapes() {
    for (schema, expected) in [
        (json!({"type": "string"}), Shape::Text),
        (json!({"type": "boolean"}), Shape::Bool),
        (json!({"type": "integer"}), Shape::Long),
        (json!({"type": "number"}), Shape::Decimal),
        (json!({"type": ["integer", "number"]}), Shape::Decimal),
        (json!({"type": ["integer", "string"]}), Shape::Any),
        (json!({"type": "array", "items": {"type": "string"}}), Shape::List(Box::new(Shape::Text))),
        (json!({"type": "array"}), Shape::List(Box::new(Shape::Any))),
        (json!({"enum": ["a", "b"]}), Shape::Text),
        (json!({"enum": [1, 2.5]}), Shape::Decimal),
        (json!({"enum": [1, "a"]}), Shape::Any),
        (json!({"const": true}), Shape::Bool),
        (json!({}), Shape::Any),
        (json!(true), Shape::Any),
        (json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}), Shape::Decimal),
        (json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), Shape::Any),
        (json!({"allOf": [{"type": "number"}, {"minimum": 0}]}), Shape::Decimal),
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
            Field { shape: Shape::Text, presence: Presence::Optional },
            "{schema}"
        );
    }
    assert_eq!(property(json!({"type": "string"})).presence, Presence::Required);
}

#[test]
fn alternatives_keep_what_is_common_and_unions_keep_all() {
    let either = shape(json!({"oneOf": [
        {"properties": {"id": {"type": "string"}, "amount": {"type": "integer"}}, "required": ["id", "amount"]},
        {"properties": {"id": {"type": "string"}, "amount": {"type": "number"}, "note": {"type": "string"}}, "required": ["id"]},
    ]}));
    let Shape::Record(fields) = either else { panic!("both are objects") };
    assert_eq!(fields["id"], Field { shape: Shape::Text, presence: Presence::Required });
    assert_eq!(fields["amount"], Field { shape: Shape::Decimal, presence: Presence::Optional });
    assert_eq!(fields["note"].presence, Presence::Optional);

    let both = shape(json!({"properties": {"a": {"type": "string"}}, "allOf": [
        {"properties": {"a": {}, "b": {"type": "number"}}, "required": ["b", "a"]},
    ]}));
    let Shape::Record(fields) = both else { panic!("it is an object") };
    assert_eq!(fields["a"], Field { shape: Shape::Text, presence: Presence::Required });
    assert_eq!(fields["b"].shape, Shape::Decimal);
}

#[test]
fn references_inside_are_followed_and_circles_end() {
    let schema = json!({
        "$defs": {"money": {"type": "number"}, "node": {"properties": {"next": {"$ref": "#/$defs/node"}, "cost": {"$ref": "#/$defs/money"}}}},
        "properties": {"start": {"$ref": "#/$defs/node"}, "far": {"$ref": "https://example.com/schema"}},
    });
    let shape = shape(schema);
    assert_eq!(shape.field("start").field("cost"), &Shape::Decimal);
    assert_eq!(shape.field("start").field("next"), &Shape::Any);
    assert_eq!(shape.field("far"), &Shape::Any);
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
    assert!(matches!(shape(schema), Shape::Record(_)));
}
