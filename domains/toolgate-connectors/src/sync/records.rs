//! Records as files: one canonical JSON each, under the name of its stream and its key.

use std::fmt::Write as _;

use bytes::Bytes;
use manifest_tree::EntryPath;
use serde_json::{Map, Value, json};
use toolgate_core::Digest;
use toolgate_pipeline::canonical::canonical;
use toolgate_substrate::{SnapshotContent, SnapshotEntry};

use crate::limits::{KEY_BYTES_MAX, RECORD_BYTES_MAX};
use crate::pages::PulledRecord;

const JSON_TYPE: &str = "application/json";
/// Bytes of the digest that tells long keys apart.
const DIGEST_BYTES: usize = 8;

/// The entry of a record, or the reason why it has none.
pub(super) fn entry(stream: &str, record: &PulledRecord) -> Result<SnapshotEntry, String> {
    let key = key(&record.key).ok_or("a record without a key was left out")?;
    let text = canonical(&record.value);
    if text.len() > RECORD_BYTES_MAX {
        return Err(format!("{key:?} has {} bytes, at most {RECORD_BYTES_MAX} are taken", text.len()));
    }
    let path = format!("{}/{}.json", plain(stream), plain(&key));
    let path = EntryPath::new(&path).map_err(|error| format!("{key:?} has no path: {error}"))?;
    let content = SnapshotContent::Bytes { bytes: Bytes::from(text), media_type: JSON_TYPE.to_owned() };
    Ok(SnapshotEntry { path, content, metadata: Some(metadata(&key)) })
}

fn key(key: &Value) -> Option<String> {
    match key {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn metadata(key: &str) -> Map<String, Value> {
    let short: String = key.chars().take(KEY_BYTES_MAX).collect();
    [("key".to_owned(), json!(short))].into_iter().collect()
}

/// A part of a path: letters, digits, `-`, `_` and `.` stay, and every other byte is written as `%2F`. Long ones end in a digest.
fn plain(text: &str) -> String {
    let mut part = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'-' | b'_' => part.push(char::from(byte)),
            b'.' if at > 0 => part.push('.'),
            _ if byte.is_ascii_alphanumeric() => part.push(char::from(byte)),
            _ => write!(part, "%{byte:02X}").expect("a text takes what is written to it"),
        }
    }
    if part.len() <= KEY_BYTES_MAX {
        return part;
    }
    part.truncate(KEY_BYTES_MAX);
    let digest = Digest::of(text);
    part.push('~');
    for byte in digest.as_bytes().iter().take(DIGEST_BYTES) {
        write!(part, "{byte:02x}").expect("a text takes what is written to it");
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(key: Value) -> Result<String, String> {
        let record = PulledRecord { key, value: json!({ "b": 1, "a": [true] }) };
        entry("messages", &record).map(|entry| entry.path.as_str().to_owned())
    }

    #[test]
    fn a_record_lies_under_its_stream_and_key() {
        assert_eq!(path(json!("C1.17-a_b")), Ok("messages/C1.17-a_b.json".to_owned()));
        assert_eq!(path(json!(42)), Ok("messages/42.json".to_owned()));
        assert_eq!(path(json!("../etc/ü")), Ok("messages/%2E.%2Fetc%2F%C3%BC.json".to_owned()));
        assert!(path(json!("")).is_err() && path(json!(null)).is_err());
    }

    #[test]
    fn long_keys_stay_apart() {
        let (one, other) = (format!("{}1", "k".repeat(500)), format!("{}2", "k".repeat(500)));
        let paths = [path(json!(one)).expect("a path"), path(json!(other)).expect("a path")];
        assert_ne!(paths[0], paths[1]);
        assert!(paths[0].len() < 200, "{}", paths[0]);
    }

    #[test]
    fn the_same_record_has_the_same_bytes() {
        let bytes = |value: Value| {
            let entry = entry("s", &PulledRecord { key: json!("k"), value }).expect("an entry");
            entry.content
        };
        assert_eq!(bytes(json!({ "a": 1, "b": 2 })), bytes(json!({ "b": 2, "a": 1 })));
    }
}
