//! Calls to action.

use crate::headline::headline_words;

/// A call to action, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Appeal {
    pub phrase: &'static str,
    /// Words before it.
    pub at_word: usize,
}

/// Imperatives that readers know from buttons. Longer ones first, so that they win.
const PHRASES: [&str; 52] = [
    "start your free trial",
    "add to cart",
    "apply now",
    "book a call",
    "book a demo",
    "book now",
    "buy now",
    "call now",
    "call us",
    "check it out",
    "claim your",
    "click here",
    "comment below",
    "contact us",
    "discover more",
    "donate now",
    "download now",
    "find out more",
    "follow us",
    "get a quote",
    "get in touch",
    "get it now",
    "get offer",
    "get started",
    "get yours",
    "join now",
    "join us",
    "learn more",
    "link in bio",
    "listen now",
    "message us",
    "order now",
    "play now",
    "pre order",
    "read more",
    "read the full",
    "register now",
    "reserve your",
    "save your seat",
    "see how",
    "see more",
    "send message",
    "shop now",
    "sign up",
    "subscribe",
    "swipe up",
    "tap the link",
    "try for free",
    "try it free",
    "try it now",
    "visit us",
    "watch now",
];

/// Every call to action of a text, in the order of the list.
pub fn appeals(text: &str) -> Vec<Appeal> {
    let words: Vec<String> = headline_words(text).iter().map(|word| word.to_lowercase()).collect();
    let find = |phrase: &'static str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let at_word = words.windows(parts.len()).position(|window| window.iter().eq(parts.iter()))?;
        Some(Appeal { phrase, at_word })
    };
    PHRASES.into_iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_as_whole_words() {
        let found = appeals("New shoes. Shop NOW, or sign-up: it's easy!");
        let expected = [Appeal { phrase: "shop now", at_word: 2 }, Appeal { phrase: "sign up", at_word: 5 }];
        assert_eq!(found, expected);
        assert!(appeals("The workshop nowhere signs upright").is_empty());
        assert!(appeals("").is_empty());
    }
}
