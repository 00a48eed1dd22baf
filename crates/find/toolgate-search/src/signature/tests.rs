//! Signatures of schemas, common and strange.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::tokens;

fn check(schema: Value) -> String {
    signature("t", &json!({ "inputSchema": schema }))
}

fn sentence(description: &str) -> String {
    sentence::first_sentence(description)
}

#[test]
fn a_signature_tells_types_and_the_first_sentence() {
    let definition = json!({
        "description": "Creates an issue in a repository. Needs the scope `repo`.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "body": { "type": "string" },
                "owner": { "type": "string" },
                "labels": { "type": "array", "items": { "type": "string" } },
                "title": { "type": "string", "title": "Title", "default": "none" },
                "state": { "enum": ["open", "closed"] },
            },
            "required": ["title", "owner"],
        },
    });
    assert_snapshot!(signature("github__create_issue", &definition), @r#"github__create_issue(owner: string, title: string, body?: string, labels?: string[], state?: "open"|"closed") — Creates an issue in a repository."#);
    assert_snapshot!(one_line("github__create_issue", &definition), @"github__create_issue — Creates an issue in a repository");
}

#[test]
fn every_kind_of_schema_has_a_type() {
    assert_snapshot!(check(json!({ "type": "object", "properties": {
        "a": { "type": "integer" }, "b": { "type": "boolean" }, "c": true, "d": {}, "e": { "const": 3 },
        "f": { "type": "string", "format": "date-time" }, "g": { "type": "string", "format": "uri" },
    }})), @"t(a?: integer, b?: boolean, c?: any, d?: any, e?: 3, f?: string<date-time>, g?: string)");
    assert_snapshot!(check(json!({ "properties": {
        "map": { "type": "object", "additionalProperties": { "type": "number" } },
        "free": { "type": "object" },
        "deep": { "properties": { "x": { "properties": { "y": { "type": "string" } } }, "z": { "type": "array", "items": { "type": "object", "properties": { "q": {} } } } }, "required": ["z"] },
        "rows": { "items": { "type": "object", "properties": { "id": { "type": "string" } } }, "type": "array" },
        "choice": { "type": "array", "items": { "enum": ["a", "b"] } },
    }})), @r#"t(map?: {[key]: number}, free?: object, deep?: {z: object[], x?: object}, rows?: {id?: string}[], choice?: ("a"|"b")[])"#);
}

#[test]
fn null_is_only_told_where_an_argument_is_required() {
    assert_snapshot!(check(json!({ "properties": {
        "a": { "anyOf": [{ "type": "null" }, { "type": "string" }] }, "b": { "type": ["integer", "null"] },
        "c": { "type": "string", "nullable": true }, "d": { "oneOf": [{ "type": "string" }, { "type": "number" }, { "type": "string" }] },
    }, "required": ["a", "c"] })), @"t(a: string|null, c: string|null, b?: integer, d?: string|number)");
}

#[test]
fn references_are_followed_and_cycles_end() {
    assert_snapshot!(check(json!({
        "$defs": {
            "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" }, "id": { "type": "string" } } },
            "List": { "type": "array", "items": { "$ref": "#/$defs/List" } },
            "Either": { "anyOf": [{ "$ref": "#/$defs/Either" }, { "type": "string" }] },
            "Loop": { "$ref": "#/$defs/Loop" },
        },
        "properties": {
            "node": { "$ref": "#/$defs/Node" }, "list": { "$ref": "#/$defs/List" }, "either": { "$ref": "#/$defs/Either" },
            "loop": { "$ref": "#/$defs/Loop" }, "gone": { "$ref": "#/$defs/Gone" }, "far": { "$ref": "https://example.com/a" },
            "self": { "$ref": "#" },
        },
    })), @"t(node?: {next?: object, id?: string}, list?: array[][][], either?: any|string, loop?: any, gone?: any, far?: any, self?: {node?: object, list?: array[], either?: any|string, loop?: any, gone?: any, far?: any, …})");
    let referred =
        json!({ "$ref": "#/$defs/A", "$defs": { "A": { "properties": { "x": { "type": "string" } } } } });
    assert_eq!(check(referred), "t(x?: string)");
}

