//! Contents by digest, and where they lie in the engine's folder.

use serde::{Deserialize, Serialize};

/// The folder of contents inside the engine's folder. A content's file is named by its 64 hexadecimal digits.
pub const CONTENTS_FOLDER: &str = "contents";

/// The SHA-256 of a content as 64 lowercase hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentId(String);

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a content is named by 64 lowercase hexadecimal digits, not {0:?}")]
pub struct BadContentId(String);

impl ContentId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ContentId {
    type Error = BadContentId;

    fn try_from(text: String) -> Result<Self, BadContentId> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.len() == 64 && text.bytes().all(is_digit) {
            true => Ok(Self(text)),
            false => Err(BadContentId(text.chars().take(80).collect())),
        }
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> String {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_digest_names_a_content() {
        assert!(ContentId::try_from("0f".repeat(32)).is_ok());
        for bad in ["", "0F", "../etc/passwd", &"g".repeat(64), &"0".repeat(65)] {
            assert!(ContentId::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
    }
}
