//! The outbox: events on their way to other systems, at least once each.
//!
//! A sink has a position in each stream and one lease. The holder of the lease has a batch; its positions
//! advance when the batch was delivered. Within a stream events are numbered in the order of their commits,
//! so nothing can appear behind a position.

use std::fmt::Write as _;

use toolgate_core::event::{Durability, EventKind, RecordedEvent};

use super::append::COLUMNS;
use super::row::RecordedRow;
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// The time that a holder has for a batch. After that it is taken for dead, and the batch is given out again.
pub const OUTBOX_LEASE_MS: i64 = 60_000;
/// Events that are passed over at once where no kind fits.
const WINDOW: i64 = 10_000;
/// The maximum number of events in a batch.
const BATCH_MAX: usize = 1_000;

const CREATE: &str = "INSERT INTO sinks (sink, tenant) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const HAS: &str = "SELECT sink FROM sinks WHERE sink = $1";
const TO_THE_END: &str = "INSERT INTO deliveries (sink, stream, stream_seq) \
     SELECT $1, stream, stream_seq FROM ledger_heads WHERE tenant = $2";
const LEASE: &str = "UPDATE sinks SET holder = $2, lease_until_ms = $3 WHERE sink = $1 AND (lease_until_ms <= $4 OR holder = $2)";
const RELEASE: &str = "UPDATE sinks SET holder = NULL, lease_until_ms = 0 WHERE sink = $1 AND holder = $2";
const BEHIND: &str = "SELECT heads.stream, COALESCE(deliveries.stream_seq, 0), heads.stream_seq FROM ledger_heads heads \
     LEFT JOIN deliveries ON deliveries.sink = $1 AND deliveries.stream = heads.stream \
     WHERE heads.tenant = $2 AND heads.stream_seq > COALESCE(deliveries.stream_seq, 0) ORDER BY heads.stream";
const RELEASE_ALL: &str = "UPDATE sinks SET holder = NULL, lease_until_ms = 0 WHERE tenant = $1";
/// A position never moves back, even for a late holder.
const ADVANCE: &str = "INSERT INTO deliveries (sink, stream, stream_seq) VALUES ($1, $2, $3) ON CONFLICT (sink, stream) \
     DO UPDATE SET stream_seq = excluded.stream_seq WHERE deliveries.stream_seq < excluded.stream_seq";

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
    stream_seq: i64,
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
        for (stream, at, end) in self.behind(sink).await.map_err(doing(DOING))? {
            let upto = end.min(at.saturating_add(WINDOW));
            let count = self.db.sql(sqlx::AssertSqlSafe(count_text(kinds.len())));
            let count = count.bind(stream).bind(at).bind(upto);
            let count = kinds.iter().fold(count, |count, kind| count.bind(kind.as_str()));
            let (found,): (i64,) = count.fetch_one().await.map_err(doing(DOING))?;
            waiting += u64::try_from(found).unwrap_or_default();
        }
        Ok(waiting)
    }

    async fn lease(&self, sink: &str) -> Result<Option<String>, sqlx::Error> {
        // A holder that could not release the lease takes it again: each sink has one follower in a process.
        let (now, holder) = (now_ms(), self.holder.to_string());
        let mut tx = self.db.begin(Durability::Written).await?;
        let lease = tx.sql(LEASE).bind(sink).bind(holder.clone()).bind(now + OUTBOX_LEASE_MS).bind(now);
        let leased = lease.execute().await? == 1;
        tx.commit().await?;
        Ok(leased.then_some(holder))
    }

    async fn has_sink(&self, sink: &str) -> Result<bool, sqlx::Error> {
        Ok(self.db.sql(HAS).bind(sink).fetch_optional::<(String,)>().await?.is_some())
    }

    /// The streams in which a sink is not at the end: its position, and the end.
    async fn behind(&self, sink: &str) -> Result<Vec<(String, i64, i64)>, sqlx::Error> {
        self.db.sql(BEHIND).bind(sink).bind(self.tenant).fetch_all().await
    }

    async fn gather(
        &self,
        sink: &str,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<OutboxBatch, sqlx::Error> {
        let mut batch = OutboxBatch::default();
        for (stream, mut at, end) in self.behind(sink).await? {
            while at < end && batch.events.len() < limit {
                let room = limit - batch.events.len();
                let upto = end.min(at.saturating_add(WINDOW));
                let found = self.window(&stream, kinds, at, upto, room).await?;
                // A full page means that there may be more before the end of the window.
                at = if found.len() == room {
                    found.last().map_or(upto, |last| last.stream_seq)
                } else {
                    upto
                };
                batch.events.extend(found);
            }
            batch.positions.push(OutboxPosition { stream, stream_seq: at });
        }
        Ok(batch)
    }

    async fn window(
        &self,
        stream: &str,
        kinds: &[EventKind],
        after: i64,
        upto: i64,
        limit: usize,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let limit = i64::try_from(limit).expect("a batch is limited");
        let window = self.db.sql(sqlx::AssertSqlSafe(window_text(kinds.len())));
        let mut window = window.bind(stream).bind(after).bind(upto).bind(limit);
        for kind in kinds {
            window = window.bind(kind.as_str());
        }
        Ok(window.fetch_all::<RecordedRow>().await?.into_iter().map(|row| row.0).collect())
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
        tx.sql(ADVANCE).bind(sink).bind(&*position.stream).bind(position.stream_seq).execute().await?;
    }
    Ok(())
}

fn window_text(kinds: usize) -> String {
    let kinds = places(5, kinds);
    format!(
        "SELECT {COLUMNS} FROM ledger_events WHERE stream = $1 AND stream_seq > $2 AND stream_seq <= $3 \
         AND kind IN ({kinds}) ORDER BY stream_seq LIMIT $4"
    )
}

fn count_text(kinds: usize) -> String {
    let kinds = places(4, kinds);
    format!(
        "SELECT COUNT(*) FROM ledger_events WHERE stream = $1 AND stream_seq > $2 AND stream_seq <= $3 AND kind IN ({kinds})"
    )
}

/// `$5, $6, $7`
fn places(first: usize, count: usize) -> String {
    let mut text = String::new();
    for place in first..first + count {
        let comma = if place == first { "" } else { ", " };
        write!(text, "{comma}${place}").expect("writing to a string does not fail");
    }
    text
}
