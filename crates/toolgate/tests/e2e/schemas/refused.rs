//! Bad input: a clear error with a hint, and nothing half done.

use serde_json::{Value, json};

use super::{SchemaOffice, invoice};
use crate::files::archive::text;
use crate::governed::database::Backing;

const MEBIBYTE: usize = 1 << 20;

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!({ "type": "string" }), |inner, _| json!({ "items": inner }))
}

#[tokio::test]
async fn what_is_no_schema_is_not_kept() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    let of = |definition: Value| json!({ "name": "invoice", "definition": definition });
    for (definition, status, code, words) in [
        (json!({ "type": "strin" }), 422, "bad_schema", "cannot be kept"),
        (json!({ "minLength": -1 }), 422, "bad_schema", "cannot be kept"),
        (json!({ "pattern": "(" }), 422, "bad_schema", "cannot be kept"),
        (json!({ "$ref": "https://example.com/a.json" }), 422, "bad_schema", "another document"),
        (json!({ "$ref": "#/$defs/nothing" }), 422, "bad_schema", "no schema at that place"),
        (json!({ "anyOf": [{ "$ref": "#" }] }), 422, "bad_schema", "never gets to a value"),
        (nested(80), 413, "schema_too_large", "64 levels"),
        (json!({ "enum": vec![0; 30_000] }), 413, "schema_too_large", "20000 parts"),
        (json!({ "description": "a".repeat(300_000) }), 413, "schema_too_large", "bytes"),
    ] {
        let error = office.refused("register", of(definition), status, code).await;
        assert!(text(&error["message"]).contains(words), "{error}");
    }
    let no_object = office.said("register", of(json!([]))).await;
    assert_eq!(
        (no_object.status, &no_object.json()["error"]["code"]),
        (422, &json!("invalid_arguments")),
        "{no_object:?}"
    );
    for name in ["", "a b", "../x"] {
        let bad = json!({ "name": name, "definition": {} });
        office.refused("register", bad, 422, "invalid_arguments").await;
    }
    assert!(office.site.told("schema.registered").await.is_empty());
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    let huge = json!({ "name": "invoice", "definition": { "description": "a".repeat(10 * MEBIBYTE) } });
    let said = office.said("register", huge).await;
    assert_eq!(said.status, 413, "{}", said.text.chars().take(500).collect::<String>());
    assert!(office.site.told("schema.registered").await.is_empty());
}

#[tokio::test]
async fn what_does_not_fit_the_state_is_refused() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    office.register("invoice", invoice(json!({}))).await;
    office.register("invoice", invoice(json!({ "note": {} }))).await;
    let of = |version: u64| json!({ "name": "invoice", "version": version });
    office.refused("promote", of(7), 404, "unknown_schema").await;
    office.refused("promote", json!({ "name": "nothing", "version": 1 }), 404, "unknown_schema").await;
    office.refused("get", json!({ "name": "invoice", "version": 7 }), 404, "unknown_schema").await;
    office.refused("get", json!({ "schema_id": "sch_0" }), 404, "unknown_schema").await;
    office.refused("get", json!({}), 422, "invalid_arguments").await;
    let draft = office.refused("deprecate", of(1), 409, "schema_state").await;
    assert!(text(&draft["message"]).contains("is draft"), "{draft}");
    let stale = office
        .refused("promote", json!({ "name": "invoice", "version": 1, "expected": 2 }), 412, "schema_stale")
        .await;
    assert!(text(&stale["message"]).contains("no version"), "{stale}");
    office.done("promote", of(1)).await;
    let again = office.refused("promote", of(1), 409, "schema_state").await;
    assert!(text(&again["message"]).contains("is active"), "{again}");
    office
        .refused("promote", json!({ "name": "invoice", "version": 2, "expected": 0 }), 412, "schema_stale")
        .await;
    office.refused("deprecate", of(2), 409, "schema_state").await;
    let other = json!({ "name": "invoice", "definition": {}, "compatibility": "none" });
    let conflict = office.refused("register", other, 409, "schema_conflict").await;
    assert!(text(&conflict["message"]).contains("compatibility backward"), "{conflict}");
}

#[tokio::test]
async fn a_value_is_given_once_and_is_json() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    office.register("invoice", invoice(json!({}))).await;
    let of = |more: Value| {
        let mut arguments = json!({ "name": "invoice", "version": 1 });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        arguments
    };
    office.refused("validate", of(json!({})), 422, "invalid_arguments").await;
    office
        .refused("validate", of(json!({ "value": 1, "source_id": "file_1" })), 422, "invalid_arguments")
        .await;
    let gone = office.said("validate", of(json!({ "source_id": "file_1" }))).await;
    assert_eq!(gone.status, 404, "{gone:?}");
    let told = office.site.refuse(&["schema", "promote", "--name", "invoice", "--arg-version", "9"]);
    assert!(told.contains("there is no version 9") && told.contains("hint: "), "{told}");
}
