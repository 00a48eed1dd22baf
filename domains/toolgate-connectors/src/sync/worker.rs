//! The worker of a sync: from the row of the work to the pointer that has moved.

use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};
use toolgate_work::{WorkEnd, WorkItem, WorkProgress, Worker};

use super::order::{SYNC_KIND, SyncInput};
use super::passing::SyncPass;
use crate::connectors::Connectors;
use crate::rate::RateRemainder;
use crate::refusal::closing;

/// The desk owns its workers, and the connectors know the desk: the worker does not keep them alive.
pub(crate) struct SyncWorker(Weak<Connectors>);

/// The result of a sync, as its row keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SyncResult {
    /// None while nothing was ever taken in.
    pub(crate) manifest: Option<ManifestDigest>,
    pub(crate) records: u64,
    pub(crate) pages: u64,
    #[serde(default)]
    pub(crate) rate: Option<RateRemainder>,
}

impl SyncWorker {
    pub(crate) fn of(connectors: &Arc<Connectors>) -> Self {
        Self(Arc::downgrade(connectors))
    }
}

impl Worker for SyncWorker {
    fn kind(&self) -> &'static str {
        SYNC_KIND
    }

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>> {
        Box::pin(async move {
            let connectors = self.0.upgrade().ok_or_else(closing)?;
            let input: SyncInput = serde_json::from_value(work.input.clone()).map_err(|error| {
                Refusal::new(&codes::INVALID_ARGUMENTS, format!("the order of a sync: {error}"))
            })?;
            let of = input.connector()?;
            let author = work.author();
            let pass = SyncPass::begin(&connectors, &of, &author, progress).await?;
            let passed = pass.run(&input.streams).await?;
            let result = SyncResult {
                manifest: passed.manifest,
                records: passed.records,
                pages: passed.pages,
                rate: connectors.rates.lock().get(&of.server).copied(),
            };
            Ok(WorkEnd {
                result: serde_json::to_value(&result).expect("names and numbers are JSON"),
                problems: passed.problems,
                output_manifest: passed.manifest,
            })
        })
    }
}
