//! The findings of filters, the text that they leave alone, and the masked result.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::*;

fn rule(name: &str, action: FilterAction, kinds: &[&str], pattern: Option<&str>) -> FilterRule {
    let known = known_kinds();
    let kind = |name: &&str| known.iter().find(|(known, _)| known == name).expect("a kind").1;
    FilterRule {
        name: name.to_owned(),
        on: if action == FilterAction::Ask { FilteredTraffic::Arguments } else { FilteredTraffic::Both },
        tools: vec!["*".to_owned()],
        pattern: pattern.map(str::to_owned),
        kinds: kinds.iter().map(kind).collect(),
        action,
        approvers: Vec::new(),
    }
}

fn filters(rules: &[FilterRule]) -> Filters {
    Filters::new(rules).expect("good filters")
}

/// The findings of one kind in a text.
fn found(kind: &str, text: &str) -> Vec<String> {
    let filters = filters(&[rule("f", FilterAction::Mask, &[kind], None)]);
    let hits = filters.hits(FilterSet::MAX, text);
    hits.into_iter().map(|hit| text[hit.place].to_owned()).collect()
}

/// The masked value, and the filters that fired.
fn sifted(rules: &[FilterRule], value: &Value) -> (Value, Vec<String>) {
    let filters = filters(rules);
    let text = value.to_string();
    let sifted = filters.on(FilterSide::Arguments, "bank:transfer").expect("watched").sift(&text);
    let left = sifted.masked.unwrap_or(text);
    let fired = sifted.fired.iter().map(|one| format!("{} {one}", one.filter)).collect();
    (serde_json::from_str(&left).expect("still JSON"), fired)
}

