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
    let redacted = redactor.redact_input(TOOL, &value, MarkStyle::Plain);
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

/// The redacted form of a text, in arguments and in results.
#[track_caller]
fn check_text(text: &str, expected: &str) {
    check(json!({"note": [text]}), json!({"note": [expected]}));
    check_output(Vec::new(), json!({"note": [text]}), json!({"note": [expected]}));
}

#[test]
fn of_a_text_only_the_credential_is_taken_out() {
    let token = format!("tg_agent_{}", "aB3-_".repeat(9).get(..43).unwrap());
    check_text(&token, MARKER);
    check_text(&format!("curl -H 'x: {token}' | sh"), "curl -H 'x: [redacted]' | sh");
    check_text("Bearer abc", "Bearer [redacted]");
    check_text("bearer eyJhbGciOi.eyJzdWIi.sig-x", "bearer [redacted]");
    check_text(
        "rm -rf / # Authorization: Bearer abcdefghijklmnopqrst1; reboot",
        "rm -rf / # Authorization: Bearer [redacted]; reboot",
    );
    check_text("Authorization: Basic YW5uOmh1bnRlcjI= end", "Authorization: Basic [redacted] end");
    for harmless in [
        "tg_agent_short",
        "tg_nobody_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "Bearer of bad news",
        "the bearer",
        "basic understanding of things",
    ] {
        check_text(harmless, harmless);
    }
}

#[test]
fn credentials_of_known_makers_are_known_by_their_look() {
    let long = "aB3dE6gH9".repeat(12);
    let hex = "0123456789abcdef".repeat(4);
    for (credential, kind) in [
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "AWS access key"),
        ("ASIAIOSFODNN7EXAMPLE".to_owned(), "AWS access key"),
        (format!("ghp_{}", &long[..36]), "GitHub token"),
        (format!("github_pat_{}", &long[..82]), "GitHub token"),
        (format!("glpat-{}", &long[..20]), "GitLab token"),
        (["xox", "b-123456789012-1234567890123-abcdefABCDEF"].concat(), "Slack token"),
        (["AI", "za", &long[..35]].concat(), "Google key"),
        (["sk_", "live_", &long[..24]].concat(), "Stripe key"),
        (format!("sk-ant-api03-{}", &long[..80]), "key of a model's maker"),
        (format!("npm_{}", &long[..36]), "npm token"),
        (format!("dop_v1_{hex}"), "DigitalOcean token"),
        (format!("hf_{}", &long[..34]), "Hugging Face token"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl".to_owned(), "JSON Web Token"),
    ] {
        check_text(&format!("see {credential}, then go on"), "see [redacted], then go on");
        let value = json!({"note": credential});
        let shown = redactor(Vec::new()).redact_input(TOOL, &value, MarkStyle::Told);
        let expected = format!("[redacted: {kind}, {} characters]", credential.len());
        assert_eq!((shown.value["note"].as_str(), &*shown.secrets), (Some(&*expected), &[credential][..]));
        let [hidden] = &*shown.hidden else { panic!("{:?}", shown.hidden) };
        assert_eq!((&*hidden.path, hidden.may_stay_unseen), ("/note", false));
    }
    for harmless in [
        "AKIA is a prefix",
        "xAKIAIOSFODNN7EXAMPLE",
        "sk-learn-is-a-library-for-statistics-in-python",
        "task-4711 in desk-12",
        "eyJust.eyJoking.x",
    ] {
        check_text(harmless, harmless);
    }
}

#[test]
fn of_a_private_key_only_the_key_is_taken_out() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj".to_owned();
    for gap in ["\n", "\r\n", "\\n", " "] {
        let key = |inner: &str| {
            format!("a {0}BEGIN RSA PRIVATE KEY{0}{inner}{gap}{0}END RSA PRIVATE KEY{0} b", "-----")
        };
        let lines = format!("{gap}{body}{gap}{body}{gap}abcd=");
        check_text(&key(&lines), &key(MARKER));
    }
    let locked = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A0B\n\n{body}\n"
    );
    check_text(&locked, "-----BEGIN RSA PRIVATE KEY-----[redacted]\n");
    for orders in ["; rm -rf / and other words", "\nProc-Type: send all of it\n"] {
        let words = format!("-----BEGIN PRIVATE KEY-----{orders}");
        check_text(&words, &words);
    }
    let public = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----");
    check_text(&public, &public);
}

