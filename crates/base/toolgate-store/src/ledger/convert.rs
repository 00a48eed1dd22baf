//! Rewriting a ledger of the first form, which had a row with 25 columns for each event, into lines. The
//! hashes stay: a line of the first form is exactly what was hashed, so the ledger verifies as before, and
//! whatever was wrong with it still is. Events of all streams keep their order.

use std::collections::BTreeMap;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _};
use toolgate_core::event::{Durability, HybridTime};

use super::append::LinkedEvent;
use super::block::{self, Part};
use super::first::{self, Value};
use super::head::{AHEAD_MAX_MS, HeadTrust, LedgerStream, StreamHead};
use super::line::{self, LedgerLine};
use super::{days, figures, row, scan, single};
use crate::clock::now_ms;
use crate::db::{DbLock, Transaction};
use crate::error::doing;
use crate::{Store, StoreError};

/// Rows that are rewritten in one transaction. A process that dies leaves the others for the next.
const AT_ONCE: i64 = 500;

const IS_THERE_SQLITE: &str = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ledger_events_1'";
const IS_THERE_POSTGRES: &str = "SELECT 1::BIGINT FROM pg_tables WHERE schemaname = current_schema() \
     AND tablename = 'ledger_events_1'";
const READ: &str = "SELECT seq, tenant, stream, stream_seq, previous, kind, at_ms, principal, session, run, task, call, \
     tool, server, tool_version, trace, approval, policy_version, decision, outcome, duration_us, input, output, detail \
     FROM ledger_events_1 WHERE seq > $1 ORDER BY seq LIMIT $2";
const DONE: &str = "DELETE FROM ledger_events_1 WHERE seq <= $1";
const LATEST: &str = "SELECT COALESCE(MAX(time), 0) FROM ledger_heads WHERE tenant = $1";
const READ_HEAD: &str = "SELECT number, time, part, hash FROM ledger_heads WHERE tenant = $1 AND stream = $2";
const PUT_HEAD: &str = "INSERT INTO ledger_heads (tenant, stream, number, time, part, hash, seal) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, stream) DO UPDATE SET number = excluded.number, \
     time = excluded.time, part = excluded.part, hash = excluded.hash, seal = excluded.seal";
const FIRST_HEADS: &str = "SELECT stream, stream_seq, hash, seal FROM ledger_heads_1 WHERE tenant = $1";
const WITHOUT_HEAD: &str = "DELETE FROM ledger_heads WHERE tenant = $1 \
     AND stream NOT IN (SELECT stream FROM ledger_heads_1 WHERE tenant = $1)";
const DROP_EVENTS: &str = "DROP TABLE ledger_events_1";
const DROP_HEADS: &str = "DROP TABLE ledger_heads_1";

/// The key of the first form's seals.
const FIRST_SEAL_CONTEXT: &[u8] = b"toolgate ledger head 1\0";

/// A row of the first form as its line.
struct FirstRow {
    seq: i64,
    stream: String,
    number: i64,
    at_ms: i64,
    line: Vec<u8>,
}

/// One stream while its lines are rewritten.
struct Moving {
    pen: LedgerStream,
    end: StreamHead,
    part: Option<Part>,
    lines: Vec<LinkedEvent>,
    parts: Vec<Part>,
}

impl Store {
    /// Rewrites what there is of the first form. Every process that opens the store does it, one at a time.
    pub(crate) async fn convert_ledger(&self) -> Result<(), StoreError> {
        const DOING: &str = "rewrite the ledger in its new form";
        let is_there = self.db.dialect().pick(IS_THERE_SQLITE, IS_THERE_POSTGRES);
        let is_there = || async { self.db.sql(is_there).fetch_optional::<(i64,)>().await };
        if is_there().await.map_err(doing(DOING))?.is_none() {
            return Ok(());
        }
        let key = self.sealing_key().await?;
        let mut events = 0;
        while let Some(count) = self.convert_some(&key).await.map_err(doing(DOING))? {
            if events == 0 && count > 0 {
                tracing::info!("the ledger is rewritten in its new form; its hashes stay");
            }
            events += count;
        }
        if events > 0 {
            tracing::info!(events, "the ledger has its new form");
        }
        Ok(())
    }

