//! The judge against schemas whose answers are plain.

use serde_json::{Value, json};

use super::*;

fn judged(schema: &Value, value: &Value) -> Fitting {
    judge(&SchemaTree::new(schema), schema, value)
}

fn misfit(schema: Value, value: Value) -> (String, String) {
    match judged(&schema, &value) {
        Fitting::Fails(SchemaMisfit { path, problem }) => (path, problem),
        other => panic!("{schema} {value}: {other:?}"),
    }
}

#[test]
fn a_value_that_does_not_fit_is_told_by_its_place() {
    let schema = json!({ "properties": { "a/b": { "items": { "type": "integer" } } }, "required": ["c"] });
    assert_eq!(
        misfit(schema.clone(), json!({ "a/b": [1, "x"], "c": 1 })),
        ("/a~1b/1".into(), "expected integer, got \"x\"".into())
    );
    assert_eq!(misfit(schema, json!({})), (String::new(), "`c` is missing".into()));
    assert_eq!(
        misfit(json!({ "properties": {}, "additionalProperties": false }), json!({ "b": 5 })),
        ("/b".into(), "there is no member `b`".into())
    );
}

#[test]
fn what_is_not_looked_into_is_unknown() {
    for schema in [
        json!({ "pattern": "^a" }),
        json!({ "format": "date" }),
        json!({ "$ref": "https://example.com" }),
        json!({ "not": { "pattern": "a" } }),
    ] {
        assert_eq!(judged(&schema, &json!("b")), Fitting::Unknown, "{schema}");
    }
    assert_eq!(judged(&json!({ "pattern": "^a" }), &json!(5)), Fitting::Fits);
    let patterns =
        json!({ "patternProperties": { "^x": { "type": "string" } }, "additionalProperties": false });
    assert_eq!(judged(&patterns, &json!({ "xa": 1 })), Fitting::Unknown);
    assert_eq!(judged(&patterns, &json!({})), Fitting::Fits);
}

#[test]
fn forms_are_counted() {
    let one_of = json!({ "oneOf": [{ "type": "integer" }, { "minimum": 5 }] });
    assert_eq!(judged(&one_of, &json!(3)), Fitting::Fits);
    assert!(matches!(judged(&one_of, &json!(7)), Fitting::Fails(_)));
    assert_eq!(judged(&json!({ "anyOf": [false, { "pattern": "x" }] }), &json!("a")), Fitting::Unknown);
    let condition =
        json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "maxProperties": 0 } });
    assert_eq!(judged(&condition, &json!({ "a": 1, "b": 1 })), Fitting::Fits);
    assert!(matches!(judged(&condition, &json!({ "c": 1 })), Fitting::Fails(_)));
}

#[test]
fn numbers_count_by_their_value() {
    assert_eq!(judged(&json!({ "type": "integer", "const": 1 }), &json!(1.0)), Fitting::Fits);
    assert_eq!(judged(&json!({ "multipleOf": 3 }), &json!(9)), Fitting::Fits);
    assert_eq!(judged(&json!({ "multipleOf": 0.1 }), &json!(0.3)), Fitting::Unknown);
    assert!(matches!(judged(&json!({ "uniqueItems": true }), &json!([1, 1.0])), Fitting::Fails(_)));
}

#[test]
fn a_schema_without_end_is_unknown() {
    let endless = json!({ "$ref": "#" });
    assert_eq!(judged(&endless, &json!(1)), Fitting::Unknown);
}
