//! Entries that callers name, with the size and type of the artifact or manifest behind each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifest_tree::{EntryKind, EntryPath, METADATA_BYTES_MAX, TreeEdit, TreeEntry};
use serde_json::{Map, Value};
use toolgate_core::content::ContentHolder;
use toolgate_core::file::Artifact;
use toolgate_core::substrate::{ArtifactDigest, ManifestDigest};
use toolgate_core::{PrincipalId, Refusal};
use toolgate_files::ContentAccess;
use toolgate_pipeline::canonical::canonical;
use toolgate_store::StoredManifest;

use crate::digests::for_tree;
use crate::refusal;
use crate::state::Substrate;

/// An entry before the thing that it names was looked up.
pub(super) struct NamedEntry {
    pub(super) path: EntryPath,
    pub(super) target: EntryTarget,
    /// Another type than that of the artifact.
    pub(super) media_type: Option<Arc<str>>,
    /// Canonical JSON, or nothing.
    pub(super) metadata: Arc<[u8]>,
}

#[derive(Clone, Copy)]
pub(super) enum EntryTarget {
    Artifact(ArtifactDigest),
    Manifest(ManifestDigest),
}

/// The right to name artifacts that are not yet the tenant's.
#[derive(Clone, Copy)]
pub(super) enum EntryAccess<'a> {
    /// Those that the caller may use.
    Caller(&'a ContentHolder),
    /// All that the gateway has, for another part of it that has checked them.
    Gateway(&'a PrincipalId),
}

/// The things that new entries of a manifest name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedContents {
    /// Artifacts that become the tenant's with the manifest.
    pub shared: Vec<Artifact>,
    pub artifacts: Vec<ArtifactDigest>,
    pub manifests: Vec<ManifestDigest>,
}

impl EntryAccess<'_> {
    fn may_use(&self, artifact: &Artifact) -> bool {
        match self {
            EntryAccess::Caller(holder) => ContentAccess::Session(holder).may_use_artifact(artifact),
            EntryAccess::Gateway(_) => true,
        }
    }

    fn principal(&self) -> &PrincipalId {
        match self {
            EntryAccess::Caller(holder) => &holder.principal.id,
            EntryAccess::Gateway(principal) => principal,
        }
    }
}

/// A path as a caller wrote it.
pub(super) fn read_path(text: &str) -> Result<EntryPath, Refusal> {
    EntryPath::new(text).map_err(|error| refusal::bad_path(text, error))
}

/// The metadata of an entry in their one form.
pub(super) fn read_metadata(
    path: &EntryPath,
    metadata: Option<Map<String, Value>>,
) -> Result<Arc<[u8]>, Refusal> {
    let Some(metadata) = metadata else { return Ok(Arc::default()) };
    let text = canonical(&Value::Object(metadata));
    if text.len() > METADATA_BYTES_MAX {
        return Err(refusal::entry_metadata_too_large(path.as_str(), text.len()));
    }
    Ok(text.into_bytes().into())
}

impl Substrate {
    /// Looks up what entries name. An artifact of the caller's run becomes the tenant's; one that is nobody's is refused.
    pub(super) async fn look_up(
        &self,
        access: EntryAccess<'_>,
        entries: Vec<NamedEntry>,
    ) -> Result<(Vec<TreeEdit>, NamedContents), Refusal> {
        let found = FoundTargets {
            artifacts: self.known_artifacts(access, &entries).await?,
            manifests: self.known_manifests(&entries).await?,
        };
        let mut named = NamedContents {
            shared: Vec::new(),
            artifacts: found.artifacts.keys().copied().collect(),
            manifests: found.manifests.keys().copied().collect(),
        };
        let (owner, created_at_ms) = (access.principal(), self.clock.now_ms());
        let unshared = found.artifacts.values().filter(|one| !one.is_shared);
        named.shared.extend(unshared.map(|one| Artifact {
            run: None,
            owner: owner.clone(),
            created_at_ms,
            ..one.artifact.clone()
        }));
        let edits = entries.into_iter().map(|entry| found.edit(entry)).collect::<Result<_, _>>()?;
        Ok((edits, named))
    }

