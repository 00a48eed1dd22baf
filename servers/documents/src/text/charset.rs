//! The encoding of a text. Its own declaration comes first, then the only possible encoding of its bytes,
//! then the most likely one.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// This much of a text decides its encoding.
const SAMPLE_BYTES: usize = 1 << 20;
/// The range for the declaration of a page or an XML file.
const HEAD_BYTES: usize = 1024;
/// Text has at most one control character in this many.
const CONTROL_SHARE: usize = 20;
/// A few are in any text that went through a terminal.
const STRAYS_FREE: usize = 4;
/// Of this many non-ASCII characters in UTF-8, one may be in another encoding.
const STRAY_SHARE: usize = 4;

/// A text that was decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodedText {
    pub text: String,
    /// Set if some of it may be wrong.
    pub warning: Option<String>,
}

/// Text in any encoding: UTF-8, UTF-16, UTF-32, or older ones.
pub fn decode(bytes: &[u8]) -> DecodedText {
    decode_as(bytes, None)
}

/// The same for a web page, which may name its encoding.
pub(crate) fn decode_html(bytes: &[u8]) -> DecodedText {
    decode_as(bytes, declared(bytes, b"charset="))
}

/// The same for XML. It is UTF-8 by default.
pub(crate) fn decode_xml(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode_as(bytes, declared(bytes, b"encoding=")).text),
    }
}

/// True if it can be text at all.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if marked(sample).is_some() || wide(sample).is_some() {
        return true;
    }
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127);
    let controls = sample.iter().filter(is_control).count();
    let zeros = sample.iter().filter(|byte| **byte == 0).count();
    let (zeros, controls) = (zeros.saturating_sub(STRAYS_FREE), controls.saturating_sub(STRAYS_FREE));
    zeros * CONTROL_SHARE * 10 <= sample.len() && controls * CONTROL_SHARE <= sample.len()
}

fn decode_as(bytes: &[u8], declared: Option<&'static Encoding>) -> DecodedText {
    if let Some(text) = utf_32(bytes) {
        return DecodedText { text, warning: None };
    }
    if let Some(encoding) = marked(bytes).or_else(|| wide(bytes)) {
        return decode_in(encoding, bytes);
    }
    if is_iso_2022_jp(bytes) {
        return decode_in(ISO_2022_JP, bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return DecodedText { text: text.to_owned(), warning: None };
    }
    if let Some(text) = mostly_utf_8(bytes) {
        let warning = "the text mixes encodings; bytes that are not UTF-8 were read as windows-1252";
        return DecodedText { text, warning: Some(warning.to_owned()) };
    }
    decode_in(declared.unwrap_or_else(|| guess(bytes)), bytes)
}

fn decode_in(encoding: &'static Encoding, bytes: &[u8]) -> DecodedText {
    let (text, used, had_errors) = encoding.decode(bytes);
    let warning = had_errors
        .then(|| format!("the text was read as {}, but some of its bytes are invalid in it", used.name()));
    DecodedText { text: text.into_owned(), warning }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(SAMPLE_BYTES)], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// By a byte order mark.
fn marked(bytes: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_bom(bytes).map(|(encoding, _)| encoding)
}

/// UTF-16 without a mark: Latin text has a zero in every other byte.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(HEAD_BYTES) & !1];
    if sample.len() < 4 {
        return None;
    }
    let zeros = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), sample.len() / 2);
    if odd * 10 >= half * 7 && even * 10 <= half {
        Some(UTF_16LE)
    } else if even * 10 >= half * 7 && odd * 10 <= half {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn utf_32(bytes: &[u8]) -> Option<String> {
    let (mark, rest) = bytes.split_first_chunk::<4>()?;
    let read = match mark {
        [0xff, 0xfe, 0, 0] => u32::from_le_bytes,
        [0, 0, 0xfe, 0xff] => u32::from_be_bytes,
        _ => return None,
    };
    let (units, _) = rest.as_chunks::<4>();
    let characters =
        units.iter().map(|unit| char::from_u32(read(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(characters.collect())
}

/// It consists of ASCII bytes, so nothing else would notice.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let has = |mark: &[u8]| memchr::memmem::find(sample, mark).is_some();
    sample.is_ascii() && (has(b"\x1b$B") || has(b"\x1b$@")) && (has(b"\x1b(B") || has(b"\x1b(J"))
}

/// The declaration near the beginning of a page.
fn declared(bytes: &[u8], key: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(HEAD_BYTES)].to_ascii_lowercase();
    let at = memchr::memmem::find(&head, key)? + key.len();
    let value = head[at..].trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
    let length = value.iter().position(|byte| !is_label(byte)).unwrap_or(value.len());
    // A label that is readable as ASCII proves that the text is not UTF-16, whatever the label says.
    Encoding::for_label(&value[..length]).filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE)
}

/// UTF-8 with a few pasted characters of another encoding.
fn mostly_utf_8(bytes: &[u8]) -> Option<String> {
    let wide = |text: &str| text.chars().filter(|character| !character.is_ascii()).count();
    let (mut right, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        right += wide(chunk.valid());
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    if right < wrong * STRAY_SHARE {
        return None;
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let (stray, _) = WINDOWS_1252.decode_without_bom_handling(chunk.invalid());
        text.push_str(&stray);
    }
    Some(text)
}
