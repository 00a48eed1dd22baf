//! `substrate.manifest.checkout`: the entries of a manifest, in pages.

use std::sync::Arc;

use manifest_tree::TreeListing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::{EntryFacts, ManifestOutput};
use crate::digests;
use crate::limits::{FLAT_NAMES_END_MS, PAGE_MAX, PAGE_USUAL};
use crate::manifests::entries::read_path;
use crate::state::Substrate;

pub(super) const CHECKOUT: ToolDefinition = ToolDefinition::reads(
    "substrate.manifest.checkout",
    "List the entries of a manifest",
    "Lists the entries of a manifest in the order of their paths, all or those whose path begins with a prefix.",
)
.old_names(&[OldName { name: "checkout_manifest", until_ms: FLAT_NAMES_END_MS }]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CheckoutArguments {
    sha256: String,
    /// Only paths that begin so, such as reports/
    #[serde(default)]
    prefix: String,
    /// next_after of the page before
    after: Option<String>,
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CheckoutOutput {
    #[serde(flatten)]
    manifest: ManifestOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    entries: Vec<CheckedOutEntry>,
    /// There are more after this path
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CheckedOutEntry {
    path: String,
    #[serde(flatten)]
    facts: EntryFacts,
}

pub(super) async fn checkout(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: CheckoutArguments,
) -> Result<ToolReply<CheckoutOutput>, Refusal> {
    let CheckoutArguments { sha256, prefix, after, limit } = arguments;
    let manifest = substrate.manifest(digests::read_manifest(&sha256, "sha256")?).await?;
    let after = after.as_deref().map(read_path).transpose()?;
    // Once is enough for all pages.
    let metadata = manifest.metadata.clone().filter(|_| after.is_none());
    let limit = usize::from(limit.clamp(1, PAGE_MAX));
    let mut listing = TreeListing::new(manifest.root, &prefix, after, limit);
    let page = substrate.drive(&mut listing, drop).await?;
    let shown = page
        .entries
        .iter()
        .map(|(path, entry)| CheckedOutEntry { path: path.to_string(), facts: EntryFacts::of(entry) });
    let room = substrate.answer_room().beside(&(&metadata, &manifest.message));
    let (entries, is_cut) = room.fit(shown);
    let last = entries.last().filter(|_| is_cut || page.has_more);
    let data = CheckoutOutput {
        next_after: last.map(|entry| entry.path.clone()),
        metadata,
        manifest: ManifestOutput::of(&manifest),
        entries,
    };
    Ok(ToolReply::new(data).refs([ObjectRef::Manifest { sha256: manifest.digest.digest() }]))
}
