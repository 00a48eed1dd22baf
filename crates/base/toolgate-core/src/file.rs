//! Bytes that agents know by name alone: files that were uploaded, refs that results became, artifacts that runs made.

use std::fmt;

use crate::id::{CallId, FileId, RefId, RunId, SessionId};
use crate::{CanonicalName, Digest, PrincipalId, ServerName};

/// Uploaded bytes. They never change: another content is another file.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct File {
    pub id: FileId,
    pub name: FileName,
    /// Detected from the bytes, not taken from the sender.
    pub media_type: String,
    pub bytes: u64,
    pub digest: Digest,
    pub owner: PrincipalId,
    pub created_at_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

/// A name for something that was taken out of a result, or for something that a server keeps under its own
/// id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ref {
    pub id: RefId,
    pub media_type: String,
    pub bytes: u64,
    /// `None` while only the server has the content and it has not been fetched.
    pub digest: Option<Digest>,
    /// The beginning of a text; empty for everything else.
    pub preview: String,
    pub principal: PrincipalId,
    pub session: SessionId,
    pub run: Option<RunId>,
    /// The call and the tool that made it.
    pub call: Option<CallId>,
    pub tool: Option<CanonicalName>,
    pub origin: Option<RefOrigin>,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
}

/// The server, and its own id, of contents that it keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefOrigin {
    pub server: ServerName,
    /// The id that the server gave, and that agents use.
    pub own: String,
    /// The URI under which that server offers it, if the result named one.
    pub uri: Option<String>,
}

/// Bytes that a run made, under their digest, for good.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Artifact {
    pub digest: Digest,
    pub name: FileName,
    pub media_type: String,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub owner: PrincipalId,
    pub created_at_ms: i64,
}

/// The name of a file: one step of a path, without anything that a terminal, a header or a file system reads otherwise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct FileName(String);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadFileName {
    #[error("a file name has 1 to {max} bytes", max = FileName::BYTES_MAX)]
    Length,
    #[error("a file name has no `/` and no `\\`")]
    Path,
    #[error("`.` and `..` are no file names")]
    Dots,
    #[error("a file name has no control characters and none that turn the direction of text")]
    Control,
    #[error("a file name neither begins nor ends with a blank")]
    Blank,
}

impl FileName {
    pub const BYTES_MAX: usize = 255;

    pub fn new(name: &str) -> Result<Self, BadFileName> {
        if name.is_empty() || name.len() > Self::BYTES_MAX {
            return Err(BadFileName::Length);
        }
        if name.contains(['/', '\\']) {
            return Err(BadFileName::Path);
        }
        if matches!(name, "." | "..") {
            return Err(BadFileName::Dots);
        }
        if name.chars().any(|c| c.is_control() || turns_text(c)) {
            return Err(BadFileName::Control);
        }
        if name.trim() != name {
            return Err(BadFileName::Blank);
        }
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Marks that change the order in which text is shown, and so hide an extension; and the separators of lines.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
}

impl<'de> serde::Deserialize<'de> for FileName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::new(&name).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_one_step_that_reads_as_it_is() {
        for good in
            ["a", "Resume_SWE.pdf", "Müller – Lebenslauf.docx", "履歴書.pdf", "..a", "a..", &"x".repeat(255)]
        {
            assert_eq!(FileName::new(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
        for (bad, why) in [
            ("", BadFileName::Length),
            (&"x".repeat(256), BadFileName::Length),
            ("../etc/passwd", BadFileName::Path),
            ("c:\\a", BadFileName::Path),
            ("..", BadFileName::Dots),
            ("a\0b", BadFileName::Control),
            ("a\nb", BadFileName::Control),
            ("cv\u{202e}fdp.exe", BadFileName::Control),
            (" a", BadFileName::Blank),
        ] {
            assert_eq!(FileName::new(bad), Err(why), "{bad:?}");
        }
    }
}
