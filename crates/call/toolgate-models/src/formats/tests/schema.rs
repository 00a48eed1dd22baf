//! Schemas of tools.

use toolgate_core::RawJson;

use crate::formats::schema::tool_schema;

fn check(schema: &str, expected: &str) {
    assert_eq!(tool_schema(&RawJson::from_composed(schema.to_owned())).to_string(), expected);
}

#[test]
fn a_schema_is_an_object_with_properties() {
    check("{}", r#"{"type":"object","properties":{}}"#);
    check("true", r#"{"type":"object","properties":{}}"#);
    check(r#"{"type":["object","null"]}"#, r#"{"type":"object","properties":{}}"#);
}

#[test]
fn the_dialect_is_taken_off_everywhere_and_a_property_of_that_name_is_not() {
    check(
        r#"{"$schema":"x","type":"object","properties":{"$schema":{"type":"string"},"a":{"$schema":"y","type":"number"}}}"#,
        r#"{"type":"object","properties":{"$schema":{"type":"string"},"a":{"type":"number"}}}"#,
    );
}

#[test]
fn properties_below_words_that_combine_schemas_are_lifted() {
    check(
        r#"{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"properties":{"a":{"const":1},"b":{"type":"number"}}},{"required":["a"]}],"not":{"required":["c"]}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}}}"#,
    );
}

#[test]
fn words_deeper_down_stay() {
    let schema = r##"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/b"}]}},"$defs":{"b":{"enum":[1]}},"additionalProperties":false}"##;
    check(schema, schema);
}
