//! Base64 in the middle of text: long runs of its letters, runs broken into lines as in mails, and `data:`
//! addresses.
//!
//! Written by hand because checking every byte of every result would cost too much: a run that is long enough
//! covers a position that is checked anyway.

use std::ops::Range;

use memchr::memmem;

/// A run that is shorter is no file.
pub(crate) const RUN_BYTES_MIN: usize = 1024;
/// A `data:` address that is shorter costs less than its ref.
const ADDRESS_BYTES_MIN: usize = 256;
/// The maximum distance between the start of an address and `;base64,`.
const ADDRESS_HEAD_MAX: usize = 128;
const LINE_BYTES_MIN: usize = 40;
const MARK: &[u8] = b";base64,";
const SCHEME: &[u8] = b"data:";

/// Base64 in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Base64Run {
    /// The range that does not belong in the context.
    pub(crate) place: Range<usize>,
    /// The letters, with their padding; there may be line breaks between them.
    pub(crate) letters: Range<usize>,
}

/// All Base64 in a text that has at least `bytes_min` letters, in its order.
pub(crate) fn runs(text: &str, bytes_min: usize) -> Vec<Base64Run> {
    let mut found = addresses(text);
    let bytes = text.as_bytes();
    let step = (bytes_min / 2).max(1);
    let mut at = step - 1;
    while at < bytes.len() {
        let place = around(bytes, at, bytes_min);
        at = (place.end.max(at + 1) / step + 1) * step - 1;
        if place.len() >= bytes_min && looks_encoded(&bytes[place.clone()]) {
            found.push(Base64Run { place: place.clone(), letters: place });
        }
    }
    // The letters of an address are found a second time, behind its beginning.
    found.sort_unstable_by_key(|run| (run.place.start, run.letters.start));
    let mut end = 0;
    found.retain(|run| {
        let is_apart = run.place.start >= end;
        end = if is_apart { run.place.end } else { end };
        is_apart
    });
    found
}

/// True if there may be a run in JSON text, at a fraction of the cost of finding it.
pub(crate) fn may_have_run(json: &[u8]) -> bool {
    // Escaped slashes and line breaks occur within strings that are otherwise only Base64.
    let fits = |byte: &u8| is_letter(*byte) || *byte == b'\\';
    let block = RUN_BYTES_MIN / 2;
    json.chunks_exact(block).any(|chunk| chunk.iter().all(fits))
}

/// Decodes Base64 in either alphabet, with or without padding and line breaks.
pub(crate) fn decode(letters: &str) -> Option<Vec<u8>> {
    if memchr::memchr2(b'-', b'_', letters.as_bytes()).is_some() {
        let standard: Vec<u8> = letters.bytes().map(standard_letter).collect();
        return base64_simd::forgiving_decode_to_vec(&standard).ok();
    }
    base64_simd::forgiving_decode_to_vec(letters.as_bytes()).ok()
}

fn standard_letter(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    }
}

/// The run of letters around a byte, and the similar lines above and below. Empty if there is none.
fn around(bytes: &[u8], at: usize, bytes_min: usize) -> Range<usize> {
    let at = at + bytes[at..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let start = at - bytes[..at].iter().rev().take_while(|byte| is_letter(**byte)).count();
    let line = start..letters_end(bytes, at);
    let is_line = line.len() >= LINE_BYTES_MIN && line.len().is_multiple_of(4);
    if line.len() >= bytes_min || !is_line {
        return start..padding_end(bytes, line.end);
    }
    let end = last_line_end(bytes, &line);
    first_line_start(bytes, &line)..padding_end(bytes, end)
}

fn first_line_start(bytes: &[u8], line: &Range<usize>) -> usize {
    let mut start = line.start;
    while let Some(before) = line_before(bytes, start).filter(|before| before.len() == line.len()) {
        start = before.start;
    }
    start
}

fn last_line_end(bytes: &[u8], line: &Range<usize>) -> usize {
    let mut end = line.end;
    while let Some(next) = line_after(bytes, end) {
        if next.len() != line.len() {
            // A shorter last line belongs to it, unless it is the first word of the text below.
            let ends = !next.is_empty() && next.len() < line.len() && ends_text(bytes, next.end);
            return if ends { next.end } else { end };
        }
        end = next.end;
    }
    end
}

fn line_before(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let before = bytes[..start].strip_suffix(b"\n")?;
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let letters = before.iter().rev().take_while(|byte| is_letter(**byte)).count();
    Some(before.len() - letters..before.len())
}

fn line_after(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &bytes[end..];
    let behind = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"))?;
    let start = bytes.len() - behind.len();
    Some(start..letters_end(bytes, start))
}

fn ends_text(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end), None | Some(b'=' | b'\r' | b'\n' | b'"' | b'\'' | b'<'))
}

fn letters_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_letter(**byte)).count()
}

fn padding_end(bytes: &[u8], end: usize) -> usize {
    end + bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// Numbers, hexadecimal digits, sequences of genes and lines drawn of dashes have the same letters, but not of both cases.
fn looks_encoded(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase)
}

/// `data:…;base64,…`
fn addresses(text: &str) -> Vec<Base64Run> {
    let bytes = text.as_bytes();
    let mut found: Vec<Base64Run> = Vec::new();
    for mark in memmem::find_iter(bytes, MARK) {
        let head = &bytes[mark.saturating_sub(ADDRESS_HEAD_MAX)..mark];
        let Some(scheme) = memmem::rfind(head, SCHEME) else { continue };
        let start = mark - head.len() + scheme;
        let letters = mark + MARK.len();
        let end = padding_end(bytes, letters_end(bytes, letters));
        let plain =
            bytes[start..mark].iter().all(|byte| byte.is_ascii_graphic() && !b"\"'<>,".contains(byte));
        if plain && end - start >= ADDRESS_BYTES_MIN {
            found.push(Base64Run { place: start..end, letters: letters..end });
        }
    }
    found
}

