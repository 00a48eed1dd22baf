use serde_json::{Value, json};
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, RawJson, ServerName, Tool, ToolHandling};

use super::*;

fn tool(input: Option<Value>, output: Option<Value>) -> Tool {
    let server = ServerName::new("bank").unwrap();
    Tool {
        name: CanonicalName::of(&server, "transfer"),
        version: Digest::of(format!("{input:?} {output:?}")),
        server,
        own: "transfer".into(),
        effects: Effects::ALL,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: input.map(RawJson::from),
        output_schema: output.map(RawJson::from),
        output_check: None,
        handling: ToolHandling::default(),
    }
}

fn check_of(schema: Value, value: Value) -> SchemaCheck {
    Schemas::default().check_input(&tool(Some(schema), None), &value)
}

fn problems_of(schema: Value, value: Value) -> Vec<SchemaProblem> {
    match check_of(schema, value) {
        SchemaCheck::Invalid(problems) => problems,
        other => panic!("not invalid: {other:?}"),
    }
}

#[track_caller]
fn check(schema: Value, value: Value, expected: &str) {
    let mut problems = problems_of(schema, value);
    // Problems come in the schema's own order, which is irrelevant here.
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    let text = render(&problems);
    assert_eq!(text, expected, "\n--- got\n{text}\n--- expected\n{expected}\n");
}

fn unusable(schema: Value) -> String {
    match check_of(schema, json!({})) {
        SchemaCheck::Unchecked(reason) => reason,
        other => panic!("it was checked: {other:?}"),
    }
}

fn partly(schema: Value, value: Value) -> String {
    match check_of(schema, value) {
        SchemaCheck::Partly(reason) => reason,
        other => panic!("all or nothing was checked: {other:?}"),
    }
}

fn transfer() -> Value {
    json!({
        "type": "object",
        "properties": {
            "account_id": {"type": "string", "description": "The account to debit"},
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "currency": {"enum": ["EUR", "USD", "CHF"]},
        },
        "required": ["account_id", "amount"],
        "additionalProperties": false,
    })
}

#[test]
fn a_fitting_value_is_valid_and_a_tool_without_schema_takes_anything() {
    assert_eq!(check_of(transfer(), json!({"account_id": "a", "amount": 1.5})), SchemaCheck::Valid);
    assert_eq!(Schemas::default().check_input(&tool(None, None), &json!([1])), SchemaCheck::Valid);
    assert_eq!(Schemas::default().check_output(&tool(None, None), &json!([1])), SchemaCheck::Valid);
}

#[test]
fn a_wrong_type_says_what_was_expected_and_what_came() {
    check(
        transfer(),
        json!({"account_id": "a", "amount": "ten"}),
        r#"/amount: expected a number, got "ten""#,
    );
    check(
        json!({"properties": {"a": {"type": ["string", "null"]}, "b": {"type": "object"}}}),
        json!({"a": [1, 2], "b": "x"}),
        "/a: expected null or a string, got an array of 2 items\n/b: expected an object, got \"x\"",
    );
}

#[test]
fn a_quoted_number_or_object_is_told_from_a_wrong_one() {
    check(
        transfer(),
        json!({"account_id": "a", "amount": "10"}),
        "/amount: expected a number, got \"10\"\n  hint: send the number itself, not a string that holds it",
    );
    check(
        json!({"properties": {"filter": {"type": "object"}}}),
        json!({"filter": "{\"a\":1}"}),
        "/filter: expected an object, got \"{\\\"a\\\":1}\"\n  hint: send the object itself, not a string that holds it",
    );
}

#[test]
fn a_misspelt_property_is_recognised_from_both_sides() {
    check(
        transfer(),
        json!({"acount_id": "a", "amount": 1}),
        "/account_id: expected a string (The account to debit), got nothing; it is required
  hint: `acount_id` was given; did you mean `account_id`?
/acount_id: expected no property of this name (known are account_id, amount, currency), got \"a\"
  hint: did you mean `account_id`?",
    );
}

#[test]
fn a_misspelt_property_is_recognised_where_others_are_allowed() {
    let mut open = transfer();
    open.as_object_mut().unwrap().remove("additionalProperties");
    check(
        open.clone(),
        json!({"accountId": "a", "amount": 1}),
        "/account_id: expected a string (The account to debit), got nothing; it is required
  hint: `accountId` was given; did you mean `account_id`?",
    );
    check(
        open,
        json!({"colour": "a", "amount": 1}),
        "/account_id: expected a string (The account to debit), got nothing; it is required",
    );
}

