//! Sets of passages as ranges of their numbers.

/// Ranges in order that do not touch: the first number, and the first that is no longer in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ChunkRanges(Vec<(u64, u64)>);

impl ChunkRanges {
    /// Of ranges in any order.
    pub(super) fn new(mut ranges: Vec<(u64, u64)>) -> Self {
        ranges.retain(|(first, end)| first < end);
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, end) in ranges {
            match joined.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((first, end)),
            }
        }
        Self(joined)
    }

    pub(super) fn contains(&self, chunk: u64) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= chunk);
        after > 0 && chunk < self.0[after - 1].1
    }

    /// The number of passages.
    pub(super) fn chunks(&self) -> u64 {
        self.0.iter().map(|(first, end)| end - first).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_exactly_their_numbers() {
        let ranges = ChunkRanges::new(vec![(7, 9), (0, 2), (2, 3), (20, 20), (8, 12)]);
        assert_eq!(ranges, ChunkRanges(vec![(0, 3), (7, 12)]));
        assert_eq!(ranges.chunks(), 8);
        let inside: Vec<u64> = (0..30).filter(|chunk| ranges.contains(*chunk)).collect();
        assert_eq!(inside, [0, 1, 2, 7, 8, 9, 10, 11]);
        assert!(!ChunkRanges::default().contains(0));
    }
}
