//! Removing the first days of the ledger.
//!
//! Only whole days go. Before they do, their lines are verified, so a cut hides nothing that was tampered with; and for each
//! stream the number and the hash of the last line that goes are recorded and sealed, so that the rest of the chain still
//! has a beginning; and with them what its Merkle tree needs to go on, so that later checkpoints and proofs still hold. The record and the event about it are committed first. Whatever then keeps the days from being removed,
//! the next round removes them: a partition at a time on Postgres, some rows at a time on SQLite.

use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::event::{Durability, Event, EventKind, EventSubject, HybridTime, LedgerEntry};
use toolgate_core::{Digest, PrincipalId, RawJson};
use toolgate_proof::GrowingTree;

use super::append::{KnownRows, append};
use super::head::{LedgerStream, StreamHead};
use super::verify::{LastRemoved, LedgerFault};
use super::writer::LedgerWriter;
use super::{block, days, line, row};
use crate::clock::now_ms;
use crate::db::{DbLock, Dialect, Transaction};
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const DOING: &str = "remove the first days of the ledger";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Rows that are deleted in one transaction, which blocks all other writers of SQLite.
const DELETED_AT_ONCE: i64 = 2_000;
/// Separates these seals from everything else that is sealed with the same key.
const SEAL_CONTEXT: &[u8] = b"toolgate ledger cut 1\0";

const READ: &str =
    "SELECT stream, number, day, hash, peaks, seal FROM ledger_cuts WHERE tenant = $1 ORDER BY stream";
const READ_ONE: &str =
    "SELECT stream, number, day, hash, peaks, seal FROM ledger_cuts WHERE tenant = $1 AND stream = $2";
const PUT: &str = "INSERT INTO ledger_cuts (tenant, stream, number, day, hash, peaks, seal) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, stream) DO UPDATE SET number = excluded.number, \
     day = excluded.day, hash = excluded.hash, peaks = excluded.peaks, seal = excluded.seal WHERE ledger_cuts.number < excluded.number";
const LAST_BEFORE: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 AND day < $3 \
     ORDER BY day DESC, number DESC LIMIT 1";
/// Detaching a partition waits for everyone who uses its table, and whoever comes next waits for it.
const SHORTLY: &str = "SET LOCAL lock_timeout = '500ms'";
const DELETE_LINES: &str = "DELETE FROM ledger_lines WHERE tenant = $1 AND stream = $2 AND (day, number) IN \
     (SELECT day, number FROM ledger_lines WHERE tenant = $1 AND stream = $2 AND day < $3 AND number <= $4 \
     ORDER BY day, number LIMIT $5)";
const DELETE_BLOCKS: &str =
    "DELETE FROM ledger_blocks WHERE tenant = $1 AND stream = $2 AND block <= $3 AND last <= $4 AND day < $5";
const DELETE_TERMS: &str = "DELETE FROM ledger_terms WHERE tenant = $1 AND (term, stream, block, day) IN \
     (SELECT term, stream, block, day FROM ledger_terms WHERE tenant = $1 AND day < $2 LIMIT $3)";

/// The beginning of a stream whose first days were removed.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LedgerCut {
    pub stream: String,
    /// Of the last event that was removed.
    pub number: i64,
    pub hash: Digest,
    /// The first day that is kept, counted from 1970.
    #[serde(skip)]
    pub(super) day: i64,
    /// Of all events that were removed.
    #[serde(skip)]
    pub(super) tree: GrowingTree,
}

/// The result of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CutOutcome {
    /// The number of events that were removed.
    Removed(u64),
    /// Nothing was removed: the days to be removed are not as they were written.
    NotIntact(LedgerFault),
}

row! {
    struct StoredCut {
        stream: String,
        number: i64,
        day: i64,
        hash: Vec<u8>,
        peaks: Vec<u8>,
        seal: Vec<u8>,
    }
}

impl StoredCut {
    /// `None` if it was not sealed with this key.
    fn open(self, key: &[u8; 32]) -> Option<LedgerCut> {
        let hash = row::digest(&self.hash).ok()?;
        let (peaks, rest) = self.peaks.as_chunks::<32>();
        let peaks = peaks.iter().map(|peak| Digest::from_bytes(*peak)).collect();
        let size = u64::try_from(self.number).ok().filter(|_| rest.is_empty())?;
        let tree = GrowingTree::resume(size, peaks)?;
        let cut = LedgerCut { stream: self.stream, number: self.number, hash, day: self.day, tree };
        cut.mac(key).verify_slice(&self.seal).is_ok().then_some(cut)
    }
}

