//! Text from outside: characters that would change how other text reads are made visible, and long text is
//! cut.

use std::borrow::Cow;

use maud::{Markup, html};

/// A name, an id, a word.
const SHORT_CHARS: usize = 120;
/// A sentence or a paragraph.
const LONG_CHARS: usize = 4_000;
/// A shown result or file.
const BLOCK_CHARS: usize = 40_000;
/// After a pictogram it is part of normal writing.
const EMOJI_STYLE: char = '\u{fe0f}';

/// One short line.
pub(crate) fn short(text: &str) -> Markup {
    cut(text, SHORT_CHARS)
}

/// A description, a reason.
pub(crate) fn long(text: &str) -> Markup {
    cut(text, LONG_CHARS)
}

/// Lines, unchanged.
pub(crate) fn block(text: &str) -> Markup {
    html! { pre.block tabindex="0" { (cut(text, BLOCK_CHARS)) } }
}

pub(crate) fn cut(text: &str, chars_max: usize) -> Markup {
    let (shown, left_out) = cut_at(text, chars_max);
    html! {
        bdi { (made_visible(shown)) }
        @if left_out > 0 { span.cut { " … " (super::number(left_out as u64)) " more characters" } }
    }
}

/// The beginning of a text, and the number of omitted characters.
pub(crate) fn cut_at(text: &str, chars_max: usize) -> (&str, usize) {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

/// With control characters, and those that turn the direction of text or have no width, written out.
pub(crate) fn made_visible(text: &str) -> Cow<'_, str> {
    if !text.contains(misleads) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    for one in text.chars() {
        match misleads(one) && !(one == EMOJI_STYLE && before.is_some_and(is_pictorial)) {
            true => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(one))),
            false => shown.push(one),
        }
        before = Some(one);
    }
    Cow::Owned(shown)
}

/// Characters with an emoji form, roughly.
fn is_pictorial(one: char) -> bool {
    matches!(one, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{1f000}'..='\u{1faff}')
}

pub(crate) fn misleads(one: char) -> bool {
    match one {
        '\n' | '\t' => false,
        // Soft hyphen, grapheme joiner, fillers.
        '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}'
        | '\u{3164}' | '\u{ffa0}' => true,
        // Variation selectors: their variants look alike, and any text can be encoded in them.
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => true,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Text that only models see.
        '\u{e0000}'..='\u{e007f}' => true,
        one => one.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_mislead_are_written_out() {
        assert_eq!(made_visible("pay\u{202e}gpj.exe"), "pay⟨U+202E⟩gpj.exe");
        assert_eq!(made_visible("a\u{0}b\u{e0041}"), "a⟨U+0000⟩b⟨U+E0041⟩");
        for hidden in
            ['\u{ad}', '\u{3164}', '\u{fe00}', '\u{fe0f}', '\u{e0100}', '\u{e01ef}', '\u{34f}', '\u{2065}']
        {
            assert_eq!(made_visible(&format!("a{hidden}b")), format!("a⟨U+{:04X}⟩b", u32::from(hidden)));
        }
        assert_eq!(made_visible("done ✔\u{fe0f}\u{fe0f}"), "done ✔\u{fe0f}⟨U+FE0F⟩");
        assert!(matches!(made_visible("plain, العربية, 日本語\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_from_outside_stays_text() {
        assert_eq!(short("<script>").into_string(), "<bdi>&lt;script&gt;</bdi>");
    }

    #[test]
    fn long_text_says_how_much_is_left_out() {
        let shown = cut(&"é".repeat(1_000_000), 10).into_string();
        assert!(shown.contains("999,990 more characters") && shown.len() < 200, "{shown}");
    }
}
