//! Events of the archive, segment by segment: day by day, and within a day stream by stream.

use std::sync::Arc;

use toolgate_core::event::EventFilter;
use toolgate_store::{ExportFormat, ExportedLines, LineReader, exported};

use crate::archive::Archive;
use crate::error::ArchiveError;
use crate::index::SegmentEntry;

/// An export in progress.
pub struct ArchiveExport {
    archive: Archive,
    reader: LineReader,
    format: ExportFormat,
    segments: std::vec::IntoIter<SegmentEntry>,
}

impl Archive {
    pub async fn export(
        &self,
        filter: &EventFilter,
        format: ExportFormat,
    ) -> Result<ArchiveExport, ArchiveError> {
        let mut segments = self.segments().await?;
        segments.retain(|entry| may_have(entry, filter));
        segments.sort_by(|a, b| order(a).cmp(&order(b)));
        let reader = LineReader::new(filter);
        Ok(ArchiveExport { archive: self.clone(), reader, format, segments: segments.into_iter() })
    }
}

impl ArchiveExport {
    /// The events of the next segment that has any; `None` at the end. Each segment is verified before it is
    /// read.
    pub async fn next(&mut self) -> Result<Option<ExportedLines>, ArchiveError> {
        for entry in self.segments.by_ref() {
            let segment = self.archive.checked(&entry).await?;
            let stream: Arc<str> = segment.facts.stream.as_str().into();
            let mut events = Vec::new();
            for line in &segment.lines {
                events.extend(self.reader.read(&stream, line)?);
            }
            if !events.is_empty() {
                return Ok(Some(exported(&events, self.format)));
            }
        }
        Ok(None)
    }
}

fn order(entry: &SegmentEntry) -> (i64, &str, i64) {
    (entry.facts.day, &entry.facts.stream, entry.facts.first)
}

/// False if no event of the segment can lie in the filter's period.
pub(crate) fn may_have(entry: &SegmentEntry, filter: &EventFilter) -> bool {
    filter.until_ms.is_none_or(|until| entry.facts.at_min < until)
        && filter.from_ms.is_none_or(|from| entry.facts.at_max >= from)
}