#[test]
fn an_enum_lists_its_values_and_the_nearest() {
    check(
        transfer(),
        json!({"account_id": "a", "amount": 1, "currency": "EURO"}),
        "/currency: expected one of \"EUR\", \"USD\", \"CHF\", got \"EURO\"\n  hint: did you mean \"EUR\"?",
    );
    check(
        json!({"properties": {"n": {"enum": (0..20).collect::<Vec<_>>()}, "k": {"const": "fixed"}}}),
        json!({"n": 99, "k": "other"}),
        "/k: expected \"fixed\", got \"other\"
/n: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, and 8 more, got 99",
    );
}

#[test]
fn limits_are_said_in_words() {
    let schema = json!({"properties": {
        "low": {"minimum": 3}, "high": {"exclusiveMaximum": 3}, "step": {"multipleOf": 5},
        "short": {"minLength": 2}, "list": {"maxItems": 1, "uniqueItems": true}, "code": {"pattern": "^[A-Z]+$"},
        "none": false, "few": {"minProperties": 1}, "not": {"not": {"type": "string"}},
        "names": {"propertyNames": {"maxLength": 2}}, "must": {"contains": {"type": "string"}},
    }});
    let value = json!({
        "low": 1, "high": 3, "step": 7, "short": "a", "list": [1, 1], "code": "x", "none": 1, "few": {}, "not": "s",
        "names": {"long": 1}, "must": [1],
    });
    check(
        schema,
        value,
        "/code: expected text that matches `^[A-Z]+$`, got \"x\"
/few: expected at least 1 properties, got an object with 0 properties
/high: expected less than 3, got 3
/list: expected at most 1 items, got an array of 2 items
/list: expected items that all differ, got an array of 2 items
/low: expected at least 3, got 1
/must: expected at least one item of the kind that must be there, got an array of 1 item
/names: expected property names of another kind: at most 2 characters, got \"long\"
/none: expected nothing here, got 1
/not: expected a value that does not fit {\"type\":\"string\"}, got \"s\"
/short: expected at least 2 characters, got \"a\"
/step: expected a multiple of 5, got 7",
    );
}

#[test]
fn every_problem_is_listed_up_to_a_limit_and_then_counted() {
    let wrong = vec![json!("x"); PROBLEMS_MAX + 7];
    let problems = problems_of(json!({"items": {"type": "integer"}}), json!(wrong));
    assert_eq!(problems.len(), PROBLEMS_MAX + 1);
    assert_eq!(problems[19].path, "/19");
    assert_eq!(render(&problems[20..]), "and 7 more problems");
}

#[test]
fn long_values_are_shortened_and_keys_are_escaped() {
    let problems =
        problems_of(json!({"properties": {"a/b~": {"type": "integer"}}}), json!({"a/b~": "é".repeat(5000)}));
    assert_eq!(problems[0].path, "/a~1b~0");
    assert!(problems[0].problem.len() < 200, "{}", problems[0].problem);
    assert!(problems[0].problem.ends_with("…\""), "{}", problems[0].problem);
}

#[test]
fn secrets_are_not_repeated_in_problems() {
    let schema = json!({"properties": {"password": {"minLength": 12}, "auth": {"maxLength": 3}}, "additionalProperties": false});
    let value = json!({"password": "hunter2", "auth": "Bearer abcdefghijklmnop", "api_key": "sk-123"});
    let text = render(&problems_of(schema, value));
    for secret in ["hunter2", "abcdefghijklmnop", "sk-123"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(
        text.contains("/password: expected at least 12 characters, got a value that is not shown"),
        "{text}"
    );
}

#[test]
fn references_inside_the_schema_are_followed() {
    let schema = json!({
        "properties": {"from": {"$ref": "#/$defs/party"}, "to": {"$ref": "#party"}},
        "$defs": {"party": {
            "$anchor": "party",
            "type": "object",
            "properties": {"iban": {"$ref": "#/$defs/iban"}},
            "required": ["iban"],
        }, "iban": {"type": "string", "description": "Without spaces"}},
    });
    assert_eq!(
        check_of(schema.clone(), json!({"from": {"iban": "x"}, "to": {"iban": "y"}})),
        SchemaCheck::Valid
    );
    check(
        schema,
        json!({"from": {"ibam": "x"}, "to": {"iban": 5}}),
        "/from/iban: expected a string (Without spaces), got nothing; it is required
  hint: `ibam` was given; did you mean `iban`?
/to/iban: expected a string, got 5",
    );
}

#[test]
fn a_recursive_schema_checks_every_level() {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
    });
    let good = json!({"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]});
    assert_eq!(check_of(schema.clone(), good), SchemaCheck::Valid);
    check(
        schema,
        json!({"name": "a", "children": [{"name": "b", "children": [{"name": 3}]}]}),
        "/children/0/children/0/name: expected a string, got 3",
    );
}

#[test]
fn an_older_dialect_is_used_where_the_schema_names_it() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"pair": {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}},
    });
    assert_eq!(check_of(schema.clone(), json!({"pair": ["a", 1]})), SchemaCheck::Valid);
    check(
        schema,
        json!({"pair": ["a", "b", true]}),
        "/pair: expected at most 2 items, got an array of 3 items\n/pair/1: expected a whole number, got \"b\"",
    );
}

