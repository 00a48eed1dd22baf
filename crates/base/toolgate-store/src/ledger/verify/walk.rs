//! The way through the lines of one stream, with what its head and its blocks say of them.

use toolgate_core::Digest;
use toolgate_core::event::HybridTime;
use toolgate_proof::GrowingTree;

use super::super::line::{LedgerLine, no_hash};
use super::blocks::StoredPart;
use super::signed::SignedSizes;

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
    /// The rows by which searches find the events of its block are not those that the lines say.
    #[error("an entry by which searches find the events of its block is missing or forged")]
    TermForged,
    /// Its arguments or its result are not those that it was written with.
    #[error("its arguments or its result were changed after it was written")]
    BodyEdited,
    /// Their time is not over, and no erasure is recorded.
    #[error("its arguments or its result are missing, although nothing was erased and they have not expired")]
    BodyMissing,
    /// It belongs to no event, so the fault has neither a stream nor a number.
    #[error("a stored body is not the one that it is stored as, and no event names it")]
    BodyForged,
    /// The events up to it are sound in themselves, but are not those of a signed checkpoint.
    #[error(
        "up to here the stream is not what a checkpoint signs: events were changed and sealed again, or written after an older database was restored"
    )]
    Rewritten,
    /// Its stream is sound in itself, but a signed checkpoint has more of it.
    #[error("a checkpoint signs it, and its stream ends before it: the end was removed")]
    TailRemoved,
    /// A signed checkpoint has its stream, and the store does not.
    #[error("a checkpoint signs its stream, and nothing of the stream is there")]
    StreamRemoved,
    /// No stream has anything that is newer than the signed checkpoint, and one has less.
    #[error(
        "a checkpoint signs it, and nothing in the store is newer than that: an older database was restored, or the end was removed"
    )]
    OlderDatabase,
    /// The record of where its stream begins was made without the key.
    #[error("the record of the removed beginning of its stream is forged")]
    CutForged,
}

impl Tampering {
    /// True if everything before the event in its stream was found to be as it was written.
    pub fn is_first_in_its_stream(self) -> bool {
        matches!(
            self,
            Self::Edited
                | Self::Dropped
                | Self::Reordered
                | Self::Inserted
                | Self::BlockForged
                | Self::TailRemoved
        )
    }
}

/// The end of a stream, as its head says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    pub(super) number: i64,
    /// The time of the last line.
    pub(super) time: HybridTime,
    /// The first number that lies in no complete block.
    pub(super) part: i64,
    pub(super) hash: Digest,
}

impl End {
    /// Of an empty stream.
    pub(super) const START: End =
        End { number: 0, time: HybridTime::START, part: 1, hash: Digest::from_bytes([0; 32]) };
}

/// The part of a line that verification needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CheckedRow {
    pub(super) day: i64,
    pub(super) number: i64,
    pub(super) time: HybridTime,
    pub(super) at_ms: i64,
    /// The difference between the line and its place.
    pub(super) what: Option<Tampering>,
    /// `None` where it cannot be read as a line at all.
    pub(super) previous: Option<Digest>,
    pub(super) hash: Digest,
    pub(super) leaf: Digest,
}

/// The columns beside a line.
pub(super) struct LineColumns<'a> {
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) day: i64,
    pub(super) number: i64,
    pub(super) time: HybridTime,
}

impl LineColumns<'_> {
    pub(super) fn differs(&self, line: Option<&LedgerLine<'_>>) -> Option<Tampering> {
        let Some(line) = line else { return Some(Tampering::Edited) };
        if (line.tenant, line.stream, line.number) != (self.tenant, self.stream, self.number) {
            return Some(Tampering::Reordered);
        }
        let is_its_own = line.time.is_none_or(|time| time == self.time) && self.day == self.time.day();
        (!is_its_own).then_some(Tampering::Edited)
    }
}

/// A fault in this stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FaultPlace {
    pub(super) number: i64,
    pub(super) what: Tampering,
}

pub(super) struct StreamWalk {
    /// The sealed head, as it was at the start.
    sealed: End,
    /// The last line that was there, its hash and its time.
    number: i64,
    hash: Digest,
    time: HybridTime,
    /// A line whose successor must be seen to judge it.
    held: Option<CheckedRow>,
    /// The furthest line that lies beyond the head.
    beyond: Option<i64>,
    parts: std::vec::IntoIter<StoredPart>,
    /// The lines of the part so far.
    lines: Vec<CheckedRow>,
    part: Option<StoredPart>,
    signed: SignedSizes,
}

impl StreamWalk {
    pub(super) fn new(sealed: End, parts: Vec<StoredPart>, signed: SignedSizes) -> Self {
        let mut parts = parts.into_iter();
        let part = parts.next();
        let (held, beyond, lines) = (None, None, Vec::new());
        let (hash, time) = (no_hash(), HybridTime::START);
        Self { sealed, number: 0, hash, time, held, beyond, parts, lines, part, signed }
    }

