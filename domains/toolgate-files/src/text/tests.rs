use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
use proptest::prelude::*;

use super::*;

const GERMAN: &str = "Größere Änderungen am Straßenübergang: für Fußgänger gesperrt, außer für Anlieger.\n";
const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация.\n";
const JAPANESE: &str =
    "これは日本語の文章です。文字コードを判定するために、十分な長さが必要です。カタカナも。\n";
const CHINESE: &str = "这是一个用来检测字符编码的中文句子,需要足够长才能可靠地识别出来。\n";
const KOREAN: &str = "이것은 문자 인코딩을 감지하기 위한 한국어 문장입니다. 충분히 길어야 합니다.\n";

fn utf16(text: &str, swap: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(swap).collect()
}

#[test]
fn text_is_read_in_whatever_it_was_written() {
    for (encoding, text) in [
        (WINDOWS_1252, GERMAN),
        (WINDOWS_1251, RUSSIAN),
        (SHIFT_JIS, JAPANESE),
        (ISO_2022_JP, JAPANESE),
        (GBK, CHINESE),
        (EUC_KR, KOREAN),
    ] {
        let (bytes, _, lossy) = encoding.encode(text);
        assert!(!lossy);
        assert_eq!(decode(&bytes).as_deref(), Ok(text), "{}", encoding.name());
    }
}

#[test]
fn marks_say_how_a_text_is_written_and_are_not_part_of_it() {
    for text in [GERMAN, JAPANESE, "a", ""] {
        let mut marked = vec![0xef, 0xbb, 0xbf];
        marked.extend(text.as_bytes());
        assert_eq!(decode(&marked).as_deref(), Ok(text));
        let little = [vec![0xff, 0xfe], utf16(text, u16::to_le_bytes)].concat();
        assert_eq!(decode(&little).as_deref(), Ok(text));
        let big = [vec![0xfe, 0xff], utf16(text, u16::to_be_bytes)].concat();
        assert_eq!(decode(&big).as_deref(), Ok(text));
    }
    assert_eq!(decode(&utf16(GERMAN, u16::to_le_bytes)).as_deref(), Ok(GERMAN));
    assert_eq!(decode(&utf16(GERMAN, u16::to_be_bytes)).as_deref(), Ok(GERMAN));
}

#[test]
fn plain_text_is_what_it_is() {
    for text in ["", "a", "null\n", GERMAN, "\u{1b}[1mbold\u{1b}[0m\n", "a\tb\r\n", "🙂"] {
        assert_eq!(decode(text.as_bytes()).as_deref(), Ok(text));
    }
}

#[test]
fn what_is_binary_is_no_text() {
    let random: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let no_zeros: Vec<u8> = random.iter().copied().filter(|byte| *byte != 0).collect();
    let half_mark = [0xff, 0xfe, 0x41];
    let surrogate = [0xff, 0xfe, 0x00, 0xd8];
    for binary in [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        b"a\0b",
        &random,
        &no_zeros,
        &half_mark,
        &surrogate,
        b"\x01\x02\x03\x04",
    ] {
        assert_eq!(decode(binary), Err(NotText), "{:?}", &binary[..binary.len().min(20)]);
    }
}

#[test]
fn a_beginning_may_end_within_a_character() {
    for text in [GERMAN, JAPANESE, "🙂🙂"] {
        for end in 1..text.len() {
            assert!(begins_as_unicode(&text.as_bytes()[..end]), "{text} {end}");
        }
        let marked = [vec![0xff, 0xfe], utf16(text, u16::to_le_bytes)].concat();
        for end in 3..marked.len() {
            assert!(begins_as_unicode(&marked[..end]), "{text} {end}");
        }
    }
    assert!(!begins_as_unicode(b"abc\xff"));
    assert!(begins_as_legacy(&WINDOWS_1252.encode(GERMAN).0));
}

proptest! {
    #[test]
    fn utf8_that_can_be_read_is_read_as_it_is(text in "[\\PC\\n\\t]{0,200}") {
        prop_assume!(!text.starts_with('\u{feff}'));
        prop_assert_eq!(decode(text.as_bytes()), Ok(text));
    }

    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _text = decode(&bytes);
        let _begins = (begins_as_unicode(&bytes), begins_as_legacy(&bytes));
    }
}
