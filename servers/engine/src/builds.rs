//! Indexes in the making: documents become passages with vectors, which an engine takes.

mod open;
mod prepare;

use std::sync::Arc;

use engine_protocol::{
    BeginBuild, BuildId, DropDocuments, EngineErrorCode, EngineFault, EngineKind, FinishedBuild,
    IngestDocument, Profile, PutDocuments, PutSummary, RefusedDocument, StartedBuild,
};

use crate::chunks::Chunk;
use crate::contents::Contents;
use crate::embeddings::Embeddings;
use crate::engines::Engines;
use crate::fault::{hinted, too_large};
use crate::model::ModelSlot;
use crate::port::{Build, EmbeddedChunk};
use crate::ticket::RequestTicket;
use open::OpenBuilds;
use prepare::{PreparedDocument, prepared};

/// Documents of one request.
const DOCUMENTS_MAX: usize = 10_000;

pub(crate) struct Builds {
    contents: Arc<Contents>,
    engines: Arc<Engines>,
    embeddings: Arc<Embeddings>,
    model: Arc<ModelSlot>,
    open: OpenBuilds,
}

impl Builds {
    pub(crate) fn new(
        contents: Arc<Contents>,
        engines: Arc<Engines>,
        embeddings: Arc<Embeddings>,
        model: Arc<ModelSlot>,
    ) -> Self {
        Self { contents, engines, embeddings, model, open: OpenBuilds::default() }
    }

    pub(crate) fn begin(&self, begin: BeginBuild) -> Result<StartedBuild, EngineFault> {
        let model = self.model_of(&begin)?;
        check_base(&begin, model.as_deref())?;
        let files = begin.base.iter().flat_map(|base| &base.files);
        self.contents.require(files.clone().map(|file| &file.content))?;
        let pins = self.contents.pin(files.map(|file| file.content.clone()));
        self.open.check_room()?;
        let work = self.engines.of(begin.engine)?.begin(&begin)?;
        Ok(StartedBuild { build: self.open.add(work, begin.profile, model, pins)? })
    }

    /// Puts the documents that can be read, and names the others.
    pub(crate) fn put(&self, put: PutDocuments, ticket: &RequestTicket) -> Result<PutSummary, EngineFault> {
        if put.documents.len() > DOCUMENTS_MAX {
            let message = format!("{} documents are too many for one request", put.documents.len());
            return Err(too_large(message, &format!("put at most {DOCUMENTS_MAX} at a time")));
        }
        let build = self.open.find(put.build)?;
        let docirs = put.documents.iter().map(|document| &document.docir);
        self.contents.require(docirs.clone())?;
        let _pins = self.contents.pin(docirs.cloned());
        let mut work = build.work(put.build)?;
        let mut putting =
            Putting { work: &mut **work, profile: &build.profile, embeddings: &self.embeddings, ticket };
        let mut summary = PutSummary::default();
        let total = put.documents.len() as u64;
        prepared(&self.contents, &put.documents, &build.profile.chunking, |at, document, made| {
            ticket.check()?;
            putting.take(document, made, &mut summary)?;
            ticket.progress(at as u64 + 1, total);
            Ok(())
        })?;
        Ok(summary)
    }

    pub(crate) fn drop_documents(&self, dropped: &DropDocuments) -> Result<(), EngineFault> {
        let build = self.open.find(dropped.build)?;
        let mut work = build.work(dropped.build)?;
        dropped.paths.iter().try_for_each(|path| work.drop_document(path))
    }

    /// The build is over, however this ends.
    pub(crate) fn finish(&self, id: BuildId) -> Result<FinishedBuild, EngineFault> {
        let build = self.open.remove(id)?;
        let mut listing = build.take(id)?.finish()?;
        if listing.engine == EngineKind::Inside {
            listing.model.clone_from(&build.model);
        }
        Ok(FinishedBuild { listing })
    }

    /// The digest of the model whose vectors an index of the engine's own files has. Postgres says itself which ones it has.
    fn model_of(&self, begin: &BeginBuild) -> Result<Option<String>, EngineFault> {
        let has_vectors = begin.engine == EngineKind::Inside && begin.profile.meaning.is_some();
        if has_vectors { self.model.digest() } else { Ok(None) }
    }

    /// A build that is not there is abandoned already.
    pub(crate) fn abandon(&self, id: BuildId) {
        drop(self.open.remove(id));
    }
}

/// Vectors of two models cannot be compared, and passages of two profiles are cut differently.
fn check_base(begin: &BeginBuild, model: Option<&str>) -> Result<(), EngineFault> {
    let Some(base) = &begin.base else { return Ok(()) };
    let hint = "build the index anew, without a base";
    if base.engine != begin.engine {
        return Err(hinted(EngineErrorCode::Outdated, "the index before is of another engine", hint));
    }
    let profile = format!("{}@{}", begin.profile.name, begin.profile.version);
    if base.profile != profile {
        let message = format!("the index before has the profile {}, not {profile}", base.profile);
        return Err(hinted(EngineErrorCode::Outdated, message, hint));
    }
    if base.engine == EngineKind::Inside && base.model.as_deref() != model {
        return Err(hinted(EngineErrorCode::Outdated, "the index before has vectors of another model", hint));
    }
    Ok(())
}

/// One request's documents on their way into a build.
struct Putting<'a> {
    work: &'a mut dyn Build,
    profile: &'a Profile,
    embeddings: &'a Embeddings,
    ticket: &'a RequestTicket,
}

impl Putting<'_> {
    fn take(
        &mut self,
        document: &IngestDocument,
        made: PreparedDocument,
        summary: &mut PutSummary,
    ) -> Result<(), EngineFault> {
        let done = made.and_then(|chunks| {
            let count = chunks.len() as u64;
            let chunks = self.embedded(chunks, summary)?;
            self.work.put(document, chunks)?;
            summary.documents += 1;
            summary.chunks += count;
            Ok(())
        });
        match done {
            Err(fault) if is_of_document(fault.code) => {
                summary.refused.push(RefusedDocument { path: document.path.clone(), why: fault.message });
                Ok(())
            }
            done => done,
        }
    }

    fn embedded(
        &self,
        chunks: Vec<Chunk>,
        summary: &mut PutSummary,
    ) -> Result<Vec<EmbeddedChunk>, EngineFault> {
        let texts: Vec<String> = match self.profile.meaning {
            Some(_) => chunks.iter().map(Chunk::embedded_text).collect(),
            None => Vec::new(),
        };
        let found = match texts.is_empty() {
            true => None,
            false => self.embeddings.of(&texts, &|| self.ticket.check())?,
        };
        let Some(found) = found else {
            return Ok(chunks.into_iter().map(|chunk| EmbeddedChunk { chunk, vector: None }).collect());
        };
        summary.embedded += found.computed;
        summary.reused += found.reused;
        let both = chunks.into_iter().zip(found.vectors);
        Ok(both.map(|(chunk, vector)| EmbeddedChunk { chunk, vector: Some(vector) }).collect())
    }
}

/// Faults of one document. Any other ends the request.
fn is_of_document(code: EngineErrorCode) -> bool {
    matches!(code, EngineErrorCode::Unreadable | EngineErrorCode::TooLarge)
}
