//! Checked paths of entries: relative, in one spelling, and the same on every system.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use unicode_normalization::is_nfc;

use crate::order;

/// The most bytes of a path.
pub const PATH_BYTES_MAX: usize = 1024;
/// The most bytes between two slashes.
pub const PART_BYTES_MAX: usize = 255;

/// The path of an entry: parts with `/` between them. Its order is the order of the tree.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EntryPath(Arc<str>);

/// The reason why text is not a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("the path is longer than {PATH_BYTES_MAX} bytes")]
    TooLong,
    #[error("a part of the path is longer than {PART_BYTES_MAX} bytes")]
    PartTooLong,
    #[error("the path begins or ends with a slash, or has two in a row")]
    EmptyPart,
    #[error("the path has `.` or `..` as a part")]
    Dots,
    #[error("the path has a backslash")]
    Backslash,
    #[error("the path has a control character or one that cannot be seen")]
    Invisible,
    #[error("the path is not in Unicode's normal form C")]
    NotNormal,
}

impl EntryPath {
    /// Checks `text` and takes it as a path.
    pub fn new(text: &str) -> Result<EntryPath, PathError> {
        check(text)?;
        Ok(EntryPath(Arc::from(text)))
    }

    /// Takes text that was checked before.
    pub(crate) fn of_checked(text: &str) -> EntryPath {
        EntryPath(Arc::from(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks that `text` is a path.
pub(crate) fn check(text: &str) -> Result<(), PathError> {
    check_after(text, 0)
}

/// Checks that `text` is a path. Its first `shared` bytes are those of a path that was checked before.
pub(crate) fn check_after(text: &str, shared: usize) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > PATH_BYTES_MAX {
        return Err(PathError::TooLong);
    }
    let bytes = text.as_bytes();
    let start = bytes[..shared].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    bytes[start..].split(|byte| *byte == b'/').try_for_each(check_part)?;
    if text.is_ascii() {
        return Ok(());
    }
    if text.chars().any(is_invisible) {
        return Err(PathError::Invisible);
    }
    if is_nfc(text) { Ok(()) } else { Err(PathError::NotNormal) }
}

fn check_part(part: &[u8]) -> Result<(), PathError> {
    match part {
        b"" => return Err(PathError::EmptyPart),
        b"." | b".." => return Err(PathError::Dots),
        _ if part.len() > PART_BYTES_MAX => return Err(PathError::PartTooLong),
        _ => {}
    }
    let is_bad = |byte: &u8| *byte < 0x20 || *byte == 0x7f || *byte == b'\\';
    match part.iter().find(|byte| is_bad(byte)) {
        None => Ok(()),
        Some(b'\\') => Err(PathError::Backslash),
        Some(_) => Err(PathError::Invisible),
    }
}

/// Characters that make two names look like one: controls, marks of direction, spaces of no width. The joiners of Persian and of
/// pictures are not among them.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'
                ..='\u{202e}'
        )
        || matches!(character, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

impl Ord for EntryPath {
    fn cmp(&self, other: &EntryPath) -> Ordering {
        order::compare(&self.0, &other.0)
    }
}

impl PartialOrd for EntryPath {
    fn partial_cmp(&self, other: &EntryPath) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for EntryPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<EntryPath, PathError> {
        EntryPath::new(text)
    }
}

impl AsRef<str> for EntryPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for EntryPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}
