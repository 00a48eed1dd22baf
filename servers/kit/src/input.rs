//! A file as an argument: its bytes in Base64, or the ref of a stored item.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::trouble::Trouble;
use crate::work::Work;

/// Flatten it into a tool's arguments. Exactly one of `file_data` and `source_ref_id` must be present.
/// `deny_unknown_fields` cannot be combined with flattening, so a tool with other arguments repeats these
/// three and builds this from them.
#[derive(Clone, Default, Deserialize, JsonSchema)]
pub struct FileInput {
    /// The file, in Base64.
    #[serde(default)]
    pub file_data: Option<String>,
    /// Its media type or file extension, such as `application/pdf` or `pdf`. Detected from the content if
    /// omitted.
    #[serde(default)]
    pub file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    pub source_ref_id: Option<String>,
}

/// The bytes of a file, with its declared properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedFile {
    pub bytes: Vec<u8>,
    /// The type declared by the caller or the store. The content may differ.
    pub media_type: Option<String>,
    pub name: Option<String>,
}

impl FileInput {
    pub fn load(self, work: &Work) -> Result<LoadedFile, Trouble> {
        match (self.file_data, self.source_ref_id) {
            (Some(data), None) => {
                Ok(LoadedFile { bytes: decode(&data)?, media_type: self.file_type, name: None })
            }
            (None, Some(id)) => {
                let stored = work.find(&id)?;
                Ok(LoadedFile {
                    bytes: stored.bytes,
                    media_type: Some(stored.media_type),
                    name: Some(stored.name),
                })
            }
            (Some(_), Some(_)) => Err(Trouble::bad_arguments("both file_data and source_ref_id were passed")
                .hint("pass only one of them")),
            (None, None) => {
                Err(Trouble::bad_arguments("no file was passed")
                    .hint("pass file_data (Base64) or source_ref_id"))
            }
        }
    }
}

/// Base64 as people write it: with line breaks, with or without padding, or as a `data:` URL.
fn decode(text: &str) -> Result<Vec<u8>, Trouble> {
    let text = match text.strip_prefix("data:") {
        Some(url) => url.split_once(',').map_or(url, |(_, data)| data),
        None => text,
    };
    let packed: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').collect();
    base64_simd::STANDARD_NO_PAD.decode_to_vec(&packed).map_err(|_| {
        Trouble::bad_arguments("file_data is not Base64")
            .hint("encode the bytes of the file with standard Base64; behind a gateway, pass file_id instead")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_people_write_it() {
        for written in ["aGVsbG8=", "aGVsbG8", "aGVs\nbG8=\n", "data:text/plain;base64,aGVsbG8="] {
            assert_eq!(decode(written).unwrap(), b"hello", "{written}");
        }
        assert_eq!(decode("").unwrap(), b"");
        for bad in ["a", "hello!", "äöü"] {
            let trouble = decode(bad).unwrap_err().to_string();
            assert!(trouble.starts_with("file_data is not Base64\nhint: "), "{trouble}");
        }
    }
}
