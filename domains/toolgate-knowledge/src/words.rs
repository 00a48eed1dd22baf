//! Words of English text: those that carry meaning, in small letters.

/// Words that say nothing about a subject. Sorted.
const EMPTY_WORDS: &[&str] = &[
    "about", "above", "after", "again", "against", "all", "also", "and", "any", "are", "because", "been",
    "before", "being", "below", "between", "both", "but", "can", "cannot", "could", "did", "does", "doing",
    "down", "during", "each", "either", "every", "few", "for", "from", "further", "had", "has", "have",
    "having", "her", "here", "his", "how", "into", "its", "itself", "may", "might", "more", "most", "must",
    "neither", "nor", "not", "off", "once", "one", "only", "other", "our", "out", "over", "own", "same",
    "shall", "she", "should", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "too", "two", "under", "until", "upon", "very", "was",
    "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
];
const WORD_CHARS_MIN: usize = 3;

/// The words of a text in their order, in small letters, without punctuation at their ends.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_mark = |c: char| !c.is_alphanumeric();
    text.split_whitespace()
        .map(move |word| word.trim_matches(is_mark).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// True if a word carries meaning.
pub(crate) fn is_content(word: &str) -> bool {
    word.chars().count() >= WORD_CHARS_MIN
        && word.chars().any(char::is_alphabetic)
        && EMPTY_WORDS.binary_search(&word).is_err()
}

/// True if a text has a word with meaning or a number.
pub(crate) fn says_something(text: &str) -> bool {
    words(text).any(|word| is_content(&word) || word.chars().any(char::is_numeric))
}

/// The words of a text that carry meaning.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    words(text).filter(|word| is_content(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_are_in_the_order_that_they_are_looked_up_in() {
        assert!(EMPTY_WORDS.is_sorted());
    }

    #[test]
    fn only_words_with_meaning_stay() {
        assert_eq!(content_words("When may the tenant terminate, and (how)?"), ["tenant", "terminate"]);
        assert!(content_words("of 12 §§ 3").is_empty());
        assert!(says_something("§ 12") && says_something("Kaution") && !says_something("What is the of it?"));
    }
}
