//! Postings as bytes: for each passage that has a term, its number and the counts of its fields.
//!
//! A pack is a row of blocks, each with the number of its first passage, so that two packs are joined by putting one behind the other.
//! Numbers are of variable length: a common posting takes four or five bytes.

use crate::ranking::bm25::{FIELDS, FieldCount};

/// The first passage's number and the block's length, both before it.
const HEADER: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Posting {
    pub(super) chunk: u64,
    pub(super) counts: [FieldCount; FIELDS],
}

/// The bytes are not what was packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("postings cannot be read")]
pub(super) struct BadPostings;

/// One block in the making. Passages come in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PostingBlock {
    first: u64,
    last: u64,
    pub(super) postings: u32,
    bytes: Vec<u8>,
}

impl PostingBlock {
    pub(super) fn new(first: u64) -> Self {
        Self { first, last: first, postings: 0, bytes: Vec::new() }
    }

    pub(super) fn push(&mut self, posting: &Posting) {
        write_number(&mut self.bytes, posting.chunk - self.last);
        self.last = posting.chunk;
        let there = |count: &FieldCount| count.frequency > 0;
        let mask = posting.counts.iter().rev().fold(0, |mask, count| mask << 1 | u8::from(there(count)));
        self.bytes.push(mask);
        for count in posting.counts.iter().filter(|count| there(count)) {
            write_number(&mut self.bytes, count.frequency.into());
            write_number(&mut self.bytes, count.length.into());
        }
        self.postings += 1;
    }

    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn packed(self) -> Vec<u8> {
        let length = u32::try_from(self.bytes.len()).expect("a block is far smaller than four gigabytes");
        let mut packed = Vec::with_capacity(HEADER + self.bytes.len());
        packed.extend(self.first.to_le_bytes());
        packed.extend(length.to_le_bytes());
        packed.extend(self.bytes);
        packed
    }
}

/// Reads the postings of a pack. After an error there is nothing more.
pub(super) struct PostingReader<'a> {
    /// Blocks that were not begun.
    rest: &'a [u8],
    block: &'a [u8],
    chunk: u64,
}

impl<'a> PostingReader<'a> {
    pub(super) fn new(packed: &'a [u8]) -> Self {
        Self { rest: packed, block: &[], chunk: 0 }
    }

    fn read(&mut self) -> Option<Posting> {
        if self.block.is_empty() {
            let (first, rest) = self.rest.split_first_chunk::<8>()?;
            let (length, rest) = rest.split_first_chunk::<4>()?;
            (self.block, self.rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            self.chunk = u64::from_le_bytes(*first);
        }
        self.chunk = self.chunk.checked_add(read_number(&mut self.block)?)?;
        let (mask, block) = self.block.split_first()?;
        self.block = block;
        let mut counts = [FieldCount::default(); FIELDS];
        for (_, count) in counts.iter_mut().enumerate().filter(|(field, _)| mask >> field & 1 == 1) {
            count.frequency = u32::try_from(read_number(&mut self.block)?).ok()?;
            count.length = u32::try_from(read_number(&mut self.block)?).ok()?;
        }
        Some(Posting { chunk: self.chunk, counts })
    }
}

impl Iterator for PostingReader<'_> {
    type Item = Result<Posting, BadPostings>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.block.is_empty() && self.rest.is_empty() {
            return None;
        }
        let posting = self.read();
        if posting.is_none() {
            (self.block, self.rest) = (&[], &[]);
        }
        Some(posting.ok_or(BadPostings))
    }
}

/// Seven bits a byte, the lowest first.
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts() -> impl Strategy<Value = [FieldCount; FIELDS]> {
        let count = (0..300_u32, 0..70_000_u32).prop_map(|(frequency, length)| match frequency {
            0 => FieldCount::default(),
            frequency => FieldCount { frequency, length },
        });
        [count.clone(), count.clone(), count.clone(), count]
    }

    fn block(first: u64, steps: &[(u64, [FieldCount; FIELDS])]) -> (Vec<Posting>, Vec<u8>) {
        let mut block = PostingBlock::new(first);
        let mut chunk = first;
        let mut postings = Vec::new();
        for (step, counts) in steps {
            chunk += step;
            postings.push(Posting { chunk, counts: *counts });
            block.push(postings.last().expect("one was pushed"));
        }
        (postings, block.packed())
    }

    proptest! {
        #[test]
        fn joined_packs_give_their_postings_one_after_the_other(
            one in prop::collection::vec((1..1_000_000_u64, counts()), 1..20),
            other in prop::collection::vec((1..3_u64, counts()), 1..20),
        ) {
            let (mut postings, mut packed) = block(7, &one);
            let (more, bytes) = block(1 << 40, &other);
            postings.extend(more);
            packed.extend(bytes);
            let read: Result<Vec<Posting>, BadPostings> = PostingReader::new(&packed).collect();
            prop_assert_eq!(read, Ok(postings));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let ends = PostingReader::new(&bytes).count() <= bytes.len() + 1;
            prop_assert!(ends);
        }
    }
}
