use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn check(text: &str, expected: &str) {
    let value = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(canonical(&value), expected, "{text}");
}

fn refused(text: &str) -> BadArguments {
    parse(text).expect_err(text)
}

#[test]
fn numbers_are_written_as_ecmascript_writes_them() {
    check(
        "[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]",
        "[333333333.3333333,1e+30,4.5,0.002,1e-27]",
    );
    for (bits, text) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        assert_eq!(canonical(&json!(f64::from_bits(bits))), text, "{bits:x}");
    }
}

#[test]
fn strings_have_the_fewest_escapes() {
    check(r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/""#, "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"");
    check(r#""\b\t\f\r\u007f\u0080""#, "\"\\b\\t\\f\\r\u{7f}\u{80}\"");
}

#[test]
fn keys_are_sorted_by_utf16_code_units() {
    check(
        r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
    );
    check(r#"{"b":{"z":null,"a":true},"a":[ {} , [] ]}"#, r#"{"a":[{},[]],"b":{"a":true,"z":null}}"#);
}

#[test]
fn big_integers_keep_their_digits() {
    check(
        "[9007199254740993, 18446744073709551615, -9223372036854775808]",
        "[9007199254740993,18446744073709551615,-9223372036854775808]",
    );
    let texts = ["9007199254740993", "9007199254740992", "9223372036854775808", "9223372036854776000"];
    let digests: std::collections::BTreeSet<_> = texts.map(|text| digest_of(&parse(text).unwrap())).into();
    assert_eq!(digests.len(), texts.len());
}

#[test]
fn the_same_number_has_one_text_however_it_was_written() {
    for (left, right) in [
        ("1", "1.0"),
        ("0", "-0"),
        ("9223372036854775808", "9.223372036854775808e18"),
        ("-9223372036854775808", "-9223372036854775808.0"),
        ("100", "1E2"),
    ] {
        assert_eq!(digest_of(&parse(left).unwrap()), digest_of(&parse(right).unwrap()), "{left} {right}");
    }
}

#[test]
fn a_key_given_twice_is_refused_at_any_depth() {
    assert_eq!(refused(r#"{"a":1,"a":1}"#), BadArguments::DuplicateKey { path: "/a".into() });
    assert_eq!(
        refused(r#"{"to":[{},{"a/b~":{"x":1,"y":2,"\u0078":3}}]}"#),
        BadArguments::DuplicateKey { path: "/to/1/a~1b~0/x".into() }
    );
}

#[test]
fn numbers_that_would_be_rounded_away_are_refused_with_their_path() {
    assert_eq!(refused(r#"{"a":[1,{"b":1e400}]}"#), BadArguments::NumberTooLarge { path: "/a/1/b".into() });
    assert_eq!(
        refused(r#"{"c":1e30,"a":[1,{"b":18446744073709551616}]}"#),
        BadArguments::IntegerTooWide { path: "/a/1/b".into() }
    );
    assert_eq!(refused("-9223372036854775809"), BadArguments::IntegerTooWide { path: String::new() });
    check("1e30", "1e+30");
    check("[-0, 1e300]", "[0,1e+300]");
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(DEPTH_MAX)).is_ok());
    assert_eq!(refused(&nested(DEPTH_MAX + 1)), BadArguments::TooDeep);
    assert_eq!(refused(&nested(100_000)), BadArguments::TooDeep);
}

#[test]
fn what_is_no_text_is_refused_with_its_path() {
    let BadArguments::NotJson { path, reason } = refused(r#"{"name":["\ud800"]}"#) else {
        panic!("wrong kind")
    };
    assert_eq!(path, "/name/0");
    assert!(reason.contains("hex escape"), "{reason}");
    assert!(matches!(refused("{} {}"), BadArguments::NotJson { .. }));
    assert!(matches!(refused(""), BadArguments::NotJson { .. }));
}

fn any_value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-20i64..20).prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        ".{0,6}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Writes a value with its keys in reverse order and with spaces wherever they are allowed.
fn spaced_and_reversed(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let inner: Vec<String> = members
                .iter()
                .rev()
                .map(|(key, value)| format!(" {} :\n{}", json!(key), spaced_and_reversed(value)))
                .collect();
            format!("{{ {} }}\t", inner.join(","))
        }
        Value::Array(items) => {
            format!("[ {} ]", items.iter().map(spaced_and_reversed).collect::<Vec<_>>().join(" , "))
        }
        leaf => format!(" {leaf} "),
    }
}

/// Numerically equal: 1 is 1.0 and 0 is -0.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.is_f64(), right.is_f64()) {
            (false, false) => left == right,
            _ => left.as_f64() == right.as_f64() && whole(left) == whole(right),
        },
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| is_same(value, other)))
        }
        _ => left == right,
    }
}

fn whole(number: &Number) -> Option<i128> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(unsigned), _, _) => Some(unsigned.into()),
        (_, Some(signed), _) => Some(signed.into()),
        (_, _, Some(float)) if float.fract() == 0.0 && float.abs() < 1e30 => Some(float as i128),
        _ => None,
    }
}

proptest! {
    #[test]
    fn key_order_and_white_space_do_not_matter(value in any_value()) {
        let again = parse(&spaced_and_reversed(&value)).unwrap();
        prop_assert_eq!(canonical(&again), canonical(&value));
    }

    #[test]
    fn canonical_text_reads_back_as_the_same_value_and_text(value in any_value()) {
        let text = canonical(&value);
        // Doubles past 64 bits may be written with all their digits, which the strict reader takes for
        // integers.
        let again: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(is_same(&again, &value), "{} {}", again, value);
        prop_assert_eq!(canonical(&again), text);
    }

    #[test]
    fn different_values_have_different_texts(left in any_value(), right in any_value()) {
        prop_assert_eq!(canonical(&left) == canonical(&right), is_same(&left, &right));
    }

    #[test]
    fn neighbouring_integers_have_different_texts(number in any::<u64>(), step in 1u64..1000) {
        prop_assume!(number.checked_add(step).is_some());
        prop_assert_ne!(canonical(&json!(number)), canonical(&json!(number + step)));
        prop_assert_eq!(
            canonical(&json!(number)) == canonical(&json!((number + step) as f64)),
            u128::from(number) == (number + step) as f64 as u128
        );
    }

    #[test]
    fn the_strict_reader_agrees_with_the_common_one(value in any_value()) {
        let text = value.to_string();
        let common: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(parse(&text).unwrap(), common);
    }
}
