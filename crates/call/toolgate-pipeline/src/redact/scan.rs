//! A quick scan of a result's text for anything that a rule could match. False positives are fine; a false
//! negative would store a secret.

use aho_corasick::{AhoCorasick, MatchKind};

use super::binary::{BASE64_CHARS_MAX, is_base64};
use super::look;
use super::pattern::PathPattern;
use super::secret::TRACES;

/// The traces of content blocks and resources with binary members.
const BINARY_TRACES: [&str; 3] = ["\"image\"", "\"audio\"", "\"blob\""];
/// The same inside JSON in a string.
const EMBEDDED_BINARY_TRACES: [&str; 3] = ["image\\\"", "audio\\\"", "blob\\\""];
/// A letter written as an escape can hide any of the others.
const ESCAPED_LETTER: &str = "\\u";

#[derive(Debug)]
pub(super) struct QuickScan {
    traces: AhoCorasick,
    /// The number of traces that belong to credentials; they come first, and are inspected more closely.
    looks: usize,
    /// True if some rule can match without any word to search for.
    always: bool,
}

impl QuickScan {
    pub(super) fn new<'a>(patterns: impl Iterator<Item = &'a PathPattern>) -> QuickScan {
        let mut traces: Vec<String> = look::traces().map(str::to_owned).collect();
        let looks = traces.len();
        traces.extend(TRACES.map(str::to_owned));
        traces.extend(BINARY_TRACES.into_iter().chain(EMBEDDED_BINARY_TRACES).map(str::to_owned));
        traces.push(ESCAPED_LETTER.to_owned());
        let mut always = false;
        for pattern in patterns {
            match pattern.needed_key().filter(|key| can_be_looked_for(key)) {
                Some(key) => traces.push(key.to_owned()),
                None => always = true,
            }
        }
        let traces = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&traces)
            .expect("a thousand rules with short paths are far from the automaton's limits");
        QuickScan { traces, looks, always }
    }

    pub(super) fn may_match(&self, text: &str) -> bool {
        self.always || self.has_trace(text) || look::may_hold_card(text) || has_long_run(text.as_bytes())
    }

    /// Including overlapping ones: the trace of a false credential may hide another.
    fn has_trace(&self, text: &str) -> bool {
        let mut found = self.traces.find_overlapping_iter(text);
        found.any(|one| {
            one.pattern().as_usize() >= self.looks
                || look::may_be(text, one.pattern().as_usize(), one.start())
        })
    }
}

/// True for a key that occurs in the text literally: not an index of an array, nothing that JSON would
/// escape, and no letters whose other case the search does not know.
fn can_be_looked_for(key: &str) -> bool {
    let is_index = key.bytes().all(|byte| byte.is_ascii_digit());
    !is_index
        && key
            .bytes()
            .all(|byte| (byte.is_ascii_graphic() || byte == b' ') && !matches!(byte, b'"' | b'\\' | b'/'))
}

/// True if there is a run of base64 longer than the limit, including one broken into lines (`\n` is two
/// characters here). Such a run covers one of the positions that are one run's length apart, so only these
/// are checked.
fn has_long_run(text: &[u8]) -> bool {
    let belongs = |byte: &&u8| is_base64(**byte) || **byte == b'\\';
    let mut at = BASE64_CHARS_MAX;
    while at < text.len() {
        let before = text[..at].iter().rev().take_while(belongs).count();
        let after = text[at..].iter().take_while(belongs).count();
        if before + after > BASE64_CHARS_MAX {
            return true;
        }
        at += after.max(1) + BASE64_CHARS_MAX;
    }
    false
}