    /// The same for a stream that begins after an event that was removed.
    pub(super) fn after(self, number: i64, hash: Digest) -> Self {
        Self { number, hash, ..self }
    }

    /// True if an event was there when the head was read.
    pub(super) fn reaches(&self, number: i64) -> bool {
        number <= self.sealed.number
    }

    /// Takes the next line.
    pub(super) fn take(&mut self, row: CheckedRow) -> Result<(), FaultPlace> {
        if let Some(what) = row.what {
            return Err(FaultPlace { number: row.number, what });
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
    fn judge(&mut self, row: CheckedRow) -> Result<(), FaultPlace> {
        if row.number > self.sealed.number {
            return Ok(());
        }
        let (number, expected) = (row.number, self.number + 1);
        if number > expected {
            return Err(FaultPlace { number: expected, what: Tampering::Dropped });
        }
        // Its number is under its hash, so it is not one of ours that was moved.
        if number < expected {
            return Err(FaultPlace { number, what: Tampering::Inserted });
        }
        if row.previous != Some(self.hash) {
            return Err(self.not_followed(&row));
        }
        // It is consistent with its predecessor and itself, but is not the sealed one. The time of a line of the
        // first form is not under its hash; but it rises, up to that of the head.
        let sealed = (self.sealed.hash, self.sealed.time);
        if number == self.sealed.number && (row.hash, row.time) != sealed || row.time <= self.time {
            return Err(FaultPlace { number, what: Tampering::Edited });
        }
        self.time = row.time;
        (self.number, self.hash) = (number, row.hash);
        let is_signed = self.signed.take(row.leaf);
        self.part_of(row)?;
        if is_signed { Ok(()) } else { Err(FaultPlace { number, what: Tampering::Rewritten }) }
    }

    /// A line that names another predecessor than the existing one. If its own successor knows it, the
    /// predecessor was exchanged.
    fn not_followed(&self, row: &CheckedRow) -> FaultPlace {
        let next = self.held.as_ref().filter(|next| next.number == row.number + 1);
        let is_known = match next {
            Some(next) => next.previous == Some(row.hash),
            None => row.number == self.sealed.number && row.hash == self.sealed.hash,
        };
        let number = if is_known && self.number > 0 { self.number } else { row.number };
        FaultPlace { number, what: Tampering::Edited }
    }

    /// Holds the lines of a part against its row, and the others against the head.
    fn part_of(&mut self, row: CheckedRow) -> Result<(), FaultPlace> {
        let forged = FaultPlace { number: row.number, what: Tampering::BlockForged };
        if !self.sealed.finds(&row) {
            return Err(forged);
        }
        let Some(part) = &self.part else {
            return if row.number < self.sealed.part { Err(forged) } else { Ok(()) };
        };
        if self.lines.is_empty() && (part.first != row.number || !part.fits(&self.sealed)) {
            return Err(forged);
        }
        let is_last = row.number >= part.last;
        self.lines.push(row);
        if !is_last {
            return Ok(());
        }
        if !part.is_of(&self.lines) {
            return Err(forged);
        }
        self.lines.clear();
        self.part = self.parts.next();
        Ok(())
    }

    /// The stream must have reached its head, and nothing may lie beyond the current one.
    pub(super) fn end(mut self, now: Option<End>) -> Result<(), FaultPlace> {
        self.finish(now)
    }

    /// The same, with the tree of all lines up to the head.
    pub(super) fn end_with_tree(mut self, now: Option<End>) -> Result<GrowingTree, FaultPlace> {
        self.finish(now)?;
        Ok(self.signed.into_tree())
    }

    fn finish(&mut self, now: Option<End>) -> Result<(), FaultPlace> {
        if let Some(last) = self.held.take() {
            self.judge(last)?;
        }
        if self.number < self.sealed.number {
            return Err(FaultPlace { number: self.number + 1, what: Tampering::Dropped });
        }
        let mut rest = self.part.iter().filter(|_| self.lines.is_empty()).chain(self.parts.as_slice());
        if !self.sealed.is_plausible() || !rest.all(|part| part.lies_beyond(&self.sealed)) {
            return Err(FaultPlace { number: self.number, what: Tampering::BlockForged });
        }
        let Some(now) = now else {
            let number = self.beyond.unwrap_or(self.number);
            return Err(FaultPlace { number, what: Tampering::HeadForged });
        };
        if self.signed.is_short() {
            return Err(FaultPlace { number: self.number + 1, what: Tampering::TailRemoved });
        }
        match self.beyond {
            Some(beyond) if beyond > now.number => {
                Err(FaultPlace { number: now.number + 1, what: Tampering::Inserted })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
