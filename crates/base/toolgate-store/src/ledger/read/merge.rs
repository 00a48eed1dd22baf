//! One page from all streams: always the next event in the order of time, whichever stream has it.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use toolgate_core::event::{HybridTime, Position, RecordedEvent};

use super::{LedgerOrder, position};
use crate::Store;
use crate::ledger::row::{self, LineRow};
use crate::ledger::scan::{Horizon, Range, Search};
use crate::ledger::terms::{BlockMark, LineFilter, Term};

/// Parts that are looked up at once, first and later.
const PARTS_FIRST: i64 = 4;
const PARTS_NEXT: i64 = 32;
/// Neighbouring parts whose lines are read at once.
const PARTS_JOINED: usize = 4;
/// The same where only some of their lines are read.
const SOME_JOINED: usize = 32;
/// Lines that are read first for each that is needed, where some may not be wanted, and at least. If that is too few, most are
/// not wanted, and twice as many are read each time.
const LINES_FOR_ONE: i64 = 3;
const LINES_MIN: i64 = 64;
const LINES_MAX: i64 = 1_024;

pub(super) struct Merge<'a> {
    store: &'a Store,
    wanted: &'a LineFilter,
    terms: Vec<Term>,
    either: Vec<BlockMark>,
    order: LedgerOrder,
    streams: Vec<Stream<'a>>,
    /// The lines that were read last, at most.
    lines: i64,
}

/// The way through one stream.
struct Stream<'a> {
    head: &'a Horizon,
    /// The numbers that are still to be looked at.
    first: i64,
    last: i64,
    /// Only events after it, or before it.
    limit: Option<&'a Position>,
    /// Up to where it was read, if that must be in positions.
    read: Option<i64>,
    /// The earliest position of the next event, in the order of reading.
    bound: HybridTime,
    ranges: VecDeque<Range>,
    ready: VecDeque<LineRow>,
    /// The parts that were looked up last time.
    looked_up: i64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// There may be more complete parts.
    Parts,
    /// The part that is not complete comes next.
    Open,
    Done,
}

impl<'a> Merge<'a> {
    pub(super) fn new(
        store: &'a Store,
        wanted: &'a LineFilter,
        after: Option<&'a Position>,
        horizon: &'a [Horizon],
        order: LedgerOrder,
    ) -> Self {
        let streams = horizon.iter().map(|head| Stream::new(head, after, order)).collect();
        Self { store, wanted, terms: wanted.terms(), either: wanted.either(), order, streams, lines: 0 }
    }

    /// The next event that is wanted. `count` is how many are still needed.
    pub(super) async fn next(&mut self, count: usize) -> Result<Option<RecordedEvent>, sqlx::Error> {
        loop {
            let Some(place) = self.nearest() else { return Ok(None) };
            match self.streams[place].ready.pop_front() {
                Some(line) => return self.found(place, &line).map(Some),
                None => self.read_on(place, count).await?,
            }
        }
    }

    /// The stream whose next event may come first.
    fn nearest(&self) -> Option<usize> {
        let open = self.streams.iter().enumerate().filter(|(_, stream)| !stream.is_over());
        let compare =
            |(_, one): &(usize, &Stream<'_>), (_, two): &(usize, &Stream<'_>)| one.compare(two, self.order);
        open.min_by(compare).map(|(place, _)| place)
    }

    async fn read_on(&mut self, place: usize, count: usize) -> Result<(), sqlx::Error> {
        let Some(range) = self.next_range(place).await? else { return Ok(()) };
        let needed = i64::try_from(count).unwrap_or(LINES_MAX).min(LINES_MAX);
        let limit = match self.wanted.is_anything() {
            true => needed,
            false => (self.lines * 2).max(needed * LINES_FOR_ONE).clamp(LINES_MIN, LINES_MAX),
        };
        self.lines = limit;
        let (order, stream) = (self.order, &mut self.streams[place]);
        let mut lines = self.store.lines(&stream.head.stream, &range, order, limit).await?;
        stream.went_through(range, &lines, limit, order);
        let mut unreadable = None;
        lines.retain(|line| match row::fields(&line.2) {
            Ok(fields) => stream.is_in(line, order) && self.wanted.passes(&fields),
            Err(error) => {
                unreadable = Some(error);
                false
            }
        });
        stream.ready.extend(lines);
        unreadable.map_or(Ok(()), Err)
    }

