//! The normalization of a text before it is split: control characters are removed, letters lose case and
//! accents.

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The section `normalizer` of `tokenizer.json`.
#[derive(Deserialize)]
pub(super) struct Normalizer {
    clean_text: bool,
    handle_chinese_chars: bool,
    /// By default, letters that lose their case lose their accents too.
    strip_accents: Option<bool>,
    lowercase: bool,
}

impl Normalizer {
    pub(super) fn apply(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        for char in text.chars() {
            match char {
                _ if self.clean_text && is_dropped(char) => {}
                _ if self.clean_text && char.is_whitespace() => clean.push(' '),
                _ if self.handle_chinese_chars && is_ideograph(char) => clean.extend([' ', char, ' ']),
                _ => clean.push(char),
            }
        }
        if self.strip_accents.unwrap_or(self.lowercase) && !clean.is_ascii() {
            clean = clean.nfd().filter(|char| !is_accent(*char)).collect();
        }
        if self.lowercase {
            clean = clean.chars().flat_map(char::to_lowercase).collect();
        }
        clean
    }
}

pub(super) fn is_punctuation(char: char) -> bool {
    char.is_ascii_punctuation()
        || !char.is_ascii() && char.general_category_group() == GeneralCategoryGroup::Punctuation
}

fn is_dropped(char: char) -> bool {
    match char {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        _ if char.is_ascii() => char.is_ascii_control(),
        _ => matches!(
            char.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_accent(char: char) -> bool {
    !char.is_ascii() && char.general_category() == GeneralCategory::NonspacingMark
}

/// Characters that are words by themselves, by the blocks that BERT names.
fn is_ideograph(char: char) -> bool {
    matches!(char,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
