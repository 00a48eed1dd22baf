//! A manifest of any number of entries: each page is put into the manifest of the pages before.

use manifest_tree::{EntryKind, EntryPath, TreeEntry};
use serde_json::{Map, Value, json};

use super::calls::{CreatedManifest, SubstrateCalls};

/// The entries of one call, and the bytes that they take: a request has a limit.
pub(super) const PAGE_ENTRIES: usize = 1_000;
const PAGE_BYTES: usize = 1 << 20;

/// The message and the metadata of the manifest.
pub(super) struct ImportNote {
    pub(super) message: String,
    pub(super) metadata: Option<Map<String, Value>>,
}

/// A manifest that is being made.
pub(super) struct PagedManifest {
    note: ImportNote,
    base: Option<String>,
    page: Vec<Value>,
    page_bytes: usize,
}

impl PagedManifest {
    pub(super) fn new(note: ImportNote) -> Self {
        Self { note, base: None, page: Vec::new(), page_bytes: 0 }
    }

    /// Adds entries whose artifacts and manifests the gateway has.
    pub(super) async fn add(
        &mut self,
        calls: &mut SubstrateCalls<'_>,
        entries: Vec<Value>,
    ) -> anyhow::Result<()> {
        for entry in entries {
            let bytes = entry.to_string().len();
            // The last page has the message, so a full one waits until there is more.
            let is_full = self.page.len() == PAGE_ENTRIES || self.page_bytes + bytes > PAGE_BYTES;
            if is_full && !self.page.is_empty() {
                let part = json!({ "message": format!("a part of: {}", self.note.message) });
                self.base = Some(self.send(calls, part).await?.digest);
            }
            self.page.push(entry);
            self.page_bytes += bytes;
        }
        Ok(())
    }

    pub(super) async fn finish(mut self, calls: &mut SubstrateCalls<'_>) -> anyhow::Result<CreatedManifest> {
        let mut whole = json!({ "message": self.note.message });
        if let Some(metadata) = self.note.metadata.take() {
            whole["metadata"] = metadata.into();
        }
        self.send(calls, whole).await
    }

    async fn send(
        &mut self,
        calls: &mut SubstrateCalls<'_>,
        mut arguments: Value,
    ) -> anyhow::Result<CreatedManifest> {
        arguments["entries"] = std::mem::take(&mut self.page).into();
        self.page_bytes = 0;
        if let Some(base) = &self.base {
            arguments["base_sha256"] = base.as_str().into();
        }
        calls.create(&arguments).await
    }
}

/// An entry as the gateway takes it.
pub(super) fn entry_argument(path: &EntryPath, entry: &TreeEntry) -> Value {
    let digest = entry.digest.to_string();
    let mut argument = match entry.kind {
        EntryKind::Artifact => {
            json!({ "path": path.as_str(), "artifact_sha256": digest, "media_type": &*entry.media_type })
        }
        EntryKind::Manifest => json!({ "path": path.as_str(), "manifest_sha256": digest }),
    };
    if let Ok(metadata) = serde_json::from_slice::<Value>(&entry.metadata) {
        argument["metadata"] = metadata;
    }
    argument
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use manifest_tree::BlobDigest;

    use super::*;

    #[test]
    fn an_entry_goes_with_its_type_and_metadata() {
        let path = EntryPath::new("a/b").expect("a path");
        let mut entry = TreeEntry {
            kind: EntryKind::Artifact,
            digest: BlobDigest::of(b"x"),
            bytes: 1,
            media_type: Arc::from("text/plain"),
            metadata: Arc::from(&b"{\"k\":1}"[..]),
        };
        let shown = entry_argument(&path, &entry);
        assert_eq!((&shown["media_type"], &shown["metadata"]["k"]), (&json!("text/plain"), &json!(1)));
        entry.kind = EntryKind::Manifest;
        entry.metadata = Arc::from(&[][..]);
        let shown = entry_argument(&path, &entry);
        assert!(shown.get("media_type").is_none() && shown.get("metadata").is_none(), "{shown}");
    }
}
