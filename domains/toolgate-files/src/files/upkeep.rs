//! Collects garbage: files and refs whose time is over, then unused bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolgate_core::Refusal;
use toolgate_store::CONDEMNED_LEASE_MS;

use super::state::Files;
use crate::refusal;

const LOOK_EVERY: Duration = Duration::from_secs(60);
/// The interval between searches for leftovers of a gateway that stopped while it wrote.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// The time to use stored bytes before they are collected.
const UNTOUCHED_MS: i64 = 60 * 60 * 1000;
/// An expired upload is remembered a while longer, so that a late client learns why.
const UPLOADS_KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// Rows that are removed with one statement.
const ROWS_MAX: usize = 500;
/// The number of bytes rows that are marked at once. Deleting all of them must take less time than the mark
/// lasts.
const CONDEMNED_MAX: usize = 100;

/// The results of one round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CollectionReport {
    pub files: u64,
    pub refs: u64,
    pub blobs: u64,
}

/// Work in progress can be abandoned at shutdown: the next gateway continues it.
pub(super) async fn run(files: Arc<Files>, shutdown: CancellationToken) {
    Box::pin(shutdown.run_until_cancelled(look_after(&files))).await.unwrap_or_default();
}

async fn look_after(files: &Files) {
    let mut swept: Option<Instant> = None;
    let mut is_out = false;
    loop {
        let collected = files.collect().await;
        if let (Err(refusal), false) = (&collected, is_out) {
            tracing::warn!(%refusal, "files that are no longer needed are not collected");
        }
        is_out = collected.is_err();
        if swept.is_none_or(|at| at.elapsed() >= SWEEP_EVERY) {
            swept = Some(Instant::now());
            // It logs its own errors.
            drop(files.blobs.sweep().await);
        }
        files.clock.sleep(LOOK_EVERY).await;
    }
}

impl Files {
    /// One round of the work done every minute.
    pub async fn collect(&self) -> Result<CollectionReport, Refusal> {
        let _one_at_a_time = self.collecting.lock().await;
        let now_ms = self.clock.now_ms();
        let mut collected =
            CollectionReport { files: self.expire_files(now_ms).await?, ..CollectionReport::default() };
        collected.refs = self.expire_refs(now_ms).await?;
        let forgotten = self.store.forget_uploads(now_ms - UPLOADS_KEPT_MS, ROWS_MAX).await;
        forgotten.map_err(refusal::down)?;
        collected.blobs = self.bury(now_ms).await?;
        Ok(collected)
    }

    async fn expire_files(&self, now_ms: i64) -> Result<u64, Refusal> {
        let mut count = 0;
        loop {
            let expired = self.books.expire_files(now_ms, ROWS_MAX).await.map_err(refusal::down)?;
            count += u64::try_from(expired.len()).expect("a length fits into 64 bits");
            if expired.is_empty() {
                return Ok(count);
            }
        }
    }

    async fn expire_refs(&self, now_ms: i64) -> Result<u64, Refusal> {
        let mut count = 0;
        loop {
            let expired = self.store.expire_refs(now_ms, ROWS_MAX).await.map_err(refusal::down)?;
            count += expired;
            if expired == 0 {
                return Ok(count);
            }
        }
    }

    async fn bury(&self, now_ms: i64) -> Result<u64, Refusal> {
        let mut count = 0;
        loop {
            let since = Instant::now();
            let condemned = self.store.condemn_blobs(now_ms - UNTOUCHED_MS, CONDEMNED_MAX).await;
            let condemned = condemned.map_err(refusal::down)?;
            let is_last = condemned.len() < CONDEMNED_MAX;
            for digest in condemned {
                // A mark lasts a limited time. The rest comes next time, with a new mark.
                if since.elapsed() > lease() / 4 {
                    return Ok(count);
                }
                let deleting = tokio::time::timeout(lease() / 4, self.blobs.delete(digest));
                deleting.await.map_err(|_| refusal::slow_storage())??;
                count += u64::from(self.store.bury_blob(&digest).await.map_err(refusal::down)?);
            }
            if is_last {
                return Ok(count);
            }
        }
    }
}

fn lease() -> Duration {
    Duration::from_millis(u64::try_from(CONDEMNED_LEASE_MS).expect("a lease is not negative"))
}
