//! The end of a stream: how far it has got, sealed, so that nobody without the key can shorten it unnoticed.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::Digest;

use super::line::no_hash;
use crate::db::{Dialect, Lock, Transaction};

const READ_SQLITE: &str = "SELECT stream_seq, hash FROM ledger_heads WHERE stream = $1";
/// The shared lock is held by everybody who draws numbers and has not committed: see `horizon` in `read.rs`.
const READ_POSTGRES: &str = "SELECT stream_seq, hash FROM ledger_heads, pg_advisory_xact_lock_shared($2) \
     WHERE stream = $1 FOR UPDATE OF ledger_heads";
const CREATE: &str = "INSERT INTO ledger_heads (stream, tenant, stream_seq, hash, seal) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT DO NOTHING";
const MOVE: &str = "UPDATE ledger_heads SET stream_seq = $2, hash = $3, seal = $4 WHERE stream = $1";

/// Keeps these seals apart from whatever else is sealed with the same key.
const SEAL_CONTEXT: &[u8] = b"toolgate ledger head 1\0";

/// A stream to write to, and what it takes.
#[derive(Clone)]
pub(crate) struct Pen {
    pub(crate) tenant: &'static str,
    pub(crate) stream: Arc<str>,
    pub(crate) key: [u8; 32],
}

/// The last event of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) stream_seq: i64,
    pub(super) hash: Digest,
}

impl Head {
    /// Nothing was written yet.
    pub(super) fn start() -> Self {
        Self { stream_seq: 0, hash: no_hash() }
    }

    /// Reads the head of a stream; nobody else moves it before the end of this transaction. It is always read anew:
    /// other processes may write to the same stream.
    pub(super) async fn take(tx: &mut Transaction, pen: &Pen) -> Result<Head, sqlx::Error> {
        if let Some(head) = Self::read(tx, pen).await? {
            return Ok(head);
        }
        let start = Head::start();
        let create = tx.sql(CREATE).bind(&*pen.stream).bind(pen.tenant).bind(start.stream_seq);
        let create = create.bind(&start.hash.as_bytes()[..]);
        create.bind(start.seal(&pen.key, &pen.stream)).execute().await?;
        Self::read(tx, pen).await?.ok_or(sqlx::Error::RowNotFound)
    }

    async fn read(tx: &mut Transaction, pen: &Pen) -> Result<Option<Head>, sqlx::Error> {
        let read = match tx.dialect() {
            Dialect::Sqlite => tx.sql(READ_SQLITE).bind(&*pen.stream),
            Dialect::Postgres => tx.sql(READ_POSTGRES).bind(&*pen.stream).bind(Lock::LedgerNumbers as i64),
        };
        let Some((stream_seq, hash)) = read.fetch_optional::<(i64, Vec<u8>)>().await? else {
            return Ok(None);
        };
        let hash =
            <[u8; 32]>::try_from(hash).map_err(|_| sqlx::Error::Decode("a hash has 32 bytes".into()))?;
        Ok(Some(Head { stream_seq, hash: Digest::from_bytes(hash) }))
    }

    pub(super) async fn store(self, tx: &mut Transaction, pen: &Pen) -> Result<(), sqlx::Error> {
        let store = tx.sql(MOVE).bind(&*pen.stream).bind(self.stream_seq).bind(&self.hash.as_bytes()[..]);
        store.bind(self.seal(&pen.key, &pen.stream)).execute().await?;
        Ok(())
    }

    pub(super) fn seal(self, key: &[u8; 32], stream: &str) -> Vec<u8> {
        self.mac(key, stream).finalize().into_bytes().to_vec()
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
