//! JSON numbers as Cedar's fixed-point numbers. No digit is lost, and no value that does not fit becomes
//! smaller: a number that is too precise is rounded away from zero, and one that is too large becomes the
//! largest. A huge amount must not slip under a limit.

use serde_json::Number;

use crate::shape::SchemaShape;

/// Digits after the point of a Cedar decimal.
const DECIMAL_DIGITS: u32 = 4;
const DECIMAL_ONE: u64 = 10_000;

/// A number times a power of ten, as far as 64 bits go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ScaledNumber {
    value: i64,
    /// True if a fraction had to be rounded.
    rounded: bool,
}

/// A number as Cedar has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CedarNumber {
    Long(i64),
    /// In ten-thousandths.
    Decimal(i64),
}

impl CedarNumber {
    /// The value of a number under this part of a schema.
    pub(crate) fn of(number: &Number, shape: &SchemaShape) -> CedarNumber {
        let decimal = || CedarNumber::Decimal(scaled(number, DECIMAL_DIGITS).value);
        match shape {
            SchemaShape::Long => CedarNumber::Long(scaled(number, 0).value),
            SchemaShape::Decimal => decimal(),
            _ => whole(number).map_or_else(decimal, CedarNumber::Long),
        }
    }
}

/// A number as a Cedar `Long` if it is a whole one: `1500`, `1500.0`, `1.5e3`.
pub(crate) fn whole(number: &Number) -> Option<i64> {
    let ScaledNumber { value, rounded } = scaled(number, 0);
    (!rounded).then_some(value)
}

/// The text of a Cedar decimal.
pub(crate) fn decimal_text(ten_thousandths: i64) -> String {
    let sign = if ten_thousandths < 0 { "-" } else { "" };
    let size = ten_thousandths.unsigned_abs();
    format!("{sign}{}.{:04}", size / DECIMAL_ONE, size % DECIMAL_ONE)
}

/// Parses the text of a Cedar decimal; `None` if it is not exactly one.
pub(crate) fn read_decimal(text: &str) -> Option<i64> {
    let (before, after) = text.split_once('.')?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let exact = digits(before.strip_prefix('-').unwrap_or(before)) && digits(after) && after.len() <= 4;
    let size = exact.then(|| format!("{before}{after:0<4}"))?;
    size.parse().ok()
}

fn scaled(number: &Number, digits: u32) -> ScaledNumber {
    let factor = 10i64.pow(digits);
    if let Some(value) = number.as_i64() {
        return ScaledNumber { value: value.saturating_mul(factor), rounded: false };
    }
    if number.is_u64() {
        return ScaledNumber { value: i64::MAX, rounded: false };
    }
    let exact = number.as_f64().and_then(|value| scaled_exactly(value, factor));
    exact.unwrap_or_else(|| scaled_text(&number.to_string(), digits))
}

/// A double distinguishes decimals of this many digits, so one that divides back to it is the intended one.
const EXACT_MAX: f64 = 1e15;

/// The fast path for numbers with few digits: `1500.25`.
fn scaled_exactly(value: f64, factor: i64) -> Option<ScaledNumber> {
    let factor = factor as f64;
    let whole = (value * factor).round();
    let exact = whole.abs() < EXACT_MAX && whole / factor == value;
    exact.then_some(ScaledNumber { value: whole as i64, rounded: false })
}

/// The same for a number written out: sign, digits, point, digits, exponent.
fn scaled_text(text: &str, digits: u32) -> ScaledNumber {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{before}{after}");
    let significant = all.trim_start_matches('0');
    let leading_zeros = all.len() - significant.len();
    // The number of significant digits before the point once the number is scaled.
    let kept = count(before.len())
        .saturating_sub(count(leading_zeros))
        .saturating_add(read_exponent(exponent))
        .saturating_add(i64::from(digits));
    let (size, rounded) = take_digits(significant, kept);
    let signed = if negative { -size } else { size };
    let value = signed.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    ScaledNumber { value: i64::try_from(value).expect("it was clamped"), rounded }
}

/// More digits than this do not fit into 64 bits.
const KEPT_MAX: i64 = 19;

/// The number that the first `kept` digits make, one more if anything but zeros follows.
fn take_digits(significant: &str, kept: i64) -> (i128, bool) {
    if significant.is_empty() {
        return (0, false);
    }
    if kept > KEPT_MAX {
        return (i128::MAX, false);
    }
    let kept = usize::try_from(kept).unwrap_or(0);
    let padded = significant.bytes().chain(std::iter::repeat(b'0')).take(kept);
    let size = padded.fold(0i128, |size, digit| size * 10 + i128::from(digit - b'0'));
    let rounded = significant.bytes().skip(kept).any(|digit| digit != b'0');
    (size + i128::from(rounded), rounded)
}