impl LedgerCut {
    fn mac(&self, key: &[u8; 32]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        mac.update(SEAL_CONTEXT);
        // The text comes last: everything before it has a fixed length. The number says how many peaks there are.
        mac.update(&self.number.to_le_bytes());
        mac.update(&self.day.to_le_bytes());
        mac.update(self.hash.as_bytes());
        mac.update(&self.peaks());
        mac.update(self.stream.as_bytes());
        mac
    }

    fn peaks(&self) -> Vec<u8> {
        self.tree.peaks().iter().flat_map(|peak| *peak.as_bytes()).collect()
    }

    async fn put(&self, tx: &mut Transaction, tenant: &str, key: &[u8; 32]) -> Result<(), sqlx::Error> {
        let put = tx.sql(PUT).bind(tenant).bind(&*self.stream).bind(self.number).bind(self.day);
        let seal = self.mac(key).finalize().into_bytes().to_vec();
        put.bind(&self.hash.as_bytes()[..]).bind(self.peaks()).bind(seal).execute().await?;
        Ok(())
    }
}

impl Store {
    /// Removes the days whose events are all older than `keep`, and records it with `writer`.
    pub async fn cut_ledger(&self, writer: &LedgerWriter, keep: Duration) -> Result<CutOutcome, StoreError> {
        self.cut_ledger_before(writer, keep, i64::MAX).await
    }

    /// The first day, counted from 1970, that is kept if events are kept for so long.
    pub fn first_kept_day(keep: Duration) -> i64 {
        let keep_ms = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        HybridTime::of_ms(now_ms().saturating_sub(keep_ms)).day()
    }

    /// The same, but neither this day nor a later one is removed: it may be needed elsewhere.
    pub async fn cut_ledger_before(
        &self,
        writer: &LedgerWriter,
        keep: Duration,
        first_kept: i64,
    ) -> Result<CutOutcome, StoreError> {
        let day = Self::first_kept_day(keep).min(first_kept);
        let pen = writer.pen();
        let cuts = match self.cuts_before(&pen.key, day).await.map_err(doing(DOING))? {
            Ok(cuts) => cuts,
            Err(fault) => return Ok(CutOutcome::NotIntact(fault)),
        };
        let removed = self.record_cuts(pen, day, &cuts).await.map_err(doing(DOING))?;
        self.remove_before(&pen.key, day).await.map_err(doing(DOING))?;
        Ok(CutOutcome::Removed(removed))
    }

    /// The beginnings of streams that do not begin with their first event.
    pub(super) async fn cuts(&self, key: &[u8; 32]) -> Result<Vec<LedgerCut>, sqlx::Error> {
        let stored: Vec<StoredCut> = self.db.sql(READ).bind(self.tenant).fetch_all().await?;
        Ok(stored.into_iter().filter_map(|cut| cut.open(key)).collect())
    }

    /// Where the lines of a stream that were removed end. `None` if none were, or if the record of it is forged.
    pub async fn ledger_cut_of(&self, stream: &str) -> Result<Option<LedgerCut>, StoreError> {
        let key = self.sealing_key().await?;
        let cut =
            self.cut_of(&key, stream).await.map_err(doing("read where a stream of the ledger begins"))?;
        Ok(cut.ok().flatten())
    }

    /// The beginning of one stream; an error if its record is forged.
    pub(super) async fn cut_of(
        &self,
        key: &[u8; 32],
        stream: &str,
    ) -> Result<Result<Option<LedgerCut>, i64>, sqlx::Error> {
        let stored: Option<StoredCut> =
            self.db.sql(READ_ONE).bind(self.tenant).bind(stream).fetch_optional().await?;
        let Some(stored) = stored else { return Ok(Ok(None)) };
        let number = stored.number;
        Ok(stored.open(key).map(Some).ok_or(number))
    }

