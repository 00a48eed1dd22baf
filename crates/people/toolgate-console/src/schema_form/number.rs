//! Numbers without rounding.

use serde_json::{Number, Value};

/// A number, or an error that a person can fix.
pub(super) fn parse(text: &str) -> Result<Value, &'static str> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Value::from(whole));
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Ok(Value::from(whole));
    }
    let digits = text.trim_start_matches(['-', '+']);
    if !digits.is_empty() && digits.chars().all(|one| one.is_ascii_digit()) {
        return Err("is too large to be stored without rounding");
    }
    // Rust would read words such as `inf` too.
    let is_plain = text.chars().all(|one| one.is_ascii_digit() || "+-.eE".contains(one));
    let parsed = text.parse::<f64>().ok().filter(|_| is_plain).and_then(Number::from_f64);
    parsed.map(Value::Number).ok_or("is not a number")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_keep_their_value() {
        assert_eq!(parse(" 9007199254740993 "), Ok(json!(9_007_199_254_740_993_u64)));
        assert_eq!(parse("18446744073709551615"), Ok(json!(u64::MAX)));
        assert_eq!(parse("-3.5e-2"), Ok(json!(-0.035)));
        assert!(parse("18446744073709551616").is_err_and(|why| why.contains("rounding")));
        for word in ["inf", "NaN", "", "1,5", "0x10", "1e999"] {
            assert!(parse(word).is_err(), "{word}");
        }
    }
}
