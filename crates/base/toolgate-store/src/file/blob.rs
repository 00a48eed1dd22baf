//! The life of bytes that several files, refs and artifacts may share.
//!
//! Deleting them takes two steps, because the storage of the bytes has no transactions: the row is marked
//! while nothing uses it, and removed when the bytes are gone. In between, the same bytes are neither written
//! again nor used. A gateway that marks rows has a limited time to delete the bytes; then another one may.

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::shared::{read_digest, stored_limit};
use super::write;
use crate::clock::now_ms;
use crate::db::{Dialect, SqlStatement, Transaction};
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::{Store, StoreError};

const TOUCH_SQLITE: &str = "INSERT INTO blobs (tenant, digest, bytes, touched_at_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, digest) DO UPDATE SET touched_at_ms = max(blobs.touched_at_ms, excluded.touched_at_ms)
    WHERE blobs.deleting = 0";
const TOUCH_POSTGRES: &str = "INSERT INTO blobs (tenant, digest, bytes, touched_at_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, digest) DO UPDATE SET touched_at_ms = greatest(blobs.touched_at_ms, excluded.touched_at_ms)
    WHERE blobs.deleting = 0";
const BYTES: &str = "SELECT bytes FROM blobs WHERE tenant = $1 AND digest = $2 AND deleting = 0";
/// A text that is its own extraction does not keep itself, nor does a DocIR that is its own source.
const UNUSED: &str = "
    AND NOT EXISTS (SELECT 1 FROM files WHERE files.tenant = blobs.tenant AND files.digest = blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.tenant = blobs.tenant AND refs.digest = blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM artifacts WHERE artifacts.tenant = blobs.tenant AND artifacts.digest = blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM extractions WHERE extractions.tenant = blobs.tenant
        AND extractions.text_digest = blobs.digest AND extractions.digest <> blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM parsed_documents WHERE parsed_documents.tenant = blobs.tenant
        AND parsed_documents.docir = blobs.digest AND parsed_documents.artifact <> blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM run_checkpoints WHERE run_checkpoints.tenant = blobs.tenant
        AND run_checkpoints.digest = blobs.digest)";
const CANDIDATES: &str = "SELECT digest FROM blobs WHERE tenant = $1 AND deleting = 0 AND touched_at_ms < $2";
const OLDEST: &str = " ORDER BY touched_at_ms LIMIT $3";
const MARK: &str = "UPDATE blobs SET deleting = 1, deleting_by = $3, deleting_since_ms = $4
    WHERE tenant = $1 AND digest = $2";
const TAKE_OVER: &str = "UPDATE blobs SET deleting_by = $2, deleting_since_ms = $3
    WHERE tenant = $1 AND deleting = 1 AND (deleting_by = $2 OR deleting_since_ms <= $4)";
const MARKED: &str = "SELECT digest FROM blobs WHERE tenant = $1 AND deleting = 1 AND deleting_by = $2
    ORDER BY touched_at_ms LIMIT $3";
const BURY: &str =
    "DELETE FROM blobs WHERE tenant = $1 AND digest = $2 AND deleting = 1 AND deleting_by = $3";
const FORGET_TEXTS: &str = "DELETE FROM extractions WHERE tenant = $1 AND digest = $2";
const FORGET_PARSED: &str =
    "DELETE FROM parsed_documents WHERE tenant = $1 AND (artifact = $2 OR docir = $2)";

/// The time that the marker of bytes has to delete them before another gateway does. Deleting must take less,
/// or two gateways could delete bytes that were written again in between.
pub const CONDEMNED_LEASE_MS: i64 = 5 * 60 * 1000;

/// The permission to write bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlobReservation {
    Ready,
    /// The same bytes are being deleted. They may be written afterwards.
    Deleting,
}

