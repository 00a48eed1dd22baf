//! Dots that lead the eye: from an entry to its page in contents, from a label to its figures in tables.

use super::super::words::Word;
use super::strips::{self, Strip};

/// So many dots on their own lead.
const DOTS_MIN: usize = 4;

/// Leaves out dots that lead, and whole lines where they lead to one figure only: those are contents, not tables.
pub(super) fn left_out<'w>(words: &[&'w Word]) -> Vec<&'w Word> {
    if words.iter().map(|word| dots(word)).sum::<usize>() < DOTS_MIN {
        return words.to_vec();
    }
    strips::strips(words).iter().flat_map(rest).collect()
}

fn rest<'w>(strip: &Strip<'w>) -> Vec<&'w Word> {
    let words: Vec<&'w Word> = strip.words().collect();
    if words.iter().map(|word| dots(word)).sum::<usize>() < DOTS_MIN {
        return words;
    }
    let last_dot = words.iter().rposition(|word| dots(word) > 0).unwrap_or(0);
    if words.len() - last_dot <= 2 {
        return Vec::new();
    }
    words.into_iter().filter(|word| dots(word) == 0).collect()
}

/// Dots of a word that is nothing else, or ends in a row of them.
fn dots(word: &Word) -> usize {
    let is_dot = |letter: &char| matches!(letter, '.' | '…' | '·');
    let trailing = word.text.chars().rev().take_while(is_dot).count();
    if trailing == word.text.chars().count() || trailing >= DOTS_MIN { trailing } else { 0 }
}
