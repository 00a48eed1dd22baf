//! Words that say nothing about the purpose of a tool.

/// Sorted. English function words, and the polite phrases around a request.
const FILLER: &[&str] = &[
    "a", "about", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do",
    "does", "doing", "done", "each", "etc", "for", "from", "had", "has", "have", "having", "he", "help",
    "her", "here", "him", "his", "how", "i", "id", "if", "im", "in", "into", "is", "it", "its", "ive",
    "just", "let", "like", "may", "me", "might", "more", "most", "must", "my", "need", "needs", "no", "nor",
    "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "per",
    "please", "s", "same", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "very", "via", "want", "wants", "was", "we", "were", "what", "whats", "when",
    "where", "whether", "which", "while", "who", "whose", "why", "will", "with", "within", "without",
    "would", "you", "your",
];

pub(crate) fn is_filler(word: &str) -> bool {
    FILLER.binary_search(&word).is_ok()
}

#[cfg(test)]
pub(super) fn assert_sorted() {
    assert!(FILLER.is_sorted());
}