#[test]
fn account_numbers_are_known_by_their_length_and_their_check_digits() {
    for text in [
        "DE89370400440532013000",
        "GB82 WEST 1234 5698 7654 32",
        "fr1420041010050500013m02606",
        "NO9386011117947",
    ] {
        assert_eq!(found("iban", &format!("pay {text}, soon")), [text]);
    }
    for none in [
        "DE89370400440532013001",
        "DE8937040044053201300",
        "DE893704004405320130001",
        "XX89370400440532013000",
        "de89 abcdef 0123456789abcdef",
        "SE12 is a postcode of London",
        "xDE89370400440532013000",
    ] {
        assert_eq!(found("iban", none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn addresses_are_told_from_pictures_and_places() {
    assert_eq!(
        found("email", "ann@example.com, <bob.o'hara+x@mail.example.co.uk>."),
        ["ann@example.com", "bob.o'hara+x@mail.example.co.uk"]
    );
    for none in [
        "logo@2x.png",
        "git@github.com:toolgate/toolgate.git",
        "ssh://deploy@host.example.com",
        "react@18.2.0",
        "a@b",
        "@ann",
        "x@localhost",
    ] {
        assert_eq!(found("email", none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn telephone_numbers_have_the_code_of_a_country_or_the_form_of_north_america() {
    for text in [
        "+49 30 901820",
        "+1 (212) 555-0123",
        "+442079460958",
        "(212) 555-0123",
        "212-555-0123",
        "+353 1 234 5678",
    ] {
        assert_eq!(found("phone", &format!("call {text}.")), [text]);
    }
    for none in [
        "+12345",
        "2026-11-16T15:54:28+01:00",
        "1+4930901820",
        "123-456-7890",
        "212-555-01234",
        "+210 000 000 000 000 000 0",
        "id 2125550123",
        "a-212-555-0123-b",
    ] {
        assert_eq!(found("phone", none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn social_security_numbers_are_those_that_are_given_out() {
    assert_eq!(found("ssn", "mine is 123-45-6789"), ["123-45-6789"]);
    for none in [
        "000-45-6789",
        "666-45-6789",
        "923-45-6789",
        "123-00-6789",
        "123-45-0000",
        "123-45-6789-1",
        "123456789",
    ] {
        assert_eq!(found("ssn", none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn cards_and_credentials_are_those_of_redaction() {
    assert_eq!(found("card", "4111 1111 1111 1111 or 4111 1111 1111 1112"), ["4111 1111 1111 1111"]);
    assert_eq!(found("secrets", "AKIAIOSFODNN7EXAMPLE and 4111111111111111"), ["AKIAIOSFODNN7EXAMPLE"]);
    assert_eq!(found("aws_key", "ghp_aB3dE6gH9aB3dE6gH9aB3dE6gH9aB3dE6gH9"), Vec::<String>::new());
}

#[test]
fn what_is_found_is_masked_where_it_stands_and_all_the_rest_stays() {
    let filters = filters(&[rule("no cards", FilterAction::Mask, &["card"], None)]);
    let text = r#"{ "note":"a 4111111111111111 b", "n": 1.50,"card":4111111111111111 ,"u":"\u00e9" }"#;
    let left = filters.on(FilterSide::Results, "x:y").expect("watched").sift(text).masked.expect("masked");
    assert_eq!(
        left,
        r#"{ "note":"a [masked: no cards] b", "n": 1.50,"card":"[masked: no cards]" ,"u":"\u00e9" }"#
    );
    let clean = r#"{ "note":"nothing" }"#;
    let sifted = filters.on(FilterSide::Results, "x:y").expect("watched").sift(clean);
    assert!(sifted.masked.is_none() && sifted.fired.is_empty());
}

#[test]
fn json_within_texts_and_escapes_hide_nothing() {
    let rules = [rule("no mail", FilterAction::Mask, &["email"], None)];
    let inner = json!({ "to": ["ann@example.com"], "n": 1 }).to_string();
    let (left, fired) = sifted(&rules, &json!({ "body": inner }));
    assert_eq!(left, json!({ "body": inner.replace("ann@example.com", "[masked: no mail]") }));
    assert_eq!(fired, ["no mail email at /body/to/0"]);
    let filters = filters(&rules);
    for text in [
        r#"{"a":"ann\u0040example.com"}"#,
        r#"{"a":"{\"b\":\"ann\\u0040example.com\"}"}"#,
        r#"{"a":"\ud800 ann\u0040example.com"}"#,
    ] {
        let left =
            filters.on(FilterSide::Arguments, "x:y").expect("watched").sift(text).masked.expect("masked");
        assert!(left.contains("[masked: no mail]") && !left.contains("0040"), "{left}");
        serde_json::from_str::<Value>(&left).expect("still JSON");
    }
}

#[test]
fn keys_are_looked_at_and_never_told() {
    let rules = [rule("no cards", FilterAction::Mask, &["card"], None)];
    let value = json!({ "4111111111111111": { "5500005555555559": 1, "x": "4111111111111111" } });
    let (left, fired) = sifted(&rules, &value);
    assert_eq!(
        left,
        json!({ "[masked: no cards]": { "[masked: no cards] 2": 1, "x": "[masked: no cards]" } })
    );
    assert_eq!(fired.len(), 1);
    assert!(!fired[0].contains("4111") && !fired[0].contains("5500"), "{fired:?}");
}

#[test]
fn what_is_asked_about_stays_and_what_is_blocked_does_not() {
    let rules = [
        rule("cards", FilterAction::Ask, &["card"], None),
        rule("mail", FilterAction::Block, &["email"], None),
        rule("falcon", FilterAction::Mask, &[], Some("(?i)project falcon")),
    ];
    let value = json!({ "t": ["Project Falcon for ann@example.com", "4111111111111111"] });
    let (left, fired) = sifted(&rules, &value);
    assert_eq!(left, json!({ "t": ["[masked: falcon] for [masked: mail]", "4111111111111111"] }));
    assert_eq!(fired, ["falcon what it looks for at /t/0", "mail email at /t/0", "cards card at /t/1"]);
}

#[test]
fn finds_that_overlap_become_one_mark() {
    let rules = [
        rule("host", FilterAction::Mask, &[], Some(r"example\.com/x")),
        rule("mail", FilterAction::Mask, &["email"], None),
    ];
    let (left, _) = sifted(&rules, &json!("to ann@example.com/x now"));
    assert_eq!(left, json!("to [masked: mail] now"));
}

#[test]
fn filters_mind_their_tools_and_their_side() {
    let mut one = rule("f", FilterAction::Mask, &["card"], None);
    (one.tools, one.on) = (vec!["mail:*".to_owned(), "*:send".to_owned()], FilteredTraffic::Results);
    let filters = filters(&[one]);
    for (side, tool, watched) in [
        (FilterSide::Results, "mail:read", true),
        (FilterSide::Results, "sms:send", true),
        (FilterSide::Results, "sms:read", false),
        (FilterSide::Arguments, "mail:read", false),
    ] {
        assert_eq!(filters.on(side, tool).is_some(), watched, "{side:?} {tool}");
    }
}

#[test]
fn long_binary_is_not_searched() {
    let (left, fired) = sifted(&[rule("f", FilterAction::Mask, &[], Some("AAAA"))], &json!("A".repeat(2000)));
    assert_eq!((left, fired.len()), (json!("A".repeat(2000)), 0));
}

#[test]
fn long_columns_and_rows_of_numbers_are_no_binary() {
    let rules = [rule("f", FilterAction::Mask, &["ssn", "iban"], None)];
    let masked = |line: &str| format!("{line}\n").repeat(100);
    for one in ["123-45-6789", "DE89370400440532013000"] {
        let (left, fired) = sifted(&rules, &json!(masked(one)));
        assert_eq!((left, fired.len()), (json!(masked("[masked: f]")), 1), "{one}");
    }
    let row = "123-45-6789=".repeat(100);
    let (left, _) = sifted(&[rule("f", FilterAction::Mask, &[], Some("123-45-6789"))], &json!(row));
    assert_eq!(left, json!("[masked: f]=".repeat(100)));
    let lines = "QUJD".repeat(19) + "\n";
    let rules = [rule("f", FilterAction::Mask, &[], Some("JDQ"))];
    assert_eq!(sifted(&rules, &json!(lines.repeat(20) + "QUJD")).1.len(), 0, "base64 has even lines");
}

#[test]
fn an_expression_that_cannot_be_used_says_why() {
    assert!(matches!(expression("(a"), Err(BadExpression::Syntax(_))));
    assert!(matches!(expression("(?=a)b"), Err(BadExpression::Syntax(_))));
    assert_eq!(expression("a*").map(drop), Err(BadExpression::MatchesNothing));
    assert_eq!(expression(&"a".repeat(PATTERN_CHARS_MAX + 1)).map(drop), Err(BadExpression::TooLong));
    assert_eq!(expression(r"\w{5000}").map(drop), Err(BadExpression::TooLarge));
    let nothing = Filters::new(&[rule("f", FilterAction::Mask, &[], None)]);
    assert!(matches!(nothing, Err(BadFilter::FindsNothing { .. })));
    let mut late = rule("f", FilterAction::Ask, &["card"], None);
    late.on = FilteredTraffic::Both;
    assert!(matches!(Filters::new(&[late]), Err(BadFilter::AsksAboutResults { .. })));
}

#[test]
fn many_filters_are_told_apart() {
    let rules: Vec<FilterRule> = (0..FILTERS_MAX)
        .map(|n| rule(&format!("f{n}"), FilterAction::Mask, &[], Some(&format!("word{n}x"))))
        .collect();
    let (left, _) = sifted(&rules, &json!("word0x word99x word7x"));
    assert_eq!(left, json!("[masked: f0] [masked: f99] [masked: f7]"));
    let one_more =
        rules.iter().cloned().chain([rule("more", FilterAction::Mask, &["card"], None)]).collect::<Vec<_>>();
    assert!(matches!(Filters::new(&one_more), Err(BadFilter::TooMany(_))));
}

/// Built once: compiling expressions takes longer than using them.
static MAIL_AND_CARDS: LazyLock<Filters> =
    LazyLock::new(|| filters(&[rule("mail", FilterAction::Mask, &["email", "card"], None)]));

proptest::proptest! {
    #[test]
    fn whatever_the_text_what_is_left_is_json_and_holds_no_find(text in ".{0,60}", key in ".{0,10}") {
        let value = json!({ key: [format!("{text}ann@example.com {text}"), 4_111_111_111_111_111_u64, text] });
        let sifted = MAIL_AND_CARDS.on(FilterSide::Arguments, "x:y").expect("watched").sift(&value.to_string());
        let left = sifted.masked.expect("masked");
        proptest::prop_assert!(serde_json::from_str::<Value>(&left).is_ok());
        proptest::prop_assert!(!left.contains("4111111111111111"));
    }
}
