//! Runs of pieces as passages that are long enough and not too long.

use engine_protocol::Chunking;

use super::pieces::{Piece, words_of};
use super::sections::Run;

/// Pieces that become one passage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PassagePlan {
    pub(super) pieces: Vec<Piece>,
    /// The first pieces repeat what the passage before has, or the head of its rows.
    repeated: usize,
    /// Rows are not moved between passages.
    is_rows: bool,
}

impl PassagePlan {
    fn words(&self) -> usize {
        words_of(&self.pieces)
    }

    fn own(&self) -> &[Piece] {
        &self.pieces[self.repeated..]
    }
}

/// The passages of one section.
pub(super) fn passages(runs: Vec<Run>, chunking: &Chunking) -> Vec<PassagePlan> {
    let mut packed = Vec::new();
    for run in runs {
        match run {
            Run::Flow(pieces) => pack_flow(&pieces, chunking, &mut packed),
            Run::Rows { head, rows } => pack_rows(&head, &rows, chunking, &mut packed),
        }
    }
    settle(packed, chunking)
}

/// Pieces that stay together.
fn groups(pieces: &[Piece]) -> impl Iterator<Item = &[Piece]> {
    pieces.chunk_by(|_, next| next.glued)
}

fn pack_flow(pieces: &[Piece], chunking: &Chunking, packed: &mut Vec<PassagePlan>) {
    let words_max = chunking.words_max as usize;
    let mut current = PassagePlan { pieces: Vec::new(), repeated: 0, is_rows: false };
    for group in groups(pieces) {
        let words = words_of(group);
        if !current.own().is_empty() && current.words() + words > words_max {
            let repeated = overlap(current.own(), words, chunking);
            let next = PassagePlan { repeated: repeated.len(), pieces: repeated, is_rows: false };
            packed.push(std::mem::replace(&mut current, next));
        }
        current.pieces.extend_from_slice(group);
    }
    if !current.own().is_empty() {
        packed.push(current);
    }
}

/// The last sentences of a passage, as many as the next one repeats and has room for beside its first words. At most half of the
/// passage is repeated.
fn overlap(before: &[Piece], first_words: usize, chunking: &Chunking) -> Vec<Piece> {
    let room = (chunking.words_max as usize).saturating_sub(first_words).min(words_of(before) / 2);
    let mut words = 0;
    let fits = |piece: &&Piece| {
        words += piece.words;
        words <= room
    };
    let count = before.iter().rev().take(chunking.overlap_sentences as usize).take_while(fits).count();
    let mut repeated = before[before.len() - count..].to_vec();
    if let Some(first) = repeated.first_mut() {
        first.glued = false;
    }
    repeated
}

fn pack_rows(head: &[Piece], rows: &[Piece], chunking: &Chunking, packed: &mut Vec<PassagePlan>) {
    /// A longer head leaves too little room for rows.
    const HEAD_SHARE_MAX: usize = 3;
    let words_max = chunking.words_max as usize;
    let repeated = if words_of(head) * HEAD_SHARE_MAX <= words_max { head } else { &[] };
    let mut current = PassagePlan { pieces: head.to_vec(), repeated: 0, is_rows: true };
    let mut has_rows = false;
    for group in groups(rows) {
        if has_rows && current.words() + words_of(group) > words_max {
            let next = PassagePlan { pieces: repeated.to_vec(), repeated: repeated.len(), is_rows: true };
            packed.push(std::mem::replace(&mut current, next));
        }
        current.pieces.extend_from_slice(group);
        has_rows = true;
    }
    if !current.own().is_empty() {
        packed.push(current);
    }
}

/// Lets passages that are too short join a neighbour, or take sentences from the one before.
fn settle(packed: Vec<PassagePlan>, chunking: &Chunking) -> Vec<PassagePlan> {
    let (words_max, words_min) = (chunking.words_max as usize, chunking.words_min as usize);
    let mut settled: Vec<PassagePlan> = Vec::new();
    for passage in packed {
        let Some(before) = settled.last_mut() else {
            settled.push(passage);
            continue;
        };
        let is_short = before.words() < words_min || words_of(passage.own()) < words_min;
        if is_short && before.words() + words_of(passage.own()) <= words_max {
            before.is_rows |= passage.is_rows;
            before.pieces.extend_from_slice(passage.own());
        } else {
            let passage = lengthen(passage, before, words_max, words_min);
            settled.push(passage);
        }
    }
    settled
}

/// A short passage takes the last sentences of the one before, if both are long enough then.
fn lengthen(
    passage: PassagePlan,
    before: &mut PassagePlan,
    words_max: usize,
    words_min: usize,
) -> PassagePlan {
    if passage.is_rows || before.is_rows || passage.words() >= words_min {
        return passage;
    }
    let own = words_of(passage.own());
    let pieces = &before.pieces;
    let fits = |at: &usize| {
        let moved = words_of(&pieces[*at..]) + own;
        !pieces[*at].glued
            && (words_min..=words_max).contains(&moved)
            && words_of(&pieces[..*at]) >= words_min
    };
    let Some(from) = (before.repeated + 1..pieces.len()).rev().find(fits) else { return passage };
    let mut moved = before.pieces.split_off(from);
    moved.extend_from_slice(passage.own());
    PassagePlan { pieces: moved, repeated: 0, is_rows: false }
}
