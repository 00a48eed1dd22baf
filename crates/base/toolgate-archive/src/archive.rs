//! Archiving: lines of closed days become segments, one after the other, each named by the index before the
//! next one begins.

use std::sync::Arc;

use serde::Serialize;
use toolgate_core::Digest;
use toolgate_core::named_bytes::NamedBytes;
use toolgate_store::{LineFields, LinePlace, Store, StreamEnd, ledger_start};

use crate::day::day_text;
use crate::encode::encode;
use crate::error::ArchiveError;
use crate::fault::{ArchiveFault, SegmentTrouble};
use crate::index::{ArchiveIndex, ArchivedEnd, SegmentEntry};
use crate::segment::{SEGMENT_ENDING, SegmentLines, folder, index_name};

/// The largest segment: a day with more has several. Its lines are in memory while it is written.
const SEGMENT_LINES_MAX: usize = 250_000;
const SEGMENT_BYTES_MAX: usize = 64 << 20;
/// The number of lines that are read at once.
pub(crate) const PAGE: i64 = 4_096;
/// The turn that gateways on one database take.
const TURN: &str = "ledger.archive";

/// The archive of one store. Clones share everything.
#[derive(Clone)]
pub struct Archive {
    pub(crate) store: Store,
    pub(crate) place: Arc<dyn NamedBytes>,
    limits: SegmentLimits,
}

#[derive(Clone, Copy)]
pub(crate) struct SegmentLimits {
    pub(crate) lines_max: usize,
    pub(crate) bytes_max: usize,
}

/// The work of one pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ArchiveReport {
    pub segments: u64,
    pub events: u64,
    /// The size of the new segments.
    pub bytes: u64,
}

/// The days that a pass would archive.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ArchivePlan {
    pub days: Vec<PlannedDay>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlannedDay {
    pub stream: String,
    pub day: String,
    pub first: i64,
    pub last: i64,
    pub events: u64,
}

impl ArchiveReport {
    fn and(self, more: ArchiveReport) -> Self {
        Self {
            segments: self.segments + more.segments,
            events: self.events + more.events,
            bytes: self.bytes + more.bytes,
        }
    }
}

impl Archive {
    pub fn new(store: Store, place: Arc<dyn NamedBytes>) -> Self {
        let limits = SegmentLimits { lines_max: SEGMENT_LINES_MAX, bytes_max: SEGMENT_BYTES_MAX };
        Self { store, place, limits }
    }

    #[cfg(test)]
    pub(crate) fn with_limits(self, limits: SegmentLimits) -> Self {
        Self { limits, ..self }
    }

    /// Every segment, by stream and number.
    pub async fn segments(&self) -> Result<Vec<SegmentEntry>, ArchiveError> {
        Ok(self.index().await?.segments)
    }

    /// The first day with lines that are in no segment of the index. Retention may remove neither it nor a later one.
    pub async fn first_day_left(&self) -> Result<Option<i64>, ArchiveError> {
        let index = self.index().await?;
        let mut first: Option<i64> = None;
        for StreamEnd { stream, .. } in self.store.ledger_streams().await? {
            let after = index.end_of(&stream).map_or(LinePlace::START, |end| end.place);
            let next = self.store.ledger_lines_after(&stream, after, i64::MAX, 1).await?;
            let days = first.into_iter().chain(next.first().map(|line| line.place().day));
            first = days.min();
        }
        Ok(first)
    }

    /// The lines that a pass up to a day would archive.
    pub async fn plan(&self, until_day: i64) -> Result<ArchivePlan, ArchiveError> {
        let index = self.index().await?;
        let mut plan = ArchivePlan::default();
        for StreamEnd { stream, .. } in self.store.ledger_streams().await? {
            let after = index.end_of(&stream).map_or(LinePlace::START, |end| end.place);
            for day in self.store.ledger_days_after(&stream, after, until_day).await? {
                plan.days.push(PlannedDay {
                    stream: stream.to_string(),
                    day: day_text(day.day),
                    first: day.first,
                    last: day.last,
                    events: day.lines,
                });
            }
        }
        Ok(plan)
    }

    /// Archives every line up to the end of a day. `on_segment` is told of each segment. A pass that ends early
    /// has archived all that it told of, and the next one goes on from there.
    pub async fn run(
        &self,
        until_day: i64,
        mut on_segment: impl FnMut(&SegmentEntry),
    ) -> Result<ArchiveReport, ArchiveError> {
        self.in_turn(self.run_in_turn(until_day, &mut on_segment)).await
    }

    /// Does something while no other process changes the archive.
    pub(crate) async fn in_turn<T>(
        &self,
        work: impl Future<Output = Result<T, ArchiveError>>,
    ) -> Result<T, ArchiveError> {
        self.take_turn().await?;
        let done = work.await;
        let ended = self.store.end_turn(TURN).await;
        let done = done?;
        ended?;
        Ok(done)
    }

