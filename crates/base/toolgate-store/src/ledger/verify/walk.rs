//! The way through the lines of one stream, with what its head and its blocks say of them.

use toolgate_core::Digest;
use toolgate_core::event::HybridTime;

use super::super::block;
use super::super::line::{LedgerLine, no_hash};

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Tampering {
    #[error("it was changed after it was written")]
    Edited,
    #[error("it was written and is not there")]
    Dropped,
    /// It is at a place where it was not written.
    #[error("it is not in its place")]
    Reordered,
    #[error("it was not written by a gateway")]
    Inserted,
    /// The sealed end of the stream was made without the key, or is missing.
    #[error("the sealed end of its stream is missing or forged")]
    HeadForged,
    /// The row by which readers find its block is missing, or differs from the lines.
    #[error("the entry of its block is missing or forged")]
    BlockForged,
    /// The record of where its stream begins was made without the key.
    #[error("the record of the removed beginning of its stream is forged")]
    CutForged,
}

/// The end of a stream, as its head says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    pub(super) number: i64,
    /// The first number that lies in no complete block.
    pub(super) part: i64,
    pub(super) hash: Digest,
}

impl End {
    /// Of an empty stream.
    pub(super) const START: End = End { number: 0, part: 1, hash: Digest::from_bytes([0; 32]) };
}

/// The part of a line that verification needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CheckedRow {
    pub(super) day: i64,
    pub(super) number: i64,
    /// How the line differs from its own place.
    pub(super) what: Option<Tampering>,
    /// `None` where it cannot be read as a line at all.
    pub(super) previous: Option<Digest>,
    pub(super) hash: Digest,
    pub(super) leaf: Digest,
}

/// The columns beside a line.
pub(super) struct Place<'a> {
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) day: i64,
    pub(super) number: i64,
    pub(super) time: HybridTime,
}

impl Place<'_> {
    pub(super) fn differs(&self, line: Option<&LedgerLine<'_>>) -> Option<Tampering> {
        let Some(line) = line else { return Some(Tampering::Edited) };
        if (line.tenant, line.stream, line.number) != (self.tenant, self.stream, self.number) {
            return Some(Tampering::Reordered);
        }
        let is_its_own = line.time.is_none_or(|time| time == self.time) && self.day == self.time.day();
        (!is_its_own).then_some(Tampering::Edited)
    }
}

/// A complete part of a block, as it is stored.
#[derive(Clone, Debug)]
pub(super) struct StoredPart {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) root: Vec<u8>,
}

/// A fault in this stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) number: i64,
    pub(super) what: Tampering,
}

pub(super) struct StreamWalk {
    /// The sealed head, as it was at the start.
    sealed: End,
    /// The last line that was there, and its hash.
    number: i64,
    hash: Digest,
    /// A line whose successor must be seen to judge it.
    held: Option<CheckedRow>,
    /// The furthest line that lies beyond the head.
    beyond: Option<i64>,
    parts: std::vec::IntoIter<StoredPart>,
    leaves: Vec<Digest>,
    part: Option<StoredPart>,
}

impl StreamWalk {
    pub(super) fn new(sealed: End, parts: Vec<StoredPart>) -> Self {
        let mut parts = parts.into_iter();
        let part = parts.next();
        let (held, beyond, leaves) = (None, None, Vec::new());
        Self { sealed, number: 0, hash: no_hash(), held, beyond, parts, leaves, part }
    }

    /// The same for a stream that begins after an event that was removed.
    pub(super) fn after(self, number: i64, hash: Digest) -> Self {
        Self { number, hash, ..self }
    }

    /// Takes the next line.
    pub(super) fn take(&mut self, row: CheckedRow) -> Result<(), Found> {
        if let Some(what) = row.what {
            return Err(Found { number: row.number, what });
        }
        if row.number > self.sealed.number {
            self.beyond = self.beyond.max(Some(row.number));
        }
        match self.held.replace(row) {
            Some(held) => self.judge(held),
            None => Ok(()),
        }
    }

    /// Judges a line that has its successor, or is the last.
    fn judge(&mut self, row: CheckedRow) -> Result<(), Found> {
        if row.number > self.sealed.number {
            return Ok(());
        }
        let (number, expected) = (row.number, self.number + 1);
        if number > expected {
            return Err(Found { number: expected, what: Tampering::Dropped });
        }
        // Its number is under its hash, so it is not one of ours that was moved.
        if number < expected {
            return Err(Found { number, what: Tampering::Inserted });
        }
        if row.previous != Some(self.hash) {
            return Err(self.not_followed(&row));
        }
        // It is consistent with its predecessor and itself, but is not the sealed one.
        if number == self.sealed.number && row.hash != self.sealed.hash {
            return Err(Found { number, what: Tampering::Edited });
        }
        (self.number, self.hash) = (number, row.hash);
        self.part_of(row)
    }

    /// A line that names another predecessor than the existing one. If its own successor knows it, the
    /// predecessor was exchanged.
    fn not_followed(&self, row: &CheckedRow) -> Found {
        let next = self.held.as_ref().filter(|next| next.number == row.number + 1);
        let is_known = match next {
            Some(next) => next.previous == Some(row.hash),
            None => row.number == self.sealed.number && row.hash == self.sealed.hash,
        };
        let number = if is_known && self.number > 0 { self.number } else { row.number };
        Found { number, what: Tampering::Edited }
    }

    /// Holds the lines of a part against its root.
    fn part_of(&mut self, row: CheckedRow) -> Result<(), Found> {
        let forged = Found { number: row.number, what: Tampering::BlockForged };
        let Some(part) = &self.part else {
            return if row.number < self.sealed.part { Err(forged) } else { Ok(()) };
        };
        if self.leaves.is_empty() && part.first != row.number {
            return Err(forged);
        }
        self.leaves.push(row.leaf);
        if row.number < part.last {
            return Ok(());
        }
        if block::root(&self.leaves).as_bytes()[..] != part.root[..] {
            return Err(forged);
        }
        self.leaves.clear();
        self.part = self.parts.next();
        Ok(())
    }

    /// The stream must have reached its head, and nothing may lie beyond the current one.
    pub(super) fn end(mut self, now: Option<End>) -> Result<(), Found> {
        if let Some(last) = self.held.take() {
            self.judge(last)?;
        }
        if self.number < self.sealed.number {
            return Err(Found { number: self.number + 1, what: Tampering::Dropped });
        }
        let Some(now) = now else {
            let number = self.beyond.unwrap_or(self.number);
            return Err(Found { number, what: Tampering::HeadForged });
        };
        match self.beyond {
            Some(beyond) if beyond > now.number => {
                Err(Found { number: now.number + 1, what: Tampering::Inserted })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
