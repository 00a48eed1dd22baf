//! Text from outside: what would change how other text reads is made visible, and what is long is cut.

use std::borrow::Cow;

use maud::{Markup, html};

/// A name, an id, a word.
const SHORT_CHARS: usize = 120;
/// A sentence or a paragraph.
const LONG_CHARS: usize = 4_000;
/// A result or a file that is looked at.
const BLOCK_CHARS: usize = 40_000;

/// One line of at most a few words.
pub(crate) fn short(text: &str) -> Markup {
    cut(text, SHORT_CHARS)
}

/// A description, a reason.
pub(crate) fn long(text: &str) -> Markup {
    cut(text, LONG_CHARS)
}

/// Lines as they are.
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

/// The beginning of a text, and how many characters are left out.
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
    for one in text.chars() {
        match misleads(one) {
            true => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(one))),
            false => shown.push(one),
        }
    }
    Cow::Owned(shown)
}

pub(crate) fn misleads(one: char) -> bool {
    match one {
        '\n' | '\t' => false,
        '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
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