fn is_letter(byte: u8) -> bool {
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let all = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
        let mut at = 0;
        while at < all.len() {
            letters[all[at] as usize] = true;
            at += 1;
        }
        letters
    };
    LETTERS[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    use super::*;

    fn noise(bytes: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_u32;
        let next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[1]
        };
        std::iter::repeat_with(next).take(bytes).collect()
    }

    /// The findings, decoded, and the rest of the text.
    fn check(text: &str) -> (Vec<Option<Vec<u8>>>, String) {
        let found = runs(text, RUN_BYTES_MIN);
        let decoded = found.iter().map(|run| decode(&text[run.letters.clone()])).collect();
        let mut left = String::new();
        let mut at = 0;
        for run in found {
            left.push_str(&text[at..run.place.start]);
            left.push('#');
            at = run.place.end;
        }
        (decoded, left + &text[at..])
    }

    #[test]
    fn a_long_run_is_found_wherever_it_stands() {
        for bytes in [768, 769, 770, 1024, 5000] {
            let data = noise(bytes);
            for (before, after) in
                [("", ""), ("see: ", " end"), ("{\"a\":\"", "\"}"), (&"word ".repeat(321), ".\n")]
            {
                let text = format!("{before}{}{after}", STANDARD.encode(&data));
                assert_eq!(check(&text), (vec![Some(data.clone())], format!("{before}#{after}")), "{bytes}");
            }
        }
    }

    #[test]
    fn both_alphabets_are_read() {
        let data = noise(2000);
        let text = format!("token {} ok", URL_SAFE_NO_PAD.encode(&data));
        assert_eq!(check(&text), (vec![Some(data)], "token # ok".to_owned()));
    }

    #[test]
    fn data_that_repeats_itself_is_found_too() {
        for data in [vec![7; 2000], b"name,age\n".repeat(300)] {
            assert_eq!(check(&STANDARD.encode(&data)), (vec![Some(data)], "#".to_owned()));
        }
    }

    #[test]
    fn what_is_short_or_only_looks_like_it_stays() {
        let hex: String = noise(2000).iter().map(|byte| format!("{byte:02x}")).collect();
        let hashes = hex.as_bytes().chunks(40).map(|line| format!("{}\n", String::from_utf8_lossy(line)));
        let kept = [
            STANDARD.encode(noise(760)),
            hex.clone(),
            hashes.collect(),
            "ACGTTGCA".repeat(500),
            "x".repeat(5000),
            "-".repeat(3000),
            "3141592653".repeat(300),
            "The quick brown fox jumps over the lazy dog 0123456789. ".repeat(100),
        ];
        for text in kept {
            assert_eq!(check(&text), (vec![], text.clone()));
        }
    }

    #[test]
    fn lines_as_in_mails_are_one_run() {
        for (bytes, line) in [(3000, 76), (3000, 64), (57 * 40, 76)] {
            let data = noise(bytes);
            for line_break in ["\n", "\r\n"] {
                let encoded = STANDARD.encode(&data);
                let lines: Vec<&str> =
                    encoded.as_bytes().chunks(line).map(|line| std::str::from_utf8(line).unwrap()).collect();
                let body = lines.join(line_break);
                let text = format!("Content:{line_break}{body}{line_break}{line_break}Regards, A");
                let left = format!("Content:{line_break}#{line_break}{line_break}Regards, A");
                assert_eq!(check(&text), (vec![Some(data.clone())], left), "{bytes} {line} {line_break:?}");
            }
        }
    }

    #[test]
    fn the_word_below_a_full_line_is_not_part_of_it() {
        let data = noise(57 * 40);
        let encoded = STANDARD.encode(&data);
        let lines: Vec<&str> =
            encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let text = format!("{}\nThanks, Bob", lines.join("\n"));
        assert_eq!(check(&text), (vec![Some(data)], "#\nThanks, Bob".to_owned()));
    }

    #[test]
    fn addresses_with_data_in_them_are_found_whole() {
        let data = noise(300);
        let text = format!("<img src=\"data:image/png;base64,{}\">", STANDARD.encode(&data));
        assert_eq!(check(&text), (vec![Some(data)], "<img src=\"#\">".to_owned()));
        let large = noise(9000);
        let text = format!("![x](data:image/png;name=a;base64,{}) and so on", STANDARD.encode(&large));
        assert_eq!(check(&text), (vec![Some(large)], "![x](#) and so on".to_owned()));
        let tiny = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
        assert_eq!(check(tiny), (vec![], tiny.to_owned()));
    }

    #[test]
    fn the_quick_look_misses_nothing() {
        for before in 0..600 {
            let text = format!("\"{}\"", " ".repeat(before) + &STANDARD.encode(noise(768)));
            assert!(may_have_run(text.as_bytes()), "{before}");
        }
        let escaped = STANDARD.encode(noise(3000)).replace('/', "\\/");
        assert!(may_have_run(escaped.as_bytes()));
        assert!(!may_have_run("The quick brown fox. ".repeat(1000).as_bytes()));
    }

    #[test]
    fn a_long_run_of_something_else_is_looked_at_once() {
        let hex = "0123456789abcdef".repeat(1 << 16);
        let started = std::time::Instant::now();
        assert!(runs(&hex, RUN_BYTES_MIN).is_empty());
        // Once for every checked position would be a thousand times as long.
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
    }
}