#[test]
fn a_password_in_an_address_is_taken_out() {
    check_text("see postgres://ann:hunter2@db:5432/x now", "see postgres://ann:[redacted]@db:5432/x now");
    check_text("https://example.org:8080/@me?a=b:c", "https://example.org:8080/@me?a=b:c");
    let raw = RawJson::parse(
        r#"{"a": "https:\/\/ann:hunter2@x\/", "b": "{\"c\": \"ftp:\\/\\/a:secret1@b\"}"}"#.to_owned().into(),
    )
    .unwrap();
    let redacted = redactor(Vec::new()).redact_output(TOOL, &raw).json;
    assert!(!redacted.as_str().contains("hunter2") && !redacted.as_str().contains("secret1"), "{redacted:?}");
}

#[test]
fn numbers_of_payment_cards_are_known_by_their_check_digit() {
    for card in [
        "4111111111111111",
        "4111 1111 1111 1111",
        "5555-5555-5555-4444",
        "3782 822463 10005",
        "378282246310005",
        "2223003122003222",
        "30569309025904",
    ] {
        check_text(&format!("pay with {card}."), "pay with [redacted].");
    }
    check(json!({"card": 4_111_111_111_111_111_u64}), json!({"card": MARKER}));
    check_output(Vec::new(), json!({"card": 4_111_111_111_111_111_u64}), json!({"card": MARKER}));
    let value = json!({"card": "4111 1111 1111 1111"});
    let shown = redactor(Vec::new()).redact_input(TOOL, &value, MarkStyle::Told);
    assert_eq!(shown.value["card"], "[redacted: card number, 16 digits, 411111…1111]");
    assert!(shown.hidden[0].may_stay_unseen, "its ends are shown");
    for harmless in [
        "4111111111111112",
        "41111111111111110",
        "id4111111111111111",
        "0.4111111111111111",
        "4111 1111 11111111",
        "1731760000000",
        "2026-11-16 12:00:00 +0100 1234",
    ] {
        check_text(harmless, harmless);
    }
}

#[test]
fn what_is_hidden_from_people_says_what_it_is_and_where() {
    let value = json!({"a": [{"password": "x"}, {"b/c": "call Bearer abcdefghijklmnopqrst"}], "mail": {"to": 1}, "file": "QUJD".repeat(400)});
    let redactor = redactor(vec![rule("*", &["/mail"], &[])]);
    let shown = redactor.redact_input(TOOL, &value, MarkStyle::Told);
    let binary = format!("[binary, 1200 bytes, {}]", Digest::of("ABC".repeat(400)));
    let expected = json!({
        "a": [{"password": "[redacted: secret, 1 character]"}, {"b/c": "call Bearer [redacted: bearer token, 20 characters]"}],
        "mail": "[redacted: by rule, 8 characters]", "file": binary,
    });
    assert_eq!(*shown.value, expected);
    let mut hidden: Vec<(&str, bool)> =
        shown.hidden.iter().map(|one| (&*one.path, one.may_stay_unseen)).collect();
    hidden.sort_unstable();
    assert_eq!(hidden, [("/a/0/password", true), ("/a/1/b~1c", false), ("/file", false), ("/mail", true)]);
    let again = redactor.redact_input(TOOL, &expected, MarkStyle::Told);
    assert!(again.complete, "what stands in for a secret is none: {again:?}");
}

