//! Bytes to a JSON value, within limits.

mod json;
mod scalar;
mod yaml;

use serde_json::Value;

use crate::bad::BadDocument;
use crate::limits::{DEPTH_MAX, ReadLimits};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads JSON, or YAML where it is no JSON.
pub(crate) fn value(bytes: &[u8], limits: &ReadLimits) -> Result<Value, BadDocument> {
    if bytes.len() > limits.bytes_max {
        return Err(BadDocument::TooLarge { bytes: bytes.len(), max: limits.bytes_max });
    }
    let limits = ReadLimits { depth_max: limits.depth_max.min(DEPTH_MAX), ..*limits };
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| BadDocument::NotText)?;
    match text.trim_ascii_start().as_bytes().first() {
        None => Err(BadDocument::Empty),
        Some(b'{' | b'[') => json_first(text, &limits),
        Some(_) => yaml::parse(text, &limits),
    }
}

/// YAML can begin with a brace as well. What was wrong with the JSON is said if it is neither.
fn json_first(text: &str, limits: &ReadLimits) -> Result<Value, BadDocument> {
    match json::parse(text, limits) {
        Err(BadDocument::Json { says }) => yaml::parse(text, limits).map_err(|_| BadDocument::Json { says }),
        read => read,
    }
}