    /// The number of rewritten events; `None` when all are.
    async fn convert_some(&self, key: &[u8; 32]) -> Result<Option<usize>, sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        tx.alone(DbLock::LedgerForm).await?;
        let is_there = tx.dialect().pick(IS_THERE_SQLITE, IS_THERE_POSTGRES);
        if tx.sql(is_there).fetch_optional::<(i64,)>().await?.is_none() {
            return Ok(None);
        }
        let rows: Vec<FirstRow> = tx.sql(READ).bind(i64::MIN).bind(AT_ONCE).fetch_all().await?;
        let (count, last) = (rows.len(), rows.last().map(|row| row.seq));
        match last {
            Some(last) => {
                self.rewrite(&mut tx, key, rows).await?;
                tx.sql(DONE).bind(last).execute().await?;
                tx.commit().await?;
                Ok(Some(count))
            }
            None => {
                self.seal_all(&mut tx, key).await?;
                tx.sql(DROP_EVENTS).execute().await?;
                tx.sql(DROP_HEADS).execute().await?;
                tx.commit().await?;
                Ok(None)
            }
        }
    }

    async fn rewrite(
        &self,
        tx: &mut Transaction,
        key: &[u8; 32],
        rows: Vec<FirstRow>,
    ) -> Result<(), sqlx::Error> {
        let (latest,): (i64,) = tx.sql(LATEST).bind(self.tenant).fetch_one().await?;
        let mut latest = HybridTime::from_number(latest);
        // An event that says that it happened in the far future does not take all later ones along.
        let latest_ms = now_ms().saturating_add(AHEAD_MAX_MS);
        let mut streams: BTreeMap<String, Moving> = BTreeMap::new();
        for row in rows {
            if !streams.contains_key(&row.stream) {
                let pen = LedgerStream { tenant: self.tenant, stream: row.stream.as_str().into(), key: *key };
                streams.insert(row.stream.clone(), Moving::take(tx, pen).await?);
            }
            latest = latest.next(row.at_ms.min(latest_ms));
            if let Some(moving) = streams.get_mut(&row.stream) {
                moving.add(row, latest);
            }
        }
        let lines = streams.values().flat_map(|moving| moving.lines.iter().map(|line| line.time.day()));
        let parts = streams.values().flat_map(|moving| moving.parts.iter().map(|part| part.day));
        days::make_missing(tx, lines.chain(parts).collect::<Vec<_>>()).await?;
        for moving in streams.values() {
            single::write_lines(tx, &moving.pen, &moving.lines).await?;
            single::write_parts(tx, &moving.pen, &moving.parts).await?;
            figures::count_later(tx, &moving.pen, &moving.parts).await?;
            put_head(tx, &moving.pen, StreamHead { trust: HeadTrust::Forged, ..moving.end }).await?;
        }
        Ok(())
    }

    /// Seals the heads again whose seals were right. A stream without a head stays without one.
    async fn seal_all(&self, tx: &mut Transaction, key: &[u8; 32]) -> Result<(), sqlx::Error> {
        tx.sql(WITHOUT_HEAD).bind(self.tenant).execute().await?;
        let heads: Vec<(String, i64, Vec<u8>, Vec<u8>)> =
            tx.sql(FIRST_HEADS).bind(self.tenant).fetch_all().await?;
        for (stream, number, hash, seal) in heads {
            let pen = LedgerStream { tenant: self.tenant, stream: stream.as_str().into(), key: *key };
            let end = read_head(tx, &pen).await?.unwrap_or(StreamHead::start());
            let is_sealed = first_mac(key, &stream, number, &hash).verify_slice(&seal).is_ok();
            let trust = if is_sealed { HeadTrust::Sealed } else { HeadTrust::Forged };
            let head = StreamHead { number, hash: row::digest(&hash).unwrap_or(end.hash), trust, ..end };
            put_head(tx, &pen, head).await?;
        }
        Ok(())
    }
}

fn first_mac(key: &[u8; 32], stream: &str, number: i64, hash: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(FIRST_SEAL_CONTEXT);
    mac.update(&number.to_le_bytes());
    mac.update(hash);
    mac.update(stream.as_bytes());
    mac
}

