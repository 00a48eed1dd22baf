//! Words longer than a line: tokens, paths, addresses. They get break opportunities.

/// May be broken here, without a hyphen.
const BREAK: char = '\u{200B}';
/// Letters between two such places.
const STEP: usize = 8;

/// The minimum number of letters of `size_pt` that fit into a line of `width_mm`.
pub(super) fn letters_per_line(width_mm: f64, size_pt: f64) -> usize {
    let width_pt = width_mm * 72.0 / 25.4;
    // Capitals are about 0.7 of the size wide; few words have only capitals.
    ((width_pt / (size_pt * 0.62)) as usize).max(STEP)
}

/// The text with break opportunities in words of more than `letters_max` letters.
pub(super) fn breakable(text: &str, letters_max: usize) -> String {
    if text.len() <= letters_max {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + text.len() / STEP);
    for word in text.split_inclusive(char::is_whitespace) {
        match word.chars().count() > letters_max && word.trim_end().len() > letters_max {
            true => push_broken(word, &mut out),
            false => out.push_str(word),
        }
    }
    out
}

fn push_broken(word: &str, out: &mut String) {
    for (at, letter) in word.chars().enumerate() {
        // Only between two plain letters: a mark belongs to the letter before it.
        if at > 0 && at % STEP == 0 && letter.is_ascii_graphic() {
            out.push(BREAK);
        }
        out.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_words_are_broken() {
        assert_eq!(breakable("short words stay", 5), "short words stay");
        assert_eq!(breakable("a 0123456789abcdef b", 10), "a 01234567\u{200B}89abcdef b");
    }

    #[test]
    fn nothing_is_lost_by_breaking() {
        let text = "x".repeat(100) + " é́".repeat(30).as_str();
        assert_eq!(breakable(&text, 20).replace(BREAK, ""), text);
    }
}
