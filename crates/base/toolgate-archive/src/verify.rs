//! Proving the archive: each segment against its digest, its lines against its facts, each segment against the
//! one before it, and the ends against the lines that the database still has, or the record of those that it removed.

use std::cmp::Ordering;

use toolgate_core::Digest;
use toolgate_store::{ArchivalLine, LineFields};

use crate::archive::Archive;
use crate::decode::{DecodeError, DecodedSegment, decode};
use crate::error::ArchiveError;
use crate::fault::{ArchiveFault, SegmentTrouble};
use crate::index::SegmentEntry;

/// The result of a verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchiveVerification {
    pub segments: u64,
    /// The number of archived events that were checked.
    pub events: u64,
    pub faults: Vec<ArchiveFault>,
}

impl Archive {
    /// Checks every segment. `on_progress` gets the number of events checked.
    pub async fn verify(
        &self,
        mut on_progress: impl FnMut(u64),
    ) -> Result<ArchiveVerification, ArchiveError> {
        let mut verified = ArchiveVerification { segments: 0, events: 0, faults: Vec::new() };
        let index = match self.index().await {
            Ok(index) => index,
            Err(ArchiveError::Damaged(fault)) => {
                verified.faults.push(fault);
                return Ok(verified);
            }
            Err(error) => return Err(error),
        };
        if index.read.is_none() && self.has_segments().await? {
            let tenant = self.store.tenant();
            verified.faults.push(ArchiveFault::of_index(tenant, SegmentTrouble::IndexMissing));
        }
        let mut before: Option<&SegmentEntry> = None;
        for entry in &index.segments {
            let of_stream = before.filter(|one| one.facts.stream == entry.facts.stream);
            if of_stream.is_some_and(|one| !follows(entry, one)) {
                verified.faults.push(of(entry, SegmentTrouble::Gap));
            }
            match self.checked(entry).await {
                Ok(segment) => verified.events += segment.facts.lines,
                Err(ArchiveError::Damaged(fault)) => verified.faults.push(fault),
                Err(error) => return Err(error),
            }
            verified.faults.extend(self.against_database(entry).await?);
            verified.segments += 1;
            on_progress(verified.events);
            before = Some(entry);
        }
        for stream in index.segments.chunk_by(|one, next| one.facts.stream == next.facts.stream) {
            if let Some(last) = stream.last() {
                verified.faults.extend(self.up_to_database(last).await?);
            }
        }
        Ok(verified)
    }

    /// The segment of an entry, if it is as it was written.
    pub(crate) async fn checked(&self, entry: &SegmentEntry) -> Result<DecodedSegment, ArchiveError> {
        let fault = |what| of(entry, what);
        let found = self.place.read(&entry.name()).await?;
        let bytes = found.ok_or_else(|| fault(SegmentTrouble::Missing))?.bytes;
        let (digest, facts) = (entry.digest, entry.facts.clone());
        let checking = tokio::task::spawn_blocking(move || {
            if Digest::of(&bytes) != digest {
                return Err(SegmentTrouble::Changed);
            }
            let segment = decode(bytes).map_err(|error| match error {
                DecodeError::Newer => SegmentTrouble::Newer,
                DecodeError::Parquet(_) | DecodeError::NoSegment => SegmentTrouble::Unreadable,
            })?;
            match segment.facts == facts && segment.is_sound() {
                true => Ok(segment),
                false => Err(SegmentTrouble::OtherLines),
            }
        });
        let checked = checking.await.expect("reading a segment does not panic");
        Ok(checked.map_err(fault)?)
    }

    /// Where the database has the last line of a segment, it is the same: so are those before it, which it
    /// names.
    async fn against_database(&self, entry: &SegmentEntry) -> Result<Option<ArchiveFault>, ArchiveError> {
        let facts = &entry.facts;
        let line = self.store.ledger_line_at(&facts.stream, facts.end()).await?;
        let differs = line.is_some_and(|line| hash(&line) != Some(facts.hash));
        Ok(differs.then(|| of(entry, SegmentTrouble::OtherThanDatabase)))
    }

    /// After the last segment of a stream comes a line of the database that names it, or none.
    async fn up_to_database(&self, entry: &SegmentEntry) -> Result<Option<ArchiveFault>, ArchiveError> {
        let facts = &entry.facts;
        let next = self.store.ledger_lines_after(&facts.stream, facts.end(), i64::MAX, 1).await?;
        let Some(next) = next.first() else { return self.up_to_cut(entry).await };
        let what = match LineFields::read(&next.bytes) {
            _ if next.number != facts.last + 1 => SegmentTrouble::Behind,
            Some(fields) if fields.previous != facts.hash => SegmentTrouble::OtherThanDatabase,
            // A line that cannot be read is for the verification of the database.
            _ => return Ok(None),
        };
        // If the database has the segment itself, its own verification finds what is missing there.
        let is_there = self.store.ledger_line_at(&facts.stream, facts.end()).await?.is_some();
        Ok((!is_there).then(|| of(entry, what)))
    }

    /// Of a stream that the database has nothing more of, it has the sealed record of the last line that it removed.
    async fn up_to_cut(&self, entry: &SegmentEntry) -> Result<Option<ArchiveFault>, ArchiveError> {
        let facts = &entry.facts;
        let Some(cut) = self.store.ledger_cut_of(&facts.stream).await? else { return Ok(None) };
        let what = match facts.last.cmp(&cut.number) {
            Ordering::Less => SegmentTrouble::Behind,
            Ordering::Equal if facts.hash != cut.hash => SegmentTrouble::OtherThanDatabase,
            Ordering::Equal | Ordering::Greater => return Ok(None),
        };
        Ok(Some(of(entry, what)))
    }
}

fn of(entry: &SegmentEntry, what: SegmentTrouble) -> ArchiveFault {
    ArchiveFault::of(entry.name(), &entry.facts, what)
}

fn follows(entry: &SegmentEntry, before: &SegmentEntry) -> bool {
    entry.facts.first == before.facts.last + 1 && entry.facts.before == before.facts.hash
}

fn hash(line: &ArchivalLine) -> Option<Digest> {
    LineFields::read(&line.bytes).map(|fields| fields.hash)
}
