//! An item as pieces that are never cut: sentences, rows of a table, lines of code.

use std::ops::Range;

use capability_language::{Positions, sentences};

use super::count::count_words;

/// A piece of an item's text, without surrounding blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The number of the item in reading order, and of the piece within it.
    pub(super) item: usize,
    pub(super) number: usize,
    /// Of the item's text, in bytes and in code points.
    pub(super) bytes: Range<usize>,
    pub(super) span: Range<usize>,
    pub(super) words: usize,
    /// It stays with the piece before it.
    pub(super) glued: bool,
}

/// A row of more than this many passages is a text in a frame, not a row of data: it is cut between its sentences.
const ROW_PASSAGES_MAX: usize = 2;

pub(super) fn sentence_pieces(item: usize, text: &str) -> Vec<Piece> {
    let found = sentences(text);
    made(item, text, found.iter().map(|sentence| sentence.start..sentence.end()))
}

pub(super) fn line_pieces(item: usize, text: &str) -> Vec<Piece> {
    made(item, text, lines(text).into_iter())
}

pub(super) fn row_pieces(item: usize, text: &str, words_max: usize) -> Vec<Piece> {
    let mut ranges = Vec::new();
    for row in lines(text) {
        if count_words(&text[row.clone()]) <= ROW_PASSAGES_MAX * words_max {
            ranges.push(row);
            continue;
        }
        let within = sentences(&text[row.clone()]);
        ranges.extend(within.iter().map(|one| row.start + one.start..row.start + one.end()));
    }
    made(item, text, ranges.into_iter())
}

/// Lines that have something in them.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let from = start + (line.len() - line.trim_start().len());
            found.push(from..from + trimmed.len());
        }
        start += line.len();
    }
    found
}

fn made(item: usize, text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Piece> {
    let positions = Positions::new(text);
    let piece = |(number, bytes): (usize, Range<usize>)| {
        let span = positions.span(bytes.clone());
        let words = count_words(&text[bytes.clone()]);
        Piece { item, number, bytes, span: span.start..span.end, words, glued: false }
    };
    ranges.enumerate().map(piece).collect()
}

/// Makes them stay together.
pub(super) fn glue(pieces: &mut [Piece]) {
    for piece in pieces.iter_mut().skip(1) {
        piece.glued = true;
    }
}

pub(super) fn words_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.words).sum()
}
