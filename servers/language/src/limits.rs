//! The limit on the analysed part of a text, so that any text takes bounded time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longer texts are read up to here.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// The analysed part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClippedText<'a> {
    pub text: &'a str,
    pub cut: Option<Truncation>,
}

/// The truncation of a long text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Truncation {
    /// Characters from the beginning that were analysed.
    pub analysed_chars: usize,
    /// Characters of the whole text.
    pub total_chars: usize,
}

/// The beginning of a long text, up to the end of a word; a normal text unchanged.
pub fn clip(text: &str) -> ClippedText<'_> {
    if text.len() <= TEXT_BYTES_MAX {
        return ClippedText { text, cut: None };
    }
    let limit = text.floor_char_boundary(TEXT_BYTES_MAX);
    let beginning = &text[..limit];
    let end = beginning.rfind(char::is_whitespace).filter(|end| *end > limit / 2).unwrap_or(limit);
    let beginning = &text[..end];
    let cut = Truncation { analysed_chars: beginning.chars().count(), total_chars: text.chars().count() };
    ClippedText { text: beginning, cut: Some(cut) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_says_so() {
        let text = "añb ".repeat(TEXT_BYTES_MAX / 3);
        let clipped = clip(&text);
        let cut = clipped.cut.expect("the text is too long");
        assert!(clipped.text.len() <= TEXT_BYTES_MAX && clipped.text.ends_with("añb"));
        assert_eq!(cut.analysed_chars, clipped.text.chars().count());
        assert_eq!(cut.total_chars, text.chars().count());
    }

    #[test]
    fn a_long_text_without_blanks_is_cut_between_characters() {
        let text = "日".repeat(TEXT_BYTES_MAX);
        assert!(clip(&text).text.chars().all(|character| character == '日'));
    }
}
