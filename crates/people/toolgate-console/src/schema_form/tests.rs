//! A form returns what it shows, for any schema and value.

mod browser;
mod strategies;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use browser::sent;

fn back(schema: &Value, value: &Value) -> Result<Value, FieldErrors> {
    read(schema, &sent(&fields(schema, value, &FieldErrors::new())))
}

fn check(schema: &Value, value: Value) {
    assert_eq!(back(schema, &value), Ok(value.clone()), "{schema} {value}");
    let typed = sent(&fields(schema, &value, &FieldErrors::new()));
    let again = sent(&refilled(schema, &typed, &FieldErrors::new()));
    assert_eq!(read(schema, &again), Ok(value), "filled in again: {schema}");
}

proptest! {
    #[test]
    fn what_is_shown_is_given_back((schema, value) in strategies::schema_with_value()) {
        check(&schema, value);
    }

    #[test]
    fn values_that_do_not_fit_are_given_back_all_the_same(
        schema in strategies::schema_without_required(), value in strategies::object(),
    ) {
        check(&schema, value);
    }

    #[test]
    fn no_text_is_more_than_text(text in any::<String>()) {
        let schema = json!({"properties": {text.clone(): {"type": "string", "title": text, "description": text,
            "default": text, "enum": [text, "b"]}}});
        let shown = fields(&schema, &json!({text.clone(): text}), &FieldErrors::new()).into_string();
        prop_assert!(!shown.contains("<script") && !shown.contains("onerror=\"") );
        check(&schema, json!({text.clone(): text}));
    }
}

#[test]
fn every_kind_of_argument_has_its_field() {
    let schema = json!({"type": "object", "required": ["amount"], "properties": {
        "amount": {"type": "integer", "minimum": 1},
        "currency": {"enum": ["EUR", "USD"]},
        "urgent": {"type": "boolean", "default": false},
        "tags": {"type": "array", "items": {"type": "string"}},
        "days": {"type": "array", "items": {"enum": ["mon", "tue"]}},
        "to": {"$ref": "#/$defs/party"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "other": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    }, "$defs": {"party": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}});
    let value = json!({"amount": 9_007_199_254_740_993_u64, "currency": "USD", "urgent": true, "tags": ["a b", "c"],
        "days": ["mon", "tue"], "to": {"name": "Ada"}, "note": "x", "other": 5});
    let names: Vec<String> = sent(&fields(&schema, &value, &FieldErrors::new()))
        .pairs()
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in
        ["field:/amount", "field:/currency", "field:/urgent", "field:/tags", "field:/to/name", "json:/other"]
    {
        assert!(names.iter().any(|one| one == name), "{name} of {names:?}");
    }
    check(&schema, value);
}

#[test]
fn empty_is_left_out_and_required_is_missed() {
    let schema = json!({"required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "number"},
        "c": {"type": "object", "required": ["d"], "properties": {"d": {"type": "string"}}}}});
    assert_eq!(
        read(&schema, &FormFields::of(&[("field:/a", "x"), ("field:/b", " "), ("field:/c/d", "")])),
        Ok(json!({"a": "x"}))
    );
    let wrong =
        read(&schema, &FormFields::of(&[("field:/b", "one")])).expect_err("a is missing and b is no number");
    assert_eq!(wrong.keys().collect::<Vec<_>>(), ["/a", "/b"]);
}

#[test]
fn what_cannot_be_otherwise_needs_no_choice() {
    let schema = json!({"required": ["kind", "note"], "properties": {"kind": {"const": "mail"},
        "note": {"type": ["string", "null"]}, "deep": {"required": ["kind"], "properties": {"kind": {"const": 1}, "x": {"type": "string"}}}}});
    assert_eq!(read(&schema, &FormFields::default()), Ok(json!({"kind": "mail", "note": null})));
    let typed = FormFields::of(&[("field:/deep/x", "y")]);
    assert_eq!(
        read(&schema, &typed),
        Ok(json!({"kind": "mail", "note": null, "deep": {"kind": 1, "x": "y"}}))
    );
}

#[test]
fn json_that_was_chosen_counts_before_the_fields() {
    let schema = json!({"properties": {"a": {"type": "string"}}});
    let typed = [("field:/a", "x"), ("whole:json", r#"{"a": "y"}"#)];
    assert_eq!(read(&schema, &FormFields::of(&typed)), Ok(json!({"a": "x"})));
    let chosen = [typed[0], typed[1], ("whole:use", "1")];
    assert_eq!(read(&schema, &FormFields::of(&chosen)), Ok(json!({"a": "y"})));
    let broken = FormFields::of(&[("whole:json", "{"), ("whole:use", "1")]);
    assert!(read(&schema, &broken).is_err_and(|wrong| wrong[""].contains("JSON")));
}

#[test]
fn mistakes_stand_at_the_nearest_field() {
    let schema = json!({"properties": {"a": {"type": "array", "items": {"type": "string"}},
        "b": {"properties": {"c": {"type": "string"}}}}});
    let wrong = FieldErrors::from([
        ("/a/3".to_owned(), "first".to_owned()),
        ("/b/zz".to_owned(), "second".to_owned()),
        ("/nowhere".to_owned(), "third".to_owned()),
    ]);
    let shown = fields(&schema, &json!({}), &wrong).into_string();
    for sentence in ["first", "second", "third"] {
        assert_eq!(shown.matches(sentence).count(), 1, "{sentence}: {shown}");
    }
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} is not there: {shown}"));
    assert!(at("third") < at("field:/a") && at("field:/a") < at("first") && at("first") < at("second"));
}

#[test]
fn hostile_schemas_stay_small() {
    let wide: serde_json::Map<String, Value> =
        (0..10_000).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
    let wide = json!({"type": "object", "properties": wide});
    let circle =
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    let endless =
        json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}});
    let wider =
        json!({"type": "object", "properties": {"a": {"type": "object", "properties": wide["properties"]}}});
    for schema in [
        wide,
        circle,
        endless,
        wider,
        json!(true),
        json!([1]),
        json!({"type": "string"}),
        json!({"properties": 5}),
    ] {
        let shown = fields(&schema, &json!({"a": {"a": {"a": 1}}}), &FieldErrors::new()).into_string();
        assert!(shown.len() < 400_000, "{} bytes", shown.len());
        assert!(shown.contains("whole:json"));
        check(&schema, json!({"a": {"a": {"a": 1}}}));
    }
}

#[test]
fn text_that_misleads_is_written_as_json() {
    let schema = json!({"properties": {"to": {"type": "string"}}});
    let value = json!({"to": "pay\u{202e}gpj.exe\u{e0041}"});
    let shown = fields(&schema, &value, &FieldErrors::new()).into_string();
    assert!(
        shown.contains(r"\u202e") && shown.contains(r"\udb40\udc41") && !shown.contains('\u{202e}'),
        "{shown}"
    );
    check(&schema, value);
}

#[test]
fn what_only_reads_has_no_fields() {
    let schema = json!({"properties": {"to": {"type": "string", "description": "Who gets it"}}});
    let markup = shown(&schema, &json!({"to": "<b>", "x": 1})).into_string();
    assert!(
        markup.contains("Who gets it") && markup.contains("&lt;b&gt;") && !markup.contains("name="),
        "{markup}"
    );
}
