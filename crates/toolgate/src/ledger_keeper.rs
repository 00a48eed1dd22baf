//! The days of the ledger: partitions for those to come, and the removal of those whose time is over. Where the ledger is
//! archived, a day that is not in the archive yet stays.

use std::sync::Arc;
use std::time::Duration;

use toolgate_archive::{Archive, ArchiveError, day_text};
use toolgate_store::{Books, CutOutcome, Store};

const LOOK_EVERY: Duration = Duration::from_secs(600);

pub(crate) struct LedgerKeeper {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    /// The time for which events are kept; `None` is forever.
    pub(crate) keep: Option<Duration>,
    pub(crate) archive: Option<Archive>,
}

impl LedgerKeeper {
    /// Keeps the days for as long as the gateway runs.
    pub(crate) async fn run(self) {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            tick.tick().await;
            if let Err(error) = self.store.make_ledger_days().await {
                let hint = error.advice().unwrap_or("a writer that needs one makes it");
                tracing::warn!(%error, hint, "the ledger has no partitions for the next days yet");
            }
            if let Some(keep) = self.keep {
                self.cut(keep).await;
            }
        }
    }

    async fn cut(&self, keep: Duration) {
        let first_kept = match self.first_day_to_archive().await {
            Ok(first) => first.unwrap_or(i64::MAX),
            Err(error) => {
                let hint = error.hint();
                tracing::warn!(%error, %hint, "no day is removed from the ledger: what is archived is not known");
                return;
            }
        };
        match self.store.cut_ledger_before(self.books.writer(), keep, first_kept).await {
            Ok(CutOutcome::Removed(0)) => {}
            Ok(CutOutcome::Removed(events)) => {
                tracing::info!(events, "the days of the ledger whose time to be kept is over were removed");
            }
            Ok(CutOutcome::NotIntact(fault)) => {
                tracing::error!(
                    %fault,
                    "days of the ledger whose time is over are kept: they are not as they were written"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "days of the ledger whose time is over could not be removed");
            }
        }
        if Store::first_kept_day(keep) > first_kept {
            let day = day_text(first_kept);
            tracing::warn!(
                day,
                "days of the ledger whose time is over are kept: this one is not in the archive yet"
            );
        }
    }

    /// The first day with lines that are in no segment, where the ledger is archived.
    async fn first_day_to_archive(&self) -> Result<Option<i64>, ArchiveError> {
        match &self.archive {
            Some(archive) => archive.first_day_left().await,
            None => Ok(None),
        }
    }
}
