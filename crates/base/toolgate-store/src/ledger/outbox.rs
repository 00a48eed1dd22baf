//! The outbox: events on their way to other systems, at least once each.
//!
//! A sink has a position in each stream and one lease. The holder of the lease has a batch; its positions
//! advance when the batch was delivered. Within a stream events are numbered in the order of their commits,
//! so nothing can appear behind a position.

use toolgate_core::event::{Durability, EventFilter, EventKind, HybridTime, RecordedEvent};

use super::line::LedgerLine;
use super::read::LedgerOrder;
use super::scan::{Horizon, Range, Search};
use super::terms::LineFilter;
use super::{block, row};
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// The time that a holder has for a batch. After that it is taken for dead, and the batch is given out again.
pub const OUTBOX_LEASE_MS: i64 = 60_000;
/// Events that are counted at most in each stream.
const WINDOW: i64 = 10_000;
/// Parts of blocks, and lines, that are read at once.
const PARTS: i64 = 4;
const LINES: i64 = 4 * block::BLOCK;
/// The maximum number of events in a batch.
const BATCH_MAX: usize = 1_000;

const CREATE: &str = "INSERT INTO sinks (sink, tenant) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const HAS: &str = "SELECT sink FROM sinks WHERE sink = $1";
const TO_THE_END: &str = "INSERT INTO deliveries (sink, stream, number) \
     SELECT $1, stream, number FROM ledger_heads WHERE tenant = $2";
const LEASE: &str = "UPDATE sinks SET holder = $2, lease_until_ms = $3 WHERE sink = $1 AND (lease_until_ms <= $4 OR holder = $2)";
const RELEASE: &str = "UPDATE sinks SET holder = NULL, lease_until_ms = 0 WHERE sink = $1 AND holder = $2";
const BEHIND: &str = "SELECT heads.stream, COALESCE(deliveries.number, 0), heads.number, heads.time, heads.part \
     FROM ledger_heads heads \
     LEFT JOIN deliveries ON deliveries.sink = $1 AND deliveries.stream = heads.stream \
     WHERE heads.tenant = $2 AND heads.number > COALESCE(deliveries.number, 0) ORDER BY heads.stream";
const RELEASE_ALL: &str = "UPDATE sinks SET holder = NULL, lease_until_ms = 0 WHERE tenant = $1";
/// A position never moves back, even for a late holder.
const ADVANCE: &str = "INSERT INTO deliveries (sink, stream, number) VALUES ($1, $2, $3) ON CONFLICT (sink, stream) \
     DO UPDATE SET number = excluded.number WHERE deliveries.number < excluded.number";
const KEPT: &str = "SELECT number FROM deliveries WHERE sink = $1 AND stream = $2";
/// In the place of a stream, for sinks that are sent something at certain times. Streams have no blanks in their names.
const TIMETABLE: &str = "the timetable";

/// The starting point of a new sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinkStart {
    /// With future events only.
    Now,
    /// With the first event.
    FromStart,
}

/// Events for one sink, and its positions once they are delivered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutboxBatch {
    /// In the order of each stream, without gaps except for kinds that were not requested.
    pub events: Vec<RecordedEvent>,
    /// The positions after these are delivered.
    positions: Vec<OutboxPosition>,
    /// The holder of the lease; empty if there is nothing to deliver.
    holder: String,
}

impl OutboxBatch {
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct OutboxPosition {
    stream: String,
    number: i64,
}

/// A stream, and the number that a sink has had last.
struct Behind {
    at: i64,
    head: Horizon,
}

impl Store {
    /// Creates a sink, unless it exists: then its position stays.
    pub async fn create_sink(&self, sink: &str, start: SinkStart) -> Result<(), StoreError> {
        const DOING: &str = "create a sink of the ledger";
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let create = tx.sql(CREATE).bind(sink).bind(self.tenant);
        let created = create.execute().await.map_err(doing(DOING))?;
        if created == 1 && start == SinkStart::Now {
            let to_the_end = tx.sql(TO_THE_END).bind(sink).bind(self.tenant);
            to_the_end.execute().await.map_err(doing(DOING))?;
        }
        tx.commit().await.map_err(doing(DOING))
    }

