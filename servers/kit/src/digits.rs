//! Numbers of answers as a model pays for them: digits beyond the precision are removed.

use serde_json::{Number, Value};

/// Decimals of a number.
const DECIMALS: i32 = 3;
/// A small number keeps at least so many digits that are not leading zeros.
const DIGITS_MIN: i32 = 2;
/// Larger numbers have no decimals that could be removed.
const EXACT_MAX: f64 = 1e12;

/// Rounds every fraction in an answer. A single-precision `0.97` would otherwise be printed as
/// `0.9700000286102295`.
pub(crate) fn round(answer: &mut Value) {
    match answer {
        Value::Number(number) => {
            let fraction = number.as_f64().filter(|_| number.is_f64());
            if let Some(rounded) = fraction.map(rounded).and_then(Number::from_f64) {
                *number = rounded;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn rounded(number: f64) -> f64 {
    if number == 0.0 || number.abs() >= EXACT_MAX {
        return number;
    }
    let leading_zeros = (-number.abs().log10()).floor().max(0.0) as i32;
    let decimals = DECIMALS.max(leading_zeros + DIGITS_MIN);
    // The shortest text with these decimals reads back as the nearest number, without a trail of digits.
    format!("{number:.*}", usize::try_from(decimals).unwrap_or_default()).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(mut answer: Value) -> String {
        round(&mut answer);
        answer.to_string()
    }

    #[test]
    fn a_single_precision_number_has_no_trail_of_digits() {
        assert_eq!(written(json!({ "confidence": 0.97_f32 })), r#"{"confidence":0.97}"#);
        assert_eq!(
            written(json!([{ "left": 12.345678, "top": [1.0 / 3.0] }])),
            r#"[{"left":12.346,"top":[0.333]}]"#
        );
    }

    #[test]
    fn a_small_number_does_not_become_nothing() {
        assert_eq!(written(json!([0.000_123_456, -0.001_234_5, 1e-300])), "[0.00012,-0.0012,1e-300]");
    }

    #[test]
    fn whole_numbers_and_texts_stay() {
        let whole = json!([0, -7, u64::MAX, 0.0, 1.5e300, 41.6, "0.9700000286102295", null, true]);
        assert_eq!(written(whole.clone()), whole.to_string());
    }
}
