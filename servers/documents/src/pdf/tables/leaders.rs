//! Leader dots: from an entry to its page number in a table of contents, from a label to its figures in
//! tables.

use super::super::words::PageWord;
use super::strips::{self, TextStrip};

/// This many dots on their own are a leader.
const DOTS_MIN: usize = 4;

/// Leaves out leader dots, and whole lines whose dots lead to a single number: those are tables of contents.
pub(super) fn left_out<'w>(words: &[&'w PageWord]) -> Vec<&'w PageWord> {
    if words.iter().map(|word| dots(word)).sum::<usize>() < DOTS_MIN {
        return words.to_vec();
    }
    strips::strips(words).iter().flat_map(rest).collect()
}

fn rest<'w>(strip: &TextStrip<'w>) -> Vec<&'w PageWord> {
    let words: Vec<&'w PageWord> = strip.words().collect();
    if words.iter().map(|word| dots(word)).sum::<usize>() < DOTS_MIN {
        return words;
    }
    let last_dot = words.iter().rposition(|word| dots(word) > 0).unwrap_or(0);
    if words.len() - last_dot <= 2 {
        return Vec::new();
    }
    words.into_iter().filter(|word| dots(word) == 0).collect()
}

/// The dots of a word that has nothing else, or ends in a row of them.
fn dots(word: &PageWord) -> usize {
    let is_dot = |letter: &char| matches!(letter, '.' | '…' | '·');
    let trailing = word.text.chars().rev().take_while(is_dot).count();
    if trailing == word.text.chars().count() || trailing >= DOTS_MIN { trailing } else { 0 }
}
