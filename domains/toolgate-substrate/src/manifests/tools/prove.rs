//! `substrate.manifest.prove`: a file that shows offline that a path is in a manifest, or is not.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use manifest_tree::TreeProving;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::file::{FileName, Ref};
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::{FoundContent, LongText};

use super::output::EntryFacts;
use crate::digests::{self, of_tree};
use crate::limits::REF_BYTES_MAX;
use crate::manifests::entries::read_path;
use crate::manifests::manifest::Manifest;
use crate::manifests::proof::write_proof;
use crate::state::Substrate;

const NAME: &str = "substrate.manifest.prove";
/// The name under which a proof is downloaded.
const FILE_NAME: &str = "path.proof";

pub(super) const PROVE: ToolDefinition = ToolDefinition::reads(
    NAME,
    "Prove a path of a manifest",
    "Makes a file that proves to others that a path is in a manifest, or is not. `toolgate substrate check` checks it \
     without a gateway.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProveArguments {
    sha256: String,
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ProveOutput {
    sha256: String,
    root: String,
    path: String,
    present: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<EntryFacts>,
    /// The proof
    ref_id: String,
    size_bytes: u64,
    /// The address of the proof, for a while
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

pub(super) async fn prove(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: ProveArguments,
) -> Result<ToolReply<ProveOutput>, Refusal> {
    let digest = digests::read_manifest(&arguments.sha256, "sha256")?;
    let stored = substrate.stored_manifest(digest).await?;
    let document = stored.document.clone();
    let manifest = Manifest::of(stored)?;
    let path = read_path(&arguments.path)?;
    let mut proving = TreeProving::new(manifest.root, path.clone());
    let (proof, entry) = substrate.drive(&mut proving, drop).await?;
    let proof = write_proof(document, &path, &proof);
    let text = LongText {
        tool: NAME,
        media_type: "application/json",
        preview: String::new(),
        bytes_max: REF_BYTES_MAX,
    };
    let bytes = stream::iter([Ok::<_, Infallible>(Bytes::from(proof))]);
    let kept = substrate.files.keep_text(&context.holder, text, bytes).await?;
    let data = ProveOutput {
        sha256: digest.to_string(),
        root: of_tree(manifest.root).to_string(),
        path: path.to_string(),
        present: entry.is_some(),
        entry: entry.as_ref().map(EntryFacts::of),
        ref_id: kept.id.to_string(),
        size_bytes: kept.bytes,
        url: address(&substrate, &kept).await,
    };
    Ok(ToolReply::new(data).refs([ObjectRef::Manifest { sha256: digest.digest() }]))
}

/// The address of a proof. A gateway that does not know its own still has the ref.
async fn address(substrate: &Substrate, kept: &Ref) -> Option<String> {
    let found = FoundContent::of_ref(kept, FileName::new(FILE_NAME).ok())?;
    let keep = substrate.files.settings().url_keep;
    substrate.files.address(&found, keep).await.ok().map(|signed| signed.url)
}
