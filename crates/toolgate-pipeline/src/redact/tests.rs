use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_core::{Digest, RawJson};

use super::*;

const TOOL: &str = "crm:find";

fn rule(tools: &str, input: &[&str], output: &[&str]) -> RedactRule {
    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    RedactRule { tools: tools.to_owned(), input: owned(input), output: owned(output) }
}

fn redactor(rules: Vec<RedactRule>) -> Redactor {
    Redactor::new(rules).unwrap()
}

#[track_caller]
fn check_with(rules: Vec<RedactRule>, value: Value, expected: Value) {
    let redactor = redactor(rules);
    let redacted = redactor.redact_input(TOOL, &value);
    assert_eq!(*redacted.value, expected);
    assert_eq!(redacted.complete, value == expected);
    assert_eq!(matches!(redacted.value, Cow::Borrowed(_)), value == expected);
}

#[track_caller]
fn check(value: Value, expected: Value) {
    check_with(Vec::new(), value, expected);
}

#[track_caller]
fn check_output(rules: Vec<RedactRule>, value: Value, expected: Value) {
    let raw = RawJson::from(value.clone());
    let redacted = redactor(rules).redact_output(TOOL, &raw);
    assert_eq!(redacted.json.decode::<Value>().unwrap(), expected);
    assert_eq!(redacted.complete, value == expected);
}

#[test]
fn secrets_are_known_by_their_keys() {
    for key in [
        "password",
        "db_password",
        "userPassword",
        "PASSWORD",
        "passwd",
        "passphrase",
        "client_secret",
        "token",
        "accessToken",
        "api_key",
        "apiKey",
        "X-Api-Key",
        "Authorization",
        "proxy-authorization",
        "aws_access_key",
        "privateKey",
        "private-key",
        "credential",
        "credentials",
        "Cookie",
        "set-cookie",
    ] {
        check(json!({"a": [{key: "x", "b": 1}]}), json!({"a": [{key: MARKER, "b": 1}]}));
        check_output(
            Vec::new(),
            json!({"a": [{key: {"x": 1}, "b": 1}]}),
            json!({"a": [{key: MARKER, "b": 1}]}),
        );
    }
}

#[test]
fn other_keys_and_facts_about_secrets_are_kept() {
    let harmless = json!({
        "max_tokens": 5, "key": "k", "passwords_file": "f", "secretary": "Ann", "has_password": true, "token": null,
        "monkey": "see", "authorizations": [1],
    });
    check(harmless.clone(), harmless.clone());
    check_output(Vec::new(), harmless.clone(), harmless);
}

#[test]
fn secrets_are_known_by_their_look() {
    let token = format!("tg_agent_{}", "aB3-_".repeat(9).get(..43).unwrap());
    for secret in [
        token.clone(),
        format!("curl -H 'x: {token}'"),
        "Bearer abc".to_owned(),
        "bearer eyJhbGciOi.eyJzdWIi.sig-x".to_owned(),
        "Authorization: Bearer abcdefghijklmnopqrst1".to_owned(),
    ] {
        check(json!({"note": [secret]}), json!({"note": [MARKER]}));
        check_output(Vec::new(), json!({"note": [secret]}), json!({"note": [MARKER]}));
    }
    for harmless in [
        "tg_agent_short",
        "tg_nobody_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "Bearer of bad news",
        "the bearer",
    ] {
        check(json!({"note": harmless}), json!({"note": harmless}));
    }
}

#[test]
fn rules_name_paths_for_tools() {
    let rules = || {
        vec![
            rule("crm:*", &["/name", "/users/*/mail", "/**/born", "/list/0", "/a~1b/~0"], &[]),
            rule("other:*", &["/city"], &[]),
        ]
    };
    check_with(
        rules(),
        json!({
            "NAME": "Ann", "city": "Bern", "users": [{"Mail": "m", "born": 1}, {"mail": 5, "x": {"born": [1]}}],
            "born": {"year": 1}, "list": ["a", "b"], "a/b": {"~": 1, "c": 2}, "mail": "kept",
        }),
        json!({
            "NAME": MARKER, "city": "Bern", "users": [{"Mail": MARKER, "born": MARKER}, {"mail": MARKER, "x": {"born": MARKER}}],
            "born": MARKER, "list": [MARKER, "b"], "a/b": {"~": MARKER, "c": 2}, "mail": "kept",
        }),
    );
    check_with(
        rules(),
        json!({"users": {"a": {"b": {"mail": 1}}}}),
        json!({"users": {"a": {"b": {"mail": 1}}}}),
    );
    check_with(
        vec![rule("*", &["/a/**"], &[])],
        json!({"a": {"b": 1}, "b": 1}),
        json!({"a": MARKER, "b": 1}),
    );
    check_with(
        vec![rule("*", &["/**/x/**/y"], &[])],
        json!({"x": {"b": [{"y": 1}]}, "y": 2}),
        json!({"x": {"b": [{"y": MARKER}]}, "y": 2}),
    );
    check_with(
        vec![rule("*", &["/größe"], &[])],
        json!({"GRÖSSE": 1, "GRÖßE": 2}),
        json!({"GRÖSSE": 1, "GRÖßE": MARKER}),
    );
}