    /// The cuts to make, once their lines are verified, with the number of events that each removes.
    async fn cuts_before(
        &self,
        key: &[u8; 32],
        day: i64,
    ) -> Result<Result<Vec<(LedgerCut, i64)>, LedgerFault>, sqlx::Error> {
        let mut cuts = Vec::new();
        for stream in self.streams_with_lines().await? {
            let last = self.db.sql(LAST_BEFORE).bind(self.tenant).bind(&*stream).bind(day);
            let Some((number, time, line)) = last.fetch_optional::<(i64, i64, Vec<u8>)>().await? else {
                continue;
            };
            let (time, hash) = (HybridTime::from_number(time), line::hash(&line));
            match self.verify_before(key, LastRemoved { stream: &stream, number, time, hash }).await? {
                Ok(Some((before, tree))) => {
                    cuts.push((LedgerCut { stream, number, hash, day, tree }, number - before));
                }
                Ok(None) => {}
                Err(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Ok(cuts))
    }

    /// The number of events that the cuts remove.
    async fn record_cuts(
        &self,
        pen: &LedgerStream,
        day: i64,
        cuts: &[(LedgerCut, i64)],
    ) -> Result<u64, sqlx::Error> {
        if cuts.is_empty() {
            return Ok(0);
        }
        let mut tx = self.db.begin(Durability::OnDisk).await?;
        tx.alone(DbLock::LedgerCut).await?;
        for (cut, _) in cuts {
            cut.put(&mut tx, self.tenant, &pen.key).await?;
        }
        let events: i64 = cuts.iter().map(|(_, events)| events).sum();
        let taken = StreamHead::take(&mut tx, pen).await?;
        append(&mut tx, pen, taken, &[&entry(day, events, cuts)], &mut KnownRows::default()).await?;
        tx.commit().await?;
        Ok(u64::try_from(events).unwrap_or(0))
    }

    async fn remove_before(&self, key: &[u8; 32], day: i64) -> Result<(), sqlx::Error> {
        match self.db.dialect() {
            Dialect::Postgres => while self.remove_partition_before(day).await? {},
            Dialect::Sqlite => {
                for cut in self.cuts(key).await? {
                    while self.delete_lines(&cut).await? {}
                    self.delete_blocks(&cut).await?;
                }
                while self.delete_terms(day).await? {}
            }
        }
        Ok(())
    }

    /// False if there is none. One at a time, so that no one waits for long.
    async fn remove_partition_before(&self, day: i64) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.begin(Durability::OnDisk).await?;
        tx.alone(DbLock::LedgerDays).await?;
        tx.sql(SHORTLY).execute().await?;
        let Some(first) = days::before(&mut tx, day).await?.into_iter().next() else { return Ok(false) };
        days::remove(&mut tx, &[first]).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn delete_lines(&self, cut: &LedgerCut) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        let delete = tx.sql(DELETE_LINES).bind(self.tenant).bind(&*cut.stream).bind(cut.day).bind(cut.number);
        let deleted = delete.bind(DELETED_AT_ONCE).execute().await?;
        tx.commit().await?;
        Ok(deleted > 0)
    }

    async fn delete_blocks(&self, cut: &LedgerCut) -> Result<(), sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        let delete = tx.sql(DELETE_BLOCKS).bind(self.tenant).bind(&*cut.stream);
        let delete = delete.bind(block::of_number(cut.number)).bind(cut.number).bind(cut.day);
        delete.execute().await?;
        tx.commit().await
    }

    async fn delete_terms(&self, day: i64) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        let delete = tx.sql(DELETE_TERMS).bind(self.tenant).bind(day).bind(DELETED_AT_ONCE);
        let deleted = delete.execute().await?;
        tx.commit().await?;
        Ok(deleted > 0)
    }
}

fn entry(day: i64, events: i64, cuts: &[(LedgerCut, i64)]) -> LedgerEntry {
    let about = Arc::new(EventSubject::default());
    let mut event = Event::new(EventKind::LedgerCut, now_ms(), PrincipalId::gateway(), about);
    let streams: Vec<&LedgerCut> = cuts.iter().map(|(cut, _)| cut).collect();
    let before = toolgate_core::moment::rfc3339(day.saturating_mul(DAY_MS));
    let detail = serde_json::json!({ "before": before, "events": events, "streams": streams });
    event.detail = Some(RawJson::from(detail));
    LedgerEntry { events: vec![event], bodies: Vec::new(), durability: Durability::OnDisk }
}
