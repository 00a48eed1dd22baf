//! Mending the archive: the index from the segments, and segments from the lines that the database still has.

use toolgate_core::Digest;
use toolgate_store::LinePlace;

use crate::archive::{Archive, PAGE};
use crate::decode::decode;
use crate::error::ArchiveError;
use crate::index::{ArchiveIndex, SegmentEntry};
use crate::segment::{SEGMENT_ENDING, SegmentLines, folder, index_name};

impl Archive {
    /// Makes the index from the segments that are there. Those that are damaged are left out. Returns the number
    /// of segments in it.
    pub async fn reindex(&self) -> Result<usize, ArchiveError> {
        self.in_turn(self.reindex_in_turn()).await
    }

    /// Writes damaged and missing segments again, as far as the database has their lines. Returns those that were
    /// written.
    pub async fn repair(&self) -> Result<Vec<SegmentEntry>, ArchiveError> {
        self.in_turn(self.repair_in_turn()).await
    }

    async fn repair_in_turn(&self) -> Result<Vec<SegmentEntry>, ArchiveError> {
        let mut index = self.index().await?;
        let mut repaired = Vec::new();
        for place in 0..index.segments.len() {
            let entry = index.segments[place].clone();
            match self.checked(&entry).await {
                Ok(_) => continue,
                Err(ArchiveError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
            let Some(lines) = self.lines_of(&entry).await? else { continue };
            self.take_turn().await?;
            let written = self.write(lines).await?;
            index.segments[place] = written.clone();
            repaired.push(written);
        }
        if !repaired.is_empty() {
            self.save(&mut index).await?;
        }
        Ok(repaired)
    }

    /// The lines of a segment from the database, if it has all of them as they were archived.
    async fn lines_of(&self, entry: &SegmentEntry) -> Result<Option<SegmentLines>, ArchiveError> {
        let facts = &entry.facts;
        let mut lines = SegmentLines::after(&facts.tenant, &facts.stream, facts.before, facts.day);
        let mut after = LinePlace { day: facts.day, number: facts.first - 1 };
        while after.number < facts.last {
            let page = self.store.ledger_lines_after(&facts.stream, after, facts.day, PAGE).await?;
            let Some(last) = page.last() else { return Ok(None) };
            after = last.place();
            for line in page.into_iter().filter(|line| line.number <= facts.last) {
                if lines.add(line).is_err() {
                    return Ok(None);
                }
            }
        }
        Ok((lines.facts().as_ref() == Some(facts)).then_some(lines))
    }

    async fn reindex_in_turn(&self) -> Result<usize, ArchiveError> {
        let tenant = self.store.tenant();
        let mut index =
            ArchiveIndex { segments: Vec::new(), read: self.place.read(&index_name(tenant)).await? };
        for name in self.place.list(&folder(tenant)).await? {
            if let Some(entry) = self.entry_of(&name).await? {
                index.segments.push(entry);
            }
        }
        index.sort();
        // Of two segments that begin at the same line, the longer one has all of the other.
        index.segments.dedup_by(|later, kept| {
            let is_same = (&later.facts.stream, later.facts.first) == (&kept.facts.stream, kept.facts.first);
            if is_same && later.facts.last > kept.facts.last {
                std::mem::swap(later, kept);
            }
            is_same
        });
        self.save(&mut index).await?;
        Ok(index.segments.len())
    }

    /// The entry of a file, if it is a sound segment under its own digest.
    async fn entry_of(&self, name: &str) -> Result<Option<SegmentEntry>, ArchiveError> {
        if !name.ends_with(SEGMENT_ENDING) {
            return Ok(None);
        }
        let Some(found) = self.place.read(name).await? else { return Ok(None) };
        let (digest, size) = (Digest::of(&found.bytes), found.bytes.len() as u64);
        let hex = digest.to_string();
        if !hex.split_once(':').is_some_and(|(_, hex)| name.ends_with(&format!("/{hex}{SEGMENT_ENDING}"))) {
            return Ok(None);
        }
        let decoding = tokio::task::spawn_blocking(move || {
            decode(found.bytes).ok().filter(|segment| segment.is_sound()).map(|segment| segment.facts)
        });
        let facts = decoding.await.expect("reading a segment does not panic");
        let facts = facts.filter(|facts| facts.tenant == self.store.tenant());
        Ok(facts.map(|facts| SegmentEntry { facts, digest, bytes: size }))
    }
}
