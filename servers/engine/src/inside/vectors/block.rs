//! A block of vectors in a file that is mapped into memory.

use std::ops::Range;
use std::path::Path;

use engine_protocol::EngineFault;
use tantivy::Directory as _;
use tantivy::directory::{MmapDirectory, OwnedBytes};

use super::writer::{BLOCK_HEADER_BYTES, HEADER_BYTES, MAGIC};
use crate::inside::faults::{damaged, unreadable};

/// A row whose passage was removed.
const REMOVED: u32 = u32::MAX;

pub(in crate::inside) struct VectorBlock {
    bytes: OwnedBytes,
    dimensions: usize,
    /// For each row, its passage in the version.
    passages: Vec<u32>,
    /// True if none of them was removed.
    is_whole: bool,
}

impl VectorBlock {
    /// The blocks of a file. Passages that are not in `by_ord`, which is sorted, were removed.
    pub(in crate::inside) fn read_file(
        directory: &MmapDirectory,
        name: &str,
        dimensions: Option<u32>,
        by_ord: &[(u64, u32)],
    ) -> Result<Vec<Self>, EngineFault> {
        let file = directory.open_read(Path::new(name)).map_err(unreadable)?;
        let bytes = file.read_bytes().map_err(|error| damaged(name, error))?;
        let dimensions = dimensions.unwrap_or_default();
        if dimensions == 0 || bytes.get(..HEADER_BYTES) != Some(&header(dimensions)[..]) {
            return Err(damaged(name, "it does not begin as a file of vectors"));
        }
        let dimensions = dimensions as usize;
        let mut blocks = Vec::new();
        let mut at = HEADER_BYTES;
        while at < bytes.len() {
            let block = block_range(&bytes, at, dimensions);
            let block = block.ok_or_else(|| damaged(name, "it ends within a block"))?;
            at = block.end;
            blocks.push(Self::open(bytes.slice(block), dimensions, by_ord));
        }
        Ok(blocks)
    }

    fn open(bytes: OwnedBytes, dimensions: usize, by_ord: &[(u64, u32)]) -> Self {
        let rows = rows_at(&bytes, 0).unwrap_or_default();
        let mut block = Self { bytes, dimensions, passages: vec![REMOVED; rows], is_whole: true };
        let mut known = by_ord;
        for row in 0..rows {
            let ord = block.ord(row);
            // Rows are sorted, so the place is near; a search in steps that double finds it soon.
            known = &known[known.len().min(skip_before(known, ord))..];
            match known.first() {
                Some((found, passage)) if *found == ord => block.passages[row] = *passage,
                _ => block.is_whole = false,
            }
        }
        block
    }

    pub(in crate::inside) fn rows(&self) -> usize {
        self.passages.len()
    }

    pub(in crate::inside) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(in crate::inside) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The passage of a row, unless it was removed.
    #[inline]
    pub(in crate::inside) fn passage(&self, row: usize) -> Option<u32> {
        Some(self.passages[row]).filter(|passage| *passage != REMOVED)
    }

    /// The row of a passage.
    pub(in crate::inside) fn find(&self, ord: u64) -> Option<usize> {
        let (mut from, mut to) = (0, self.rows());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.ord(middle) < ord { from = middle + 1 } else { to = middle }
        }
        (from < self.rows() && self.ord(from) == ord).then_some(from)
    }

    pub(in crate::inside) fn ord(&self, row: usize) -> u64 {
        let bytes = self.bytes[BLOCK_HEADER_BYTES..].as_chunks::<8>().0;
        u64::from_le_bytes(bytes[row])
    }

    /// The number that makes the codes of a row a vector of length 1.
    #[inline]
    pub(in crate::inside) fn inverse(&self, row: usize) -> f32 {
        let bytes = self.bytes[BLOCK_HEADER_BYTES + 8 * self.rows()..].as_chunks::<4>().0;
        f32::from_le_bytes(bytes[row])
    }

    /// The signs of all rows.
    pub(in crate::inside) fn signs(&self) -> &[u8] {
        &self.bytes[self.signs_range()]
    }

    pub(in crate::inside) fn signs_of(&self, row: usize) -> &[u8] {
        let bytes = sign_bytes(self.dimensions);
        &self.signs()[row * bytes..][..bytes]
    }

    #[inline]
    pub(in crate::inside) fn codes(&self, row: usize) -> &[u8] {
        &self.bytes[self.signs_range().end + row * self.dimensions..][..self.dimensions]
    }

    fn signs_range(&self) -> Range<usize> {
        let start = BLOCK_HEADER_BYTES + 12 * self.rows();
        start..start + sign_bytes(self.dimensions) * self.rows()
    }
}

fn header(dimensions: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&dimensions.to_le_bytes());
    header
}

/// The bytes of the block that begins here, if they are all there.
fn block_range(bytes: &[u8], start: usize, dimensions: usize) -> Option<Range<usize>> {
    let row_bytes = 12 + sign_bytes(dimensions) + dimensions;
    let rows = rows_at(bytes, start).filter(|rows| *rows > 0)?;
    let end = rows.checked_mul(row_bytes)?.checked_add(start + BLOCK_HEADER_BYTES)?;
    (end <= bytes.len()).then_some(start..end)
}

fn rows_at(bytes: &[u8], start: usize) -> Option<usize> {
    let header: &[u8; 4] = bytes.get(start..)?.first_chunk()?;
    Some(u32::from_le_bytes(*header) as usize)
}

fn sign_bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}

/// The number of passages before one with this number.
fn skip_before(known: &[(u64, u32)], ord: u64) -> usize {
    let mut reach = 1;
    while known.get(reach - 1).is_some_and(|(found, _)| *found < ord) {
        reach *= 2;
    }
    let start = reach / 2;
    start + known[start.min(known.len())..reach.min(known.len())].partition_point(|(found, _)| *found < ord)
}
