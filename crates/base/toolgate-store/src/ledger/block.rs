//! Blocks: 256 numbers of a stream, found by their terms and their time, each with the root of its lines.
//!
//! A block that lies in two days has a part in each; most have one part. A part is written when it is
//! complete: with its last event or, if the day is over, with the first event of the next. Until then readers
//! go through its lines.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use toolgate_core::Digest;
use toolgate_core::event::HybridTime;

use super::line::{self, LedgerLine};
use super::terms::{self, Term};

/// The size of a block. A larger one means fewer rows to write, and more events to go through for rare terms.
pub(super) const BLOCK: i64 = 256;

/// Terms of more events have no places.
const PLACES_MAX: usize = 24;
const NODE: &[u8] = &[1];

/// The block of a number; the first number is 1.
pub(super) fn of_number(number: i64) -> i64 {
    (number - 1).div_euclid(BLOCK)
}

/// True if no number of the block follows.
pub(super) fn is_last(number: i64) -> bool {
    number % BLOCK == 0
}

/// The places of the events with a term in their block, as far as they are few.
#[derive(Clone, Default, Debug)]
pub(super) struct Places {
    few: Vec<u8>,
    are_many: bool,
}

impl Places {
    fn add(&mut self, number: i64) {
        if self.few.len() == PLACES_MAX {
            (self.few, self.are_many) = (Vec::new(), true);
        }
        if !self.are_many {
            self.few.push((number - 1).rem_euclid(BLOCK) as u8);
        }
    }

    /// Empty if there are many.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.few
    }

    /// The numbers of these places in the block of a number.
    pub(super) fn numbers(places: &[u8], first: i64) -> impl Iterator<Item = i64> {
        let start = of_number(first) * BLOCK + 1;
        places.iter().map(move |place| start + i64::from(*place))
    }
}

/// The events of one block and one day so far.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) day: i64,
    pub(super) block: i64,
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) since: HybridTime,
    pub(super) until: HybridTime,
    /// The time at which its events happened.
    pub(super) at_min: i64,
    pub(super) at_max: i64,
    pub(super) terms: BTreeMap<Term, Places>,
    leaves: Vec<Digest>,
    hash: Digest,
}

impl Part {
    /// Of its first line.
    pub(super) fn of(line: &LedgerLine<'_>, time: HybridTime, bytes: &[u8]) -> Self {
        let mut part = Self {
            day: time.day(),
            block: of_number(line.number),
            first: line.number,
            last: line.number,
            since: time,
            until: time,
            at_min: line.at_ms,
            at_max: line.at_ms,
            terms: BTreeMap::new(),
            leaves: Vec::with_capacity(BLOCK as usize),
            hash: line::no_hash(),
        };
        part.add(line, time, bytes);
        part
    }

    pub(super) fn add(&mut self, line: &LedgerLine<'_>, time: HybridTime, bytes: &[u8]) {
        (self.last, self.until) = (line.number, time);
        self.at_min = self.at_min.min(line.at_ms);
        self.at_max = self.at_max.max(line.at_ms);
        for term in terms::of_line(line) {
            self.terms.entry(term).or_default().add(line.number);
        }
        self.hash = line::hash(bytes);
        self.leaves.push(match line.time {
            Some(_) => self.hash,
            None => line::leaf(bytes),
        });
    }

    /// Without its lines.
    pub(super) fn without_lines(numbers: (i64, i64), time: HybridTime) -> Self {
        let (first, last) = numbers;
        Self {
            day: time.day(),
            block: of_number(last),
            first,
            last,
            since: time,
            until: time,
            at_min: time.ms(),
            at_max: time.ms(),
            terms: BTreeMap::new(),
            leaves: Vec::new(),
            hash: line::no_hash(),
        }
    }

    /// Stands for these numbers, up to the line with this hash, whatever its lines say.
    pub(super) fn standing_for(self, (first, last): (i64, i64), hash: Digest) -> Self {
        Self { first, last, hash, ..self }
    }

    /// True if it is the part with these numbers, up to the line with this hash.
    pub(super) fn is(&self, (first, last): (i64, i64), hash: Digest) -> bool {
        (self.first, self.last, self.hash) == (first, last, hash)
    }

    /// The hash of its last line.
    pub(super) fn hash(&self) -> Digest {
        self.hash
    }

    pub(super) fn root(&self) -> Digest {
        root(&self.leaves)
    }
}

/// The Merkle tree hash of RFC 6962 over some leaves.
pub(super) fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of([]),
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            let node = Sha256::new().chain_update(NODE);
            let node = node.chain_update(root(left).as_bytes()).chain_update(root(right).as_bytes());
            Digest::from_bytes(node.finalize().into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the test vectors of RFC 6962's reference implementation (`certificate-transparency`, tree of
    /// eight).
    #[test]
    fn the_root_is_that_of_the_standard() {
        let inputs: [&[u8]; 8] = [
            b"",
            &[0x00],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
        ];
        let leaves: Vec<Digest> = inputs.iter().map(|input| line::leaf(input)).collect();
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        for (count, expected) in (1..).zip(roots) {
            assert_eq!(root(&leaves[..count]).to_string(), format!("sha256:{expected}"));
        }
        assert_eq!(
            root(&[]).to_string(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn places_are_told_while_they_are_few() {
        let mut places = Places::default();
        for number in [257, 300, 512] {
            places.add(number);
        }
        assert_eq!(Places::numbers(places.as_bytes(), 290).collect::<Vec<_>>(), [257, 300, 512]);
        (0..PLACES_MAX as i64).for_each(|more| places.add(301 + more));
        assert!(places.as_bytes().is_empty());
    }

    #[test]
    fn blocks_begin_with_the_number_one() {
        assert_eq!([1, 256, 257, 512, 513].map(of_number), [0, 0, 1, 1, 2]);
        assert_eq!([1, 255, 256, 257, 512].map(is_last), [false, false, true, false, true]);
    }
}
