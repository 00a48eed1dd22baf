//! Differences and their words.

use serde_json::{Value, json};

use super::*;

fn words(old: Value, new: Value) -> Vec<String> {
    let difference = schema_difference(&old, &new, SchemaNoun::Member);
    difference.changes.into_iter().map(|change| change.words).collect()
}

fn summary(old: Value, new: Value) -> String {
    schema_difference(&old, &new, SchemaNoun::Argument).summary
}

#[test]
fn a_summary_says_what_a_reviewer_wants_to_know() {
    let old = json!({ "properties": { "a": { "type": "string", "description": "one" } }, "required": ["a"] });
    let mut new = old.clone();
    assert_eq!(summary(old.clone(), new.clone()), "nothing changed");
    new["properties"]["a"]["description"] = json!("two");
    assert_eq!(summary(old.clone(), new.clone()), "only descriptions changed");
    new["properties"]["b"] = json!({ "type": "integer" });
    new["properties"]["c"] = json!({});
    assert_eq!(
        summary(old.clone(), new.clone()),
        "only optional arguments were added: `b`, `c`, and descriptions changed"
    );
    new["properties"]["a"]["description"] = json!("one");
    assert_eq!(summary(old.clone(), new.clone()), "only optional arguments were added: `b`, `c`");
    new["required"] = json!(["a", "b"]);
    assert_eq!(summary(old, new), "required argument `b` was added; optional argument `c` was added");
}

#[test]
fn types_widen_narrow_and_change() {
    let of = |kind: Value| json!({ "properties": { "a": { "properties": { "b": { "type": kind } } } } });
    assert_eq!(
        words(of(json!("integer")), of(json!("number"))),
        ["type of `a.b` widened from integer to number"]
    );
    assert_eq!(
        words(of(json!(["string", "null"])), of(json!("string"))),
        ["type of `a.b` narrowed from null or string to string"]
    );
    assert_eq!(
        words(of(json!("string")), of(json!("integer"))),
        ["type of `a.b` changed from string to integer"]
    );
    assert_eq!(
        words(json!({}), json!({ "type": "object" })),
        ["type of the whole narrowed from any type to object"]
    );
}

#[test]
fn members_come_go_and_are_required() {
    let old = json!({ "properties": { "a": {}, "b": {} }, "required": ["b"] });
    let new =
        json!({ "properties": { "b": {}, "c": {} }, "required": ["c", "d"], "additionalProperties": false });
    assert_eq!(
        words(old, new),
        [
            "member `a` was removed",
            "member `b` is optional now",
            "required member `c` was added",
            "member `d` is required now",
            "no other members of the whole are allowed any more",
        ]
    );
}

#[test]
fn limits_values_and_rules_have_their_words() {
    let old = json!({ "minimum": 1, "maxLength": 5, "enum": [1, 2], "pattern": "a", "default": 1 });
    let new =
        json!({ "minimum": 2, "maxLength": 9, "enum": [2, 3], "format": "date", "default": 2, "oneOf": [] });
    assert_eq!(
        words(old, new),
        [
            "values 3 of the whole were added",
            "values 1 of the whole were removed",
            "minimum of the whole was raised from 1 to 2",
            "greatest length of the whole was raised from 5 to 9",
            "`pattern` of the whole was removed",
            "`format` of the whole was added",
            "default of the whole changed from 1 to 2",
            "`oneOf` of the whole was added",
        ]
    );
}

#[test]
fn references_are_followed_and_recursion_ends() {
    let of = |kind: &str| {
        json!({ "$defs": { "node": { "properties": { "value": { "type": kind },
        "next": { "$ref": "#/$defs/node" } } } }, "properties": { "list": { "type": "array", "items": { "$ref": "#/$defs/node" } } } })
    };
    assert_eq!(
        words(of("integer"), of("number")),
        [
            "type of `list[].value` widened from integer to number",
            "type of `list[].next.value` widened from integer to number",
        ]
    );
    // A definition that is moved is no change.
    let moved =
        json!({ "$defs": { "a": { "type": "string" } }, "properties": { "x": { "$ref": "#/$defs/a" } } });
    assert_eq!(words(json!({ "properties": { "x": { "type": "string" } } }), moved), [""; 0]);
}

#[test]
fn a_tool_is_told_by_its_parts() {
    let old = json!({ "name": "pay", "description": "Pays", "inputSchema": { "type": "object", "properties": { "to": {} } },
        "outputSchema": { "properties": { "id": { "type": "string" } } }, "annotations": { "readOnlyHint": true } });
    assert_eq!(tool_difference(&old, &old).summary, "nothing changed");
    let mut new = old.clone();
    new["inputSchema"]["properties"]["note"] = json!({ "type": "string" });
    assert_eq!(tool_difference(&old, &new).summary, "only optional arguments were added: `note`");
    new["outputSchema"]["properties"]["state"] = json!({});
    new["annotations"] = json!({ "readOnlyHint": false });
    new["description"] = json!("Pays at once");
    assert_eq!(
        tool_difference(&old, &new).summary,
        "in the result, optional member `state` was added; annotation `readOnlyHint` changed from true to false; \
         optional argument `note` was added; the description changed"
    );
}

#[test]
fn names_of_strangers_are_made_visible_and_short() {
    let odd = format!("a\u{202e}`{}", "b".repeat(200));
    let told = words(json!({}), json!({ "properties": { (odd): {} } }));
    assert!(told[0].starts_with("optional member `a\\u{202e}'bbb") && told[0].len() < 150, "{told:?}");
}

#[test]
fn what_was_not_looked_at_is_not_called_harmless() {
    let many = |required: Value| {
        let members = (0..300).map(|number| (format!("a{number:03}"), json!({}))).collect();
        json!({ "properties": Value::Object(members), "required": required })
    };
    let flood = schema_difference(&json!({ "properties": {} }), &many(json!(["a299"])), SchemaNoun::Argument);
    assert!(flood.summary.contains("not all of it was compared"), "{}", flood.summary);
    let deep = |last: Value| (0..40).fold(last, |inner, _| json!({ "properties": { "a": inner } }));
    let hidden = schema_difference(
        &deep(json!({ "type": "string" })),
        &deep(json!({ "type": "integer" })),
        SchemaNoun::Argument,
    );
    assert!(hidden.summary.contains("not all of it was compared"), "{}", hidden.summary);
    let beside = |most: u64| {
        json!({ "properties": { "a": { "$ref": "#/$defs/a", "maximum": 9 } },
            "$defs": { "a": { "maximum": most } } })
    };
    let overlaid = schema_difference(&beside(5), &beside(1), SchemaNoun::Argument);
    assert_eq!(overlaid.summary, "the schema of `a` changed");
    let form = |kind: &str| {
        json!({ "properties": { "a": { "anyOf": [{ "$ref": "#/$defs/a" }, { "type": "null" }] } },
            "$defs": { "a": { "type": kind } } })
    };
    let behind = schema_difference(&form("string"), &form("integer"), SchemaNoun::Argument);
    assert_eq!(behind.summary, "the definition `a` changed");
}
