//! `substrate.manifest.merge`: three-way, path by path.

use std::sync::Arc;

use manifest_tree::{MergeConflict, MergeOutcome, TreeEdit, TreeMerge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::platform::ObjectRef;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::output::{EntryFacts, ManifestOutput};
use crate::digests;
use crate::limits::{CONFLICTS_MAX, MERGE_CHANGES_MAX};
use crate::manifests::entries::NamedContents;
use crate::manifests::making::ManifestNote;
use crate::manifests::manifest::Manifest;
use crate::state::Substrate;

pub(super) const MERGE: ToolDefinition = ToolDefinition::writes(
    "substrate.manifest.merge",
    "Merge two manifests",
    "Merges theirs into ours, path by path, against the manifest that both come from. Conflicts are listed, and \
     nothing is created then, unless prefer says which side wins.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct MergeArguments {
    ours_sha256: String,
    theirs_sha256: String,
    /// Usually the common ancestor
    base_sha256: Option<String>,
    prefer: Option<PreferredSide>,
    #[serde(default)]
    message: String,
    metadata: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PreferredSide {
    Ours,
    Theirs,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct MergeOutput {
    merged: bool,
    base_sha256: String,
    /// The outcome, which may be one of the two
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<ManifestOutput>,
    conflict_count: usize,
    conflicts: Vec<ConflictOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ConflictOutput {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<EntryFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ours: Option<EntryFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theirs: Option<EntryFacts>,
    /// Ours has a file where theirs has a folder, or the other way round: the path of ours
    #[serde(skip_serializing_if = "Option::is_none")]
    file_and_folder: Option<String>,
}

impl ConflictOutput {
    fn of(conflict: &MergeConflict) -> Self {
        Self {
            path: conflict.path.to_string(),
            base: conflict.base.as_ref().map(EntryFacts::of),
            ours: conflict.ours.as_ref().map(EntryFacts::of),
            theirs: conflict.theirs.as_ref().map(EntryFacts::of),
            file_and_folder: conflict.file_and_folder.as_ref().map(ToString::to_string),
        }
    }
}

pub(super) async fn merge(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: MergeArguments,
) -> Result<ToolReply<MergeOutput>, Refusal> {
    let ours = substrate.manifest(digests::read_manifest(&arguments.ours_sha256, "ours_sha256")?).await?;
    let theirs =
        substrate.manifest(digests::read_manifest(&arguments.theirs_sha256, "theirs_sha256")?).await?;
    let base = match &arguments.base_sha256 {
        Some(base) => digests::read_manifest(base, "base_sha256")?,
        None => ancestor(&substrate, ours.digest, theirs.digest).await?,
    };
    // One side has everything that the other one has.
    if base == theirs.digest || base == ours.digest {
        let merged = if base == theirs.digest { &ours } else { &theirs };
        return Ok(reply(base, Some(merged), Vec::new(), 0));
    }
    let base = substrate.manifest(base).await?;
    let mut merging = TreeMerge::new(base.root, ours.root, theirs.root, MERGE_CHANGES_MAX);
    let outcome = substrate.drive(&mut merging, drop).await?;
    let (edits, open) = settle(outcome, arguments.prefer);
    if !open.is_empty() {
        let shown = open.iter().take(CONFLICTS_MAX).map(ConflictOutput::of);
        let (shown, _) = substrate.answer_room().fit(shown);
        return Ok(reply(base.digest, None, shown, open.len()));
    }
    let parents = vec![ours.digest, theirs.digest];
    let note = ManifestNote { parents, message: arguments.message, metadata: arguments.metadata };
    // Whatever the edits name is in `theirs`, which is a parent.
    let named = NamedContents::default();
    let made = substrate.edit_manifest(&Actor::of(&context.holder), &ours, edits, &note, &named).await?;
    Ok(reply(base.digest, Some(&made.manifest), Vec::new(), 0))
}

async fn ancestor(
    substrate: &Substrate,
    ours: ManifestDigest,
    theirs: ManifestDigest,
) -> Result<ManifestDigest, Refusal> {
    let found = substrate.common_ancestor(ours, theirs).await?;
    found.ok_or_else(|| {
        let message = format!("{ours} and {theirs} have no common ancestor");
        Refusal::new(&codes::NO_COMMON_ANCESTOR, message)
    })
}

/// The edits of *ours*, and the conflicts that stay open. A file in place of a folder has no side that could simply win.
fn settle(outcome: MergeOutcome, prefer: Option<PreferredSide>) -> (Vec<TreeEdit>, Vec<MergeConflict>) {
    let MergeOutcome { mut edits, conflicts } = outcome;
    let mut open = Vec::new();
    for conflict in conflicts {
        match prefer {
            Some(PreferredSide::Ours) => {}
            Some(PreferredSide::Theirs) if conflict.file_and_folder.is_none() => {
                edits.push(TreeEdit { path: conflict.path, entry: conflict.theirs });
            }
            Some(PreferredSide::Theirs) | None => open.push(conflict),
        }
    }
    (edits, open)
}

fn reply(
    base: ManifestDigest,
    merged: Option<&Manifest>,
    conflicts: Vec<ConflictOutput>,
    conflict_count: usize,
) -> ToolReply<MergeOutput> {
    let refs: Vec<ObjectRef> =
        merged.map(|one| ObjectRef::Manifest { sha256: one.digest.digest() }).into_iter().collect();
    let data = MergeOutput {
        merged: merged.is_some(),
        base_sha256: base.to_string(),
        manifest: merged.map(ManifestOutput::of),
        conflict_count,
        conflicts,
    };
    ToolReply::new(data).refs(refs)
}
