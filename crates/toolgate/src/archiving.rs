//! The archive of the ledger in the running gateway: opened beside the files, and kept up with the days that end.

use std::sync::Arc;
use std::time::Duration;

use toolgate_archive::{Archive, ArchiveError, closed_until};
use toolgate_core::governance::Clock as _;
use toolgate_files::Blobs;
use toolgate_store::Store;

use crate::config::{ArchiveSettings, Config};
use crate::governance::SystemClock;

/// The interval between passes; most of them find nothing to do.
const PASS_EVERY: Duration = Duration::from_secs(10 * 60);

/// The archive of this configuration. It does not contact an S3 storage yet.
pub(crate) fn open(config: &Config, store: &Store) -> anyhow::Result<Archive> {
    let blobs = Blobs::new(&config.files, store.clone(), Arc::new(SystemClock::default()));
    let blobs = blobs.map_err(|refusal| told(&ArchiveError::Storage(refusal)))?;
    Ok(Archive::new(store.clone(), Arc::new(blobs)))
}

/// A failure as commands tell it.
pub(crate) fn told(error: &ArchiveError) -> anyhow::Error {
    match error.hint() {
        hint if hint.is_empty() => anyhow::anyhow!("{error}"),
        hint => anyhow::anyhow!("{error}\nhint: {hint}"),
    }
}

/// Archives days that are over, for as long as the gateway runs.
pub(crate) async fn keep_up(archive: Archive, settings: ArchiveSettings) {
    let mut tick = tokio::time::interval(PASS_EVERY);
    loop {
        tick.tick().await;
        let until = closed_until(SystemClock::default().now_ms(), settings.after);
        match archive.run(until, |_| ()).await {
            Ok(report) if report.segments == 0 => {}
            Ok(report) => {
                let (segments, events) = (report.segments, report.events);
                tracing::info!(segments, events, "days of the ledger that are over were archived");
            }
            // Another gateway does it.
            Err(ArchiveError::Busy) => {}
            Err(error) => {
                let hint = error.hint();
                tracing::warn!(%error, %hint, "days of the ledger that are over could not be archived");
            }
        }
    }
}
