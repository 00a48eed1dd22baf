//! Test bytes, and checks that they are not in forbidden places.

use std::collections::HashSet;
use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// This many letters are not a coincidence.
const WINDOW: usize = 24;

/// Looks like a document from the outside, and does not compress. Each `seed` makes another one.
pub(crate) fn pdf(seed: u32, length: usize) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    bytes.extend(noise(seed, length.saturating_sub(bytes.len())));
    bytes
}

/// The same as a video.
pub(crate) fn video(seed: u32, length: usize) -> Vec<u8> {
    let mut bytes = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec();
    bytes.extend(noise(seed, length.saturating_sub(bytes.len())));
    bytes
}

pub(crate) fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes everything");
        hex
    })
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Finds pieces of some bytes in other bytes: literally, in hexadecimal, and in Base64 of either alphabet in
/// any alignment.
pub(crate) struct Watch {
    windows: HashSet<Vec<u8>>,
}

impl Watch {
    pub(crate) fn over(bytes: &[u8]) -> Self {
        let mut windows = HashSet::new();
        let mut add = |text: &[u8]| windows.extend(text.chunks_exact(WINDOW).map(<[u8]>::to_vec));
        add(bytes);
        for start in 0..3 {
            add(BASE64_STANDARD.encode(&bytes[start..]).as_bytes());
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        add(hex.as_bytes());
        Self { windows }
    }

    /// The finding, if there is one.
    pub(crate) fn find(&self, heard: &[u8]) -> Option<String> {
        let plain: Vec<u8> = heard
            .iter()
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => *other,
            })
            .collect();
        let search = |text: &[u8]| {
            let found = text.windows(WINDOW).find(|window| self.windows.contains(*window));
            found.map(|window| String::from_utf8_lossy(window).into_owned())
        };
        search(heard).or_else(|| search(&plain))
    }
}

/// Words in addresses that open a file by themselves.
pub(crate) const ADDRESSES: [&str; 5] = ["/signed/", "signature=", "X-Amz-", "x-amz-", "/uploads/"];

/// Fails if there is a piece of the bytes, or an address that leads to them.
pub(crate) fn nothing_of(bytes: &[u8], heard: &[u8], what: &str) {
    assert!(!heard.is_empty(), "{what}: nothing was recorded");
    assert_eq!(Watch::over(bytes).find(heard), None, "{what} holds a piece of the file");
    let text = String::from_utf8_lossy(heard);
    for word in ADDRESSES {
        assert!(!text.contains(word), "{what} holds {word}");
    }
}

#[test]
fn the_watch_finds_a_piece_at_any_alignment_and_in_either_alphabet() {
    let bytes = pdf(1, 9_000);
    let watch = Watch::over(&bytes);
    for start in [0, 1, 2, 4_001, 4_002, 4_003] {
        let piece = &bytes[start..start + 60];
        let standard = base64(piece);
        let url_safe = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(piece);
        let hex: String = piece.iter().map(|byte| format!("{byte:02x}")).collect();
        for text in [standard, url_safe, hex] {
            assert!(watch.find(format!("{{\"data\":\"{text}\"}}").as_bytes()).is_some(), "{start}: {text}");
        }
        assert!(watch.find(piece).is_some());
    }
    assert_eq!(watch.find(base64(&noise(2, 9_000)).as_bytes()), None);
}
