//! `substrate.manifest.create`: of entries, or of edits on a base.

use std::sync::Arc;

use manifest_tree::TreeEdit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::substrate::ManifestDigest;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::output::ManifestOutput;
use crate::digests;
use crate::limits::{ENTRIES_MAX, FLAT_NAMES_END_MS};
use crate::manifests::entries::{EntryAccess, EntryTarget, NamedEntry, read_metadata, read_path};
use crate::manifests::making::{MadeManifest, ManifestNote};
use crate::refusal::{self, invalid};
use crate::state::Substrate;

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.create",
    "Create a manifest",
    "Creates an immutable list of paths, each of an artifact or another manifest. With base_sha256, entries are put \
     into that manifest's, and the paths in remove are taken out.",
)
.old_names(&[OldName { name: "create_manifest", until_ms: FLAT_NAMES_END_MS }])
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateManifestArguments {
    #[serde(default)]
    entries: Vec<EntryArgument>,
    /// Start from the entries of this manifest
    base_sha256: Option<String>,
    /// Paths of the base to leave out
    #[serde(default)]
    remove: Vec<String>,
    /// Usually the base
    parent_sha256: Option<String>,
    /// All parents, if there are several
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    message: String,
    metadata: Option<Map<String, Value>>,
}

/// Give artifact_sha256 or manifest_sha256.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntryArgument {
    /// Such as reports/june.md
    path: String,
    artifact_sha256: Option<String>,
    manifest_sha256: Option<String>,
    /// Usually that of the artifact
    media_type: Option<String>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CreateManifestOutput {
    #[serde(flatten)]
    manifest: ManifestOutput,
    /// A manifest with the same entries was there
    is_duplicate: bool,
}

impl EntryArgument {
    fn read(self) -> Result<NamedEntry, Refusal> {
        let path = read_path(&self.path)?;
        let target = match (self.artifact_sha256, self.manifest_sha256) {
            (Some(digest), None) => EntryTarget::Artifact(digests::read(&digest, "artifact_sha256")?),
            (None, Some(digest)) => {
                EntryTarget::Manifest(digests::read_manifest(&digest, "manifest_sha256")?)
            }
            _ => {
                let message = format!("the entry {path} names both an artifact and a manifest, or neither");
                return Err(invalid(message, "give `artifact_sha256` or `manifest_sha256`"));
            }
        };
        let metadata = read_metadata(&path, self.metadata)?;
        let media_type = self.media_type.map(Into::into);
        Ok(NamedEntry { path, target, media_type, metadata })
    }
}

pub(super) async fn create(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: CreateManifestArguments,
) -> Result<ToolReply<CreateManifestOutput>, Refusal> {
    let CreateManifestArguments { entries, base_sha256, remove, parent_sha256, parents, message, metadata } =
        arguments;
    let count = entries.len() + remove.len();
    if count > ENTRIES_MAX {
        return Err(refusal::too_many("entries", count, ENTRIES_MAX));
    }
    let base = base_sha256.map(|text| digests::read_manifest(&text, "base_sha256")).transpose()?;
    if base.is_none() && !remove.is_empty() {
        return Err(invalid("`remove` names paths, and there is no base", "give `base_sha256`"));
    }
    let parents = read_parents(base, parent_sha256, parents)?;
    let note = ManifestNote { parents, message, metadata };
    let entries = entries.into_iter().map(EntryArgument::read).collect::<Result<Vec<_>, _>>()?;
    let (mut edits, mut named) = substrate.look_up(EntryAccess::Caller(&context.holder), entries).await?;
    // What stays of the base is not looked up: the base itself must still be there when the manifest is stored.
    named.manifests.extend(base);
    for path in remove {
        edits.push(TreeEdit { path: read_path(&path)?, entry: None });
    }
    let by = Actor::of(&context.holder);
    let made = match base {
        Some(base) => {
            let base = substrate.manifest(base).await?;
            substrate.edit_manifest(&by, &base, edits, &note, &named).await?
        }
        None => substrate.make(&by, edits, &note, &named).await?,
    };
    Ok(reply(&made))
}

fn reply(made: &MadeManifest) -> ToolReply<CreateManifestOutput> {
    let data = CreateManifestOutput {
        manifest: ManifestOutput::of(&made.manifest),
        is_duplicate: made.is_duplicate,
    };
    ToolReply::new(data).refs([ObjectRef::Manifest { sha256: made.manifest.digest.digest() }])
}

fn read_parents(
    base: Option<ManifestDigest>,
    one: Option<String>,
    all: Vec<String>,
) -> Result<Vec<ManifestDigest>, Refusal> {
    match (one, all.is_empty()) {
        (Some(_), false) => Err(invalid("both `parent_sha256` and `parents` are given", "give one of them")),
        (Some(one), true) => Ok(vec![digests::read_manifest(&one, "parent_sha256")?]),
        (None, false) => all.iter().map(|one| digests::read_manifest(one, "parents")).collect(),
        (None, true) => Ok(base.into_iter().collect()),
    }
}
