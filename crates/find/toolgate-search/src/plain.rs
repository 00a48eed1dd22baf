//! Foreign text as one plain line: a server's text about its tools must not look like ours.

/// One line: every control character and every run of blanks becomes one blank; characters that are invisible
/// or change the direction are removed.
pub(crate) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !is_unseen(c) {
            line.push(c);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Characters that hide text or turn it around. The joiners stay: scripts and emoji need them.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// At most `chars_max` characters, cut after a word if possible, with an ellipsis.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text.to_owned() };
    let room = text.char_indices().nth(chars_max.saturating_sub(1)).map_or(0, |(at, _)| at);
    let head = match text[..end].rfind(' ') {
        // A word that fills most of the room is cut itself: a part of it is better than next to nothing.
        Some(blank) if blank * 2 >= room => &text[..blank],
        _ => &text[..room],
    };
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '.', '-', '–', '—', '(']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_of_others_stays_on_its_line() {
        assert_eq!(line("  a\r\n\tb\u{0}c\u{2028}d  "), "a b c d");
        assert_eq!(line("safe\u{202e}txt.exe\u{200b}\u{feff}"), "safetxt.exe");
        assert_eq!(line("می‌خواهم 👩‍🚀"), "می‌خواهم 👩‍🚀", "joiners are part of the writing");
        assert_eq!(line("a\u{e0041}b"), "ab", "tags hide text that only models read");
    }

    #[test]
    fn a_text_is_cut_after_a_word() {
        assert_eq!(shortened("creates an issue", 16), "creates an issue");
        assert_eq!(shortened("creates an issue", 15), "creates an…");
        assert_eq!(shortened("creates, an", 9), "creates…");
        assert_eq!(shortened("a donaudampfschiff", 8), "a donau…");
        assert_eq!(shortened("创建一个新的问题", 4), "创建一…");
        assert_eq!(shortened("ab", 0), "…");
    }

    proptest! {
        #[test]
        fn a_line_is_one_line_and_a_cut_keeps_its_bound(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}|.{0,40}", max in 0usize..30) {
            let one = line(&text);
            prop_assert!(!one.chars().any(|c| c.is_control() || is_unseen(c)));
            prop_assert_eq!(line(&one), one.clone());
            prop_assert!(shortened(&one, max).chars().count() <= max.max(1));
        }
    }
}
