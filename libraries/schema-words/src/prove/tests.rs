//! Pairs of schemas with a plain answer, keyword by keyword.

use serde_json::{Value, json};

use crate::{Inclusion, inclusion};

#[derive(PartialEq, Debug)]
enum Answer3 {
    Proven,
    /// The place of the counterexample.
    Refuted(String),
    Open,
}

fn asked(narrow: &Value, wide: &Value) -> Answer3 {
    match inclusion(narrow, wide) {
        Inclusion::Proven => Answer3::Proven,
        Inclusion::Refuted(found) => Answer3::Refuted(found.path),
        Inclusion::Open(_) => Answer3::Open,
    }
}

fn proven(narrow: Value, wide: Value) {
    assert_eq!(asked(&narrow, &wide), Answer3::Proven, "{narrow} ⊆ {wide}: {:?}", inclusion(&narrow, &wide));
}

fn refuted(narrow: Value, wide: Value, path: &str) {
    let said = inclusion(&narrow, &wide);
    assert_eq!(asked(&narrow, &wide), Answer3::Refuted(path.into()), "{narrow} ⊄ {wide}: {said:?}");
}

fn open(narrow: Value, wide: Value) {
    let said = inclusion(&narrow, &wide);
    assert_eq!(asked(&narrow, &wide), Answer3::Open, "{narrow} ? {wide}: {said:?}");
}

/// Proven one way, refuted the other.
fn strictly(narrow: Value, wide: Value, path: &str) {
    proven(narrow.clone(), wide.clone());
    refuted(wide, narrow, path);
}

fn closed(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

#[test]
fn types_and_values() {
    strictly(json!({ "type": "integer" }), json!({ "type": "number" }), "");
    strictly(json!({ "type": "string" }), json!({ "type": ["string", "null"] }), "");
    strictly(json!({ "enum": ["a"] }), json!({ "enum": ["b", "a"] }), "");
    strictly(json!({ "const": 1.0 }), json!({ "enum": [1, 2] }), "");
    strictly(json!({ "enum": [1, 2] }), json!({ "type": "integer" }), "");
    strictly(json!({ "type": "boolean", "const": true }), json!({ "type": "boolean" }), "");
    proven(json!({ "type": "boolean" }), json!({ "enum": [true, false] }));
    proven(json!({ "type": "null" }), json!({ "const": null }));
    proven(json!(false), json!({ "type": "string" }));
    proven(json!({ "type": "string", "enum": [1] }), json!(false));
    refuted(json!({}), json!(false), "");
}

#[test]
fn numbers() {
    strictly(json!({ "type": "number", "minimum": 2 }), json!({ "type": "number", "minimum": 1 }), "");
    strictly(
        json!({ "type": "integer", "minimum": 2 }),
        json!({ "type": "integer", "exclusiveMinimum": 0 }),
        "",
    );
    proven(json!({ "type": "integer", "exclusiveMinimum": 1 }), json!({ "type": "integer", "minimum": 2 }));
    refuted(
        json!({ "type": "number", "exclusiveMinimum": 1 }),
        json!({ "type": "number", "minimum": 2 }),
        "",
    );
    proven(json!({ "exclusiveMaximum": 5 }), json!({ "maximum": 5 }));
    refuted(json!({ "maximum": 5 }), json!({ "exclusiveMaximum": 5 }), "");
    strictly(json!({ "multipleOf": 6 }), json!({ "multipleOf": 3 }), "");
    proven(
        json!({ "multipleOf": 2 }),
        json!({ "type": ["integer", "string", "null", "boolean", "array", "object"] }),
    );
    open(json!({ "type": "number", "multipleOf": 0.3 }), json!({ "type": "number", "multipleOf": 0.1 }));
}

#[test]
fn texts() {
    strictly(json!({ "type": "string", "minLength": 3 }), json!({ "type": "string", "minLength": 2 }), "");
    strictly(json!({ "type": "string", "maxLength": 3 }), json!({ "type": "string", "maxLength": 9.0 }), "");
    proven(json!({ "pattern": "^a", "maxLength": 2 }), json!({ "pattern": "^a" }));
    proven(json!({ "type": "string" }), json!({ "type": "string", "pattern": ".*" }));
    open(json!({ "type": "string", "pattern": "^ab" }), json!({ "type": "string", "pattern": "^a" }));
    proven(json!({ "type": "string", "format": "date" }), json!({ "type": "string" }));
    open(json!({ "type": "string" }), json!({ "type": "string", "format": "date" }));
}

#[test]
fn objects_open_and_closed() {
    let (one, two) = (
        json!({ "a": { "type": "string" } }),
        json!({ "a": { "type": "string" }, "b": { "type": "string" } }),
    );
    strictly(closed(one.clone()), closed(two.clone()), "/b");
    // The trap: before, `b` could be anything.
    let open_model = |properties: &Value| json!({ "type": "object", "properties": properties });
    refuted(open_model(&one), open_model(&two), "/b");
    proven(open_model(&two), open_model(&one));
    proven(open_model(&one), open_model(&json!({ "a": { "type": "string" }, "b": {} })));
    let required = |names: Value| json!({ "type": "object", "properties": one, "required": names });
    strictly(required(json!(["a"])), required(json!([])), "");
    strictly(
        json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
        json!({ "type": "object", "additionalProperties": { "type": "number" } }),
        "/x-other",
    );
    proven(
        json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "additionalProperties": false }),
        json!({ "type": "object", "additionalProperties": { "type": "number" } }),
    );
    proven(closed(one.clone()), json!({ "maxProperties": 1, "propertyNames": { "maxLength": 1 } }));
    proven(required(json!(["a"])), json!({ "minProperties": 1 }));
    proven(required(json!(["a"])), json!({ "dependentRequired": { "b": ["a"] } }));
    refuted(open_model(&one), json!({ "dependentRequired": { "b": ["a"] } }), "");
}

