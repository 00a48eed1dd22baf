//! The sealed end of a stream, so that it cannot be shortened unnoticed without the key.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::Digest;
use toolgate_core::event::{Durability, HybridTime};

use super::line::{self, no_hash};
use super::row;
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// With the latest time of all streams: what this one writes comes after what it may have seen.
pub(super) const READ: &str = "SELECT number, time, part, hash, seal, \
     (SELECT COALESCE(MAX(time), 0) FROM ledger_heads WHERE tenant = $1), erasures FROM ledger_heads WHERE tenant = $1 AND stream = $2";
const IS_THERE: &str = "SELECT number FROM ledger_heads WHERE tenant = $1 AND stream = $2";
const LAST_LINE: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     ORDER BY day DESC, number DESC LIMIT 1";
/// The first event after the last complete part.
const OPEN_PART: &str =
    "SELECT COALESCE(MAX(last), 0) + 1 FROM ledger_blocks WHERE tenant = $1 AND stream = $2";
const CREATE: &str = "INSERT INTO ledger_heads (tenant, stream, number, time, part, hash, seal) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
pub(super) const MOVE: &str = "UPDATE ledger_heads SET number = $3, time = $4, part = $5, hash = $6, seal = $7 \
     WHERE tenant = $1 AND stream = $2";

/// Separates these seals from everything else that is sealed with the same key.
const SEAL_CONTEXT: &[u8] = b"toolgate ledger head 2\0";
/// An event that says that it happens later than this does not take the time of its stream along.
pub(super) const AHEAD_MAX_MS: i64 = 24 * 60 * 60 * 1000;
/// Nor does another gateway whose clock is further ahead.
const OTHERS_AHEAD_MAX_MS: i64 = 2 * AHEAD_MAX_MS;

/// A stream to write to, with its requirements.
#[derive(Clone)]
pub(crate) struct LedgerStream {
    pub(crate) tenant: &'static str,
    pub(crate) stream: Arc<str>,
    pub(crate) key: [u8; 32],
}

impl Store {
    /// Readers know a stream before it has its first event: its head is committed here.
    pub(crate) async fn pen(&self, stream: &str) -> Result<LedgerStream, StoreError> {
        let pen = LedgerStream { tenant: self.tenant, stream: stream.into(), key: self.sealing_key().await? };
        self.make_head(&pen).await.map_err(doing("begin a stream of the ledger"))?;
        Ok(pen)
    }

    async fn make_head(&self, pen: &LedgerStream) -> Result<(), sqlx::Error> {
        let find = self.db.sql(IS_THERE).bind(pen.tenant).bind(&*pen.stream);
        if find.fetch_optional::<(i64,)>().await?.is_none() {
            let mut tx = self.db.begin(Durability::OnDisk).await?;
            StreamHead::take(&mut tx, pen).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}

/// The last event of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StreamHead {
    pub(super) number: i64,
    pub(super) time: HybridTime,
    /// The first number of the part of a block that is not complete: one more than `number` if there is none.
    pub(super) part: i64,
    pub(super) hash: Digest,
    pub(super) trust: HeadTrust,
}

/// The last event of a batch. If it is in the ledger, so is the whole batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BatchTail {
    pub(super) number: i64,
    pub(super) time: HybridTime,
    pub(super) hash: Digest,
}

impl BatchTail {
    pub(super) fn of(end: &StreamHead) -> Self {
        Self { number: end.number, time: end.time, hash: end.hash }
    }
}

/// The state of the head's seal. A stream with a forged head is still written to, because not recording would
/// be worse; but it is never sealed again, which would hide the forgery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeadTrust {
    Sealed,
    Forged,
}

/// A head that is locked until the end of the transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct LockedHead {
    pub(super) head: StreamHead,
    /// The next event comes after this.
    pub(super) after: HybridTime,
    /// The last moment that counts.
    pub(super) latest_ms: i64,
    /// The number of erasures so far.
    pub(super) erasures: i64,
}

/// The columns of `READ`.
pub(super) type HeadRow = (i64, i64, i64, Vec<u8>, Vec<u8>, i64, i64);

impl LockedHead {
    /// A head that is not locked, the latest time of others, and the number of erasures: whoever moves it checks all of them.
    pub(super) fn assumed(head: StreamHead, others: Option<HybridTime>, erasures: i64) -> Self {
        let after = others.map_or(head.time, |others| others.max(head.time));
        Self { head, after, latest_ms: now_ms().saturating_add(AHEAD_MAX_MS), erasures }
    }
}

/// Times of other streams that count are not later than this.
pub(super) fn others_latest() -> HybridTime {
    HybridTime::of_ms(now_ms().saturating_add(OTHERS_AHEAD_MAX_MS))
}

