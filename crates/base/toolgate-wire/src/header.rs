//! HTTP header names of MCP and the encoding of values that a header cannot carry literally.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
pub const SESSION_ID: &str = "mcp-session-id";
pub const METHOD: &str = "mcp-method";
pub const NAME: &str = "mcp-name";
pub const PARAM_PREFIX: &str = "mcp-param-";
pub const LAST_EVENT_ID: &str = "last-event-id";

const SENTINEL_START: &str = "=?base64?";
const SENTINEL_END: &str = "?=";

/// The value as a header carries it: plain where that is safe, otherwise base64 in the protocol's sentinel.
pub fn encode_value(value: &str) -> String {
    let printable = value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let trimmed = value.trim_matches(|c| c == ' ' || c == '\t').len() == value.len();
    if printable && trimmed && !value.starts_with(SENTINEL_START) {
        return value.to_owned();
    }
    format!("{SENTINEL_START}{}{SENTINEL_END}", BASE64_STANDARD.encode(value))
}

/// The value behind a header, or `None` if a sentinel does not decode. Half a sentinel is a plain value.
pub fn decode_value(header: &str) -> Option<String> {
    let wrapped = header.strip_prefix(SENTINEL_START).and_then(|rest| rest.strip_suffix(SENTINEL_END));
    let Some(encoded) = wrapped else {
        return Some(header.to_owned());
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok()
}

/// The member of `params` that `Mcp-Name` repeats, for methods that have one.
pub fn name_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_header() {
        for value in ["plain", "a b", " padded ", "héllo", "line\nbreak", "=?base64?eA==?=", ""] {
            assert_eq!(decode_value(&encode_value(value)).as_deref(), Some(value));
        }
    }

    #[test]
    fn a_broken_sentinel_is_refused() {
        for header in ["=?base64?!!?=", "=?base64?SGVsbG8?=", "=?base64?/w==?="] {
            assert_eq!(decode_value(header), None, "{header}");
        }
    }
}
