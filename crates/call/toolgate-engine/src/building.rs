//! The building of an index, in one engine from its beginning to its end.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine_protocol::{
    AbandonBuild, BeginBuild, BuildId, ContentId, DropDocuments, EngineAnswer, EngineRequest, FinishBuild,
    FinishedBuild, IndexListing, IngestDocument, PutDocuments, PutSummary, StartedBuild,
};
use toolgate_core::Refusal;

use crate::link::EngineLink;
use crate::places::RequestClass;
use crate::supervision::RunningEngine;

/// Documents, and paths, of one request: each has the time limit of a build.
const DOCUMENTS_AT_ONCE: usize = 100;
const PATHS_AT_ONCE: usize = 10_000;

/// An index that is being built. It is lost with the engine that builds it, and abandoned when it is dropped.
pub struct IndexBuild {
    link: Arc<EngineLink>,
    running: Arc<RunningEngine>,
    build: BuildId,
    /// Files of the version before, which are stored already.
    stored: BTreeSet<ContentId>,
    is_open: bool,
}

impl EngineLink {
    pub async fn build(self: &Arc<Self>, begin: BeginBuild) -> Result<IndexBuild, Refusal> {
        let running = self.supervisor.running().await?;
        let files = begin.base.iter().flat_map(|base| &base.files);
        let stored = files.map(|file| file.content.clone()).collect();
        let request = EngineRequest::BeginBuild(Box::new(begin));
        let StartedBuild { build } = self.ask_of(&running, request, RequestClass::Build).await?;
        Ok(IndexBuild { link: Arc::clone(self), running, build, stored, is_open: true })
    }
}

impl IndexBuild {
    /// Takes in documents. One with a path that is there replaces the one before.
    pub async fn put(&mut self, documents: Vec<IngestDocument>) -> Result<PutSummary, Refusal> {
        let mut all = PutSummary::default();
        for documents in documents.chunks(DOCUMENTS_AT_ONCE) {
            let put = PutDocuments { build: self.build, documents: documents.to_vec() };
            let some: PutSummary = self.ask(EngineRequest::PutDocuments(put)).await?;
            all.documents += some.documents;
            all.chunks += some.chunks;
            all.embedded += some.embedded;
            all.reused += some.reused;
            all.refused.extend(some.refused);
        }
        Ok(all)
    }

    pub async fn drop_documents(&mut self, paths: Vec<String>) -> Result<(), Refusal> {
        for paths in paths.chunks(PATHS_AT_ONCE) {
            let dropped = DropDocuments { build: self.build, paths: paths.to_vec() };
            self.ask::<()>(EngineRequest::DropDocuments(dropped)).await?;
        }
        Ok(())
    }

    /// Finishes the index. All of its files are stored as blobs; the caller has an hour to write the rows that name them.
    pub async fn finish(mut self) -> Result<IndexListing, Refusal> {
        let request = EngineRequest::FinishBuild(FinishBuild { build: self.build });
        let FinishedBuild { listing } = self.ask(request).await?;
        self.is_open = false;
        let contents = listing.files.iter().map(|file| file.content.clone());
        let made: Vec<ContentId> = contents.filter(|content| !self.stored.contains(content)).collect();
        self.link.contents.store_all(&made).await?;
        Ok(listing)
    }

    async fn ask<T: EngineAnswer>(&self, request: EngineRequest) -> Result<T, Refusal> {
        self.link.ask_of(&self.running, request, RequestClass::Build).await
    }
}

impl Drop for IndexBuild {
    fn drop(&mut self) {
        if self.is_open {
            self.running.talk.tell(EngineRequest::AbandonBuild(AbandonBuild { build: self.build }));
        }
    }
}
