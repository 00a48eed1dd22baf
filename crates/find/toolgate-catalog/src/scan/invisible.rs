//! Characters that people do not see and models read.

use std::ops::Range;

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';
const BLACK_FLAG: char = '\u{1f3f4}';
/// Six for the region and one for the end: a longer run is a text.
const FLAG_TAGS_MAX: usize = 7;

/// The first run of them, except in ordinary writing: joined emoji, flags of regions, the joiners of Persian
/// and Indian scripts.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    if text.bytes().all(|byte| {
        byte.is_ascii() && (byte >= b' ' || matches!(byte, b'\n' | b'\r' | b'\t')) && byte != 0x7f
    }) {
        return None;
    }
    let mut before = None;
    // The number of tags that the flag of a region may still have; zero outside of one.
    let mut tags_left = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let in_flag = is_tag(c) && tags_left > 0;
        tags_left = match c {
            BLACK_FLAG => FLAG_TAGS_MAX,
            _ if in_flag => tags_left - 1,
            _ => 0,
        };
        let after = chars.peek().map(|(_, next)| *next);
        if is_hidden(c) && !in_flag && !is_usual(c, before, after) {
            return Some(at..at + c.len_utf8());
        }
        before = Some(c);
    }
    None
}

/// True if it is part of normal writing.
fn is_usual(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| !is_hidden(before) && !before.is_whitespace()),
        JOINER if before.is_some_and(is_pictorial) => after.is_some_and(is_pictorial),
        JOINER | NON_JOINER => before.is_some_and(is_joining_script) && after.is_some_and(is_joining_script),
        _ => false,
    }
}

/// True if it is invisible, or looks like a space.
pub(super) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        c if c.is_control() => true,
        // Soft hyphen, grapheme joiner, fillers.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' => true,
        // Marks of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Without width, and other marks of format.
        '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' => true,
        '\u{feff}'
        | '\u{70f}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{fe00}'..='\u{fe0f}' => true,
        // Private use, tags, selectors, and all that has no meaning above them.
        '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}' => true,
        c => u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c),
    }
}

fn is_tag(c: char) -> bool {
    ('\u{e0020}'..='\u{e007f}').contains(&c)
}

/// Emoji and their parts, roughly.
fn is_pictorial(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Scripts in which a joiner changes the appearance: Arabic to Khmer, Mongolian.
fn is_joining_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdcf}')
}
