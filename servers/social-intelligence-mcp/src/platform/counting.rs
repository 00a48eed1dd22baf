//! Lengths of texts as platforms count them.

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// The units that a platform counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CharCounting {
    /// Unicode code points.
    #[default]
    CodePoints,
    /// Whatever a reader takes for one character, however many code points it has.
    Graphemes,
    /// Code points by weight: Latin and its neighbours count one, Chinese, Japanese, Korean and the rest two, an emoji two as
    /// a whole.
    Weighted,
}

/// Code points of weight one, after X's configuration of weights, version 3. All others weigh two.
const LIGHT: [(u32, u32); 4] = [(0, 4_351), (8_192, 8_205), (8_208, 8_223), (8_242, 8_247)];
const EMOJI_WEIGHT: usize = 2;

/// Characters as the platform counts them, with addresses at their fixed length.
pub fn counted_chars(text: &str, counting: CharCounting, url_chars: Option<usize>) -> usize {
    let all = counting.length(text);
    let Some(url_chars) = url_chars else { return all };
    let is_address = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    let addresses = text.split_whitespace().filter(is_address);
    addresses.fold(all, |sum, word| (sum + url_chars).saturating_sub(counting.length(word)))
}

impl CharCounting {
    fn length(self, text: &str) -> usize {
        match self {
            CharCounting::CodePoints => text.chars().count(),
            CharCounting::Graphemes => text.graphemes(true).count(),
            CharCounting::Weighted => text.graphemes(true).map(weight).sum(),
        }
    }
}

/// Composed first: a letter and its accent are one.
fn weight(grapheme: &str) -> usize {
    if grapheme.chars().any(is_emoji) {
        return EMOJI_WEIGHT;
    }
    let is_light = |it: char| LIGHT.iter().any(|(from, to)| (*from..=*to).contains(&u32::from(it)));
    grapheme.nfc().map(|it| if is_light(it) { 1 } else { 2 }).sum()
}

/// Pictographs, flags, and the marks that make an emoji of another character.
fn is_emoji(letter: char) -> bool {
    matches!(letter, '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '\u{20e3}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, points: usize, graphemes: usize, weighted: usize) {
        let counted = [CharCounting::CodePoints, CharCounting::Graphemes, CharCounting::Weighted]
            .map(|counting| counted_chars(text, counting, None));
        assert_eq!(counted, [points, graphemes, weighted], "{text}");
    }

    #[test]
    fn each_platform_counts_in_its_own_way() {
        check("plain", 5, 5, 5);
        check("Größe", 5, 5, 5);
        check("e\u{301}", 2, 1, 1);
        check("日本語", 3, 3, 6);
        check("한국어", 3, 3, 6);
        check("مرحبا", 5, 5, 5);
        check("👍", 1, 1, 2);
        check("👍🏽", 2, 1, 2);
        check("👨‍👩‍👧‍👦", 7, 1, 2);
        check("🇩🇪", 2, 1, 2);
        check("1️⃣", 3, 1, 2);
        // The ellipsis is outside of the light ranges.
        check("“quoted” – and…", 15, 15, 16);
        check("", 0, 0, 0);
    }

    #[test]
    fn addresses_have_a_fixed_length_where_the_platform_shortens_them() {
        let text = format!("天 https://example.com/{}", "a".repeat(300));
        assert_eq!(counted_chars(&text, CharCounting::Weighted, Some(23)), 26);
        assert_eq!(counted_chars(&text, CharCounting::CodePoints, Some(23)), 25);
        assert_eq!(counted_chars(&text, CharCounting::Graphemes, None), 322);
    }
}
