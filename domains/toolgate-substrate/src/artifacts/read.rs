//! `substrate.artifact.read`: a text, piece by piece.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::RefSelection;

use crate::digests;
use crate::refusal::invalid;
use crate::state::Substrate;

pub(super) const READ: ToolDefinition = ToolDefinition::reads(
    "substrate.artifact.read",
    "Read an artifact",
    "Reads an artifact as text, piece by piece.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReadArtifactArguments {
    sha256: String,
    /// The first byte
    #[serde(default)]
    start: u64,
    /// The byte after the last one
    end: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReadArtifactOutput {
    text: String,
    start: u64,
    end: u64,
    total: u64,
    /// There is text after `end`
    more: bool,
}

pub(super) async fn read(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: ReadArtifactArguments,
) -> Result<ToolReply<ReadArtifactOutput>, Refusal> {
    let ReadArtifactArguments { sha256, start, end } = arguments;
    let digest = digests::read(&sha256, "sha256")?;
    let length = match end.map(|end| end.checked_sub(start).filter(|length| *length > 0)) {
        Some(None) => return Err(invalid("`end` is not after `start`", "leave `end` out, or raise it")),
        Some(length) => length,
        None => None,
    };
    // An artifact of a run is not one of the tenant's, even for those who may read it otherwise.
    substrate.files.shared_artifact(&digest).await?;
    let wish = RefSelection::Range { start, length };
    let piece = substrate.files.read_ref(&context.holder, &digest.to_string(), wish).await?;
    let text = piece.text.clone();
    let data = ReadArtifactOutput {
        text: piece.text,
        start: piece.start,
        end: piece.end,
        total: piece.total,
        more: piece.more,
    };
    Ok(ToolReply::new(data).text(text).refs([ObjectRef::Artifact { sha256: digest }]))
}
