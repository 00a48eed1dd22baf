//! The value that is validated: given in the call, or in a file, a ref or an artifact.

use futures_util::StreamExt as _;
use serde_json::Value;
use toolgate_core::content::ContentHolder;
use toolgate_core::{Refusal, codes};

use crate::refusal::invalid;
use crate::schemas::SchemaVersions;

/// The largest document that is read.
const DOCUMENT_BYTES_MAX: u64 = 8 << 20;

impl SchemaVersions {
    /// The JSON document behind a `file_…`, `ref_…` or `sha256:…`.
    pub(crate) async fn document(&self, holder: &ContentHolder, id: &str) -> Result<Value, Refusal> {
        let found = self.files.find(holder, id).await?;
        if found.bytes > DOCUMENT_BYTES_MAX {
            return Err(toolgate_files::too_large(DOCUMENT_BYTES_MAX).field("source_id"));
        }
        let size = usize::try_from(found.bytes).unwrap_or_default();
        let mut stream = self.files.open_content(found, None).await?.stream;
        let mut bytes = Vec::with_capacity(size);
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|error| Refusal::new(&codes::FILE_CHANGED, error.0))?;
            bytes.extend_from_slice(&piece);
        }
        serde_json::from_slice(&bytes).map_err(|error| {
            invalid(format!("{id} is no JSON document: {error}"), "source_id")
                .hint("name a file, a ref or an artifact that is a JSON text")
        })
    }
}
