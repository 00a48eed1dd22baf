//! Byte-pair encoding, as far as counting needs it: which two neighbours grow together first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For each token, in the order of its rank: its length, then its bytes.
static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.ranks"));

/// Twice the number of tokens and more, so that a search soon meets a gap.
const SLOTS: usize = 1 << 19;
const EMPTY: u32 = u32::MAX;

/// All tokens by their bytes.
pub(super) struct Ranks {
    /// Where each rank's token starts in [`TOKENS`].
    starts: Vec<u32>,
    /// Ranks, each at the slot of its token's hash or soon after.
    slots: Vec<u32>,
}

impl Ranks {
    pub(super) fn new() -> Self {
        let mut ranks = Self { starts: Vec::new(), slots: vec![EMPTY; SLOTS] };
        let mut start = 0;
        while start < TOKENS.len() {
            let rank =
                u32::try_from(ranks.starts.len()).expect("there are fewer tokens than bytes in the file");
            ranks.starts.push(u32::try_from(start).expect("the file has two megabytes"));
            let token = token_at(start);
            let slot = ranks.probe(token).find(|slot| ranks.slots[*slot] == EMPTY);
            ranks.slots[slot.expect("there are more slots than tokens")] = rank;
            start += 1 + token.len();
        }
        ranks
    }

    /// The slots where a token can be, the likeliest first.
    fn probe(&self, token: &[u8]) -> impl Iterator<Item = usize> + use<> {
        let first = hash(token);
        (0..SLOTS).map(move |step| (first + step) & (SLOTS - 1))
    }

    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let slots = self.probe(bytes).map(|slot| self.slots[slot]);
        slots
            .take_while(|rank| *rank != EMPTY)
            .find(|rank| token_at(self.starts[*rank as usize] as usize) == bytes)
    }

    /// How many tokens a piece has.
    pub(super) fn count(&self, piece: &[u8]) -> usize {
        if piece.len() <= 1 || self.rank(piece).is_some() {
            piece.len().min(1)
        } else {
            Merge::new(self, piece).count()
        }
    }
}

fn token_at(start: usize) -> &'static [u8] {
    &TOKENS[start + 1..=start + TOKENS[start] as usize]
}

/// FNV-1a with its high half folded in. The table is fixed, so nobody can fill it with collisions.
fn hash(bytes: &[u8]) -> usize {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    ((hash ^ (hash >> 32)) as usize) & (SLOTS - 1)
}

/// A piece whose parts grow together, lowest rank first, leftmost among equals. With a heap, so that a long run of one
/// letter costs no more than it is long.
struct Merge<'a> {
    ranks: &'a Ranks,
    piece: &'a [u8],
    /// For each part that is there, by its first byte: where it ends. Parts that grew into another one have 0.
    ends: Vec<usize>,
    /// For each part: where the one before it starts.
    before: Vec<usize>,
    /// Rank, start and end of two neighbours that would be one token.
    pairs: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl<'a> Merge<'a> {
    fn new(ranks: &'a Ranks, piece: &'a [u8]) -> Self {
        let ends = (1..=piece.len()).collect();
        let before = (0..piece.len()).map(|start| start.saturating_sub(1)).collect();
        let mut merge = Self { ranks, piece, ends, before, pairs: BinaryHeap::new() };
        (0..piece.len()).for_each(|start| merge.propose(start));
        merge
    }

    /// Where the pair that starts here ends, if there is one.
    fn pair_end(&self, start: usize) -> Option<usize> {
        self.ends.get(self.ends[start]).copied().filter(|_| self.ends[start] > 0)
    }

    fn propose(&mut self, start: usize) {
        let Some(end) = self.pair_end(start) else { return };
        if let Some(rank) = self.ranks.rank(&self.piece[start..end]) {
            self.pairs.push(Reverse((rank, start, end)));
        }
    }

    fn count(mut self) -> usize {
        let mut parts = self.piece.len();
        while let Some(Reverse((_, start, end))) = self.pairs.pop() {
            // One of the two has grown since: the pair that is there now was proposed then.
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
