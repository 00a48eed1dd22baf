//! Reads the bytes of a node from front to back.

use crate::digest::BlobDigest;
use crate::error::NodeFault;
use crate::varint::{self, NumberFault};
use crate::writer::MAGIC;

pub(crate) struct NodeReader<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
}

impl<'a> NodeReader<'a> {
    /// Reads the header, which has the level.
    pub(crate) fn begin(whole: &'a [u8]) -> Result<(NodeReader<'a>, u8), NodeFault> {
        let after = whole.strip_prefix(MAGIC.as_slice()).ok_or(NodeFault::Header)?;
        let (level, rest) = after.split_first().ok_or(NodeFault::Header)?;
        Ok((NodeReader { whole, rest }, *level))
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The number of bytes that were read.
    pub(crate) fn at(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, NodeFault> {
        let (byte, rest) = self.rest.split_first().ok_or(NodeFault::CutShort)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub(crate) fn number(&mut self) -> Result<u64, NodeFault> {
        varint::read(&mut self.rest).map_err(|fault| match fault {
            NumberFault::CutShort => NodeFault::CutShort,
            NumberFault::NotShortest => NodeFault::Number,
        })
    }

    /// Passes over a digest, and returns where it begins.
    pub(crate) fn digest(&mut self) -> Result<u32, NodeFault> {
        let at = self.at() as u32;
        self.take(BlobDigest::BYTES)?;
        Ok(at)
    }

    /// Reads a length and that many bytes, but no more than `max`.
    pub(crate) fn text(&mut self, max: usize) -> Result<&'a [u8], NodeFault> {
        let length = usize::try_from(self.number()?).ok().filter(|length| *length <= max);
        self.take(length.ok_or(NodeFault::Number)?)
    }

    /// Reads a length and that many bytes, and returns where they begin and end.
    pub(crate) fn text_range(&mut self) -> Result<(u32, u32), NodeFault> {
        let length = self.text(self.whole.len())?.len();
        Ok(((self.at() - length) as u32, self.at() as u32))
    }

    pub(crate) fn part(&self, (start, end): (u32, u32)) -> &'a [u8] {
        &self.whole[start as usize..end as usize]
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], NodeFault> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(NodeFault::CutShort)?;
        self.rest = rest;
        Ok(taken)
    }
}
