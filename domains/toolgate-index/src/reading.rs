//! Documents as the documents domain has them: parsed, and their DocIR.

use std::sync::Arc;

use docir::DocIr;
use engine_protocol::DocumentTier;
use toolgate_core::Refusal;
use toolgate_core::substrate::ArtifactDigest;
use toolgate_store::{Actor, ParsedDocument};
use toolgate_substrate::ChangedFile;

use crate::indexes::Indexes;

impl Indexes {
    /// A file of a corpus, parsed now or before.
    pub(crate) async fn parsed(
        &self,
        artifact: ArtifactDigest,
        file: &ChangedFile,
        author: &Actor,
    ) -> Result<ParsedDocument, Refusal> {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        self.documents
            .parsed(artifact, file.media_type.as_deref(), Some(name), DocumentTier::Standard, author)
            .await
    }

    pub(crate) async fn docir(&self, docir: ArtifactDigest) -> Result<Arc<DocIr>, Refusal> {
        self.documents.docir(docir).await
    }
}