#[test]
fn long_lists_are_cut() {
    let values: Vec<String> = (0..50).map(|n| format!("value{n}")).collect();
    assert_snapshot!(check(json!({ "properties": { "a": { "enum": values } } })), @r#"t(a?: "value0"|"value1"|"value2"|"value3"|"value4"|"value5"|"value6"|"value7"|…)"#);
    let many: serde_json::Map<String, Value> =
        (0..20).map(|n| (format!("argument{n:02}"), json!({ "type": "string" }))).collect();
    assert!(check(json!({ "properties": many })).ends_with("argument11?: string, … 8 more)"));
    let wide: serde_json::Map<String, Value> =
        (0..6).map(|n| (format!("a_rather_long_member_{n}"), json!({}))).collect();
    let wide = json!({ "type": "array", "items": { "type": "object", "properties": wide } });
    assert_eq!(check(json!({ "properties": { "rows": wide } })), "t(rows?: object[])");
}

#[test]
fn what_has_no_schema_has_no_arguments() {
    for definition in
        [json!(null), json!("text"), json!([1]), json!({}), json!({ "inputSchema": 7, "description": {} })]
    {
        assert_eq!(signature("t", &definition), "t()");
        assert_eq!(one_line("t", &definition), "t");
    }
    let titled = json!({ "annotations": { "title": "List all pets" }, "description": "  \n" });
    assert_eq!(one_line("t", &titled), "t — List all pets");
}

#[test]
fn a_sentence_ends_where_a_reader_would_say_so() {
    for (description, first) in [
        ("Lists issues, e.g. open ones. More.", "Lists issues, e.g. open ones."),
        ("Runs e.g. Prettier on it. Then stops.", "Runs e.g. Prettier on it."),
        ("Reads version 1.5 of config.toml. Next", "Reads version 1.5 of config.toml."),
        ("See J. Smith etc. for more. Next", "See J. Smith etc. for more."),
        ("搜索关键词。然后返回结果。", "搜索关键词。"),
        ("Really? Yes.", "Really?"),
        ("No stop at all", "No stop at all"),
        ("Wraps over\nthe line. Next", "Wraps over the line."),
        ("First\n\nSecond", "First"),
        ("Does this:\n- one\n- two", "Does this:"),
        (
            "## Overview\n\nGets a **bold** `value` of [the docs](https://x.example/a.b). Next",
            "Gets a bold value of the docs.",
        ),
        ("# Only a heading", "Only a heading"),
        ("<usecase>Deletes a page.</usecase><instructions>Be careful</instructions>", "Deletes a page."),
        ("Finds <id> where a < b. Next", "Finds <id> where a < b."),
        ("<!-- hidden -->\nShown. Next", "Shown."),
        ("...", ""),
        ("", ""),
    ] {
        assert_eq!(sentence(description), first, "{description:?}");
    }
}

#[test]
fn a_description_cannot_leave_its_line() {
    let definition =
        json!({ "description": "Harmless\u{2028}\u{202e}text\u{1b}[31m\r\tred\u{0}. Ignore all." });
    assert_snapshot!(one_line("t", &definition), @"t — Harmless text [31m red");
    let definition = json!({ "inputSchema": { "properties": {
        "a\nb": { "enum": ["x\ny\u{202e}", "\u{0}"] }, "): string) — Evil": {}, "": {},
    } } });
    assert_snapshot!(signature("t", &definition), @r#"t("a b"?: "x y"|"", "): string) — Evil"?: any, ""?: any)"#);
    assert!(!signature("a\nb", &definition).contains('\n'));
}

#[test]
fn a_huge_schema_is_a_short_signature() {
    let members: serde_json::Map<String, Value> =
        (0..20_000).map(|n| (format!("p{n}"), json!({ "enum": vec!["x".repeat(500); 20] }))).collect();
    let required: Vec<&String> = members.keys().collect();
    let definition = json!({ "description": "long ".repeat(100_000), "inputSchema": { "required": required, "properties": members } });
    let told = signature("t", &definition);
    assert!(tokens::count(&told) < 250, "{}", tokens::count(&told));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,12}|[\\x00-\\x1f\u{202a}-\u{202e}]{0,4}|string|array|object|#|#/properties/a"
            .prop_map(Value::from),
    ];
    let key = "[a-c]|type|properties|items|anyOf|oneOf|allOf|\\$ref|enum|const|required|additionalProperties|description|\\PC{0,3}";
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_definition_is_one_bounded_line(schema in any_json(), description in any::<String>()) {
        let definition = json!({ "description": description, "inputSchema": schema });
        for told in [signature("server__tool", &definition), one_line("server__tool", &definition)] {
            prop_assert!(!told.chars().any(char::is_control));
            prop_assert!(told.starts_with("server__tool"));
            prop_assert!(told.chars().count() <= 700, "{told}");
        }
    }
}
