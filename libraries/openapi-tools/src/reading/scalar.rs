//! Plain scalars of YAML as the core schema of version 1.2 reads them.

use serde_json::{Number, Value};

pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return integer(text);
    }
    // Words such as `.inf` and versions such as `1.2.3` are no numbers of JSON.
    let decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    if decimal && has_digit { text.parse().ok().and_then(Number::from_f64) } else { None }
}

fn integer(text: &str) -> Option<Number> {
    let signed = text.strip_prefix('+').unwrap_or(text);
    let small = signed.parse::<i64>().map(Number::from).ok();
    let large = || signed.parse::<u64>().map(Number::from).ok();
    small.or_else(large).or_else(|| signed.parse().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_have_the_types_of_the_core_schema() {
        for (text, expected) in [
            ("12", json!(12)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.5", json!(1.5)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(u64::MAX)),
            ("True", json!(true)),
            ("~", json!(null)),
            ("", json!(null)),
            ("yes", json!("yes")),
            ("1.2.3", json!("1.2.3")),
            ("2020-01-02", json!("2020-01-02")),
            (".inf", json!(".inf")),
            (".", json!(".")),
            ("-", json!("-")),
            ("12:30", json!("12:30")),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
