//! Binary content in JSON: base64, recognised by its place or by its look, and replaced by its size and
//! digest.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};
use toolgate_core::Digest;

/// A string of base64 that is longer is binary content and not a name or a digest.
pub(super) const BASE64_CHARS_MAX: usize = 1024;

pub(super) const MARKER_START: &str = "[binary, ";

const DATA_URL: &str = "data:";
const DATA_URL_BASE64: &str = ";base64,";
/// A media type with its parameters is shorter.
const DATA_URL_HEAD_BYTES_MAX: usize = 200;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// True if this member of an object is binary by its place: `data` of an image or a sound, `blob` of a
/// resource. Plain words never are.
pub(super) fn is_binary_member(members: &Map<String, Value>, key: &str, text: &str) -> bool {
    if !may_be_binary_member(key) || !is_base64_text(payload(text)) {
        return false;
    }
    match key {
        "data" => matches!(members.get("type").and_then(Value::as_str), Some("image" | "audio")),
        "blob" => members.contains_key("uri"),
        _ => false,
    }
}

pub(super) fn may_be_binary_member(key: &str) -> bool {
    matches!(key, "data" | "blob")
}

/// True if a text is long and consists of base64 only.
pub(crate) fn is_binary_text(text: &str) -> bool {
    if text.len() <= BASE64_CHARS_MAX {
        return false;
    }
    let payload = payload(text);
    payload.len() > BASE64_CHARS_MAX && is_base64_text(payload)
}

fn is_base64_text(text: &str) -> bool {
    text.bytes().all(|byte| is_base64(byte) || matches!(byte, b'\n' | b'\r'))
}

/// The replacement for binary content: the size and digest of the bytes, so that it can be recognised.
pub(super) fn marker(text: &str) -> String {
    let bytes = decoded(payload(text)).unwrap_or_else(|| text.as_bytes().to_vec());
    format!("{MARKER_START}{} bytes, {}]", bytes.len(), Digest::of(&bytes))
}

pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

/// A `data:` URL without its head; any other text unchanged.
fn payload(text: &str) -> &str {
    let head = text.as_bytes().iter().take(DATA_URL_HEAD_BYTES_MAX).position(|byte| *byte == b',');
    match head {
        Some(at) if text.starts_with(DATA_URL) && text[..=at].ends_with(DATA_URL_BASE64) => &text[at + 1..],
        _ => text,
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let joined: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    STANDARD.decode(&joined).or_else(|_| URL_SAFE.decode(&joined)).ok()
}
