//! Blocks: 256 numbers of a stream, found by their terms and their time, each with the root of its lines.
//!
//! A block that lies in two days has a part in each; most have one part. A part is written when it is
//! complete: with its last event or, if the day is over, with the first event of the next. Until then readers
//! go through its lines.

use std::collections::BTreeMap;

use toolgate_core::Digest;
use toolgate_core::event::HybridTime;
use toolgate_proof::tree;

use super::figures::PartFigures;
use super::line::{self, LedgerLine};
use super::terms::{self, Term};

/// The size of a block. A larger one means fewer rows to write, and more events to go through for rare terms.
pub(super) const BLOCK: i64 = toolgate_proof::BLOCK as i64;

/// Terms of more events have no places.
const PLACES_MAX: usize = 24;

/// The block of a number; the first number is 1.
pub(super) fn of_number(number: i64) -> i64 {
    number.saturating_sub(1).div_euclid(BLOCK)
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
        let start = of_number(first).saturating_mul(BLOCK).saturating_add(1);
        places.iter().map(move |place| start.saturating_add(i64::from(*place)))
    }
}

/// The terms of some events of a block, each with their places.
#[derive(Clone, Default, Debug)]
pub(super) struct PartTerms(BTreeMap<Term, Places>);

impl PartTerms {
    pub(super) fn add(&mut self, line: &LedgerLine<'_>) {
        for term in terms::of_line(line) {
            self.0.entry(term).or_default().add(line.number);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Term, &Places)> {
        self.0.iter()
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
    pub(super) terms: PartTerms,
    pub(super) figures: PartFigures,
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
            terms: PartTerms::default(),
            figures: PartFigures::default(),
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
        self.terms.add(line);
        self.figures.add(line);
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
            terms: PartTerms::default(),
            figures: PartFigures::default(),
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
        tree::root(&self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(of_number(i64::MIN) < 0 && of_number(i64::MAX) > 0, "numbers may be forged");
        assert_eq!([1, 255, 256, 257, 512].map(is_last), [false, false, true, false, true]);
    }
}