#[test]
fn the_newest_dialect_is_the_default() {
    let schema = json!({"prefixItems": [{"type": "string"}], "items": false});
    assert_eq!(check_of(schema.clone(), json!(["a"])), SchemaCheck::Valid);
    check(schema, json!(["a", "b"]), "/1: expected nothing here, got \"b\"");
}

#[test]
fn forms_of_different_types_are_told_as_one_choice() {
    check(
        json!({"properties": {"id": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}}}),
        json!({"id": [1]}),
        "/id: expected a string, a whole number or null, got an array of 1 item",
    );
}

#[test]
fn only_the_form_that_was_meant_is_explained() {
    let card = json!({"type": "object", "properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]});
    let iban = json!({"type": "object", "properties": {"kind": {"const": "iban"}, "iban": {"type": "string"}}, "required": ["kind", "iban"]});
    let schema = json!({"properties": {"pay": {"oneOf": [card, iban, {"type": "null"}]}}});
    check(
        schema.clone(),
        json!({"pay": {"kind": "card", "numbr": "4"}}),
        "/pay/number: expected a string, got nothing; it is required\n  hint: `numbr` was given; did you mean `number`?",
    );
    check(
        schema,
        json!({"pay": {"kind": "cash"}}),
        "/pay: expected one of 2 forms, which ask for (1) /kind: \"card\"; (2) /kind: \"iban\", got an object with 1 property",
    );
}

#[test]
fn forms_within_forms_stay_short() {
    let pair = json!({"anyOf": [{"minimum": 5}, {"multipleOf": 2}]});
    let schema = json!({"anyOf": [pair, {"items": {"type": "string"}, "minimum": 7}, {"type": "string"}]});
    check(
        schema.clone(),
        json!(3),
        "the whole value: expected one of 2 forms, which ask for (1) a value that fits one of its forms; (2) at least 7, got 3",
    );
    let objects =
        json!({"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"]}, {"type": "array"}]});
    check(objects, json!(3), "the whole value: expected an object or an array, got 3");
    // A wrong choice deep inside does not mean that the other form was meant.
    let chosen = json!({"properties": {"unit": {"enum": ["kg", "g"]}}});
    let problems = problems_of(json!({"anyOf": [chosen, {"required": ["pieces"]}]}), json!({"unit": "t"}));
    assert!(
        problems[0].expected.contains("/unit: one of") && problems[0].expected.contains("/pieces"),
        "{problems:?}"
    );
}

#[test]
fn thousands_of_wrong_names_are_counted_and_not_compared() {
    let names: Vec<String> = (0..1000).map(|number| format!("property_number_{number}")).collect();
    let given = (0..1000).map(|number| (format!("propertyNo{number}"), json!(1))).collect();
    let schema = json!({"required": names, "properties": {}, "additionalProperties": false});
    let problems = problems_of(schema, Value::Object(given));
    assert_eq!(problems.len(), PROBLEMS_MAX + 1);
    assert_eq!(problems[PROBLEMS_MAX].problem, "and 1980 more problems");
}