    /// The next numbers of a stream whose lines may be wanted; `None` if it must be asked again, or is over.
    async fn next_range(&mut self, place: usize) -> Result<Option<Range>, sqlx::Error> {
        let (order, stream) = (self.order, &mut self.streams[place]);
        if let Some(range) = stream.joined() {
            return Ok(Some(range));
        }
        match stream.state {
            State::Done => return Ok(None),
            State::Open => {
                stream.state = if order == LedgerOrder::NewestFirst { State::Parts } else { State::Done };
                return Ok(stream.head.open().and_then(|open| stream.clipped(open)));
            }
            State::Parts => {}
        }
        let count = if stream.looked_up == 0 { PARTS_FIRST } else { PARTS_NEXT };
        let search = stream.search(self.wanted, (&self.terms, &self.either), order);
        let found = match search.first <= search.last {
            true => self.store.parts(&search, order, count).await?,
            false => Vec::new(),
        };
        stream.take(found, count, order);
        Ok(stream.joined())
    }

    fn found(&mut self, place: usize, line: &LineRow) -> Result<RecordedEvent, sqlx::Error> {
        let stream = &mut self.streams[place];
        stream.read = stream.read.map(|_| line.0);
        let name = Arc::clone(&stream.head.stream);
        let mut recorded = row::recorded(&name, line)?;
        let others: Vec<(&Horizon, i64)> = self.others(place, recorded.time).collect();
        recorded.position = position(recorded.time, &name, recorded.number, others);
        Ok(recorded)
    }

    /// The other streams whose numbers do not follow from the time of an event.
    fn others(&self, place: usize, time: HybridTime) -> impl Iterator<Item = (&'a Horizon, i64)> {
        let others = self.streams.iter().enumerate().filter(move |(other, _)| *other != place);
        others.filter_map(move |(_, stream)| {
            let read = match self.order {
                LedgerOrder::NewestFirst => (stream.head.time < time).then_some(stream.head.number),
                LedgerOrder::OldestFirst if stream.is_over() => Some(stream.head.number),
                LedgerOrder::OldestFirst => stream.read,
            };
            read.map(|number| (stream.head, number))
        })
    }
}

impl<'a> Stream<'a> {
    fn new(head: &'a Horizon, after: Option<&'a Position>, order: LedgerOrder) -> Self {
        let (mut first, mut last, mut read) = (1, head.number, None);
        let number = after.and_then(|after| after.number_in(&head.stream));
        let bound = match order {
            LedgerOrder::NewestFirst => after.map_or(head.time, |after| head.time.min(after.time())),
            LedgerOrder::OldestFirst => HybridTime::START,
        };
        match (order, after, number) {
            (LedgerOrder::OldestFirst, Some(_), Some(number)) => (first, read) = (number + 1, Some(number)),
            // The numbers of other streams are for those who go forward.
            (LedgerOrder::NewestFirst, Some(after), Some(number)) if *after.stream() == head.stream => {
                last = number - 1
            }
            _ => {}
        }
        // By number, or else by time.
        let limit = match order {
            LedgerOrder::OldestFirst => after.filter(|_| number.is_none()),
            LedgerOrder::NewestFirst => after,
        };
        let is_past =
            order == LedgerOrder::OldestFirst && limit.is_some_and(|after| head.time < after.time());
        let state = match order {
            _ if is_past || first > last => State::Done,
            LedgerOrder::NewestFirst => State::Open,
            LedgerOrder::OldestFirst => State::Parts,
        };
        let (ranges, ready) = (VecDeque::new(), VecDeque::new());
        Self { head, first, last, limit, read, bound, ranges, ready, looked_up: 0, state }
    }

    fn is_over(&self) -> bool {
        self.ready.is_empty() && self.ranges.is_empty() && self.state == State::Done
    }

    fn compare(&self, other: &Self, order: LedgerOrder) -> Ordering {
        let key = |stream: &Self| {
            let ready = stream.ready.front().map(|line| HybridTime::from_number(line.1));
            ready.unwrap_or(stream.bound)
        };
        let forward = (key(self), &self.head.stream).cmp(&(key(other), &other.head.stream));
        match order {
            LedgerOrder::OldestFirst => forward,
            LedgerOrder::NewestFirst => forward.reverse(),
        }
    }

