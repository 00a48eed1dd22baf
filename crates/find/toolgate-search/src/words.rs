//! Text to words: names split, case and accents folded, English reduced to stems, and scripts without spaces
//! cut into pairs of characters.
//!
//! Tools and queries go through the same code, so that equal text is found equally.

mod alike;
mod filler;
mod split;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

pub(crate) use alike::alike;
pub(crate) use filler::is_filler;
pub(crate) use split::{SplitWord, WordKind};

/// The words of a text in their order, folded but not stemmed.
pub(crate) fn words(text: &str) -> Vec<SplitWord> {
    split::split(&fold_accents(text))
}

/// A name with its words apart: `createIssue`, `create-issue` and `Create Issue` are all `create_issue`.
pub(crate) fn name_key(name: &str) -> String {
    let words = words(name).into_iter().filter(|word| word.kind == WordKind::Plain);
    words.map(|word| word.text).collect::<Vec<_>>().join("_")
}

/// The stem of a folded word, which is stored and looked up.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// Accents of alphabetic scripts go; a mark that makes another character of the one before it (as in Japanese)
/// stays, and so do the syllables of Korean.
fn fold_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let accents = '\u{300}'..='\u{36f}';
    Cow::Owned(text.nfkd().filter(|c| !accents.contains(c)).nfc().collect())
}