#[test]
fn fitting_several_of_exactly_one_form_is_said() {
    check(
        json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}),
        json!(5),
        "the whole value: expected a value that fits exactly one of its forms, not several, got 5",
    );
    check(
        json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({}),
        "the whole value: expected one of 2 forms, which ask for (1) /a: a value; (2) /b: a value, got an object with 0 properties",
    );
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "https://example.com/schema.json",
        "http://127.0.0.1:1/x#/a",
        "file:///etc/passwd",
        "other.json",
        "#/missing",
    ] {
        let schema = json!({"properties": {"a": {"$ref": reference}, "b": {"type": "integer"}}});
        let reason = partly(schema.clone(), json!({"a": "whatever", "b": 1}));
        assert!(reason.contains(reference) && reason.contains("nothing is fetched"), "{reason}");
        check(schema, json!({"a": 1, "b": "x"}), "/b: expected a whole number, got \"x\"");
    }
    let reason = unusable(json!({"$schema": "https://example.com/my-dialect"}));
    assert!(reason.contains("does not compile"), "{reason}");
}

#[test]
fn references_to_the_schemas_own_name_and_to_json_schema_itself_are_known() {
    let schema = json!({
        "$id": "https://example.com/tool.json",
        "properties": {"a": {"$ref": "https://example.com/tool.json#/$defs/a"}, "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}},
        "$defs": {"a": {"type": "integer"}},
    });
    assert_eq!(check_of(schema.clone(), json!({"a": 1, "schema": {"type": "string"}})), SchemaCheck::Valid);
    assert_eq!(problems_of(schema.clone(), json!({"a": "1"}))[0].path, "/a");
    assert!(matches!(check_of(schema, json!({"schema": {"type": "nonsense"}})), SchemaCheck::Invalid(_)));
}

#[test]
fn a_schema_that_is_none_is_reported_and_the_call_not_refused() {
    for (schema, word) in [
        (json!({"type": "nonsense"}), "does not compile"),
        (json!({"pattern": "("}), "does not compile"),
        (json!(5), "does not compile"),
        (json!({"description": "x".repeat(300 << 10)}), "bytes"),
    ] {
        let reason = unusable(schema);
        assert!(reason.contains(word) && reason.len() < 600, "{reason}");
    }
}

#[test]
fn a_schema_without_end_is_not_used() {
    for schema in [json!({"$ref": "#"}), json!({"allOf": [{"anyOf": [{"$ref": "#"}]}]})] {
        assert!(unusable(schema).contains("endless"));
    }
    // Thirty definitions that each try the next one twice ask for a billion checks.
    let mut definitions = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({"anyOf": [next, next]}));
    }
    definitions.insert("d30".into(), json!({"type": "null"}));
    assert!(
        unusable(json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}))
            .contains("checks of one value")
    );
}

#[test]
fn branches_that_double_at_each_level_of_the_value_end() {
    let branch = json!({"properties": {"and": {"$ref": "#"}, "leaf": {"type": "integer"}}});
    let schema = json!({"anyOf": [branch, branch], "type": "object"});
    let mut value = json!({"leaf": "wrong"});
    for _ in 0..60 {
        value = json!({"and": value});
    }
    check(
        schema.clone(),
        value,
        "the whole value: expected a value that fits the schema, got a value that is too intricate to say where it differs",
    );
    assert_eq!(problems_of(schema, json!({"and": {"leaf": "wrong"}})).len(), 1);
}

#[test]
fn patterns_that_explode_end_and_do_not_fit() {
    let text = format!("{}!", "a".repeat(50_000));
    let linear = json!({"properties": {"a": {"pattern": "^(a+)+$"}}});
    check(
        linear,
        json!({"a": text}),
        &format!("/a: expected text that matches `^(a+)+$`, got \"{}…\"", "a".repeat(60)),
    );
    let look_around = json!({"properties": {"a": {"pattern": "^(?=a)((a|aa)+)+\\1$"}}});
    let problems = problems_of(look_around, json!({"a": text}));
    assert!(problems[0].expected.contains("bounded time"), "{problems:?}");
    assert!(unusable(json!({"pattern": "((a{1000}){1000}){1000}"})).contains("does not compile"));
}

#[test]
fn patterns_with_look_around_are_checked() {
    let schema = json!({"properties": {"mail": {"pattern": "^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z.]+$"}}});
    assert_eq!(check_of(schema.clone(), json!({"mail": "a.b@example.com"})), SchemaCheck::Valid);
    assert_eq!(problems_of(schema.clone(), json!({"mail": "a..b@example.com"}))[0].path, "/mail");
    let many = json!({"list": vec![1; compile::NODES_WITH_LOOK_AROUND_MAX]});
    assert!(problems_of(schema, many)[0].problem.contains("too many to check"));
}

