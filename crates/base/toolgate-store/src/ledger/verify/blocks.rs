//! The rows of blocks in a verification. Readers find lines by these rows and by the head alone, so each column must
//! be what the lines say.

use toolgate_core::Digest;
use toolgate_proof::tree;

use super::super::block;
use super::walk::{CheckedRow, End};

pub(super) const PARTS: &str = "SELECT day, block, first, last, since, until, at_min, at_max, root FROM ledger_blocks \
     WHERE tenant = $1 AND stream = $2 AND last > $3 ORDER BY block, day";

crate::row::row! {
    /// A complete part of a block, as it is stored.
    #[derive(Clone, Debug)]
    pub(super) struct StoredPart {
        pub(super) day: i64,
        pub(super) block: i64,
        pub(super) first: i64,
        pub(super) last: i64,
        pub(super) since: i64,
        pub(super) until: i64,
        pub(super) at_min: i64,
        pub(super) at_max: i64,
        pub(super) root: Vec<u8>,
    }
}

impl StoredPart {
    /// True if the head allows for it: it was complete by then, or it is the one that was open and has been
    /// completed since.
    pub(super) fn fits(&self, head: &End) -> bool {
        if self.first < head.part {
            return self.last < head.part;
        }
        // With the last number of a block its part is complete at once.
        self.first == head.part && self.last >= head.number && !block::is_last(head.number)
    }

    /// True if it has nothing to do with the lines up to the head.
    pub(super) fn lies_beyond(&self, head: &End) -> bool {
        self.first > head.number && self.block == block::of_number(self.first)
    }

    /// True if every column is what these lines say. They must be all of the part.
    pub(super) fn is_of(&self, lines: &[CheckedRow]) -> bool {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
        let times = lines.iter().map(|line| line.at_ms);
        let leaves: Vec<Digest> = lines.iter().map(|line| line.leaf).collect();
        lines.iter().all(|line| (line.day, block::of_number(line.number)) == (self.day, self.block))
            && (first.number, last.number) == (self.first, self.last)
            && (first.time.number(), last.time.number()) == (self.since, self.until)
            && (times.clone().min(), times.max()) == (Some(self.at_min), Some(self.at_max))
            && tree::root(&leaves).as_bytes()[..] == self.root[..]
    }
}

impl End {
    /// True if readers find a line that lies in no complete part: they look in the day and the block of the head.
    pub(super) fn finds(&self, line: &CheckedRow) -> bool {
        line.number < self.part
            || (line.day == self.time.day() && block::of_number(line.number) == block::of_number(self.number))
    }

    /// True if the open part begins at most after the last line.
    pub(super) fn is_plausible(&self) -> bool {
        self.part.checked_sub(1).is_some_and(|before| (0..=self.number).contains(&before))
    }
}
