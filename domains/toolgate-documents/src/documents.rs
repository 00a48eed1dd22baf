//! The documents of one gateway process: each is parsed once, and found afterwards.

use std::sync::Arc;

use engine_protocol::{DocumentTier, Parse};
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_core::substrate::ArtifactDigest;
use toolgate_files::Files;
use toolgate_store::{Actor, ParsedDocument, Store};
use toolgate_substrate::Substrate;
use toolgate_work::WorkDesk;

use crate::batch::ParseWorker;
use crate::cache::DocirCache;
use crate::content::{content_id, digest_of};
use crate::engine::DocumentEngine;
use crate::refusal::down;

/// The name of every DocIR as an artifact.
const DOCIR_NAME: &str = "docir.json";

pub struct DocumentsSetup {
    pub store: Store,
    pub files: Arc<Files>,
    pub substrate: Arc<Substrate>,
    pub engine: Arc<dyn DocumentEngine>,
    pub work: Arc<WorkDesk>,
    pub clock: Arc<dyn Clock>,
}

/// The state of the tools `document.*`, and what other domains ask about documents.
pub struct Documents {
    pub(crate) store: Store,
    pub(crate) files: Arc<Files>,
    pub(crate) substrate: Arc<Substrate>,
    pub(crate) engine: Arc<dyn DocumentEngine>,
    pub(crate) work: Arc<WorkDesk>,
    pub(crate) cache: DocirCache,
    clock: Arc<dyn Clock>,
}

/// A parsed document, and true if it had been parsed before.
pub(crate) struct DocumentLookup {
    pub(crate) document: ParsedDocument,
    pub(crate) is_cached: bool,
}

impl Documents {
    pub fn new(setup: DocumentsSetup) -> Arc<Self> {
        let DocumentsSetup { store, files, substrate, engine, work, clock } = setup;
        let documents =
            Arc::new(Self { store, files, substrate, engine, work, cache: DocirCache::default(), clock });
        documents.work.add(Arc::new(ParseWorker::of(&documents)));
        documents
    }

    /// A document of stored bytes, parsed now or before. The caller has checked that they may be read.
    pub async fn parsed(
        &self,
        artifact: ArtifactDigest,
        media_type: Option<&str>,
        file_name: Option<&str>,
        tier: DocumentTier,
        author: &Actor,
    ) -> Result<ParsedDocument, Refusal> {
        let found = self.look_up(artifact, media_type, file_name, tier, author).await?;
        Ok(found.document)
    }

    pub(crate) async fn look_up(
        &self,
        artifact: ArtifactDigest,
        media_type: Option<&str>,
        file_name: Option<&str>,
        tier: DocumentTier,
        author: &Actor,
    ) -> Result<DocumentLookup, Refusal> {
        let parser = self.engine.parser().await?;
        if let Some(document) = self.stored(artifact, &parser, tier).await? {
            return Ok(DocumentLookup { document, is_cached: true });
        }
        let parse = Parse {
            artifact: content_id(artifact),
            media_type: media_type.map(str::to_owned),
            file_name: file_name.map(str::to_owned),
            tier,
        };
        let document = self.parse_now(artifact, &parser, parse, author).await?;
        // Another may have parsed it at the same time: the first one is the one that all cite.
        let first = self.stored(artifact, &parser, tier).await?;
        Ok(DocumentLookup { document: first.unwrap_or(document), is_cached: false })
    }

    async fn parse_now(
        &self,
        artifact: ArtifactDigest,
        parser: &str,
        parse: Parse,
        author: &Actor,
    ) -> Result<ParsedDocument, Refusal> {
        let tier = parse.tier;
        let parsed = self.engine.parse(parse).await?;
        let docir = digest_of(&parsed.docir);
        let media_type = docir::DOCIR_MEDIA_TYPE;
        self.substrate.keep_artifact(docir, parsed.bytes, media_type, DOCIR_NAME, author).await?;
        let document = ParsedDocument {
            artifact,
            parser: parser.to_owned(),
            tier: tier.as_str().to_owned(),
            docir,
            media_type: parsed.media_type,
            pages: parsed.pages,
            items: parsed.items,
            tables: parsed.tables,
            confidence: parsed.confidence,
            warnings: parsed.warnings,
            at_ms: self.clock.now_ms(),
        };
        self.store.keep_parsed_document(&document).await.map_err(|error| down(&error))?;
        Ok(document)
    }

    async fn stored(
        &self,
        artifact: ArtifactDigest,
        parser: &str,
        tier: DocumentTier,
    ) -> Result<Option<ParsedDocument>, Refusal> {
        let found = self.store.parsed_document(&artifact, parser, tier.as_str()).await;
        found.map_err(|error| down(&error))
    }
}