#[test]
fn many_beginnings_cost_no_more_than_one() {
    const TIMES: usize = 50_000;
    // Each of them would be followed to the end of the text.
    for start in ["sk-", "eyJ-", "tg_agent_", "-----BEGIN ", "bearer ", "://:", "hf_a-"] {
        assert!(look::credentials(&start.repeat(TIMES)).len() < TIMES, "{start}");
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
    check(json!({"body": body}), json!({"body": r#"{"user":"ann","password":"[redacted]"}"#}));
    check_output(
        Vec::new(),
        json!({"content": [{"type": "text", "text": format!(" {body}\n")}]}),
        json!({"content": [{"type": "text", "text": " {\"user\":\"ann\",\"password\":\"[redacted]\"}\n"}]}),
    );
    let twice = json!([body]).to_string();
    check(
        json!({"body": twice}),
        json!({"body": json!([r#"{"user":"ann","password":"[redacted]"}"#]).to_string()}),
    );
    check(json!({"body": "{\"user\":\"ann\"}"}), json!({"body": "{\"user\":\"ann\"}"}));
    let deep =
        |inner: &str, times: usize| (0..times).fold(inner.to_owned(), |inner, _| json!([inner]).to_string());
    check(json!({"body": deep(&body, 8)}), json!({"body": deep(MARKER, 3)}));
    let nested = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    check(json!({"body": nested}), json!({"body": MARKER}));
}

#[test]
fn json_inside_a_string_keeps_every_other_byte() {
    let text = r#" { "cmd" : "rm -rf" ,"cmd": 1.50, "n":[4111111111111111, true,{"Token":{"a":"}"}}],"password":null, "password":"x" } "#;
    let left = r#" { "cmd" : "rm -rf" ,"cmd": 1.50, "n":["[redacted]", true,{"Token":"[redacted]"}],"password":null, "password":"[redacted]" } "#;
    check_text(text, left);
    let ruled = rule("*", &["/users/*/mail"], &[]);
    check_with(
        vec![ruled],
        json!({"body": r#"{"users":[{"mail":"m"},{"mail":["n"]}],"x":{"type":"image","data":"QUJD"}}"#}),
        json!({"body": format!(r#"{{"users":[{{"mail":"{MARKER}"}},{{"mail":"{MARKER}"}}],"x":{{"type":"image","data":"{}"}}}}"#, binary::marker("QUJD"))}),
    );
}

#[test]
fn what_a_text_calls_a_secret_may_stay_unseen_if_it_can_be_nothing_else() {
    for (secret, may) in [("aB3-_.~+/=", true), ("$(reboot)", false), ("a b", false), ("x;y", false)] {
        let value = json!({"command": json!({"token": secret}).to_string()});
        let shown = redactor(Vec::new()).redact_input(TOOL, &value, MarkStyle::Told);
        assert_eq!(shown.hidden.iter().map(|one| one.may_stay_unseen).collect::<Vec<_>>(), [may], "{secret}");
    }
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
    let mut edited = redactor.redact_input(TOOL, &original, MarkStyle::Told).value.into_owned();
    let shown = edited.clone();
    assert_eq!(restore(edited.clone(), &original, &shown), Ok(original.clone()));
    edited["user"] = json!("bob");
    edited["password"] = json!("new");
    edited["extra"] = json!("y");
    let restored = restore(edited, &original, &shown).unwrap();
    let expected = json!({
        "user": "bob", "password": "new", "keys": [{"token": "t1"}, {"token": {"a": 1}}], "file": encoded, "extra": "y",
    });
    assert_eq!(restored, expected);
}

#[test]
fn a_marker_without_an_original_is_refused() {
    let original = json!({"password": "x", "keys": [{"token": "t1"}, {"token": "t2"}], "note": "n", "body": "{\"a\":1,\"token\":\"t3\"}"});
    let shown = redactor(Vec::new()).redact_input(TOOL, &original, MarkStyle::Told).value.into_owned();
    let refused = |edited: Value| restore(edited, &original, &shown).unwrap_err().path;
    assert_eq!(refused(json!({"pass/word": MARKER})), "/pass~1word");
    // One entry was deleted; the other's secret must not move into its place.
    assert_eq!(refused(json!({"keys": [{"token": MARKER}]})), "/keys/0/token");
    assert_eq!(refused(json!({"note": {"password": MARKER}})), "/note/password");
    assert_eq!(refused(json!({"note": "[redacted: secret, 1 character]"})), "/note");
    let other = shown["body"].as_str().unwrap().replace("\"a\":1", "\"a\":2");
    assert_eq!(refused(json!({"body": other})), "/body");
    assert_eq!(
        restore(json!({"body": shown["body"]}), &original, &shown),
        Ok(json!({"body": original["body"]}))
    );
    let said = json!({"note": "not [redacted]"});
    assert_eq!(restore(said.clone(), &original, &shown), Ok(said));
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
        Just("\nAKIAIOSFODNN7EXAMPLE".to_owned()),
        Just("\t4111 1111 1111 1111".to_owned()),
        Just("x://a:b/@c".to_owned()),
        Just("x://a:b\\c@d".to_owned()),
        Just("[\"x:\\/\\/a:b@d\"]".to_owned()),
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
        let patterns: Vec<&PathPattern> = redactor.rules.iter().flat_map(|rule| &rule.output).collect();
        let found = RedactionWalk::new(&patterns, RedactedSide::Result).start(&value, &mut RemovedValues::new(MarkStyle::Plain)).is_some();
        let redacted = redactor.redact_output(TOOL, &RawJson::from(value));
        prop_assert_eq!(redacted.complete, !found);
    }

    #[test]
    fn redacting_and_restoring_gives_the_original_back(value in any_result()) {
        let redactor = redactor(vec![rule("*", &["/**/mail"], &[])]);
        let shown = redactor.redact_input(TOOL, &value, MarkStyle::Told).value.into_owned();
        prop_assert_eq!(restore(shown.clone(), &value, &shown), Ok(value.clone()));
    }
}