    /// The next events of these kinds for a sink. Empty if there are none, or if another holder has the
    /// batch. Ends with `delivered` or `not_delivered`. A missing sink is created, starting now.
    pub async fn outbox(
        &self,
        sink: &str,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<OutboxBatch, StoreError> {
        const DOING: &str = "take events from the outbox";
        if !self.has_sink(sink).await.map_err(doing(DOING))? {
            self.create_sink(sink, SinkStart::Now).await?;
        }
        // A mere check for events writes nothing.
        if self.behind(sink).await.map_err(doing(DOING))?.is_empty() {
            return Ok(OutboxBatch::default());
        }
        let Some(holder) = self.lease(sink).await.map_err(doing(DOING))? else {
            return Ok(OutboxBatch::default());
        };
        match self.gather(sink, kinds, limit.clamp(1, BATCH_MAX)).await {
            Ok(batch) => {
                let batch = OutboxBatch { holder, ..batch };
                if batch.is_empty() {
                    self.delivered(sink, &batch).await?;
                }
                Ok(batch)
            }
            Err(error) => {
                // An unreadable batch has no holder. If this fails too, the lease runs out.
                drop(self.settle(sink, &[], &holder).await);
                Err(doing(DOING)(error))
            }
        }
    }

    /// Advances a sink past a batch and releases its lease.
    pub async fn delivered(&self, sink: &str, batch: &OutboxBatch) -> Result<(), StoreError> {
        self.settle(sink, &batch.positions, &batch.holder).await.map_err(doing("mark events as delivered"))
    }

    /// Releases the lease: the batch can be taken again.
    pub async fn not_delivered(&self, sink: &str, batch: &OutboxBatch) -> Result<(), StoreError> {
        self.settle(sink, &[], &batch.holder).await.map_err(doing("put events back"))
    }

    /// The last instant of its timetable that a sink is done with. `None` if there was none yet.
    pub async fn kept_instant(&self, sink: &str) -> Result<Option<i64>, StoreError> {
        let kept = self.db.sql(KEPT).bind(sink).bind(TIMETABLE).fetch_optional::<(i64,)>().await;
        kept.map(|kept| kept.map(|(at_ms,)| at_ms)).map_err(doing("read a timetable"))
    }

    /// Remembers an instant of a sink's timetable, by whoever has the turn. A later one stays.
    pub async fn keep_instant(&self, sink: &str, at_ms: i64) -> Result<(), StoreError> {
        let keep = async {
            let mut tx = self.db.begin(Durability::OnDisk).await?;
            let instant = OutboxPosition { stream: TIMETABLE.to_owned(), number: at_ms };
            advance(&mut tx, sink, &[instant]).await?;
            tx.commit().await
        };
        keep.await.map_err(doing("write a timetable"))
    }

    /// Releases the leases that an earlier process of the gateway held when it was killed. Only for a
    /// database that no other gateway uses: an active holder would be joined by a second one.
    pub async fn release_leases(&self) -> Result<(), StoreError> {
        let released = self.db.sql(RELEASE_ALL).bind(self.tenant).execute().await;
        released.map(drop).map_err(doing("give up leases of the outbox"))
    }

    /// The number of events of these kinds that a sink has not had yet: among the next ten thousand of each
    /// stream, which is more than is worth counting.
    pub async fn outbox_waiting(&self, sink: &str, kinds: &[EventKind]) -> Result<u64, StoreError> {
        const DOING: &str = "count events in the outbox";
        if kinds.is_empty() {
            return Ok(0);
        }
        let mut waiting = 0;
        for one in self.behind(sink).await.map_err(doing(DOING))? {
            let mut at = one.at;
            let end = one.head.number.min(at.saturating_add(WINDOW));
            while at < end {
                let lines = self.next_lines(&one.head, at, end).await.map_err(doing(DOING))?;
                let Some((last, ..)) = lines.last() else { break };
                at = *last;
                waiting += lines.iter().filter(|(.., line)| is_of(line, kinds)).count() as u64;
            }
        }
        Ok(waiting)
    }

    pub(super) async fn lease(&self, sink: &str) -> Result<Option<String>, sqlx::Error> {
        // A holder that could not release the lease takes it again: each sink has one follower in a process.
        let (now, holder) = (now_ms(), self.holder.to_string());
        let mut tx = self.db.begin(Durability::Written).await?;
        let lease = tx.sql(LEASE).bind(sink).bind(holder.clone()).bind(now + OUTBOX_LEASE_MS).bind(now);
        let leased = lease.execute().await? == 1;
        tx.commit().await?;
        Ok(leased.then_some(holder))
    }

    pub(super) async fn release(&self, sink: &str) -> Result<(), sqlx::Error> {
        let release = self.db.sql(RELEASE).bind(sink).bind(self.holder.to_string());
        release.execute().await.map(drop)
    }

    async fn has_sink(&self, sink: &str) -> Result<bool, sqlx::Error> {
        Ok(self.db.sql(HAS).bind(sink).fetch_optional::<(String,)>().await?.is_some())
    }

    /// The streams in which a sink is not at the end.
    async fn behind(&self, sink: &str) -> Result<Vec<Behind>, sqlx::Error> {
        let rows: Vec<(String, i64, i64, i64, i64)> =
            self.db.sql(BEHIND).bind(sink).bind(self.tenant).fetch_all().await?;
        let behind = |(stream, at, number, time, part): (String, i64, i64, i64, i64)| {
            let time = HybridTime::from_number(time);
            Behind { at, head: Horizon { stream: stream.into(), number, time, part } }
        };
        Ok(rows.into_iter().map(behind).collect())
    }

    async fn gather(
        &self,
        sink: &str,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<OutboxBatch, sqlx::Error> {
        let mut batch = OutboxBatch::default();
        for Behind { mut at, head } in self.behind(sink).await? {
            while at < head.number && batch.events.len() < limit {
                let lines = self.next_lines(&head, at, head.number).await?;
                // Lines that are missing are for verification to find.
                at = lines.last().map_or(head.number, |(last, ..)| *last);
                for line in lines.iter().filter(|(.., line)| is_of(line, kinds)) {
                    if batch.events.len() == limit {
                        break;
                    }
                    batch.events.push(row::recorded(&head.stream, line)?);
                    if batch.events.len() == limit {
                        at = line.0;
                    }
                }
            }
            batch.positions.push(OutboxPosition { stream: head.stream.to_string(), number: at });
        }
        Ok(batch)
    }

    /// The next lines of a stream, up to a number.
    async fn next_lines(&self, head: &Horizon, at: i64, upto: i64) -> Result<Vec<row::LineRow>, sqlx::Error> {
        let wanted = LineFilter::of(&EventFilter::default());
        let (first, last) = (at + 1, upto.min(head.part.saturating_sub(1)));
        let search = Search {
            stream: &head.stream,
            first,
            last,
            since: None,
            until: None,
            wanted: &wanted,
            terms: &[],
            either: &[],
        };
        let parts = match first <= last {
            true => self.parts(&search, LedgerOrder::OldestFirst, PARTS).await?,
            false => Vec::new(),
        };
        // Those of one day.
        let parts: Vec<&Range> = parts.iter().take_while(|part| part.day == parts[0].day).collect();
        let only = Vec::new();
        let range = match (parts.first(), parts.last()) {
            (Some(one), Some(other)) => Range { first, last: upto.min(other.last), day: one.day, only },
            _ => Range { first: first.max(head.part), last: upto, day: head.time.day(), only },
        };
        self.lines(&head.stream, &range, LedgerOrder::OldestFirst, LINES).await
    }

    async fn settle(
        &self,
        sink: &str,
        positions: &[OutboxPosition],
        holder: &str,
    ) -> Result<(), sqlx::Error> {
        // If the machine dies right now, the batch is delivered once more.
        let mut tx = self.db.begin(Durability::Written).await?;
        advance(&mut tx, sink, positions).await?;
        tx.sql(RELEASE).bind(sink).bind(holder).execute().await?;
        tx.commit().await
    }
}

async fn advance(tx: &mut Transaction, sink: &str, positions: &[OutboxPosition]) -> Result<(), sqlx::Error> {
    for position in positions {
        tx.sql(ADVANCE).bind(sink).bind(&*position.stream).bind(position.number).execute().await?;
    }
    Ok(())
}

fn is_of(line: &[u8], kinds: &[EventKind]) -> bool {
    let Some(line) = LedgerLine::read(line) else { return false };
    kinds.iter().any(|kind| line.kind == *kind.as_str())
}
