//! `substrate.artifact.info` and `.url`.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::{FoundContent, StoredKind};

use super::upload::ArtifactOutput;
use crate::digests;
use crate::limits::{FLAT_NAMES_END_MS, URL_SECONDS_MAX, URL_SECONDS_USUAL};
use crate::state::Substrate;

pub(super) const INFO: ToolDefinition = ToolDefinition::reads(
    "substrate.artifact.info",
    "Describe an artifact",
    "Tells the size, type, name and origin of an artifact.",
)
.old_names(&[OldName { name: "get_artifact_info", until_ms: FLAT_NAMES_END_MS }]);

pub(super) const URL: ToolDefinition = ToolDefinition::reads(
    "substrate.artifact.url",
    "Give an address of an artifact",
    "Gives a signed address from which anyone can fetch an artifact until it expires.",
)
.old_names(&[OldName { name: "get_artifact_url", until_ms: FLAT_NAMES_END_MS }]);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ArtifactInfoArguments {
    sha256: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ArtifactInfoOutput {
    #[serde(flatten)]
    artifact: ArtifactOutput,
    created_by: String,
    created_at: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ArtifactUrlArguments {
    sha256: String,
    #[serde(default = "seconds_usual")]
    #[schemars(range(min = 1, max = URL_SECONDS_MAX))]
    expiration_seconds: u32,
}

fn seconds_usual() -> u32 {
    URL_SECONDS_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ArtifactUrlOutput {
    url: String,
    expires_at: String,
}

pub(super) async fn info(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: ArtifactInfoArguments,
) -> Result<ToolReply<ArtifactInfoOutput>, Refusal> {
    let digest = digests::read(&arguments.sha256, "sha256")?;
    let artifact = substrate.files.shared_artifact(&digest).await?;
    let data = ArtifactInfoOutput {
        artifact: ArtifactOutput::of(&artifact),
        created_by: artifact.owner.to_string(),
        created_at: rfc3339(artifact.created_at_ms),
    };
    Ok(ToolReply::new(data).refs([ObjectRef::Artifact { sha256: digest }]))
}

pub(super) async fn url(
    substrate: Arc<Substrate>,
    _context: ToolContext,
    arguments: ArtifactUrlArguments,
) -> Result<ToolReply<ArtifactUrlOutput>, Refusal> {
    let digest = digests::read(&arguments.sha256, "sha256")?;
    let artifact = substrate.files.shared_artifact(&digest).await?;
    let found = FoundContent {
        what: StoredKind::Artifact,
        digest,
        bytes: artifact.bytes,
        media_type: artifact.media_type,
        name: Some(artifact.name),
    };
    let seconds = arguments.expiration_seconds.clamp(1, URL_SECONDS_MAX);
    let signed = substrate.files.address(&found, Duration::from_secs(seconds.into())).await?;
    let data = ArtifactUrlOutput { url: signed.url, expires_at: rfc3339(signed.expires_at_ms) };
    Ok(ToolReply::new(data).refs([ObjectRef::Artifact { sha256: digest }]))
}
