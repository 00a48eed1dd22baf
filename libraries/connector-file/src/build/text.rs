//! A value as text: for paths, queries, headers and forms.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::error::BadActionArguments;
use crate::step::PlacedValue;
use crate::words::Encoding;

/// The texts of a value: a list has one for each item.
pub(super) fn texts(value: &PlacedValue) -> Result<Vec<String>, BadActionArguments> {
    match (value.encode, &value.value) {
        (Some(Encoding::Json), any) => Ok(vec![any.to_string()]),
        (Some(Encoding::Comma), Value::Array(items)) => {
            let items: Result<Vec<String>, _> = items.iter().map(|item| scalar(value, item)).collect();
            Ok(vec![items?.join(",")])
        }
        (Some(Encoding::Base64), any) => Ok(vec![BASE64_STANDARD.encode(scalar(value, any)?)]),
        (_, Value::Array(items)) => items.iter().map(|item| scalar(value, item)).collect(),
        (_, any) => Ok(vec![scalar(value, any)?]),
    }
}

/// A value for a JSON body: itself, unless an encoding makes it a text.
pub(super) fn member(value: &PlacedValue) -> Result<Value, BadActionArguments> {
    match value.encode {
        Some(Encoding::Json | Encoding::Comma | Encoding::Base64) => Ok(Value::from(texts(value)?.concat())),
        Some(Encoding::Bytes | Encoding::Path) | None => Ok(value.value.clone()),
    }
}

fn scalar(owner: &PlacedValue, value: &Value) -> Result<String, BadActionArguments> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null => Ok(String::new()),
        Value::Array(_) | Value::Object(_) => {
            Err(BadActionArguments::refused(&owner.argument, "must be text, a number or a truth value here"))
        }
    }
}