#[test]
fn patterns_of_names() {
    let of = |schema: Value| json!({ "type": "object", "patternProperties": { "^x-": schema } });
    proven(of(json!({ "type": "integer" })), of(json!({ "type": "number" })));
    open(of(json!({ "type": "number" })), of(json!({ "type": "integer" })));
    proven(closed(json!({ "a": { "type": "string" } })), of(json!({ "type": "string" })));
    open(closed(json!({ "a": { "type": "integer" } })), of(json!({ "type": "string" })));
    // What matches the pattern is not an additional member.
    let narrow = json!({ "type": "object", "patternProperties": { "^a": {} }, "additionalProperties": { "type": "string" } });
    open(narrow, json!({ "type": "object", "additionalProperties": { "type": "string" } }));
}

#[test]
fn lists() {
    let of = |schema: Value| json!({ "type": "array", "items": schema });
    strictly(of(json!({ "type": "integer" })), of(json!({ "type": "number" })), "/0");
    strictly(json!({ "type": "array", "minItems": 2 }), json!({ "type": "array", "minItems": 1 }), "");
    let pair = json!({ "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "string" }], "items": false });
    proven(pair.clone(), json!({ "type": "array", "maxItems": 2 }));
    proven(pair.clone(), json!({ "type": "array", "items": { "type": ["integer", "string"] } }));
    refuted(pair.clone(), of(json!({ "type": "integer" })), "/1");
    proven(json!({ "type": "array", "maxItems": 1 }), json!({ "uniqueItems": true }));
    refuted(of(json!({ "type": "integer" })), json!({ "uniqueItems": true }), "");
    proven(of(json!({ "type": "integer" })), json!({ "type": "array", "contains": {}, "minContains": 0 }));
    refuted(json!({ "type": "array" }), json!({ "type": "array", "contains": { "type": "string" } }), "");
}

#[test]
fn forms_exclusions_and_conditions() {
    strictly(
        json!({ "anyOf": [{ "type": "integer" }, { "type": "string", "maxLength": 3 }] }),
        json!({ "type": ["number", "string"] }),
        "",
    );
    proven(
        json!({ "type": ["integer", "null"] }),
        json!({ "anyOf": [{ "type": "null" }, { "type": "number" }] }),
    );
    proven(
        json!({ "allOf": [{ "minimum": 3 }, { "type": "integer" }] }),
        json!({ "allOf": [{ "minimum": 1 }] }),
    );
    let form = |kind: &str, more: Value| {
        json!({ "type": "object", "required": ["kind"],
        "properties": { "kind": { "const": kind }, "value": more } })
    };
    proven(
        form("a", json!({ "type": "integer" })),
        json!({ "oneOf": [form("a", json!({ "type": "number" })), form("b", json!({}))] }),
    );
    refuted(json!({ "type": "integer" }), json!({ "oneOf": [{ "type": "integer" }, { "minimum": 5 }] }), "");
    proven(json!({ "type": "string" }), json!({ "not": { "type": "integer" } }));
    refuted(json!({ "type": "number" }), json!({ "not": { "type": "integer" } }), "");
    let condition = json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } });
    proven(json!({ "allOf": [condition.clone()], "type": "object" }), condition.clone());
    proven(json!({ "type": "object", "required": ["b"] }), condition.clone());
    refuted(json!({ "type": "object" }), condition, "");
}

#[test]
fn references_and_recursion() {
    let list = |value: &str| {
        json!({
            "$defs": { "node": { "type": "object", "required": ["value"], "additionalProperties": false,
                "properties": { "value": { "type": value }, "next": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] } } } },
            "$ref": "#/$defs/node"
        })
    };
    proven(list("integer"), list("number"));
    refuted(list("number"), list("integer"), "/value");
    let tree = json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
    let wider = json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "type": "object" } } } });
    proven(tree.clone(), wider.clone());
    // Further down the children of `wider` are anything.
    refuted(wider, tree, "/children/0/children");
    // A circle that never gets to a value proves nothing.
    open(json!({ "type": "string" }), json!({ "$ref": "#" }));
    open(
        json!({ "type": "string" }),
        json!({ "anyOf": [{ "$ref": "#" }, { "type": "string", "pattern": "a" }] }),
    );
}

#[test]
fn what_is_not_understood_is_never_proven() {
    let object = json!({ "type": "object", "properties": { "a": {} } });
    let mut strict = object.clone();
    strict["unevaluatedProperties"] = json!(false);
    open(object.clone(), strict.clone());
    proven(strict.clone(), object);
    proven(strict.clone(), strict);
    for odd in [
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 1, "definitions": { "a": {} } }),
        json!({ "items": [{ "type": "string" }] }),
        json!({ "$dynamicRef": "#meta" }),
        json!({ "minimum": "one" }),
        json!({ "properties": { "a": { "$id": "https://example.com/a" } } }),
    ] {
        open(json!({ "type": ["number", "array", "object"] }), odd);
    }
    // An older dialect is understood where it says the same.
    let older = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "integer" });
    proven(older, json!({ "type": "number" }));
}
