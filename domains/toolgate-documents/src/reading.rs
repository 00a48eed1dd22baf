//! DocIRs as values.

use std::sync::Arc;

use docir::DocIr;
use futures_util::StreamExt as _;
use toolgate_core::substrate::ArtifactDigest;
use toolgate_core::{Refusal, codes};
use toolgate_files::{FoundContent, StoredKind};

use crate::documents::Documents;
use crate::refusal::no_docir;

/// The largest DocIR that is read.
const DOCIR_BYTES_MAX: u64 = 128 << 20;

impl Documents {
    /// A DocIR that was kept. The caller has checked that it may be read.
    pub async fn docir(&self, docir: ArtifactDigest) -> Result<Arc<DocIr>, Refusal> {
        if let Some(found) = self.cache.get(&docir) {
            return Ok(found);
        }
        let bytes = self.docir_bytes(docir).await?;
        let length = bytes.len();
        // Large ones take a while, and others wait for this thread.
        let read = tokio::task::spawn_blocking(move || DocIr::read(&bytes));
        let read = read.await.expect("reading a DocIR does not panic");
        let read = Arc::new(read.map_err(|error| no_docir(docir, error))?);
        self.cache.put(docir, length, &read);
        Ok(read)
    }

    async fn docir_bytes(&self, docir: ArtifactDigest) -> Result<Vec<u8>, Refusal> {
        let artifact = self.files.shared_artifact(&docir).await?;
        if artifact.bytes > DOCIR_BYTES_MAX {
            return Err(toolgate_files::too_large(DOCIR_BYTES_MAX));
        }
        let found = FoundContent {
            what: StoredKind::Artifact,
            digest: docir,
            bytes: artifact.bytes,
            media_type: artifact.media_type,
            name: Some(artifact.name),
        };
        let mut bytes = Vec::with_capacity(usize::try_from(found.bytes).unwrap_or_default());
        let mut stream = self.files.open_content(found, None).await?.stream;
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|error| Refusal::new(&codes::FILE_CHANGED, error.0))?;
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}