/// An exponent beyond 64 bits is as good as the largest.
fn read_exponent(text: &str) -> i64 {
    let fallback = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    text.strip_prefix('+').unwrap_or(text).parse().unwrap_or(fallback)
}

fn count(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    fn decimal(number: &Number) -> String {
        match CedarNumber::of(number, &SchemaShape::Decimal) {
            CedarNumber::Decimal(value) => decimal_text(value),
            CedarNumber::Long(_) => panic!("the schema says number"),
        }
    }

    fn long(number: &Number) -> i64 {
        match CedarNumber::of(number, &SchemaShape::Long) {
            CedarNumber::Long(value) => value,
            CedarNumber::Decimal(_) => panic!("the schema says integer"),
        }
    }

    #[test]
    fn the_text_of_a_decimal_reads_back() {
        for value in [0, 1, -1, 10_000, -10_001, i64::MAX, i64::MIN] {
            assert_eq!(read_decimal(&decimal_text(value)), Some(value));
        }
        assert_eq!(read_decimal("1000.0"), Some(10_000_000));
        assert_eq!(read_decimal("-0.5"), Some(-5_000));
        for bad in ["1000", "1.", ".5", "1.23456", "+1.0", "1e3", "99999999999999999999.0", ""] {
            assert_eq!(read_decimal(bad), None, "{bad}");
        }
    }

    #[test]
    fn decimals_have_four_digits_and_round_away_from_zero() {
        for (json, expected) in [
            ("1500", "1500.0000"),
            ("1500.5", "1500.5000"),
            ("0.1", "0.1000"),
            ("1000.00001", "1000.0001"),
            ("-1000.00001", "-1000.0001"),
            ("0.00000001", "0.0001"),
            ("-1e-300", "-0.0001"),
            ("0", "0.0000"),
            ("-0.0", "0.0000"),
            ("1e3", "1000.0000"),
            ("12.3456e2", "1234.5600"),
        ] {
            assert_eq!(decimal(&number(json)), expected, "{json}");
        }
    }

    #[test]
    fn what_is_too_large_is_the_largest_there_is() {
        let largest = "922337203685477.5807";
        let smallest = "-922337203685477.5808";
        for (json, expected) in [
            ("922337203685477.5807", largest),
            ("922337203685478", largest),
            ("9223372036854775807", largest),
            ("18446744073709551615", largest),
            ("1e300", largest),
            ("-1e300", smallest),
            ("-922337203685478", smallest),
        ] {
            assert_eq!(decimal(&number(json)), expected, "{json}");
        }
        assert_eq!(long(&number("18446744073709551615")), i64::MAX);
        assert_eq!(long(&number("1e30")), i64::MAX);
        assert_eq!(long(&number("-1e30")), i64::MIN);
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for (json, expected) in
            [("5", Some(5)), ("5.0", Some(5)), ("1.5e3", Some(1500)), ("5.5", None), ("1e-9", None)]
        {
            assert_eq!(whole(&number(json)), expected, "{json}");
        }
        assert_eq!(long(&number("5.5")), 6);
        assert_eq!(long(&number("-5.5")), -6);
    }

    #[test]
    fn written_numbers_are_read_to_the_last_digit() {
        let value = |text, digits| scaled_text(text, digits).value;
        assert_eq!(value("1000.00000000000000000000000000001", 4), 10_000_001);
        assert_eq!(value("0.000000000000000000000", 4), 0);
        assert_eq!(value("1e99999999999999999999", 4), i64::MAX);
        assert_eq!(value("1e-99999999999999999999", 4), 1);
        assert_eq!(value("-9223372036854775808", 0), i64::MIN);
        assert_eq!(value("00012.5e+1", 0), 125);
    }

    proptest! {
        /// The fast path and the slow path agree.
        #[test]
        fn few_digits_are_read_exactly(value in -10_000_000_000i64..10_000_000_000, digits in 0i32..7) {
            let number = Number::from_f64(value as f64 / 10f64.powi(digits)).unwrap();
            for scale in [0, DECIMAL_DIGITS] {
                prop_assert_eq!(scaled(&number, scale), scaled_text(&number.to_string(), scale));
            }
        }

        /// A number above a limit is above it as a decimal too.
        #[test]
        fn no_number_becomes_smaller(value in proptest::num::f64::NORMAL) {
            let number = Number::from_f64(value).unwrap();
            let scaled = scaled(&number, DECIMAL_DIGITS).value;
            let back = scaled as f64 / 10_000.0;
            prop_assert!(scaled == i64::MAX || scaled == i64::MIN || back.abs() >= value.abs() * (1.0 - 1e-12));
            prop_assert!(scaled == 0 || (scaled < 0) == (value < 0.0));
        }
    }
}
