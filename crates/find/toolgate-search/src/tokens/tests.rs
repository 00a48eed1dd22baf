//! Counts compared with those of `tiktoken-rs`.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

#[test]
fn counts_are_those_of_o200k() {
    // Counted with other implementations of the same encoding.
    for (text, tokens) in [
        ("", 0),
        ("hello world", 2),
        ("<|endoftext|>", 7),
        ("\0\u{1}", 2),
        ("\r\n\r\n  x", 3),
        ("é\u{301}\u{301}\u{301}", 4),
        ("  \u{2028}\u{feff}", 3),
        ("🧑\u{200d}🚀👩\u{200d}👩\u{200d}👧", 14),
        ("don't DON'T I'Ll", 4),
        ("ﬃ Ǆ ʼn", 8),
        ("12345 ٣٤٥", 6),
        ("日本語。テスト", 5),
        ("\t\t\n  \n a", 3),
    ] {
        assert_eq!(count(text), tokens, "{text:?}");
    }
}

#[test]
fn long_texts_are_reckoned_from_pieces_and_short_ones_counted() {
    let record = |number: usize| {
        format!("{{\"id\":{number},\"title\":\"Größe {number} does not fit\",\"open\":true}},")
    };
    let short: String = (0..20).map(record).collect();
    assert_eq!(estimate(&short), count(&short));
    let long: String = (0..2_000).map(record).collect();
    let (near, exact) = (estimate(&long) as f64, count(&long) as f64);
    assert!((near / exact - 1.0).abs() < 0.1, "{near} instead of {exact}");
    // Every cut falls between characters.
    for letter in ["漢", "🚀", "é"] {
        assert!(estimate(&letter.repeat(3_001)) > 0);
    }
}

#[test]
fn a_long_text_takes_no_longer_than_its_length() {
    for letter in ["a", " ", "\n", "é", "漢", "=", "\u{301}", "7"] {
        let start = Instant::now();
        assert!(count(&letter.repeat(100_000)) > 0);
        assert!(start.elapsed() < Duration::from_secs(20), "{letter:?} took {:?}", start.elapsed());
    }
}

#[test]
fn runs_of_any_length_count_as_tiktoken_counts_them() {
    for letter in ["a", " ", "\n", "é", "漢", "=", "\u{301}", "7", "ab ", " \n", "\u{a0}", "'s"] {
        for length in (0..80).chain([100, 1_000]) {
            same(&letter.repeat(length));
        }
    }
}

fn same(text: &str) {
    assert_eq!(count(text), tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len(), "{text:?}");
}

proptest! {
    #[test]
    fn any_text_counts_as_tiktoken_counts_it(text in any::<String>(), words in "([a-zA-Z]{1,12}|[0-9]{1,5}|['\"/{}.,:_ \r\n\t]{1,4}|\\s{1,3}|\\PC){0,40}") {
        same(&text);
        same(&words);
    }

    #[test]
    fn ascii_and_other_scripts_meet_anywhere(text in "([aZ'9 \\r\n\t/{s\u{1c}]|ſ|é|\u{301}|\u{a0}|漢|٣|…|\u{2028}|ǅ){0,14}") {
        same(&text);
    }
}