impl StreamHead {
    /// The head of an empty stream.
    pub(super) fn start() -> Self {
        Self { number: 0, time: HybridTime::START, part: 1, hash: no_hash(), trust: HeadTrust::Sealed }
    }

    /// Reads the head of a stream, or creates it. It is always read again: other processes may write to the
    /// same stream. A head that was tampered with is ignored in favour of the last event.
    pub(super) async fn take(tx: &mut Transaction, pen: &LedgerStream) -> Result<LockedHead, sqlx::Error> {
        let taken = match Self::read(tx, pen).await? {
            Some(taken) => taken,
            None => Self::make(tx, pen).await?,
        };
        if taken.head.trust == HeadTrust::Sealed {
            return Ok(taken);
        }
        let head = Self::last_event(tx, pen)
            .await?
            .unwrap_or(StreamHead { trust: HeadTrust::Forged, ..StreamHead::start() });
        Ok(LockedHead { head, after: taken.after.max(head.time), ..taken })
    }

    async fn make(tx: &mut Transaction, pen: &LedgerStream) -> Result<LockedHead, sqlx::Error> {
        let first = Self::last_event(tx, pen).await?.unwrap_or(StreamHead::start());
        let create = tx.sql(CREATE).bind(pen.tenant).bind(&*pen.stream).bind(first.number);
        let create = create.bind(first.time.number()).bind(first.part).bind(&first.hash.as_bytes()[..]);
        create.bind(first.seal(&pen.key, &pen.stream)).execute().await?;
        Self::read(tx, pen).await?.ok_or(sqlx::Error::RowNotFound)
    }

    /// The end of a stream whose head is not the one that we wrote.
    async fn last_event(tx: &mut Transaction, pen: &LedgerStream) -> Result<Option<StreamHead>, sqlx::Error> {
        let last = tx.sql(LAST_LINE).bind(pen.tenant).bind(&*pen.stream);
        let Some((number, time, line)) = last.fetch_optional::<(i64, i64, Vec<u8>)>().await? else {
            return Ok(None);
        };
        let (part,): (i64,) = tx.sql(OPEN_PART).bind(pen.tenant).bind(&*pen.stream).fetch_one().await?;
        let time = HybridTime::from_number(time);
        Ok(Some(StreamHead { number, time, part, hash: line::hash(&line), trust: HeadTrust::Forged }))
    }

    async fn read(tx: &mut Transaction, pen: &LedgerStream) -> Result<Option<LockedHead>, sqlx::Error> {
        let read = tx.sql_for_update(READ).bind(pen.tenant).bind(&*pen.stream);
        read.fetch_optional::<HeadRow>().await?.map(|row| Self::of_row(row, pen)).transpose()
    }

    pub(super) fn of_row(row: HeadRow, pen: &LedgerStream) -> Result<LockedHead, sqlx::Error> {
        let (number, time, part, hash, seal, latest, erasures) = row;
        let (time, latest) = (HybridTime::from_number(time), HybridTime::from_number(latest));
        let mut head = StreamHead { number, time, part, hash: row::digest(&hash)?, trust: HeadTrust::Sealed };
        if !head.is_sealed_by(&seal, &pen.key, &pen.stream) {
            head.trust = HeadTrust::Forged;
        }
        let now = now_ms();
        let is_near = latest.ms() <= now.saturating_add(OTHERS_AHEAD_MAX_MS);
        let after = if is_near { latest.max(time) } else { time };
        Ok(LockedHead { head, after, latest_ms: now.saturating_add(AHEAD_MAX_MS), erasures })
    }

    pub(super) async fn store(self, tx: &mut Transaction, pen: &LedgerStream) -> Result<(), sqlx::Error> {
        let store = tx.sql(MOVE).bind(pen.tenant).bind(&*pen.stream).bind(self.number);
        let store = store.bind(self.time.number()).bind(self.part).bind(&self.hash.as_bytes()[..]);
        store.bind(self.seal(&pen.key, &pen.stream)).execute().await?;
        Ok(())
    }

    pub(super) fn seal(self, key: &[u8; 32], stream: &str) -> Vec<u8> {
        match self.trust {
            HeadTrust::Sealed => self.mac(key, stream).finalize().into_bytes().to_vec(),
            HeadTrust::Forged => Vec::new(),
        }
    }

    pub(super) fn is_sealed_by(self, seal: &[u8], key: &[u8; 32], stream: &str) -> bool {
        self.mac(key, stream).verify_slice(seal).is_ok()
    }

    fn mac(self, key: &[u8; 32], stream: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        mac.update(SEAL_CONTEXT);
        // The text comes last: everything before it has a fixed length.
        mac.update(&self.number.to_le_bytes());
        mac.update(&self.time.number().to_le_bytes());
        mac.update(self.hash.as_bytes());
        mac.update(stream.as_bytes());
        mac
    }
}
