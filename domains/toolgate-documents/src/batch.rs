//! The work that parses all files of a manifest. Those that were parsed before cost a look into the store.

use std::sync::{Arc, Weak};

use engine_protocol::DocumentTier;
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, RefusalKind, codes};
use toolgate_store::Actor;
use toolgate_substrate::ListedFile;
use toolgate_work::{WorkEnd, WorkItem, WorkProgress, Worker};

use crate::documents::Documents;

/// The kind of the work and of its run.
pub(crate) const PARSE_KIND: &str = "document_parse";

/// Files that are read from a manifest at a time.
const PAGE: usize = 200;
/// Documents that are parsed at the same time. The engine has limits of its own.
const PARALLEL: usize = 4;
/// From this attempt on, a document at which the engine fails is left out: it may be the reason.
const SUSPICIOUS_ATTEMPT: u64 = 3;

/// The order as the row of the work has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ParseBatch {
    pub(crate) manifest: ManifestDigest,
    pub(crate) tier: DocumentTier,
}

impl ParseBatch {
    /// Two of the same are one.
    pub(crate) fn key(&self) -> String {
        format!("{} {}", self.manifest, self.tier.as_str())
    }
}

/// The desk owns its workers, and the documents know the desk: the worker does not keep them alive.
pub(crate) struct ParseWorker(Weak<Documents>);

impl ParseWorker {
    pub(crate) fn of(documents: &Arc<Documents>) -> Self {
        Self(Arc::downgrade(documents))
    }
}

impl Worker for ParseWorker {
    fn kind(&self) -> &'static str {
        PARSE_KIND
    }

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>> {
        Box::pin(async move {
            let closing = || Refusal::new(&codes::STORE_DOWN, "the gateway is closing");
            let documents = self.0.upgrade().ok_or_else(closing)?;
            let batch: ParseBatch = serde_json::from_value(work.input.clone()).map_err(|error| {
                Refusal::new(&codes::INVALID_ARGUMENTS, format!("the order of a parse: {error}"))
            })?;
            documents.parse_all(&batch, work, progress).await
        })
    }
}

/// The counts of a batch.
#[derive(Default)]
struct BatchTally {
    parsed: u64,
    cached: u64,
    problems: Vec<String>,
}

/// One file of a batch: true if it had been parsed before, or the problem with it.
type BatchStep = Result<bool, String>;

impl Documents {
    async fn parse_all(
        &self,
        batch: &ParseBatch,
        work: &WorkItem,
        progress: &WorkProgress,
    ) -> Result<WorkEnd, Refusal> {
        progress.set_total(self.count_files(batch.manifest).await?);
        let (author, mut tally) = (work.author(), BatchTally::default());
        let mut after: Option<String> = None;
        loop {
            let page = self.substrate.files_of(batch.manifest, after.as_deref(), PAGE).await?;
            let is_last = page.len() < PAGE;
            after = page.last().map(|file| file.path.clone());
            let steps = page.into_iter().map(|file| -> BoxFuture<'_, Result<BatchStep, Refusal>> {
                Box::pin(self.parse_listed(file, batch.tier, work.attempt, &author))
            });
            let mut steps = stream::iter(steps.collect::<Vec<_>>()).buffered(PARALLEL);
            while let Some(step) = steps.next().await {
                tally.add(step?);
                progress.add(1);
            }
            if is_last {
                return Ok(tally.end());
            }
        }
    }

    async fn count_files(&self, manifest: ManifestDigest) -> Result<u64, Refusal> {
        let (mut count, mut after): (u64, Option<String>) = (0, None);
        loop {
            let page = self.substrate.files_of(manifest, after.as_deref(), PAGE).await?;
            count += u64::try_from(page.len()).unwrap_or(u64::MAX);
            if page.len() < PAGE {
                return Ok(count);
            }
            after = page.last().map(|file| file.path.clone());
        }
    }

    async fn parse_listed(
        &self,
        file: ListedFile,
        tier: DocumentTier,
        attempt: u64,
        author: &Actor,
    ) -> Result<BatchStep, Refusal> {
        let name = file.path.rsplit('/').next();
        let found = self.look_up(file.artifact, file.media_type.as_deref(), name, tier, author).await;
        match found {
            Ok(found) => Ok(Ok(found.is_cached)),
            Err(refusal) if is_of_document(&refusal, attempt) => {
                Ok(Err(format!("{}: {}", file.path, refusal.message)))
            }
            Err(refusal) => Err(refusal),
        }
    }
}

/// True if a refusal is about this document alone, so that the others are parsed.
fn is_of_document(refusal: &Refusal, attempt: u64) -> bool {
    match *refusal.code == codes::ENGINE_FAILED {
        true => attempt >= SUSPICIOUS_ATTEMPT,
        false => refusal.kind != RefusalKind::Down,
    }
}

impl BatchTally {
    fn add(&mut self, step: BatchStep) {
        match step {
            Ok(true) => self.cached += 1,
            Ok(false) => self.parsed += 1,
            Err(problem) => self.problems.push(problem),
        }
    }

    fn end(self) -> WorkEnd {
        let Self { parsed, cached, problems } = self;
        WorkEnd {
            result: json!({ "parsed": parsed, "cached": cached, "refused": problems.len() }),
            problems,
            output_manifest: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_of_the_document_itself_is_left_out() {
        let about = |code| Refusal::new(code, "no");
        assert!(is_of_document(&about(&codes::UNREADABLE_DOCUMENT), 1));
        assert!(!is_of_document(&about(&codes::STORE_DOWN), 9));
        assert!(!is_of_document(&about(&codes::ENGINE_MISSING), 9));
        assert!(!is_of_document(&about(&codes::ENGINE_FAILED), 1));
        assert!(is_of_document(&about(&codes::ENGINE_FAILED), SUSPICIOUS_ATTEMPT));
    }
}