#[test]
fn a_value_too_large_to_check_does_not_fit_as_input_and_is_unchecked_as_output() {
    let huge = json!(vec![0; compile::NODES_MAX]);
    let mut deep = json!(1);
    for _ in 0..=compile::DEPTH_MAX {
        deep = json!([deep]);
    }
    let tool = tool(Some(json!(true)), Some(json!(true)));
    let schemas = Schemas::default();
    for value in [huge, deep] {
        assert!(matches!(schemas.check_input(&tool, &value), SchemaCheck::Invalid(_)));
        assert!(matches!(schemas.check_output(&tool, &value), SchemaCheck::Unchecked(_)));
    }
}

#[test]
fn results_are_held_against_the_output_schema() {
    let tool = tool(
        Some(json!(false)),
        Some(json!({"required": ["id"], "properties": {"id": {"type": "integer"}}})),
    );
    let schemas = Schemas::default();
    assert_eq!(schemas.check_output(&tool, &json!({"id": 1})), SchemaCheck::Valid);
    let SchemaCheck::Invalid(problems) = schemas.check_output(&tool, &json!({})) else { panic!("it fits") };
    assert_eq!(render(&problems), "/id: expected a whole number, got nothing; it is required");
}

#[test]
fn a_version_is_compiled_once_and_the_number_kept_is_bounded() {
    let schemas = Schemas::default();
    let mut first = tool(Some(json!({"type": "string"})), None);
    assert!(matches!(schemas.check_input(&first, &json!(1)), SchemaCheck::Invalid(_)));
    // The same version: the text is not parsed again.
    first.input_schema = Some(RawJson::from(json!({"type": "integer"})));
    assert!(matches!(schemas.check_input(&first, &json!(1)), SchemaCheck::Invalid(_)));
    for number in 0..VERSIONS_MAX {
        first.version = Digest::of(number.to_string());
        assert_eq!(schemas.check_input(&first, &json!(1)), SchemaCheck::Valid);
    }
    assert_eq!(schemas.versions.load().by_digest.len(), VERSIONS_MAX);
    let oldest = tool(Some(json!({"type": "string"})), None).version;
    assert!(!schemas.versions.load().by_digest.contains_key(&oldest), "the oldest made room");
}

#[test]
fn threads_share_one_entry() {
    let schemas = Schemas::default();
    let tool = tool(Some(transfer()), None);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let value = json!({"account_id": "a", "amount": 1});
                assert_eq!(schemas.check_input(&tool, &value), SchemaCheck::Valid);
            });
        }
    });
    assert_eq!(schemas.versions.load().by_digest.len(), 1);
}

