//! Byte-pair encoding, as far as counting needs it: the order in which neighbours merge.
//!
//! The tokens are a table in the program, made when it is built: nothing is set up before the first count,
//! and only the pages that a text needs are ever read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bucket;

/// The tokens of all buckets, one after the other: see [`bucket`].
static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.tokens"));
/// The start of each bucket in [`TOKENS`], and the end of the last one: numbers of four bytes.
static STARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.starts"));

/// The number of tokens of a piece.
pub(super) fn count(piece: &[u8]) -> usize {
    if piece.len() <= 1 || rank(piece).is_some() { piece.len().min(1) } else { BpeMerge::new(piece).count() }
}

fn rank(bytes: &[u8]) -> Option<u32> {
    let bucket = bucket::of(bytes);
    let mut rest = &TOKENS[start(bucket)..start(bucket + 1)];
    while let Some((head, after)) = rest.split_first_chunk::<{ bucket::HEAD }>() {
        let [low, middle, high, length] = *head;
        let (token, others) = after.split_at(usize::from(length));
        if token == bytes {
            return Some(u32::from_le_bytes([low, middle, high, 0]));
        }
        rest = others;
    }
    None
}

fn start(bucket: usize) -> usize {
    u32::from_le_bytes(STARTS.as_chunks().0[bucket]) as usize
}

/// A piece whose parts merge, lowest rank first, leftmost among equals. With a heap, so that a long run of
/// one letter has a cost linear in its length.
struct BpeMerge<'a> {
    piece: &'a [u8],
    /// For each existing part, by its first byte: its end. Merged parts have 0.
    ends: Vec<usize>,
    /// For each part: where the one before it starts.
    before: Vec<usize>,
    /// Rank, start and end of two neighbours that would be one token.
    pairs: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl<'a> BpeMerge<'a> {
    fn new(piece: &'a [u8]) -> Self {
        let ends = (1..=piece.len()).collect();
        let before = (0..piece.len()).map(|start| start.saturating_sub(1)).collect();
        let mut merge = Self { piece, ends, before, pairs: BinaryHeap::new() };
        (0..piece.len()).for_each(|start| merge.propose(start));
        merge
    }

    /// The end of the pair that starts here, if there is one.
    fn pair_end(&self, start: usize) -> Option<usize> {
        self.ends.get(self.ends[start]).copied().filter(|_| self.ends[start] > 0)
    }

    fn propose(&mut self, start: usize) {
        let Some(end) = self.pair_end(start) else { return };
        if let Some(rank) = rank(&self.piece[start..end]) {
            self.pairs.push(Reverse((rank, start, end)));
        }
    }

    fn count(mut self) -> usize {
        let mut parts = self.piece.len();
        while let Some(Reverse((_, start, end))) = self.pairs.pop() {
            // One of the two has grown since: the current pair was proposed then.
            if self.pair_end(start) != Some(end) {
                continue;
            }
            self.join(start, end);
            parts -= 1;
        }
        parts
    }

    fn join(&mut self, start: usize, end: usize) {
        let second = self.ends[start];
        self.ends[second] = 0;
        self.ends[start] = end;
        if let Some(before) = self.before.get_mut(end) {
            *before = start;
        }
        self.propose(start);
        if start > 0 {
            self.propose(self.before[start]);
        }
    }
}
