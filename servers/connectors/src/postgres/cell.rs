//! A row as the database writes it in JSON: its values in order, columns of one name included, and no digit lost.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The values of one row.
struct RowValues(Vec<Value>);

/// `None` if that is no row.
pub(super) fn values(row: &str) -> Option<Vec<Value>> {
    serde_json::from_str::<RowValues>(row).ok().map(|row| row.0)
}

impl<'de> Deserialize<'de> for RowValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = RowValues;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<RowValues, A::Error> {
        let mut values = Vec::new();
        while let Some((_, value)) = row.next_entry::<String, Box<RawValue>>()? {
            values.push(exact(value.get()).map_err(serde::de::Error::custom)?);
        }
        Ok(RowValues(values))
    }
}

/// Numbers with more digits than JSON's readers keep become texts.
fn exact(written: &str) -> serde_json::Result<Value> {
    let value: Value = serde_json::from_str(written)?;
    match &value {
        Value::Number(number)
            if number.is_f64() && significant(written) != significant(&number.to_string()) =>
        {
            Ok(Value::String(written.to_owned()))
        }
        _ => Ok(value),
    }
}

/// The digits that matter, without sign, point, exponent and zeros around them.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_keep_their_order_and_their_digits() {
        let row = r#"{"id":1,"id":2,"n":0.10,"big":12345678901234567890.123,"e":1e300,"j":{"a":[1]},"t":"x","z":null}"#;
        let expected = json!([1, 2, 0.1, "12345678901234567890.123", 1e300, {"a": [1]}, "x", null]);
        assert_eq!(Value::from(values(row).unwrap()), expected);
        assert_eq!(values("[1]"), None);
    }
}
