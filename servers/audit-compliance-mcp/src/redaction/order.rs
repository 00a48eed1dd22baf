//! An order to redact, and its result.

use crate::personal::{PersonalKind, TEXT_CHARS_MAX, is_searched_whole};

/// Everything that has to go.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RedactionOrder {
    /// Words or phrases, in any case.
    pub terms: Vec<String>,
    /// Kinds of personal data.
    pub kinds: Vec<PersonalKind>,
    /// Personal data that is less certain stays.
    pub confidence_min: f64,
}

impl RedactionOrder {
    /// Refuses a text of which the end would pass unsearched.
    pub(super) fn check_length(&self, text: &str) -> Result<(), RedactionError> {
        match self.kinds.is_empty() || is_searched_whole(text) {
            true => Ok(()),
            false => Err(RedactionError::TooMuch(TEXT_CHARS_MAX)),
        }
    }
}

/// A black box.
#[derive(Clone, PartialEq, Debug)]
pub struct RedactedBox {
    pub page: u32,
    /// Left, top, right and bottom.
    pub bounds: [f32; 4],
}

/// The result.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// The number of matches.
    pub count: usize,
    pub boxes: Vec<RedactedBox>,
    pub pages: usize,
    /// Pages that became pictures.
    pub pictures: Vec<u32>,
    /// Pages with something to see that could not be searched.
    pub unsearched: Vec<u32>,
    /// All that the result shows was searched, and nothing to redact is in it.
    pub is_verified: bool,
    pub warnings: Vec<String>,
}

/// The reason why nothing was redacted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RedactionError {
    #[error("nothing to redact was named")]
    Nothing,
    #[error("the file is encrypted")]
    Encrypted,
    #[error("{0}")]
    Unreadable(String),
    #[error("the file has more than {0} pages")]
    TooLong(usize),
    #[error("the text has more than {0} bytes")]
    TooLarge(usize),
    #[error("personal data is found in texts of at most {0} characters")]
    TooMuch(usize),
    #[error("something was still found in the result: {0}")]
    StillThere(String),
}