impl Store {
    /// Announces that bytes are about to be written and used, so that they are not deleted meanwhile.
    pub async fn touch_blob(
        &self,
        digest: &Digest,
        bytes: u64,
        now_ms: i64,
    ) -> Result<BlobReservation, StoreError> {
        let touch = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(&digest.as_bytes()[..]);
            to.push(stored_count(bytes));
            to.push(now_ms);
        };
        let text = self.db.dialect().pick(TOUCH_SQLITE, TOUCH_POSTGRES);
        let touched = write(self, text, touch).await.map_err(doing("note that bytes are in use"))?;
        Ok(if touched > 0 { BlobReservation::Ready } else { BlobReservation::Deleting })
    }

    /// The number of bytes with this digest. `None` if they do not exist, or are about to be deleted.
    pub async fn blob_bytes(&self, digest: &Digest) -> Result<Option<u64>, StoreError> {
        let read = self.db.sql(BYTES).bind(self.tenant).bind(&digest.as_bytes()[..]);
        let row: Option<(i64,)> = read.fetch_optional().await.map_err(doing("read how long bytes are"))?;
        Ok(row.map(|(bytes,)| read_count(bytes)))
    }

    /// Marks bytes that nothing uses and that were last touched before a given time, and returns the ones
    /// that this gateway has to delete: those, the ones that it marked earlier, and the ones that others
    /// marked so long ago that they must be dead. `max` at most.
    pub async fn condemn_blobs(
        &self,
        untouched_since_ms: i64,
        max: usize,
    ) -> Result<Vec<Digest>, StoreError> {
        const DOING: &str = "look for bytes that nothing uses";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        self.condemn(&mut tx, untouched_since_ms, stored_limit(max)).await.map_err(doing(DOING))?;
        let marked = tx.sql(MARKED).bind(self.tenant).bind(&*self.holder).bind(stored_limit(max));
        let marked: Vec<(Vec<u8>,)> = marked.fetch_all().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        marked.into_iter().map(|(digest,)| read_digest(&digest, DOING)).collect()
    }

    async fn condemn(&self, tx: &mut Transaction, since_ms: i64, max: i64) -> Result<(), sqlx::Error> {
        let now = now_ms();
        let take = tx.sql(TAKE_OVER).bind(self.tenant).bind(&*self.holder).bind(now);
        take.bind(now - CONDEMNED_LEASE_MS).execute().await?;
        // A row that is about to be used is locked; it is skipped rather than waited for.
        let lock = tx.dialect().pick("", " FOR UPDATE SKIP LOCKED");
        let text = sqlx::AssertSqlSafe(format!("{CANDIDATES}{UNUSED}{OLDEST}{lock}"));
        let candidates = tx.sql(text).bind(self.tenant).bind(since_ms).bind(max);
        let candidates: Vec<(Vec<u8>,)> = candidates.fetch_all().await?;
        for (digest,) in candidates {
            // Looks again: until it was locked, it may have found a use that the first look did not see.
            let mark = tx.sql(sqlx::AssertSqlSafe(format!("{MARK}{UNUSED}"))).bind(self.tenant);
            mark.bind(digest).bind(&*self.holder).bind(now).execute().await?;
        }
        Ok(())
    }

    /// Removes the row of bytes that this gateway marked and deleted, and everything derived from them.
    /// `false` if they are not its own.
    pub async fn bury_blob(&self, digest: &Digest) -> Result<bool, StoreError> {
        const DOING: &str = "forget bytes that are gone";
        let digest = &digest.as_bytes()[..];
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        let bury = tx.sql(BURY).bind(self.tenant).bind(digest).bind(&*self.holder);
        let is_buried = bury.execute().await.map_err(doing(DOING))? > 0;
        if is_buried {
            for forget in [FORGET_TEXTS, FORGET_PARSED] {
                let forget = tx.sql(forget).bind(self.tenant).bind(digest);
                forget.execute().await.map_err(doing(DOING))?;
            }
        }
        tx.commit().await.map_err(doing(DOING))?;
        Ok(is_buried)
    }
}

/// Protects bytes from being marked until the end of the transaction that begins to use them.
pub(super) async fn hold(
    tx: &mut Transaction,
    tenant: &'static str,
    digest: &Digest,
    at: &'static str,
) -> Result<(), StoreError> {
    match try_hold(tx, tenant, digest).await.map_err(doing(at))? {
        true => Ok(()),
        false => Err(StoreError::BytesGone { doing: at, digest: *digest }),
    }
}

/// True if the bytes exist.
pub(super) async fn try_hold(
    tx: &mut Transaction,
    tenant: &'static str,
    digest: &Digest,
) -> Result<bool, sqlx::Error> {
    let lock = match tx.dialect() {
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR SHARE",
    };
    let hold = tx.sql(sqlx::AssertSqlSafe(format!("{BYTES}{lock}"))).bind(tenant);
    let row: Option<(i64,)> = hold.bind(&digest.as_bytes()[..]).fetch_optional().await?;
    Ok(row.is_some())
}
