//! Manifests that other parts of the gateway make, such as the input and output of runs.

use std::collections::HashSet;
use std::vec::IntoIter;

use bytes::Bytes;
use manifest_tree::{EntryPath, TreeEdit, TreeError};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::file::FileName;
use toolgate_core::substrate::ArtifactDigest;
use toolgate_files::{ArtifactSource, FoundContent, SharedArtifact, StoredKind};
use toolgate_store::Actor;

use super::entries::{EntryAccess, EntryTarget, NamedContents, NamedEntry, read_metadata, read_path};
use super::making::{MadeManifest, ManifestNote};
use super::manifest::Manifest;
use crate::limits::ENTRIES_MAX;
use crate::refusal;
use crate::state::Substrate;

/// The content of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SnapshotContent {
    Bytes {
        bytes: Bytes,
        media_type: String,
    },
    /// An artifact or a file that is stored. It becomes the tenant's: the caller has checked that it may.
    Artifact(ArtifactDigest),
}

/// An entry of a manifest to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct SnapshotEntry {
    pub path: EntryPath,
    pub content: SnapshotContent,
    pub metadata: Option<Map<String, Value>>,
}

/// A file of a manifest to be made: an artifact of the gateway, which becomes the tenant's.
#[derive(Clone, PartialEq, Debug)]
pub struct NewFile {
    pub path: String,
    pub artifact: ArtifactDigest,
    pub metadata: Option<Map<String, Value>>,
}

/// The name of an artifact whose path does not end in a file name.
const NAME_USUAL: &str = "artifact";

impl Substrate {
    /// A manifest of these entries, whose bytes are stored first. Many entries come page by page; nothing leads to the manifests of the
    /// first pages, and they are collected.
    pub async fn snapshot(
        &self,
        by: &Actor,
        entries: Vec<SnapshotEntry>,
        message: &str,
    ) -> Result<Manifest, Refusal> {
        let note = ManifestNote { message: message.to_owned(), ..ManifestNote::default() };
        self.make_of_entries(by, entries, &note).await.map(|made| made.manifest)
    }

    /// A manifest of these entries over those of a base, if there is one: they replace those of the same path. Many come page by page.
    pub async fn put_entries(
        &self,
        by: &Actor,
        base: Option<&Manifest>,
        entries: Vec<SnapshotEntry>,
        note: &ManifestNote,
    ) -> Result<MadeManifest, Refusal> {
        let Some(base) = base else { return self.make_of_entries(by, entries, note).await };
        refuse_duplicates(&entries)?;
        let mut entries = entries.into_iter();
        let (edits, contents) = self.next_page(by, &mut entries).await?;
        let mut made = self.edit_manifest(by, base, edits, note, &contents).await?;
        while !entries.as_slice().is_empty() {
            let (edits, contents) = self.next_page(by, &mut entries).await?;
            made = self.edit_manifest(by, &made.manifest, edits, note, &contents).await?;
        }
        Ok(made)
    }

    /// A manifest of files whose artifacts are kept.
    pub async fn make_manifest(
        &self,
        files: Vec<NewFile>,
        note: &ManifestNote,
        author: &Actor,
    ) -> Result<MadeManifest, Refusal> {
        let entry = |NewFile { path, artifact, metadata }| {
            let content = SnapshotContent::Artifact(artifact);
            read_path(&path).map(|path| SnapshotEntry { path, content, metadata })
        };
        let entries = files.into_iter().map(entry).collect::<Result<_, _>>()?;
        self.make_of_entries(author, entries, note).await
    }

    /// Makes an artifact of the whole tenant of bytes that are stored. Doing so again changes nothing.
    pub async fn keep_artifact(
        &self,
        digest: ArtifactDigest,
        bytes: u64,
        media_type: &str,
        name: &str,
        author: &Actor,
    ) -> Result<SharedArtifact, Refusal> {
        let name = FileName::new(name).or_else(|_| toolgate_files::file_name(NAME_USUAL))?;
        let found = FoundContent {
            what: StoredKind::Artifact,
            digest,
            bytes,
            media_type: media_type.to_owned(),
            name: Some(name.clone()),
        };
        self.files.share_artifact(author, name, ArtifactSource::Found(found)).await
    }

    async fn make_of_entries(
        &self,
        by: &Actor,
        entries: Vec<SnapshotEntry>,
        note: &ManifestNote,
    ) -> Result<MadeManifest, Refusal> {
        refuse_duplicates(&entries)?;
        let mut entries = entries.into_iter();
        let (edits, contents) = self.next_page(by, &mut entries).await?;
        let mut made = self.make(by, edits, note, &contents).await?;
        while !entries.as_slice().is_empty() {
            let (edits, contents) = self.next_page(by, &mut entries).await?;
            made = self.edit_manifest(by, &made.manifest, edits, note, &contents).await?;
        }
        Ok(made)
    }

    async fn next_page(
        &self,
        by: &Actor,
        entries: &mut IntoIter<SnapshotEntry>,
    ) -> Result<(Vec<TreeEdit>, NamedContents), Refusal> {
        let mut named = Vec::with_capacity(entries.len().min(ENTRIES_MAX));
        for SnapshotEntry { path, content, metadata } in entries.take(ENTRIES_MAX) {
            let metadata = read_metadata(&path, metadata)?;
            let digest = match content {
                SnapshotContent::Artifact(digest) => digest,
                SnapshotContent::Bytes { bytes, media_type } => {
                    let source = ArtifactSource::Bytes { bytes, media_type };
                    self.files.share_artifact(by, file_name(&path)?, source).await?.artifact.digest
                }
            };
            let target = EntryTarget::Artifact(digest);
            named.push(NamedEntry { path, target, media_type: None, metadata });
        }
        self.look_up(EntryAccess::Gateway(&by.principal), named).await
    }
}

/// An entry of a later page must not replace one of an earlier page.
fn refuse_duplicates(entries: &[SnapshotEntry]) -> Result<(), Refusal> {
    let mut met = HashSet::with_capacity(entries.len());
    match entries.iter().find(|entry| !met.insert(entry.path.as_str())) {
        Some(twice) => Err(refusal::tree(TreeError::Duplicate { path: twice.path.clone() })),
        None => Ok(()),
    }
}

fn file_name(path: &EntryPath) -> Result<FileName, Refusal> {
    let last = path.as_str().rsplit('/').next().unwrap_or_default();
    FileName::new(last).or_else(|_| toolgate_files::file_name(NAME_USUAL))
}