#[test]
fn input_rules_and_output_rules_do_not_mix() {
    check_with(vec![rule("*", &[], &["/mail"])], json!({"mail": 1}), json!({"mail": 1}));
    check_output(vec![rule("*", &["/mail"], &[])], json!({"mail": 1}), json!({"mail": 1}));
}

#[test]
fn output_paths_start_at_the_result_at_its_structure_and_at_json_in_text() {
    let text = json!({"users": [{"mail": "m", "id": 1}]}).to_string();
    check_output(
        vec![rule("crm:?ind", &[], &["/users/*/mail", "/isError"])],
        json!({"content": [{"type": "text", "text": text}], "structuredContent": {"users": [{"mail": "m"}]}, "isError": false}),
        json!({
            "content": [{"type": "text", "text": r#"{"users":[{"mail":"[redacted]","id":1}]}"#}],
            "structuredContent": {"users": [{"mail": MARKER}]}, "isError": MARKER,
        }),
    );
}

#[test]
fn json_inside_strings_is_searched_too() {
    let body = json!({"user": "ann", "password": "x"}).to_string();
    check(json!({"body": body}), json!({"body": MARKER}));
    check_output(
        Vec::new(),
        json!({"content": [{"type": "text", "text": format!(" {body}\n")}]}),
        json!({"content": [{"type": "text", "text": r#"{"user":"ann","password":"[redacted]"}"#}]}),
    );
    let twice = json!([body]).to_string();
    check(json!({"body": twice}), json!({"body": MARKER}));
    check(json!({"body": "{\"user\":\"ann\"}"}), json!({"body": "{\"user\":\"ann\"}"}));
    let deep = (0..8).fold(body, |inner, _| json!([inner]).to_string());
    check(json!({"body": deep}), json!({"body": MARKER}));
}

#[test]
fn binary_content_becomes_its_size_and_digest() {
    let marker = format!("[binary, 3 bytes, {}]", Digest::of("abc"));
    let result = |data: &str| {
        json!({"content": [
            {"type": "image", "data": data, "mimeType": "image/png"},
            {"type": "audio", "data": data},
            {"type": "resource", "resource": {"uri": "file:///x", "blob": data}},
            {"type": "text", "text": "seen"},
        ]})
    };
    check_output(Vec::new(), result("YWJj"), result(&marker));
    check_output(
        Vec::new(),
        json!({"data": "YWJj", "blob": "YWJj"}),
        json!({"data": "YWJj", "blob": "YWJj"}),
    );
}

#[test]
fn long_base64_is_binary_wherever_it_stands() {
    let encoded = "QUJD".repeat(400);
    let marker = format!("[binary, 1200 bytes, {}]", Digest::of("ABC".repeat(400)));
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    for text in
        [encoded.clone(), format!("data:image/png;base64,{encoded}"), lines.join("\n"), lines.join("\r\n")]
    {
        check(json!({"file": text}), json!({"file": marker}));
        check_output(
            Vec::new(),
            json!({"x": "some words before", "file": text}),
            json!({"x": "some words before", "file": marker}),
        );
    }
    for harmless in ["QUJD".repeat(256), "QUJD ".repeat(400), Digest::of("a").to_string()] {
        check(json!({"file": harmless}), json!({"file": harmless}));
    }
    let odd = "_".repeat(1025);
    check(json!({"file": odd}), json!({"file": binary::marker(&odd)}));
}

#[test]
fn a_result_that_no_rule_can_match_is_not_parsed() {
    let redactor = redactor(vec![rule("*", &[], &["/mail"])]);
    // Not readable as a value, so parsing it would have taken all of it out.
    let raw = RawJson::parse(r#"{"n": 1e999, "a": 1.00}"#.to_owned().into()).unwrap();
    assert_eq!(redactor.redact_output(TOOL, &raw), RedactedOutput { json: raw.clone(), complete: true });
    let raw = RawJson::parse(r#"{"n": 1e999, "mail": 1.00}"#.to_owned().into()).unwrap();
    let redacted = redactor.redact_output(TOOL, &raw);
    assert_eq!(redacted.json.as_str(), r#""[redacted]""#);
    assert!(!redacted.complete);
}

#[test]
fn a_result_that_only_looks_suspicious_keeps_its_text() {
    let raw = RawJson::parse(r#"{ "b": "a token of thanks", "a": 1.00 }"#.to_owned().into()).unwrap();
    let redacted = redactor(Vec::new()).redact_output(TOOL, &raw);
    assert_eq!(redacted, RedactedOutput { json: raw, complete: true });
}

#[test]
fn escaped_letters_hide_nothing() {
    for text in [
        r#"{"passw\u006Frd": "x"}"#,
        r#"{"text": "{\"passw\\u006frd\": 1}"}"#,
        r#"{"a": "\u0042earer abcdef"}"#,
    ] {
        let raw = RawJson::parse(text.to_owned().into()).unwrap();
        assert!(!redactor(Vec::new()).redact_output(TOOL, &raw).complete, "{text}");
    }
}

#[test]
fn paths_that_mean_nothing_are_refused_with_their_text() {
    for (path, problem) in [
        ("password", BadPattern::NoSlash),
        ("", BadPattern::NoSlash),
        ("/", BadPattern::EmptyStep),
        ("/a//b", BadPattern::EmptyStep),
        ("/a*", BadPattern::MixedStar),
        ("/***", BadPattern::MixedStar),
        ("/a~", BadPattern::BadEscape),
        ("/a~2", BadPattern::BadEscape),
    ] {
        let error = Redactor::new(vec![rule("crm:*", &["/fine"], &[path])]).unwrap_err();
        assert_eq!(error, BadRule::Path { tools: "crm:*".into(), pattern: path.into(), problem });
        assert!(error.to_string().contains(&format!("{path:?}")), "{error}");
    }
    assert_eq!(
        Redactor::new(vec![rule("*", &[&"/a".repeat(33)], &[])]).unwrap_err().to_string().lines().count(),
        1
    );
    assert_eq!(Redactor::new(vec![rule("", &[], &[])]).unwrap_err(), BadRule::NoTools);
    assert!(matches!(Redactor::new(vec![rule("*", &[], &[]); RULES_MAX + 1]), Err(BadRule::TooMany(_))));
}

#[test]
fn what_an_approver_left_alone_is_put_back() {
    let encoded = "QUJD".repeat(400);
    let original = json!({"user": "ann", "password": "x", "keys": [{"token": "t1"}, {"token": {"a": 1}}], "file": encoded});
    let redactor = redactor(Vec::new());
    let mut edited = redactor.redact_input(TOOL, &original).value.into_owned();
    assert_eq!(restore(edited.clone(), &original), Ok(original.clone()));
    edited["user"] = json!("bob");
    edited["password"] = json!("new");
    edited["extra"] = json!("y");
    let restored = restore(edited, &original).unwrap();
    let expected = json!({
        "user": "bob", "password": "new", "keys": [{"token": "t1"}, {"token": {"a": 1}}], "file": encoded, "extra": "y",
    });
    assert_eq!(restored, expected);
}

#[test]
fn a_marker_without_an_original_is_refused() {
    let original = json!({"password": "x", "keys": [{"token": "t1"}, {"token": "t2"}], "note": "n"});
    let refused = |edited: Value| restore(edited, &original).unwrap_err().path;
    assert_eq!(refused(json!({"pass/word": MARKER})), "/pass~1word");
    // One entry was deleted; the other's secret must not move into its place.
    assert_eq!(refused(json!({"keys": [{"token": MARKER}]})), "/keys/0/token");
    assert_eq!(refused(json!({"note": {"password": MARKER}})), "/note/password");
    assert_eq!(restore(json!({"note": "not [redacted]"}), &original), Ok(json!({"note": "not [redacted]"})));
}

fn any_result() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("password".to_owned()),
        Just("apiKey".to_owned()),
        Just("mail".to_owned()),
        Just("data".to_owned()),
        Just("type".to_owned()),
        Just("image".to_owned()),
        Just("blob".to_owned()),
        Just("uri".to_owned()),
        Just("Bearer abc.def".to_owned()),
        Just("QUJD".repeat(300)),
        Just("{\"token\":1}".to_owned()),
        ".{0,8}",
    ];
    let leaf = prop_oneof![Just(json!(1)), Just(Value::Null), word.clone().prop_map(Value::from)];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_quick_look_never_misses_what_the_walk_finds(value in any_result()) {
        let redactor = redactor(vec![rule("*", &[], &["/**/mail"])]);
        let patterns: Vec<&Pattern> = redactor.rules.iter().flat_map(|rule| &rule.output).collect();
        let found = Walk::new(&patterns, Embedded::Inside).start(&value).is_some();
        let redacted = redactor.redact_output(TOOL, &RawJson::from(value));
        prop_assert_eq!(redacted.complete, !found);
    }

    #[test]
    fn redacting_and_restoring_gives_the_original_back(value in any_result()) {
        let redactor = redactor(vec![rule("*", &["/**/mail"], &[])]);
        let redacted = redactor.redact_input(TOOL, &value);
        prop_assert_eq!(restore(redacted.value.into_owned(), &value), Ok(value.clone()));
    }
}
