//! Building an index: the changed files page by page, parsed and put, the removed ones dropped.

use std::collections::BTreeSet;

use engine_protocol::{BeginBuild, IndexListing, IngestDocument, PutSummary};
use futures_util::StreamExt as _;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};
use toolgate_documents::content_id;
use toolgate_engine::IndexBuild;
use toolgate_store::Actor;
use toolgate_substrate::{ChangedFile, ChangedFileKind};
use toolgate_work::WorkProgress;

use super::base::BaseIndex;
use super::order::IngestOrder;
use super::problems::IngestProblems;
use crate::indexes::Indexes;
use crate::limits::{BATCH_DOCUMENTS_MAX, CHANGES_PAGE, DOCUMENTS_AT_ONCE};
use crate::refusal::is_about_document;

/// An index that was built and is not kept yet.
pub(super) struct BuiltIndex {
    pub(super) listing: IndexListing,
    pub(super) problems: IngestProblems,
    pub(super) counts: IngestCounts,
}

/// The work of an ingest in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct IngestCounts {
    /// Documents that were added or changed, and those that were removed.
    pub(super) put: u64,
    pub(super) removed: u64,
    /// Vectors that were computed, and those that were known.
    pub(super) embedded: u64,
    pub(super) reused: u64,
}

/// The state of a build while it goes on.
struct OpenBuild<'a> {
    build: IndexBuild,
    author: &'a Actor,
    problems: IngestProblems,
    counts: IngestCounts,
}

impl Indexes {
    /// Builds the index of a state, from the base if there is one.
    pub(super) async fn build_index(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
        base: Option<&BaseIndex>,
        author: &Actor,
        progress: &WorkProgress,
    ) -> Result<BuiltIndex, Refusal> {
        let begin = BeginBuild {
            engine: self.settings.engine,
            name: order.source.label(&order.known.profile.name),
            base: base.map(|base| base.kept.listing.clone()),
            profile: order.known.profile.clone(),
        };
        let mut open = OpenBuild {
            build: self.engine.build(begin).await?,
            author,
            problems: base.map(|base| IngestProblems::of(&base.build)).unwrap_or_default(),
            counts: IngestCounts::default(),
        };
        let old = base.map(|base| base.build.key.source_manifest);
        let total = self.expected_total(old, manifest).await?;
        let (mut after, mut done): (Option<String>, u64) = (None, 0);
        loop {
            let page = self.substrate.changed_paths(old, manifest, after.as_deref(), CHANGES_PAGE).await?;
            let Some(last) = page.last().map(|file| file.path.clone()) else { break };
            let is_last = page.len() < CHANGES_PAGE;
            done += page.len() as u64;
            self.take_page(&mut open, page).await?;
            progress.set(done, total.max(done));
            if is_last {
                break;
            }
            after = Some(last);
        }
        let OpenBuild { build, problems, counts, .. } = open;
        Ok(BuiltIndex { listing: build.finish().await?, problems, counts })
    }

    /// The number of files to look at: all, or a guess at those that changed.
    async fn expected_total(&self, old: Option<ManifestDigest>, new: ManifestDigest) -> Result<u64, Refusal> {
        match old {
            None => self.substrate.manifest(new).await.map(|manifest| manifest.entries),
            // The difference is read page by page; its length shows at its end.
            Some(_) => Ok(0),
        }
    }

    async fn take_page(&self, open: &mut OpenBuild<'_>, page: Vec<ChangedFile>) -> Result<(), Refusal> {
        let paths: BTreeSet<&str> = page.iter().map(|file| file.path.as_str()).collect();
        open.problems.forget(&paths);
        let (removed, changed): (Vec<&ChangedFile>, Vec<&ChangedFile>) =
            page.iter().partition(|file| file.change == ChangedFileKind::Removed);
        let mut dropped: Vec<String> = removed.iter().map(|file| file.path.clone()).collect();
        open.counts.removed += dropped.len() as u64;
        for batch in changed.chunks(BATCH_DOCUMENTS_MAX) {
            let mut documents = Vec::with_capacity(batch.len());
            for (file, read) in self.read_batch(batch, open.author).await {
                match read {
                    Ok(document) => documents.push(document),
                    Err(refusal) if is_about_document(&refusal) => {
                        open.problems.add(&file.path, &refusal.message);
                        // The text of before would be found as if it were that of now.
                        dropped.extend((file.change == ChangedFileKind::Modified).then(|| file.path.clone()));
                    }
                    Err(refusal) => return Err(refusal),
                }
            }
            dropped.extend(open.put(documents).await?);
        }
        match dropped.is_empty() {
            true => Ok(()),
            false => open.build.drop_documents(dropped).await,
        }
    }

    /// Parses a few files at a time; their order stays.
    async fn read_batch<'f>(
        &self,
        batch: &[&'f ChangedFile],
        author: &Actor,
    ) -> Vec<(&'f ChangedFile, Result<IngestDocument, Refusal>)> {
        let read = |file: &'f ChangedFile| async move { (file, self.read_document(file, author).await) };
        // Made first: a stream that makes them would keep borrowing while it waits.
        let reading: Vec<_> = batch.iter().copied().map(read).collect();
        futures_util::stream::iter(reading).buffered(DOCUMENTS_AT_ONCE).collect().await
    }

    async fn read_document(&self, file: &ChangedFile, author: &Actor) -> Result<IngestDocument, Refusal> {
        let none = || Refusal::new(&codes::UNKNOWN_ARTIFACT, format!("{} has no content", file.path));
        let artifact = file.artifact.ok_or_else(none)?;
        let parsed = self.parsed(artifact, file, author).await?;
        Ok(IngestDocument {
            path: file.path.clone(),
            artifact: content_id(artifact),
            docir: content_id(parsed.docir),
            media_type: Some(parsed.media_type),
            metadata: file.metadata.clone(),
        })
    }
}

impl OpenBuild<'_> {
    /// Puts documents, and returns the paths of those that were refused.
    async fn put(&mut self, documents: Vec<IngestDocument>) -> Result<Vec<String>, Refusal> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let PutSummary { documents, chunks: _, embedded, reused, refused } =
            self.build.put(documents).await?;
        self.counts.put += documents;
        self.counts.embedded += embedded;
        self.counts.reused += reused;
        refused.iter().for_each(|document| self.problems.add(&document.path, &document.why));
        Ok(refused.into_iter().map(|document| document.path).collect())
    }
}
