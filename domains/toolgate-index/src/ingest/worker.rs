//! The worker of an ingest: from the row of the work to the published index.

use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};
use toolgate_store::{Actor, IndexBuildRow};
use toolgate_work::{WorkEnd, WorkItem, WorkProgress, Worker};

use super::base::{BaseChoice, BuildTerms};
use super::building::{BuiltIndex, IngestCounts};
use super::order::{INGEST_KIND, IngestInput, IngestMode, IngestOrder};
use super::problems::IngestProblems;
use crate::indexes::Indexes;
use crate::refusal::is_about_index;

/// Pieces of the ledger that one work takes in.
const TRACE_ROUNDS_MAX: usize = 20;

/// The desk owns its workers, and the indexes know the desk: the worker does not keep them alive.
pub(crate) struct IngestWorker(Weak<Indexes>);

/// The result of an ingest, as its row keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct IngestResult {
    pub(crate) source_manifest: ManifestDigest,
    pub(crate) index_manifest: ManifestDigest,
    pub(crate) documents: u64,
    pub(crate) chunks: u64,
    pub(crate) put: u64,
    pub(crate) removed: u64,
    pub(crate) embedded: u64,
    pub(crate) reused: u64,
    pub(crate) problem_count: u64,
    /// The reason why it was built from the corpus although there was an index.
    pub(crate) rebuilt: Option<String>,
    /// The run that follows, since the source has moved meanwhile.
    pub(crate) next: Option<String>,
}

/// A state of a source that has its index.
struct IngestedState {
    row: IndexBuildRow,
    counts: IngestCounts,
    rebuilt: Option<String>,
}

impl IngestWorker {
    pub(crate) fn of(indexes: &Arc<Indexes>) -> Self {
        Self(Arc::downgrade(indexes))
    }
}

impl Worker for IngestWorker {
    fn kind(&self) -> &'static str {
        INGEST_KIND
    }

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>> {
        Box::pin(async move {
            let closing = || Refusal::new(&codes::STORE_DOWN, "the gateway is closing");
            let indexes = self.0.upgrade().ok_or_else(closing)?;
            let input: IngestInput = serde_json::from_value(work.input.clone()).map_err(|error| {
                Refusal::new(&codes::INVALID_ARGUMENTS, format!("the order of an ingest: {error}"))
            })?;
            let order = indexes.read_order(input)?;
            indexes.ingest(&order, &work.author(), progress).await
        })
    }
}

impl Indexes {
    async fn ingest(
        &self,
        order: &IngestOrder,
        author: &Actor,
        progress: &WorkProgress,
    ) -> Result<WorkEnd, Refusal> {
        let Some(manifest) = order.manifest else { return self.ingest_traces(order, author, progress).await };
        let done = self.ingest_state(order, manifest, author, progress).await?;
        // A source that moved while it was ingested is ingested again.
        let head = self.head_of(&order.source).await?.filter(|head| *head != manifest);
        let next = match head {
            None => None,
            Some(head) => {
                let mode = IngestMode::Incremental;
                let next = IngestOrder { manifest: Some(head), mode, ..order.clone() };
                // Not within this run: a pointer that moves often would make runs within runs without end.
                let by = Actor::person(&author.principal);
                Some(self.start_ingest(&next, &by).await?.run.to_string())
            }
        };
        Ok(done.end(next))
    }

    /// The ledger is taken in piece by piece: what was indexed stays, whatever happens to the rest.
    async fn ingest_traces(
        &self,
        order: &IngestOrder,
        author: &Actor,
        progress: &WorkProgress,
    ) -> Result<WorkEnd, Refusal> {
        let (mut order, mut rounds) = (order.clone(), 1);
        loop {
            let corpus = self.collect_traces(&order.source, author).await?;
            let done = self.ingest_state(&order, corpus.manifest, author, progress).await?;
            // A rebuild begins anew once.
            order.mode = IngestMode::Incremental;
            if !corpus.has_more || rounds >= TRACE_ROUNDS_MAX {
                return Ok(done.end(None));
            }
            rounds += 1;
        }
    }

    async fn ingest_state(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
        author: &Actor,
        progress: &WorkProgress,
    ) -> Result<IngestedState, Refusal> {
        let greeting = self.engine.greeting().await?;
        let terms = BuildTerms::new(self.settings.engine, &greeting, &order.known);
        let Some(base) = self.index_of_state(order, &terms, manifest).await? else {
            let choice = self.choose_base(order, &terms).await?;
            return self.build_and_publish(order, manifest, choice, author, progress).await;
        };
        match self.engine.check(base.kept.listing.clone()).await {
            // It was built before: by another one, or by this work before a crash, or before the source was reverted.
            Ok(()) => {
                self.lead_to(order, base.build.index_manifest, author).await?;
                Ok(IngestedState { row: base.build, counts: IngestCounts::default(), rebuilt: None })
            }
            Err(refusal) if is_about_index(&refusal) => {
                let choice = BaseChoice { base: None, rebuilt: Some(refusal.message) };
                self.build_and_publish(order, manifest, choice, author, progress).await
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Builds on the base. One whose files turn out to be damaged or of another form is left, and the corpus is read anew.
    async fn build_and_publish(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
        choice: BaseChoice,
        author: &Actor,
        progress: &WorkProgress,
    ) -> Result<IngestedState, Refusal> {
        let BaseChoice { base, mut rebuilt } = choice;
        let built = self.build_index(order, manifest, base.as_ref(), author, progress).await;
        let built: BuiltIndex = match built {
            Err(refusal) if base.is_some() && is_about_index(&refusal) => {
                tracing::warn!(source = %order.source, %refusal, "an index is built anew from its corpus");
                rebuilt = Some(refusal.message);
                self.build_index(order, manifest, None, author, progress).await?
            }
            built => built?,
        };
        let row = self.publish(order, manifest, &built, author).await?;
        Ok(IngestedState { row, counts: built.counts, rebuilt })
    }
}

impl IngestedState {
    fn end(self, next: Option<String>) -> WorkEnd {
        let Self { row, counts: IngestCounts { put, removed, embedded, reused }, rebuilt } = self;
        let result = IngestResult {
            source_manifest: row.key.source_manifest,
            index_manifest: row.index_manifest,
            documents: row.documents,
            chunks: row.chunks,
            put,
            removed,
            embedded,
            reused,
            problem_count: row.problem_count,
            rebuilt,
            next,
        };
        WorkEnd {
            result: serde_json::to_value(&result).expect("names and numbers are JSON"),
            problems: IngestProblems::of(&row).lines(),
            output_manifest: Some(row.index_manifest),
        }
    }
}
