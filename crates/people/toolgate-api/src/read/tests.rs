//! The answers to unreadable requests.

use serde::Deserialize;
use toolgate_core::RawJson;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    decision: String,
    #[serde(default)]
    grant: Option<Nested>,
    #[serde(default)]
    arguments: Option<RawJson>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nested {
    uses: u32,
}

fn problem(body: &str) -> Box<Problem> {
    read_json::<Sample>(body.as_bytes()).expect_err("it cannot be read")
}

#[test]
fn a_field_that_does_not_exist_is_named_with_the_one_that_was_meant() {
    let found = problem(r#"{"decision":"approve","desicion":1}"#);
    assert_eq!((found.status, found.code.name), (422, "field_unknown"));
    assert_eq!(found.detail, "there is no field `desicion` here");
    assert_eq!(found.hint, "did you mean \"decision\"?");
    let nested = problem(r#"{"decision":"approve","grant":{"zzz":1}}"#);
    assert_eq!((nested.code.name, nested.hint.as_str()), ("field_unknown", "one of: uses"));
}

#[test]
fn a_field_of_another_type_is_named_with_its_path() {
    let found = problem(r#"{"decision":"approve","grant":{"uses":"many"}}"#);
    assert_eq!((found.status, found.code.name), (422, "field_invalid"));
    assert_eq!(found.more["field"], "grant.uses");
    assert_eq!(found.detail, r#"field `grant.uses`: invalid type: string "many", expected u32"#);
    assert_eq!(problem("[]").status, 422);
    assert_eq!(problem("{}").detail, "the body: missing field `decision`");
    assert_eq!(problem(r#"{"decision":"a","decision":"b"}"#).detail, "the body: duplicate field `decision`");
}

#[test]
fn what_is_no_json_is_a_bad_request() {
    for body in ["", "{", "\u{1}", r#"{"decision":nope}"#] {
        let found = problem(body);
        assert_eq!((found.status, found.code.name), (400, "json_broken"), "{body}");
    }
    assert_eq!(problem(r#"{"decision":"a"} more"#).code.name, "json_broken");
}

#[test]
fn raw_arguments_keep_their_bytes() {
    let read: Sample =
        read_json(br#"{"decision":"edit","arguments":{ "a":1.0e2 }}"#).expect("it can be read");
    assert_eq!(read.arguments.expect("arguments").as_str(), r#"{ "a":1.0e2 }"#);
    assert_eq!((read.decision.as_str(), read.grant.map(|grant| grant.uses)), ("edit", None));
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    principal: Option<String>,
}

#[test]
fn parameters_are_decoded_and_unknown_ones_named() {
    let read: Parameters = read_query("principal=a%20b").expect("it can be read");
    assert_eq!(read.principal.as_deref(), Some("a b"));
    let unknown = read_query::<Parameters>("principle=a").expect_err("there is none");
    assert_eq!((unknown.status, unknown.code.name), (400, "parameter_unknown"));
    assert_eq!(unknown.hint, "did you mean \"principal\"?");
    let twice = read_query::<Parameters>("principal=a&principal=b").expect_err("it stands twice");
    assert_eq!((twice.status, twice.code.name), (400, "parameter_invalid"));
}

#[test]
fn a_limit_stays_within_its_bounds() {
    assert_eq!(limit(None, 50, 500), Ok(50));
    assert_eq!(limit(Some("500"), 50, 500), Ok(500));
    for bad in ["0", "501", "-1", "many", ""] {
        assert_eq!(
            limit(Some(bad), 50, 500).expect_err("out of bounds").code.name,
            "parameter_invalid",
            "{bad}"
        );
    }
}
