//! Encodings and paragraphs.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1252};

use super::decode;
use crate::testing::read;
use crate::{DocumentKind, OpenOptions, open};

#[track_caller]
fn comes_through(encoding: &'static Encoding, text: &str) {
    let (bytes, _, _) = encoding.encode(text);
    assert_eq!(decode(&bytes).text, text, "{}", encoding.name());
}

#[test]
fn legacy_encodings_are_recognised() {
    comes_through(SHIFT_JIS, "これは日本語の文章です。文字コードを判定します。");
    comes_through(ISO_2022_JP, "これは日本語の電子メールです。");
    comes_through(GBK, "这是一个简体中文的文本文件，用来测试编码。");
    comes_through(BIG5, "這是一個繁體中文的文字檔案，用來測試編碼。");
    comes_through(EUC_KR, "이것은 한국어 텍스트 파일입니다. 인코딩을 시험합니다.");
    comes_through(KOI8_R, "Это текстовый файл на русском языке для проверки кодировки.");
    comes_through(
        WINDOWS_1252,
        "Der Weiß-Künstler aß Brötchen für 5 € – “lecker”, sagte er. Voilà, ça été très à la mode.",
    );
}

#[test]
fn unicode_in_all_its_forms_is_read() {
    let text = "Grüße, 世界 👋 e\u{301}";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "Plain Latin text".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let quad: Vec<u8> = text.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
    assert_eq!(decode(text.as_bytes()).text, text);
    assert_eq!(
        decode(&[b"\xef\xbb\xbf", text.as_bytes()].concat()).text.trim_start_matches('\u{feff}'),
        text
    );
    assert_eq!(decode(&[b"\xff\xfe", &little[..]].concat()).text, text);
    assert_eq!(decode(&big).text, "Plain Latin text");
    assert_eq!(decode(&[b"\xff\xfe\0\0", &quad[..]].concat()).text, text);
}

#[test]
fn a_stray_byte_does_not_spoil_the_rest() {
    let mixed = ["Größe naïve façade über Änderung Öl fünf schön".as_bytes(), b" caf\xe9 done"].concat();
    let decoded = decode(&mixed);
    assert_eq!(decoded.text, "Größe naïve façade über Änderung Öl fünf schön café done");
    assert!(decoded.warning.is_some());
}

#[test]
fn blank_lines_part_paragraphs_and_form_feeds_part_pages() {
    let document = read(b"one\r\ntwo\r\n\r\n \r\nthree\x00\x1b[1m\x07\n\x0csecond page\n");
    assert_eq!(document.kind, DocumentKind::Text);
    assert_eq!(document.text(), "one\ntwo\n\nthree[1m\n\nsecond page");
    assert_eq!(document.page_count, 2);
}

#[test]
fn a_very_long_line_is_one_paragraph() {
    let line = "word ".repeat(1_000_000);
    assert_eq!(read(line.as_bytes()).text().len(), line.len() - 1);
}

#[test]
fn a_text_beyond_the_limit_is_cut_and_that_is_said() {
    let mut options = OpenOptions::default();
    options.limits.text_bytes_max = 10;
    let document = open("äöüäöüäöü".as_bytes(), None, &options).unwrap();
    assert_eq!(document.text(), "äöüäö");
    assert_eq!(document.warnings, ["the text is longer than 10 bytes; the rest was left out"]);
}
