//! The sealed end of a stream, so that it cannot be shortened unnoticed without the key.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::Digest;

use super::line::no_hash;
use super::row;
use crate::db::{DbLock, Dialect, Transaction};
use crate::{Store, StoreError};

/// The last number determines the following ones: no other writer is active meanwhile.
const READ_SQLITE: &str = "SELECT stream_seq, hash, seal, \
     COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'ledger_events'), 0) FROM ledger_heads WHERE stream = $1";
/// Numbers cannot be drawn here: Postgres would do it before it waits for the row, and they would not grow
/// with the stream. Every transaction that draws numbers holds the shared lock until it commits: see
/// `horizon` in `read.rs`.
const READ_POSTGRES: &str = "SELECT stream_seq, hash, seal, 0::BIGINT FROM ledger_heads, pg_advisory_xact_lock_shared($2) \
     WHERE stream = $1 FOR UPDATE OF ledger_heads";
const LAST_EVENT: &str =
    "SELECT stream_seq, hash FROM ledger_events WHERE stream = $1 ORDER BY stream_seq DESC LIMIT 1";
const CREATE: &str = "INSERT INTO ledger_heads (stream, tenant, stream_seq, hash, seal) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT DO NOTHING";
const MOVE: &str = "UPDATE ledger_heads SET stream_seq = $2, hash = $3, seal = $4 WHERE stream = $1";

/// Separates these seals from everything else that is sealed with the same key.
const SEAL_CONTEXT: &[u8] = b"toolgate ledger head 1\0";

/// A stream to write to, with its requirements.
#[derive(Clone)]
pub(crate) struct LedgerStream {
    pub(crate) tenant: &'static str,
    pub(crate) stream: Arc<str>,
    pub(crate) key: [u8; 32],
}

impl Store {
    pub(crate) async fn pen(&self, stream: &str) -> Result<LedgerStream, StoreError> {
        Ok(LedgerStream { tenant: self.tenant, stream: stream.into(), key: self.sealing_key().await? })
    }
}

/// The last event of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StreamHead {
    pub(super) stream_seq: i64,
    pub(super) hash: Digest,
    pub(super) trust: HeadTrust,
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
    /// The last number of the whole ledger, on SQLite.
    pub(super) last_seq: i64,
}

type HeadRow = (i64, Vec<u8>, Vec<u8>, i64);

impl StreamHead {
    /// The head of an empty stream.
    pub(super) fn start() -> Self {
        Self { stream_seq: 0, hash: no_hash(), trust: HeadTrust::Sealed }
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
        Ok(LockedHead { head, ..taken })
    }

    async fn make(tx: &mut Transaction, pen: &LedgerStream) -> Result<LockedHead, sqlx::Error> {
        let first = Self::last_event(tx, pen).await?.unwrap_or(StreamHead::start());
        let create = tx.sql(CREATE).bind(&*pen.stream).bind(pen.tenant).bind(first.stream_seq);
        let create = create.bind(&first.hash.as_bytes()[..]);
        create.bind(first.seal(&pen.key, &pen.stream)).execute().await?;
        Self::read(tx, pen).await?.ok_or(sqlx::Error::RowNotFound)
    }

    /// The end of a stream whose head is not the one that we wrote.
    async fn last_event(tx: &mut Transaction, pen: &LedgerStream) -> Result<Option<StreamHead>, sqlx::Error> {
        let last: Option<(i64, Vec<u8>)> = tx.sql(LAST_EVENT).bind(&*pen.stream).fetch_optional().await?;
        let head = |(stream_seq, hash): (i64, Vec<u8>)| {
            Ok(StreamHead { stream_seq, hash: row::digest(&hash)?, trust: HeadTrust::Forged })
        };
        last.map(head).transpose()
    }

    async fn read(tx: &mut Transaction, pen: &LedgerStream) -> Result<Option<LockedHead>, sqlx::Error> {
        let read = match tx.dialect() {
            Dialect::Sqlite => tx.sql(READ_SQLITE).bind(&*pen.stream),
            Dialect::Postgres => tx.sql(READ_POSTGRES).bind(&*pen.stream).bind(DbLock::LedgerNumbers as i64),
        };
        let Some((stream_seq, hash, seal, last_seq)) = read.fetch_optional::<HeadRow>().await? else {
            return Ok(None);
        };
        let mut head = StreamHead { stream_seq, hash: row::digest(&hash)?, trust: HeadTrust::Sealed };
        if !head.is_sealed_by(&seal, &pen.key, &pen.stream) {
            head.trust = HeadTrust::Forged;
        }
        Ok(Some(LockedHead { head, last_seq }))
    }

    pub(super) async fn store(self, tx: &mut Transaction, pen: &LedgerStream) -> Result<(), sqlx::Error> {
        let store = tx.sql(MOVE).bind(&*pen.stream).bind(self.stream_seq).bind(&self.hash.as_bytes()[..]);
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
        mac.update(&self.stream_seq.to_le_bytes());
        mac.update(self.hash.as_bytes());
        mac.update(stream.as_bytes());
        mac
    }
}
