//! Bytes in arguments, which are Base64.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::error::BadActionArguments;

/// The bytes that an argument in Base64 stands for.
pub(crate) fn bytes_of(argument: &str, value: &Value) -> Result<Vec<u8>, BadActionArguments> {
    let text = value.as_str().ok_or_else(|| BadActionArguments::refused(argument, "must be Base64"))?;
    BASE64_STANDARD.decode(text).map_err(|_| BadActionArguments::refused(argument, "must be Base64"))
}
