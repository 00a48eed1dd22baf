//! Stems by number: a document keeps the numbers, and each stem is kept once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::words;

/// Fewer stems than this are never swept: a few thousand tools have as many.
const STEMS_SWEPT_MIN: usize = 50_000;
/// Beyond this many the cached words are dropped; they cost memory, and stemming them again costs little.
const WORDS_MAX: usize = 50_000;

pub(crate) struct StemVocabulary {
    stems: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    of_word: HashMap<String, u32>,
    swept_at: usize,
}

impl Default for StemVocabulary {
    fn default() -> Self {
        Self {
            stems: Vec::new(),
            numbers: HashMap::new(),
            of_word: HashMap::new(),
            swept_at: STEMS_SWEPT_MIN,
        }
    }
}

impl StemVocabulary {
    /// All stems by their numbers.
    pub(crate) fn stems(&self) -> &[Arc<str>] {
        &self.stems
    }

    /// Servers come and go, and their words should not stay forever.
    pub(crate) fn wants_sweep(&self) -> bool {
        self.stems.len() >= self.swept_at
    }

    /// Keeps the stems in use and renumbers them.
    pub(crate) fn sweep<'a>(&mut self, used: impl Iterator<Item = &'a mut u32>) {
        let before = std::mem::take(self);
        for number in used {
            *number = self.number(&before.stems[*number as usize]);
        }
        self.swept_at = STEMS_SWEPT_MIN.max(2 * self.stems.len());
    }

    pub(super) fn stem_number(&mut self, word: String) -> u32 {
        if let Some(number) = self.of_word.get(&word) {
            return *number;
        }
        if self.of_word.len() >= WORDS_MAX {
            self.of_word.clear();
        }
        let number = self.number(&words::stem(&word));
        self.of_word.insert(word, number);
        number
    }

    fn number(&mut self, stem: &str) -> u32 {
        if let Some(number) = self.numbers.get(stem) {
            return *number;
        }
        let (stem, number): (Arc<str>, _) = (stem.into(), self.stems.len() as u32);
        self.stems.push(Arc::clone(&stem));
        self.numbers.insert(stem, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_nobody_has_any_more_are_forgotten() {
        let mut vocabulary = StemVocabulary::default();
        let numbers = 0..STEMS_SWEPT_MIN;
        let mut kept = numbers.map(|number| vocabulary.stem_number(format!("x{number}"))).last().unwrap();
        assert!(vocabulary.wants_sweep());
        vocabulary.sweep([&mut kept].into_iter());
        assert_eq!(vocabulary.stems().len(), 1);
        assert_eq!(vocabulary.stem_number(format!("x{}", STEMS_SWEPT_MIN - 1)), kept);
        assert!(!vocabulary.wants_sweep());
    }
}