    fn search<'s>(
        &'s self,
        wanted: &'s LineFilter,
        (terms, either): (&'s [Term], &'s [BlockMark]),
        order: LedgerOrder,
    ) -> Search<'s> {
        let (stream, first, last) =
            (&*self.head.stream, self.first, self.last.min(self.head.part.saturating_sub(1)));
        let time = self.limit.map(Position::time);
        let (since, until) = match order {
            LedgerOrder::OldestFirst => (time, None),
            LedgerOrder::NewestFirst => (None, time),
        };
        Search { stream, first, last, since, until, wanted, terms, either }
    }

    /// Parts that were looked up. Fewer than asked for are the last ones.
    fn take(&mut self, found: Vec<Range>, count: i64, order: LedgerOrder) {
        self.looked_up = count;
        let (count_found, far) = (found.len() as i64, found.last().map(|range| (range.first, range.last)));
        let clipped: Vec<Range> = found.into_iter().filter_map(|range| self.clipped(range)).collect();
        self.ranges.extend(clipped);
        if count_found < count {
            self.state = if order == LedgerOrder::NewestFirst { State::Done } else { State::Open };
        } else if let Some((first, last)) = far {
            match order {
                LedgerOrder::OldestFirst => self.first = last.saturating_add(1),
                LedgerOrder::NewestFirst => self.last = first.saturating_sub(1),
            }
        }
    }

    /// Neighbours in one day as one range.
    fn joined(&mut self) -> Option<Range> {
        let mut range = self.ranges.pop_front()?;
        let joined = if range.only.is_empty() { PARTS_JOINED } else { SOME_JOINED };
        for _ in 1..joined {
            let Some(next) = self.ranges.front() else { break };
            if next.day != range.day || next.only.is_empty() != range.only.is_empty() {
                break;
            }
            match () {
                // Of these only some lines are read, however far apart they lie.
                () if range.only.len() + next.only.len() > LINES_MAX as usize => break,
                () if !range.only.is_empty() => {
                    (range.first, range.last) = (range.first.min(next.first), range.last.max(next.last));
                    range.only.extend_from_slice(&next.only);
                }
                () if range.last.checked_add(1) == Some(next.first) => range.last = next.last,
                () if next.last.checked_add(1) == Some(range.first) => range.first = next.first,
                () => break,
            }
            self.ranges.pop_front();
        }
        Some(range)
    }

    fn clipped(&self, range: Range) -> Option<Range> {
        let (first, last) = (range.first.max(self.first), range.last.min(self.last));
        let are_some = !range.only.is_empty();
        let only: Vec<i64> = range.only.into_iter().filter(|one| (first..=last).contains(one)).collect();
        let is_empty = first > last || (are_some && only.is_empty());
        (!is_empty).then_some(Range { first, last, only, ..range })
    }

    /// Notes how far these lines of a range go; the rest of it comes next.
    fn went_through(&mut self, range: Range, lines: &[LineRow], limit: i64, order: LedgerOrder) {
        let Some((number, time, _)) = lines.last() else { return };
        self.bound = HybridTime::from_number(*time);
        if (lines.len() as i64) < limit || !range.only.is_empty() {
            return;
        }
        let rest = match order {
            LedgerOrder::OldestFirst => Range { first: number + 1, ..range },
            LedgerOrder::NewestFirst => Range { last: number - 1, ..range },
        };
        if rest.first <= rest.last {
            self.ranges.push_front(rest);
        }
    }

    /// True if a line lies on the right side of the position.
    fn is_in(&self, line: &LineRow, order: LedgerOrder) -> bool {
        let Some(limit) = self.limit else { return true };
        let key = (HybridTime::from_number(line.1), &self.head.stream);
        match order {
            LedgerOrder::OldestFirst => key > (limit.time(), limit.stream()),
            LedgerOrder::NewestFirst if self.head.stream == *limit.stream() => true,
            LedgerOrder::NewestFirst => key < (limit.time(), limit.stream()),
        }
    }
}
