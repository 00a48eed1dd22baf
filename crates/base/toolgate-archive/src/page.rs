//! Pages of archived events in the order of all streams: day by day, with one segment in memory at a time.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_core::event::{EventFilter, HybridTime, Position, RecordedEvent};
use toolgate_store::{LEDGER_PAGE_MAX, LedgerOrder, LineReader, StoreError};

use crate::archive::Archive;
use crate::day::DAY_MS;
use crate::decode::DecodedSegment;
use crate::error::ArchiveError;
use crate::export::may_have;
use crate::index::SegmentEntry;

/// The number of segments after which a page ends, with the day that it is at.
const PAGE_SEGMENTS: usize = 32;

/// A page of archived events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivePage {
    pub events: Vec<RecordedEvent>,
    /// The position after which the next page begins; `None` after the last one. A page that has a next one may still be
    /// short or empty, because many segments have nothing that is wanted.
    pub next: Option<Position>,
}

impl Archive {
    /// The archived events that pass a filter, after the position of the page before. Each segment is verified before it is
    /// read.
    pub async fn page(
        &self,
        filter: &EventFilter,
        after: Option<&Position>,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<ArchivePage, ArchiveError> {
        let cursor = ArchiveCursor { reader: LineReader::new(filter), after: after.cloned(), order };
        let limits = PageLimits { events: limit.clamp(1, LEDGER_PAGE_MAX), segments: PAGE_SEGMENTS };
        self.page_until(filter, cursor, limits, |_| false).await
    }

    /// The same, up to the end of the day with which the events are enough.
    pub(crate) async fn page_until(
        &self,
        filter: &EventFilter,
        cursor: ArchiveCursor,
        limits: PageLimits,
        is_enough: impl Fn(&[RecordedEvent]) -> bool,
    ) -> Result<ArchivePage, ArchiveError> {
        let mut segments = self.segments().await?;
        segments.retain(|entry| may_have(entry, filter) && cursor.may_reach(entry));
        let mut days = cursor.days(segments).into_iter().peekable();
        let (cursor, mut events, mut read) = (Arc::new(cursor), Vec::new(), 0);
        while let Some((day, streams)) = days.next() {
            let found = self.page_of_day(&cursor, streams, limits.events - events.len()).await?;
            read += found.segments;
            events.extend(found.events);
            if events.len() == limits.events {
                let next = events.last().map(|last| last.position.clone());
                return Ok(ArchivePage { events, next });
            }
            if is_enough(&events) || read >= limits.segments {
                let next = days.peek().map(|_| cursor.past(day));
                return Ok(ArchivePage { events, next });
            }
        }
        Ok(ArchivePage { events, next: None })
    }

    /// The first events of a day that are wanted, in their order.
    async fn page_of_day(
        &self,
        cursor: &Arc<ArchiveCursor>,
        streams: DayStreams,
        limit: usize,
    ) -> Result<DayEvents, ArchiveError> {
        let mut day = DayEvents::default();
        for segments in streams.into_values() {
            let mut left = limit;
            for entry in segments {
                let segment = self.checked(&entry).await?;
                let cursor = Arc::clone(cursor);
                let reading = tokio::task::spawn_blocking(move || cursor.read(&segment, left));
                let found = reading.await.expect("reading a segment does not panic")?;
                day.segments += 1;
                left -= found.len();
                day.events.extend(found);
                // What follows in this stream comes after these.
                if left == 0 {
                    break;
                }
            }
            day.events.sort_by(|a, b| cursor.compare(key(a), key(b)));
            day.events.truncate(limit);
        }
        Ok(day)
    }
}

/// The limits of a page.
#[derive(Clone, Copy)]
pub(crate) struct PageLimits {
    pub(crate) events: usize,
    /// The page ends with the day in which so many were read.
    pub(crate) segments: usize,
}

/// The events of one day, and the number of segments that were read for them.
#[derive(Default)]
struct DayEvents {
    events: Vec<RecordedEvent>,
    segments: usize,
}

/// The segments of one day by stream, in the order of reading.
type DayStreams = BTreeMap<String, Vec<SegmentEntry>>;

/// The place of an event in the order of all streams.
type EventKey<'a> = (HybridTime, &'a str, i64);

fn key(event: &RecordedEvent) -> EventKey<'_> {
    (event.time, &*event.stream, event.number)
}

fn start_of(day: i64) -> HybridTime {
    HybridTime::of_ms(day.saturating_mul(DAY_MS))
}

/// The events that are wanted, and from where on.
pub(crate) struct ArchiveCursor {
    pub(crate) reader: LineReader,
    pub(crate) after: Option<Position>,
    pub(crate) order: LedgerOrder,
}

impl ArchiveCursor {
    fn after(&self) -> Option<EventKey<'_>> {
        let after = self.after.as_ref()?;
        let stream = &**after.stream();
        Some((after.time(), stream, after.number_in(stream).unwrap_or_default()))
    }

    fn compare(&self, one: EventKey<'_>, other: EventKey<'_>) -> Ordering {
        match self.order {
            LedgerOrder::OldestFirst => one.cmp(&other),
            LedgerOrder::NewestFirst => other.cmp(&one),
        }
    }

    /// False if every event of the segment was read before.
    fn may_reach(&self, entry: &SegmentEntry) -> bool {
        let Some((time, stream, number)) = self.after() else { return true };
        let facts = &entry.facts;
        let is_own = facts.stream == stream;
        match self.order {
            LedgerOrder::OldestFirst => facts.day >= time.day() && !(is_own && facts.last <= number),
            // No stream has an empty name: a position at the start of a day comes before all of it.
            LedgerOrder::NewestFirst => {
                (start_of(facts.day), "") < (time, stream) && !(is_own && facts.first >= number)
            }
        }
    }

    /// The segments by day and stream. They come by stream and number.
    fn days(&self, segments: Vec<SegmentEntry>) -> Vec<(i64, DayStreams)> {
        let mut days: BTreeMap<i64, DayStreams> = BTreeMap::new();
        for entry in segments {
            let streams = days.entry(entry.facts.day).or_default();
            streams.entry(entry.facts.stream.clone()).or_default().push(entry);
        }
        let mut days: Vec<(i64, DayStreams)> = days.into_iter().collect();
        if self.order == LedgerOrder::NewestFirst {
            days.reverse();
            days.iter_mut()
                .flat_map(|(_, streams)| streams.values_mut())
                .for_each(|segments| segments.reverse());
        }
        days
    }

    /// The position after everything of a day.
    fn past(&self, day: i64) -> Position {
        let time = match self.order {
            LedgerOrder::OldestFirst => start_of(day.saturating_add(1)),
            LedgerOrder::NewestFirst => start_of(day),
        };
        Position::new(time, "".into(), 0, Vec::new())
    }

    /// The first events of a segment that are wanted. The times of its lines rise.
    fn read(&self, segment: &DecodedSegment, limit: usize) -> Result<Vec<RecordedEvent>, StoreError> {
        let stream: Arc<str> = segment.facts.stream.as_str().into();
        let (mut found, mut lines) = (Vec::new(), segment.lines.iter());
        while found.len() < limit {
            let line = match self.order {
                LedgerOrder::OldestFirst => lines.next(),
                LedgerOrder::NewestFirst => lines.next_back(),
            };
            let Some(line) = line else { break };
            let here: EventKey<'_> = (line.time, &*stream, line.number);
            if self.after().is_none_or(|after| self.compare(here, after) == Ordering::Greater) {
                found.extend(self.reader.read(&stream, line)?);
            }
        }
        Ok(found)
    }
}