#[test]
fn what_hangs_on_another_document_is_never_refused() {
    const AWAY: &str = "https://example.com/away.json";
    let away = || json!({"$ref": AWAY});
    for schema in [
        json!({"not": away()}),
        json!({"not": {"$ref": "#/$defs/a"}, "$defs": {"a": {"allOf": [away()]}}}),
        json!({"oneOf": [away(), {"type": "object"}]}),
        json!({"if": away(), "then": false}),
        json!({"allOf": [away()], "unevaluatedProperties": false}),
        json!({"properties": {"list": {"contains": away(), "maxContains": 1}}}),
        json!({"properties": {"list": {"prefixItems": [away()], "unevaluatedItems": false}}}),
        json!({"$dynamicRef": AWAY}),
        json!({"propertyNames": away(), "additionalProperties": away()}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": AWAY, "type": "string"}),
        json!({"parts": {"p": {"not": away()}}, "allOf": [{"$ref": "#/parts/p"}]}),
    ] {
        partly(schema, json!({"list": [1, 2, 3], "a": "b"}));
    }
}

#[test]
fn what_stands_beside_another_document_is_checked() {
    const AWAY: &str = "https://example.com/away.json";
    let forms =
        json!({"oneOf": [{"type": "object", "properties": {"a": {"$ref": AWAY}}}, {"type": "string"}]});
    partly(forms.clone(), json!({"a": 5}));
    assert!(matches!(check_of(forms, json!(7)), SchemaCheck::Invalid(_)));
    let required =
        json!({"allOf": [{"$ref": AWAY}, {"required": ["id"]}], "additionalProperties": {"type": "integer"}});
    partly(required.clone(), json!({"id": 1}));
    check(required, json!({"id": "x"}), "/id: expected a whole number, got \"x\"");
    // Parts that do not hang on it keep their full meaning.
    let untouched = json!({"properties": {"a": {"$ref": AWAY}, "b": {"not": {"type": "string"}}}});
    assert!(matches!(check_of(untouched, json!({"b": "text"})), SchemaCheck::Invalid(_)));
    assert_eq!(unchecked_text(&RawJson::from(transfer())), None);
    let why = unchecked_text(&RawJson::from(json!({"$ref": AWAY}))).expect("a part is not checked");
    assert!(why.contains(AWAY), "{why}");
}

#[test]
fn formats_are_checked_and_told_in_words() {
    let formats = ["date", "date-time", "email", "ipv4", "ipv6", "hostname", "time", "uri", "uuid"];
    let named = |format: &str| (format.to_owned(), json!({"type": "string", "format": format}));
    let schema = json!({"properties": formats.into_iter().map(named).collect::<serde_json::Map<_, _>>()});
    let good = json!({
        "date": "2026-08-31", "date-time": "2026-08-31T12:00:00+02:00", "email": "a@example.com", "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1", "hostname": "api.example.com", "time": "12:00:00Z", "uri": "urn:isbn:0451450523",
        "uuid": "0198F0A2-7c1d-7b3e-9d52-3f0c1a6b5e11",
    });
    assert_eq!(check_of(schema.clone(), good), SchemaCheck::Valid);
    let bad = formats.into_iter().map(|format| (format.to_owned(), json!("-")));
    check(
        schema,
        Value::Object(bad.collect()),
        "/date: expected a date such as 2026-08-31, got \"-\"
/date-time: expected a date and time with its offset, such as 2026-08-31T12:00:00Z, got \"-\"
/email: expected an e-mail address, got \"-\"
/hostname: expected a host name such as api.example.com, got \"-\"
/ipv4: expected an IPv4 address such as 192.0.2.1, got \"-\"
/ipv6: expected an IPv6 address such as 2001:db8::1, got \"-\"
/time: expected a time of day with its offset, such as 12:00:00Z, got \"-\"
/uri: expected a whole URI with its scheme, such as https://example.com/a, got \"-\"
/uuid: expected a UUID such as 0198f0a2-7c1d-7b3e-9d52-3f0c1a6b5e11, got \"-\"",
    );
}

#[test]
fn older_dialects_know_uuids_and_nobody_knows_every_format() {
    let draft = "http://json-schema.org/draft-07/schema#";
    let schema = json!({"$schema": draft, "properties": {"id": {"type": "string", "format": "uuid"}}});
    assert_eq!(problems_of(schema, json!({"id": "7"}))[0].path, "/id");
    for format in ["colour", "regex", "int64"] {
        assert_eq!(check_of(json!({"format": format}), json!("(")), SchemaCheck::Valid, "{format}");
    }
}

#[test]
fn formats_are_not_checked_where_the_operator_says_so() {
    let schema = json!({"properties": {"at": {"format": "date-time"}}});
    let strict = tool(Some(schema.clone()), Some(schema));
    let mut loose = strict.clone();
    loose.handling.formats = Some(false);
    let (schemas, value) = (Schemas::default(), json!({"at": "tomorrow"}));
    // The same version, so both are kept under one digest.
    for _ in 0..2 {
        assert_eq!(schemas.check_input(&loose, &value), SchemaCheck::Valid);
        assert_eq!(schemas.check_output(&loose, &value), SchemaCheck::Valid);
        assert!(matches!(schemas.check_input(&strict, &value), SchemaCheck::Invalid(_)));
        assert!(matches!(schemas.check_output(&strict, &value), SchemaCheck::Invalid(_)));
    }
}

#[test]
fn a_schema_that_the_platform_keeps_is_checked_like_that_of_a_tool() {
    const AWAY: &str = "https://example.com/away.json";
    let (schemas, schema) = (Schemas::default(), RawJson::from(transfer()));
    assert_eq!(schemas.unusable(&schema), None);
    let why = schemas.unusable(&RawJson::from(json!({ "type": "strin" }))).expect("there is no such type");
    assert!(why.contains("does not compile"), "{why}");
    assert_eq!(
        schemas.validate(&RawJson::from(json!({ "type": "string" })), &json!("a")),
        ValueVerdict::Fits
    );
    let ValueVerdict::Problems(problems) = schemas.validate(
        &RawJson::from(json!({ "properties": { "a": { "type": "integer" } } })),
        &json!({ "a": "x" }),
    ) else {
        panic!("a text is no integer");
    };
    assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/a"));
    let away = RawJson::from(json!({ "properties": { "a": { "$ref": AWAY } } }));
    assert!(matches!(schemas.validate(&away, &json!({ "a": 1 })), ValueVerdict::Unchecked(_)));
}
