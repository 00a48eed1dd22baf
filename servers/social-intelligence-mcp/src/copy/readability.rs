//! Readability of English texts: the formula of Flesch (1948).

use capability_language::sentences;

use crate::headline::headline_words;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Readability {
    pub words: usize,
    pub sentences: usize,
    /// From about 0 (hard) to 100 (easy); may leave these bounds.
    pub reading_ease: f64,
}

/// `None` for a text without words.
pub fn readability(text: &str) -> Option<Readability> {
    let words = headline_words(text);
    if words.is_empty() {
        return None;
    }
    let count = sentences(text).len().max(1);
    let syllables: usize = words.iter().map(|word| syllables(word)).sum();
    let (per_sentence, per_word) = (words.len() as f64 / count as f64, syllables as f64 / words.len() as f64);
    let reading_ease = 206.835 - 1.015 * per_sentence - 84.6 * per_word;
    Some(Readability { words: words.len(), sentences: count, reading_ease })
}

/// Groups of vowels, without a silent e.
fn syllables(word: &str) -> usize {
    let lower = word.to_lowercase();
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let mut groups = 0;
    let mut inside = false;
    for letter in lower.chars() {
        groups += usize::from(is_vowel(letter) && !inside);
        inside = is_vowel(letter);
    }
    let is_silent = lower.ends_with('e') && !lower.ends_with("le") && groups > 1;
    (groups - usize::from(is_silent)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syllables_are_about_right() {
        for (word, count) in
            [("cat", 1), ("table", 2), ("make", 1), ("banana", 3), ("the", 1), ("xyz", 1), ("42", 1)]
        {
            assert_eq!(syllables(word), count, "{word}");
        }
    }

    #[test]
    fn short_words_read_easily_and_long_ones_do_not() {
        let easy = readability("The cat sat. The dog ran.").expect("words");
        let hard = readability("Organisational interoperability necessitates comprehensive documentation.")
            .expect("words");
        assert!(easy.reading_ease > 90.0 && hard.reading_ease < 10.0, "{easy:?} {hard:?}");
        assert_eq!((easy.words, easy.sentences), (6, 2));
        assert!(readability("… !").is_none());
    }
}
