//! Text in any encoding: bytes to UTF-8, and a refusal for anything else.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// The bytes are no text in any encoding that is known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("these bytes are not text")]
pub struct NotText;

/// The number of bytes used to guess an encoding, from the first non-ASCII one.
const GUESSED_BYTES_MAX: usize = 1 << 20;
/// The number of bytes used to detect UTF-16 without a mark.
const PAIRS_BYTES_MAX: usize = 4 << 10;
/// One control character per this many characters is normal for output of terminals and printers; more is
/// binary.
const CHARS_PER_CONTROL_MIN: usize = 200;
const ESCAPE: u8 = 0x1b;

/// Reads a whole text. A mark at its beginning is not part of it.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return read_as(encoding, &bytes[mark..]);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return read_as(encoding, bytes);
    }
    if bytes.contains(&0) {
        return Err(NotText);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.contains(&ESCAPE) => is_readable(text).then(|| text.to_owned()).ok_or(NotText),
        Ok(text) => match guess(bytes) {
            encoding if encoding == ISO_2022_JP => read_as(encoding, bytes),
            _ => is_readable(text).then(|| text.to_owned()).ok_or(NotText),
        },
        Err(_) => read_as(guess(bytes), bytes),
    }
}

/// True if the bytes begin like a text in an unambiguous encoding. `bytes` may end within a character.
pub(crate) fn begins_as_unicode(bytes: &[u8]) -> bool {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let whole = if encoding == UTF_8 { bytes.len() } else { bytes.len() - (bytes.len() - mark) % 2 };
        return begins_as(encoding, &bytes[mark..whole]);
    }
    match unmarked_utf16(bytes) {
        Some(encoding) => begins_as(encoding, &bytes[..bytes.len() - bytes.len() % 2]),
        None => !bytes.contains(&0) && begins_as(UTF_8, bytes),
    }
}

/// The same for encodings that must be guessed. Binary data may look like it.
pub(crate) fn begins_as_legacy(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && begins_as(guess(bytes), bytes)
}

fn begins_as(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(length) = decoder.max_utf8_buffer_length_without_replacement(bytes.len()) else { return false };
    let mut text = String::with_capacity(length);
    // With `last` set to false, a character that is cut in two does not count as invalid.
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, false);
    result == encoding_rs::DecoderResult::InputEmpty && is_readable(&text)
}

fn read_as(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, NotText> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(NotText)?;
    if is_readable(&text) { Ok(text.into_owned()) } else { Err(NotText) }
}

/// Texts of the languages that are written in Latin letters have a zero in every other byte.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(PAIRS_BYTES_MAX)];
    let pairs = sample.chunks_exact(2);
    if bytes.len() < 4 || !bytes.len().is_multiple_of(2) && bytes.len() <= PAIRS_BYTES_MAX {
        return None;
    }
    let (mut high_first, mut low_first, count) = (0, 0, pairs.len());
    for pair in pairs {
        match (pair[0], pair[1]) {
            (0, 0) => return None,
            (0, _) => high_first += 1,
            (_, 0) => low_first += 1,
            _ => {}
        }
    }
    let mostly = |zeros: usize| zeros * 4 >= count * 3;
    match (mostly(low_first) && high_first == 0, mostly(high_first) && low_first == 0) {
        (true, _) => Some(UTF_16LE),
        (_, true) => Some(UTF_16BE),
        _ => None,
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let is_telling = |byte: &u8| !byte.is_ascii() || *byte == ESCAPE;
    let start = bytes.iter().position(is_telling).unwrap_or(0);
    let end = bytes.len().min(start + GUESSED_BYTES_MAX);
    detector.feed(&bytes[start..end], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// True if a text has hardly any characters that people do not write.
fn is_readable(text: &str) -> bool {
    let (mut count, mut controls) = (0, 0);
    for c in text.chars() {
        count += 1;
        let is_usual =
            !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{85}' | '\u{8}' | '\u{1b}');
        controls += usize::from(!is_usual);
        if c == '\0' {
            return false;
        }
    }
    controls * CHARS_PER_CONTROL_MIN <= count
}

#[cfg(test)]
mod tests;
