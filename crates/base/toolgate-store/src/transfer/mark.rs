//! The mark of a transfer in its target: whose rows are there, and whether all of them are. It is made by the transfer and
//! not by a migration, since a store that was never moved has none.

use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;
use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::error::TransferError;
use super::tables::StoreTable;
use crate::clock::now_ms;
use crate::db::{DbLock, Transaction};
use crate::error::doing;
use crate::{Store, StoreError};

const IS_THERE: &str = "SELECT to_regclass('store_transfer') IS NOT NULL";
const CREATE: &str = "CREATE TABLE IF NOT EXISTS store_transfer (source BYTEA NOT NULL PRIMARY KEY, \
     fingerprint BYTEA NOT NULL, began_at_ms BIGINT NOT NULL, ended_at_ms BIGINT)";
const READ: &str = "SELECT source, fingerprint, ended_at_ms FROM store_transfer";
const PUT: &str = "INSERT INTO store_transfer (source, fingerprint, began_at_ms) VALUES ($1, $2, $3) \
     ON CONFLICT (source) DO UPDATE SET fingerprint = excluded.fingerprint, began_at_ms = excluded.began_at_ms";
const FORGET: &str = "UPDATE store_transfer SET fingerprint = $2 WHERE source = $1";
/// New bodies come after those that were carried over.
const COUNT_ON: &str = "SELECT setval(pg_get_serial_sequence('ledger_bodies', 'place'), \
     (SELECT COALESCE(MAX(place), 0) + 1 FROM ledger_bodies), false)";
const END: &str = "UPDATE store_transfer SET ended_at_ms = $2 WHERE source = $1";
const UNFINISHED: &str = "SELECT began_at_ms FROM store_transfer WHERE ended_at_ms IS NULL";

/// Tables that have rows before anything was recorded: counters, and the key that seals what is recorded.
const FILLED_AT_FIRST: [&str; 2] = ["revisions", "secrets"];

const MARKING: &str = "mark the target of the transfer";
/// Separates the name of a store from everything else that is made of its key.
const CONTEXT: &[u8] = b"toolgate store transfer\0";

/// The mark that a source leaves.
pub(super) struct TransferMark {
    /// The name of the source, which its key has and does not show.
    source: [u8; 32],
    fingerprint: Vec<u8>,
}

/// How a transfer began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferOutset {
    Fresh,
    /// An earlier run was interrupted.
    Resumed,
    /// The source has changed since an earlier run, whose rows were removed.
    StartedOver,
}

type MarkRow = (Vec<u8>, Vec<u8>, Option<i64>);

impl TransferMark {
    pub(super) fn new(key: &[u8; 32], fingerprint: &Digest) -> Self {
        let source = Sha256::new().chain_update(CONTEXT).chain_update(key).finalize().into();
        Self { source, fingerprint: fingerprint.as_bytes().to_vec() }
    }

    /// How a transfer would begin.
    pub(super) async fn look(
        &self,
        target: &Store,
        tables: &[StoreTable],
    ) -> Result<TransferOutset, TransferError> {
        let mut tx = target.db.begin(Durability::Written).await.map_err(doing(MARKING))?;
        let (is_there,): (bool,) = tx.sql(IS_THERE).fetch_one().await.map_err(doing(MARKING))?;
        let marks = match is_there {
            true => tx.sql(READ).fetch_all().await.map_err(doing(MARKING))?,
            false => Vec::new(),
        };
        self.judge(&mut tx, marks, tables).await
    }

    /// Leaves the mark, and removes what is not to be kept.
    pub(super) async fn begin(
        &self,
        target: &Store,
        tables: &[StoreTable],
    ) -> Result<TransferOutset, TransferError> {
        let mut tx = target.db.begin(Durability::OnDisk).await.map_err(doing(MARKING))?;
        tx.alone(DbLock::StoreTransfer).await.map_err(doing(MARKING))?;
        tx.sql(CREATE).execute().await.map_err(doing(MARKING))?;
        let marks = tx.sql(READ).fetch_all().await.map_err(doing(MARKING))?;
        let start = self.judge(&mut tx, marks, tables).await?;
        if start != TransferOutset::Resumed {
            clear(&mut tx, tables).await.map_err(doing(MARKING))?;
            let put = tx.sql(PUT).bind(&self.source[..]).bind(&self.fingerprint[..]).bind(now_ms());
            put.execute().await.map_err(doing(MARKING))?;
        }
        tx.commit().await.map_err(doing(MARKING))?;
        Ok(start)
    }

    async fn judge(
        &self,
        tx: &mut Transaction,
        marks: Vec<MarkRow>,
        tables: &[StoreTable],
    ) -> Result<TransferOutset, TransferError> {
        match marks.into_iter().next() {
            Some((source, ..)) if source != self.source => Err(TransferError::OtherStore),
            Some((_, _, Some(ended_at_ms))) => Err(TransferError::Done { ended_at_ms }),
            Some((_, fingerprint, None)) if fingerprint == self.fingerprint => Ok(TransferOutset::Resumed),
            Some(_) => Ok(TransferOutset::StartedOver),
            None => {
                refuse_data(tx, tables).await?;
                Ok(TransferOutset::Fresh)
            }
        }
    }

    /// Makes the next run begin from the start.
    pub(super) async fn forget_progress(&self, target: &Store) -> Result<(), StoreError> {
        let none: &[u8] = &[];
        let forget = target.db.sql(FORGET).bind(&self.source[..]).bind(none);
        forget.execute().await.map(drop).map_err(doing(MARKING))
    }

    pub(super) async fn end(&self, target: &Store) -> Result<(), StoreError> {
        target.db.sql(COUNT_ON).fetch_one::<(i64,)>().await.map_err(doing(MARKING))?;
        let end = target.db.sql(END).bind(&self.source[..]).bind(now_ms());
        end.execute().await.map(drop).map_err(doing(MARKING))
    }
}

async fn refuse_data(tx: &mut Transaction, tables: &[StoreTable]) -> Result<(), TransferError> {
    for table in tables.iter().filter(|table| !FILLED_AT_FIRST.contains(&&*table.name)) {
        let look = AssertSqlSafe(format!("SELECT 1::BIGINT FROM \"{}\" LIMIT 1", table.name));
        let row: Option<(i64,)> = tx.sql(look).fetch_optional().await.map_err(doing(MARKING))?;
        if row.is_some() {
            return Err(TransferError::NotEmpty { table: table.name.clone() });
        }
    }
    Ok(())
}

async fn clear(tx: &mut Transaction, tables: &[StoreTable]) -> Result<(), sqlx::Error> {
    let names: Vec<String> = tables.iter().map(|table| format!("\"{}\"", table.name)).collect();
    tx.sql(AssertSqlSafe(format!("TRUNCATE {}", names.join(", ")))).execute().await.map(drop)
}

impl Store {
    /// Refuses a database that has only a part of a store, on Postgres.
    pub(crate) async fn refuse_unfinished_transfer(&self) -> Result<(), StoreError> {
        const DOING: &str = "look for an unfinished transfer";
        let (is_there,): (bool,) = self.db.sql(IS_THERE).fetch_one().await.map_err(doing(DOING))?;
        if is_there {
            let unfinished =
                self.db.sql(UNFINISHED).fetch_optional::<(i64,)>().await.map_err(doing(DOING))?;
            if unfinished.is_some() {
                return Err(StoreError::UnfinishedTransfer);
            }
        }
        Ok(())
    }
}