    /// For each artifact that entries name, the row by which the caller may use it.
    async fn known_artifacts(
        &self,
        access: EntryAccess<'_>,
        entries: &[NamedEntry],
    ) -> Result<BTreeMap<ArtifactDigest, UsableArtifact>, Refusal> {
        let wanted: BTreeSet<ArtifactDigest> = entries.iter().filter_map(NamedEntry::artifact).collect();
        let wanted: Vec<ArtifactDigest> = wanted.into_iter().collect();
        let mut known: BTreeMap<ArtifactDigest, UsableArtifact> = BTreeMap::new();
        for row in self.store.artifacts_of(&wanted).await.map_err(refusal::down)? {
            let is_shared = row.run.is_none();
            let is_better = known.get(&row.digest).is_none_or(|one| is_shared && !one.is_shared);
            if is_better && access.may_use(&row) {
                known.insert(row.digest, UsableArtifact { artifact: row, is_shared });
            }
        }
        if let EntryAccess::Gateway(_) = access {
            for digest in &wanted {
                if !known.contains_key(digest) {
                    known.extend(self.artifact_of_file(digest).await?);
                }
            }
        }
        Ok(known)
    }

    /// The bytes of a file as an artifact that is not the tenant's yet.
    async fn artifact_of_file(
        &self,
        digest: &ArtifactDigest,
    ) -> Result<Option<(ArtifactDigest, UsableArtifact)>, Refusal> {
        let file = self.store.file_of(digest).await.map_err(refusal::down)?;
        Ok(file.map(|file| {
            let artifact = Artifact {
                digest: file.digest,
                name: file.name,
                media_type: file.media_type,
                bytes: file.bytes,
                run: None,
                owner: file.owner,
                created_at_ms: file.created_at_ms,
            };
            (file.digest, UsableArtifact { artifact, is_shared: false })
        }))
    }

    async fn known_manifests(
        &self,
        entries: &[NamedEntry],
    ) -> Result<BTreeMap<ManifestDigest, StoredManifest>, Refusal> {
        let wanted: BTreeSet<ManifestDigest> = entries.iter().filter_map(NamedEntry::manifest).collect();
        let wanted: Vec<ManifestDigest> = wanted.into_iter().collect();
        let rows = self.store.manifests(&wanted).await.map_err(refusal::down)?;
        Ok(rows.into_iter().map(|row| (row.digest, row)).collect())
    }
}

impl NamedEntry {
    fn artifact(&self) -> Option<ArtifactDigest> {
        if let EntryTarget::Artifact(digest) = self.target { Some(digest) } else { None }
    }

    fn manifest(&self) -> Option<ManifestDigest> {
        if let EntryTarget::Manifest(digest) = self.target { Some(digest) } else { None }
    }
}

/// An artifact that the author of an entry may use.
struct UsableArtifact {
    artifact: Artifact,
    /// True if it is the tenant's.
    is_shared: bool,
}

/// The things that entries name, as far as they are there.
struct FoundTargets {
    artifacts: BTreeMap<ArtifactDigest, UsableArtifact>,
    manifests: BTreeMap<ManifestDigest, StoredManifest>,
}

impl FoundTargets {
    fn edit(&self, entry: NamedEntry) -> Result<TreeEdit, Refusal> {
        let NamedEntry { path, target, media_type, metadata } = entry;
        let entry = match target {
            EntryTarget::Artifact(digest) => {
                let found = self.artifacts.get(&digest);
                let found = found.ok_or_else(|| refusal::unknown_artifact(&digest, Some(path.as_str())))?;
                TreeEntry {
                    kind: EntryKind::Artifact,
                    digest: for_tree(digest),
                    bytes: found.artifact.bytes,
                    media_type: media_type.unwrap_or_else(|| found.artifact.media_type.as_str().into()),
                    metadata,
                }
            }
            EntryTarget::Manifest(digest) => {
                let found = self.manifests.get(&digest).ok_or_else(|| refusal::unknown_manifest(&digest))?;
                TreeEntry {
                    kind: EntryKind::Manifest,
                    digest: for_tree(digest.digest()),
                    bytes: found.bytes,
                    media_type: Arc::from(""),
                    metadata,
                }
            }
        };
        Ok(TreeEdit { path, entry: Some(entry) })
    }
}
