//! An index as a manifest: its files are the entries, and the note says what it was built of and with.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_protocol::{EngineKind, IndexFile, IndexListing};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal, codes};
use toolgate_documents::{content_id, digest_of};
use toolgate_substrate::{ListedFile, ManifestAuthor, ManifestNote, NewFile};

use crate::indexes::Indexes;
use crate::limits::{INDEX_FILES_MAX, LISTINGS_KEPT_MAX};

/// The form of an index's files is the engine's own.
const FILE_TYPE: &str = "application/octet-stream";

/// The metadata of the manifest of an index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct IndexNote {
    pub(crate) engine: EngineKind,
    pub(crate) format: u32,
    pub(crate) documents: u64,
    pub(crate) chunks: u64,
    pub(crate) model: Option<String>,
    pub(crate) profile: String,
    pub(crate) profile_version: u32,
    pub(crate) profile_digest: Digest,
    pub(crate) source_manifest: ManifestDigest,
    pub(crate) source_pointer: String,
}

/// An index that is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeptIndex {
    pub(crate) note: IndexNote,
    pub(crate) listing: IndexListing,
}

/// Listings by the digest of their manifest. They never change, so there is nothing to refresh.
#[derive(Default)]
pub(crate) struct KeptListings(Mutex<BTreeMap<ManifestDigest, Arc<KeptIndex>>>);

impl KeptListings {
    fn get(&self, manifest: &ManifestDigest) -> Option<Arc<KeptIndex>> {
        self.0.lock().get(manifest).cloned()
    }

    /// A full shelf is emptied: what is searched now comes back with the next search.
    fn put(&self, manifest: ManifestDigest, kept: &Arc<KeptIndex>) {
        let mut listings = self.0.lock();
        if listings.len() >= LISTINGS_KEPT_MAX {
            listings.clear();
        }
        listings.insert(manifest, Arc::clone(kept));
    }
}

impl Indexes {
    /// The index behind a manifest.
    pub(crate) async fn kept_index(&self, manifest: ManifestDigest) -> Result<Arc<KeptIndex>, Refusal> {
        if let Some(kept) = self.listings.get(&manifest) {
            return Ok(kept);
        }
        let metadata = self.substrate.manifest(manifest).await?.metadata.unwrap_or_default();
        let note: IndexNote =
            serde_json::from_value(Value::Object(metadata)).map_err(|error| no_index(manifest, &error))?;
        let files = self.substrate.files_of(manifest, None, INDEX_FILES_MAX).await?;
        let kept = Arc::new(KeptIndex { listing: listing(&note, files), note });
        self.listings.put(manifest, &kept);
        Ok(kept)
    }

    /// Keeps an index: its files become artifacts, and a manifest of them.
    pub(crate) async fn keep_index(
        &self,
        kept: &KeptIndex,
        author: &ManifestAuthor,
    ) -> Result<ManifestDigest, Refusal> {
        let mut files = Vec::with_capacity(kept.listing.files.len());
        for file in &kept.listing.files {
            let artifact = digest_of(&file.content);
            self.substrate.keep_artifact(artifact, file.bytes, FILE_TYPE, &file.name, author).await?;
            files.push(NewFile { path: file.name.clone(), artifact, metadata: None });
        }
        let note = ManifestNote {
            parents: Vec::new(),
            message: format!(
                "index of {} with {}@{}",
                kept.note.source_pointer, kept.note.profile, kept.note.profile_version
            ),
            metadata: Some(as_map(&kept.note)),
        };
        self.substrate.make_manifest(files, &note, author).await.map(|made| made.manifest.digest)
    }
}

fn as_map(note: &IndexNote) -> Map<String, Value> {
    match serde_json::to_value(note).expect("names and numbers are JSON") {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn listing(note: &IndexNote, files: Vec<ListedFile>) -> IndexListing {
    let file = |file: ListedFile| {
        let content = content_id(file.artifact);
        IndexFile { name: file.path, content, bytes: file.bytes }
    };
    let mut files: Vec<IndexFile> = files.into_iter().map(file).collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    IndexListing {
        engine: note.engine,
        format: note.format,
        files,
        documents: note.documents,
        chunks: note.chunks,
        model: note.model.clone(),
        profile: format!("{}@{}", note.profile, note.profile_version),
    }
}

fn no_index(manifest: ManifestDigest, error: &serde_json::Error) -> Refusal {
    Refusal::new(&codes::INDEX_DAMAGED, format!("the manifest {manifest} is none of an index: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> IndexNote {
        IndexNote {
            engine: EngineKind::Inside,
            format: 1,
            documents: 3,
            chunks: 9,
            model: None,
            profile: "docs.default".to_owned(),
            profile_version: 2,
            profile_digest: Digest::of("profile"),
            source_manifest: ManifestDigest::new(Digest::of("corpus")),
            source_pointer: "project/a:handbook".to_owned(),
        }
    }

    fn file(path: &str) -> ListedFile {
        ListedFile {
            path: path.to_owned(),
            artifact: Digest::of(path),
            media_type: None,
            bytes: 7,
            metadata: Map::new(),
        }
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let map = as_map(&note());
        assert_eq!(map["engine"], "inside");
        assert_eq!(serde_json::from_value::<IndexNote>(Value::Object(map)).expect("a note"), note());
    }

    #[test]
    fn the_files_of_a_manifest_are_the_listing_sorted_by_name() {
        let listing = listing(&note(), vec![file("toolgate.json"), file("meta.json")]);
        let names: Vec<&str> = listing.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["meta.json", "toolgate.json"]);
        assert_eq!(listing.profile, "docs.default@2");
        assert_eq!(digest_of(&listing.files[0].content), Digest::of("meta.json"));
    }

    #[test]
    fn a_full_shelf_of_listings_is_emptied() {
        let shelf = KeptListings::default();
        let kept = Arc::new(KeptIndex { listing: listing(&note(), Vec::new()), note: note() });
        let manifest = |number: usize| ManifestDigest::new(Digest::of(number.to_string()));
        for number in 0..=LISTINGS_KEPT_MAX {
            shelf.put(manifest(number), &kept);
        }
        assert!(shelf.get(&manifest(0)).is_none());
        assert!(shelf.get(&manifest(LISTINGS_KEPT_MAX)).is_some());
    }
}
