//! `substrate.manifest.history`: a manifest and those before it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::ManifestOutput;
use crate::digests;
use crate::limits::{FLAT_NAMES_END_MS, HISTORY_MAX, HISTORY_USUAL};
use crate::manifests::ancestry::HistoryWalk;
use crate::state::Substrate;

pub(super) const HISTORY: ToolDefinition = ToolDefinition::reads(
    "substrate.manifest.history",
    "Show the history of a manifest",
    "Lists a manifest and those that it comes from, newest first.",
)
.old_names(&[OldName { name: "get_manifest_history", until_ms: FLAT_NAMES_END_MS }]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct HistoryArguments {
    sha256: String,
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = HISTORY_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    HISTORY_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryOutput {
    manifests: Vec<ManifestOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn history(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: HistoryArguments,
) -> Result<ToolReply<HistoryOutput>, Refusal> {
    let newest = digests::read_manifest(&arguments.sha256, "sha256")?;
    let mut walk = match &arguments.cursor {
        Some(cursor) => HistoryWalk::resume(&substrate, cursor).await?,
        None => HistoryWalk::start(&substrate, newest).await?,
    };
    let (mut manifests, mut refs) = (Vec::new(), Vec::new());
    let mut room = substrate.answer_room();
    while manifests.len() < usize::from(arguments.limit.clamp(1, HISTORY_MAX)) {
        let Some(manifest) = walk.next().await? else { break };
        let shown = ManifestOutput::of(&manifest);
        if !room.take(&shown) {
            walk.put_back(manifest);
            break;
        }
        refs.push(ObjectRef::Manifest { sha256: manifest.digest.digest() });
        manifests.push(shown);
    }
    Ok(ToolReply::new(HistoryOutput { manifests, next_cursor: walk.cursor() }).refs(refs))
}
