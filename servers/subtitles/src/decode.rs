//! The bytes of a subtitle file as text. Old files are in any encoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// This much of a text decides its encoding.
const SAMPLE_BYTES: usize = 1 << 20;

/// The text with `\n` at the ends of lines, and a remark if its encoding was guessed.
pub(crate) fn decode(bytes: &[u8]) -> (String, Option<String>) {
    let (text, remark) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(), None),
        None => match std::str::from_utf8(bytes) {
            // Plain letters of UTF-16 are valid UTF-8, too, with zeros between them.
            Ok(text) if wide(bytes).is_none() => (text.to_owned(), None),
            _ => guessed(bytes),
        },
    };
    (text.replace("\r\n", "\n").replace('\r', "\n"), remark)
}

fn guessed(bytes: &[u8]) -> (String, Option<String>) {
    let encoding = match wide(bytes) {
        Some(encoding) => encoding,
        None => {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(&bytes[..bytes.len().min(SAMPLE_BYTES)], true);
            detector.guess(None, Utf8Detection::Allow)
        }
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text.into_owned(), Some(format!("the text is not UTF-8; it was read as {}", encoding.name())))
}

/// UTF-16 without a mark: most of one half of the bytes is zero.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros = |odd: usize| sample.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let most = sample.len() / 4;
    match (zeros(0), zeros(1)) {
        (even, _) if even > most => Some(UTF_16BE),
        (_, odd) if odd > most => Some(UTF_16LE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_encoding_are_read() {
        assert_eq!(decode("\u{feff}a\r\nb".as_bytes()), ("a\nb".to_owned(), None));
        let wide: Vec<u8> = "\u{feff}né".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide).0, "né");
        let bare: Vec<u8> = "1\n00:00:01,000".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&bare).0, "1\n00:00:01,000");
        let (text, remark) = decode(b"Caf\xe9 au lait, d\xe9j\xe0 vu");
        assert_eq!(text, "Café au lait, déjà vu");
        assert!(remark.is_some());
    }
}
