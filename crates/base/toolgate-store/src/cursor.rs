//! The position where a page, newest first, ended, as clients hand it back.

use std::fmt;
use std::str::FromStr;

/// The position where a page, newest first, ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageCursor {
    pub(crate) created_at_ms: i64,
    pub(crate) id: String,
}

impl PageCursor {
    pub(crate) fn at(created_at_ms: i64, id: &impl fmt::Display) -> Self {
        Self { created_at_ms, id: id.to_string() }
    }
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at_ms, self.id)
    }
}

impl FromStr for PageCursor {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (created, id) = text.split_once('.').unwrap_or((text, ""));
        Ok(Self { created_at_ms: created.parse()?, id: id.to_owned() })
    }
}
