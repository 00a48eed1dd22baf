//! The characters of a glyph: from its font, cleaned.

use hayro_interpret::hayro_cmap::BfString;
use unicode_normalization::UnicodeNormalization;

/// The text of a glyph according to its font, or `None` if it is unreadable.
pub(super) fn readable(told: Option<BfString>) -> Option<String> {
    let text = match told? {
        BfString::Char(letter) => clean(letter)?.to_string(),
        BfString::String(text) => text.chars().filter_map(clean).collect(),
    };
    if text.is_empty() { None } else { Some(expanded(text)) }
}

/// The most likely meaning of a code in a font that does not tell: Windows' Latin letters, as most writers
/// use them.
pub(super) fn usual(code: u32) -> Option<String> {
    const SIGNS: [char; 32] = [
        '€', ' ', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', ' ', 'Ž', ' ', ' ', '‘', '’', '“',
        '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', ' ', 'ž', 'Ÿ',
    ];
    let byte = u8::try_from(code).ok()?;
    let letter = match byte {
        0x20..=0x7E | 0xA0..=0xFF => char::from(byte),
        0x80..=0x9F => SIGNS[usize::from(byte - 0x80)],
        _ => return None,
    };
    clean(letter).map(String::from)
}

/// The text that the file puts in place of drawn glyphs.
pub(super) fn replacement(bytes: &[u8]) -> String {
    expanded(from_pdf_string(bytes).chars().filter_map(clean).collect())
}

/// Bytes as PDF strings have them.
pub(super) fn from_pdf_string(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|&byte| pdf_doc_encoding(byte)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// PDFDocEncoding is Latin-1 except for these.
fn pdf_doc_encoding(byte: u8) -> char {
    const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const SIGNS: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    match byte {
        0x18..=0x1F => ACCENTS[usize::from(byte - 0x18)],
        0x80..=0x9E => SIGNS[usize::from(byte - 0x80)],
        0xA0 => '€',
        _ => char::from(byte),
    }
}

/// A character that is worth keeping, in the form that others expect.
fn clean(letter: char) -> Option<char> {
    match letter {
        '\t' | '\n' | '\r' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
            Some(' ')
        }
        // A soft hyphen is recognised later; it is visible, so it is a hyphen.
        '\u{AD}' | '\u{2010}' | '\u{2011}' => Some('-'),
        // Symbol fonts of office programs keep their signs in the private area; these are the marks of their lists.
        '\u{F0B7}' => Some('•'),
        '\u{F0A7}' => Some('▪'),
        '\u{F0A8}' => Some('◆'),
        '\u{F0D8}' => Some('➢'),
        '\u{F0FC}' => Some('✓'),
        '\u{FFFC}' | '\u{FFFD}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => None,
        _ if letter.is_control() => None,
        _ => Some(letter),
    }
}

/// Ligatures and presentation forms become their letters.
fn expanded(text: String) -> String {
    let drawn = |letter: char| matches!(letter, '\u{FB00}'..='\u{FB4F}' | '\u{FB50}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FDFC}' | '\u{FE70}'..='\u{FEFC}' | '\u{132}' | '\u{133}');
    if text.chars().any(drawn) { text.nfkc().filter(|letter| *letter != ' ').collect() } else { text }
}

/// The combining mark for an accent that is drawn as a separate glyph.
pub(super) fn combining(accent: &str) -> Option<char> {
    let mut letters = accent.chars();
    let letter = letters.next()?;
    if letters.next().is_some() {
        return None;
    }
    match letter {
        '`' | 'ˋ' => Some('\u{300}'),
        '´' | 'ˊ' => Some('\u{301}'),
        'ˆ' => Some('\u{302}'),
        '˜' => Some('\u{303}'),
        '¯' | 'ˉ' => Some('\u{304}'),
        '˘' => Some('\u{306}'),
        '˙' => Some('\u{307}'),
        '¨' => Some('\u{308}'),
        '˚' => Some('\u{30A}'),
        '˝' => Some('\u{30B}'),
        'ˇ' => Some('\u{30C}'),
        '¸' => Some('\u{327}'),
        '˛' => Some('\u{328}'),
        '\u{300}'..='\u{36F}' => Some(letter),
        _ => None,
    }
}