    async fn run_in_turn(
        &self,
        until_day: i64,
        on_segment: &mut impl FnMut(&SegmentEntry),
    ) -> Result<ArchiveReport, ArchiveError> {
        let mut index = self.index().await?;
        if index.read.is_none() {
            if self.has_segments().await? {
                let tenant = self.store.tenant();
                return Err(ArchiveFault::of_index(tenant, SegmentTrouble::IndexMissing).into());
            }
            // Written before the first segment: segments without an index are those of a lost one.
            self.save(&mut index).await?;
        }
        let (mut report, mut broken) = (ArchiveReport::default(), None);
        for end in self.store.ledger_streams().await? {
            match self.run_stream(&end, &mut index, until_day, on_segment).await {
                Ok(done) => report = report.and(done),
                // The other streams are archived all the same.
                Err(error @ ArchiveError::Chain { .. }) => broken = broken.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        broken.map_or(Ok(report), Err)
    }

    async fn run_stream(
        &self,
        end: &StreamEnd,
        index: &mut ArchiveIndex,
        until_day: i64,
        on_segment: &mut impl FnMut(&SegmentEntry),
    ) -> Result<ArchiveReport, ArchiveError> {
        let mut report = ArchiveReport::default();
        while let Some(lines) = self.gather(end, index.end_of(&end.stream), until_day).await? {
            self.take_turn().await?;
            let entry = self.write(lines).await?;
            index.add(entry.clone());
            self.save(index).await?;
            report = report.and(ArchiveReport { segments: 1, events: entry.facts.lines, bytes: entry.bytes });
            on_segment(&entry);
        }
        Ok(report)
    }

    /// True if there are segments, whatever the index says.
    pub(crate) async fn has_segments(&self) -> Result<bool, ArchiveError> {
        let names = self.place.list(&folder(self.store.tenant())).await?;
        Ok(names.iter().any(|name| name.ends_with(SEGMENT_ENDING)))
    }

    pub(crate) async fn take_turn(&self) -> Result<(), ArchiveError> {
        match self.store.take_turn(TURN).await? {
            true => Ok(()),
            false => Err(ArchiveError::Busy),
        }
    }

    /// The lines of the next segment of a stream.
    async fn gather(
        &self,
        end: &StreamEnd,
        archived: Option<ArchivedEnd>,
        until_day: i64,
    ) -> Result<Option<SegmentLines>, ArchiveError> {
        let stream = &*end.stream;
        let mut after = archived.map_or(LinePlace::START, |end| end.place);
        let first = self.store.ledger_lines_after(stream, after, until_day, 1).await?;
        let Some(first) = first.first().filter(|line| line.number <= end.number) else { return Ok(None) };
        let day = first.place().day;
        let misfit = |number| ArchiveError::Chain { stream: stream.to_owned(), number };
        let before = match archived {
            Some(archived) if archived.place.number + 1 == first.number => archived.hash,
            Some(_) => return Err(misfit(first.number)),
            None if first.number == 1 => ledger_start(),
            // Earlier lines were taken away before there was an archive.
            None => LineFields::read(&first.bytes).ok_or_else(|| misfit(first.number))?.previous,
        };
        let mut lines = SegmentLines::after(self.store.tenant(), stream, before, day);
        loop {
            let page = self.store.ledger_lines_after(stream, after, day, PAGE).await?;
            let Some(last) = page.last() else { return Ok(Some(lines)) };
            after = last.place();
            for line in page {
                if line.number > end.number || self.is_full(&lines) {
                    return Ok(Some(lines));
                }
                lines.add(line).map_err(|bad| misfit(bad.number))?;
            }
        }
    }

    fn is_full(&self, lines: &SegmentLines) -> bool {
        lines.lines().len() >= self.limits.lines_max || lines.bytes() >= self.limits.bytes_max
    }

    /// Writes a segment under its digest. If it is there already, it is written over by itself.
    pub(crate) async fn write(&self, lines: SegmentLines) -> Result<SegmentEntry, ArchiveError> {
        let encoding = tokio::task::spawn_blocking(move || {
            let facts = lines.facts().expect("a segment has lines");
            let bytes = encode(&facts, lines.lines())?;
            let digest = Digest::of(&bytes);
            Ok::<_, ArchiveError>((SegmentEntry { facts, digest, bytes: bytes.len() as u64 }, bytes))
        });
        let (entry, bytes) = encoding.await.expect("writing a segment does not panic")?;
        self.place.write(&entry.name(), bytes).await?;
        Ok(entry)
    }

    pub(crate) async fn index(&self) -> Result<ArchiveIndex, ArchiveError> {
        let found = self.place.read(&index_name(self.store.tenant())).await?;
        Ok(ArchiveIndex::read(self.store.tenant(), found)?)
    }

    pub(crate) async fn save(&self, index: &mut ArchiveIndex) -> Result<(), ArchiveError> {
        let name = index_name(self.store.tenant());
        if !self.place.replace(&name, index.read.as_ref(), index.encoded()).await? {
            return Err(ArchiveError::Overtaken);
        }
        index.read = self.place.read(&name).await?;
        Ok(())
    }
}