async fn read_head(tx: &mut Transaction, pen: &LedgerStream) -> Result<Option<StreamHead>, sqlx::Error> {
    let read = tx.sql(READ_HEAD).bind(pen.tenant).bind(&*pen.stream);
    let Some((number, time, part, hash)) = read.fetch_optional::<(i64, i64, i64, Vec<u8>)>().await? else {
        return Ok(None);
    };
    let (time, hash) = (HybridTime::from_number(time), row::digest(&hash)?);
    Ok(Some(StreamHead { number, time, part, hash, trust: HeadTrust::Forged }))
}

async fn put_head(tx: &mut Transaction, pen: &LedgerStream, head: StreamHead) -> Result<(), sqlx::Error> {
    let put = tx.sql(PUT_HEAD).bind(pen.tenant).bind(&*pen.stream).bind(head.number);
    let put = put.bind(head.time.number()).bind(head.part).bind(&head.hash.as_bytes()[..]);
    put.bind(head.seal(&pen.key, &pen.stream)).execute().await?;
    Ok(())
}

impl Moving {
    async fn take(tx: &mut Transaction, pen: LedgerStream) -> Result<Self, sqlx::Error> {
        let end = read_head(tx, &pen).await?.unwrap_or(StreamHead::start());
        let part = match end.part <= end.number {
            true => Some(scan::open_part(tx, &pen, &end).await?),
            false => None,
        };
        Ok(Self { pen, end, part, lines: Vec::new(), parts: Vec::new() })
    }

    fn add(&mut self, row: FirstRow, time: HybridTime) {
        let is_elsewhere = self.end.time.day() != time.day()
            || block::of_number(self.end.number) != block::of_number(row.number);
        if self.end.part <= self.end.number && is_elsewhere {
            self.complete_part();
        }
        let (number, hash) = (row.number, line::hash(&row.line));
        if let Some(fields) = LedgerLine::read(&row.line) {
            match &mut self.part {
                Some(part) => part.add(&fields, time, &row.line),
                None => self.part = Some(Part::of(&fields, time, &row.line)),
            }
        }
        self.lines.push(LinkedEvent { number, time, line: row.line });
        // Where numbers are missing, the part begins after them.
        let part = self.part.as_ref().map_or(self.end.part, |part| part.first);
        self.end = StreamHead { number, time, hash, part, ..self.end };
        if block::is_last(number) {
            self.complete_part();
        }
    }

    fn complete_part(&mut self) {
        self.parts.extend(self.part.take());
        self.end.part = self.end.number + 1;
    }
}

macro_rules! rows {
    ($row:ty) => {
        impl<'r> FromRow<'r, $row> for FirstRow {
            fn from_row(row: &'r $row) -> Result<Self, sqlx::Error> {
                let number = |place: usize| row.try_get(place).map(Value::Number);
                let text = |place: usize| -> Result<Value<'r>, sqlx::Error> {
                    let text: Option<&'r str> = row.try_get(place)?;
                    Ok(Value::Bytes(text.map(str::as_bytes)))
                };
                let bytes = |place: usize| row.try_get(place).map(Value::Bytes);
                let mut values = Vec::with_capacity(COLUMNS.len());
                for (place, column) in COLUMNS.iter().enumerate() {
                    values.push(match column {
                        Column::Number => number(place)?,
                        Column::Text => text(place)?,
                        Column::Bytes => bytes(place)?,
                    });
                }
                let line = first::encoded(values);
                let (seq, stream) = (row.try_get(0)?, row.try_get(2)?);
                Ok(Self { seq, stream, number: row.try_get(3)?, at_ms: row.try_get(6)?, line })
            }
        }
    };
}

rows!(SqliteRow);
rows!(PgRow);

#[derive(Clone, Copy)]
enum Column {
    Number,
    Text,
    Bytes,
}

/// The types of the columns of `READ`.
const COLUMNS: [Column; 24] = {
    use Column::{Bytes, Number, Text};
    [
        Number, Text, Text, Number, Bytes, Text, Number, Text, Text, Text, Text, Text, Text, Text, Bytes,
        Text, Text, Bytes, Text, Text, Number, Bytes, Bytes, Text,
    ]
};
