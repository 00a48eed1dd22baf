//! `substrate.artifact.upload`: text, Base64, or bytes that the gateway has.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::platform::ObjectRef;
use toolgate_core::{Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::{ArtifactSource, SharedArtifact};
use toolgate_store::Actor;

use crate::limits::INLINE_BYTES_MAX;
use crate::refusal::invalid;
use crate::state::Substrate;

pub(super) const UPLOAD: ToolDefinition = ToolDefinition::writes(
    "substrate.artifact.upload",
    "Store an artifact",
    "Stores bytes under their SHA-256: text, Base64, or a file or ref by its id. Give one of them. \
     Larger ones: file_upload_url, then file_id. What no manifest names is collected after a while.",
)
.idempotent();

/// The name of bytes that came without one.
const NAME_USUAL: &str = "artifact";

#[derive(Deserialize, JsonSchema)]
pub(super) struct UploadArtifactArguments {
    text: Option<String>,
    base64: Option<String>,
    file_id: Option<String>,
    /// Any ref_id
    ref_id: Option<String>,
    /// Usually the name of the file
    filename: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ArtifactOutput {
    pub(super) sha256: String,
    pub(super) size_bytes: u64,
    pub(super) media_type: String,
    pub(super) filename: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UploadArtifactOutput {
    #[serde(flatten)]
    artifact: ArtifactOutput,
    /// The same bytes were there
    is_duplicate: bool,
}

impl ArtifactOutput {
    pub(super) fn of(artifact: &Artifact) -> Self {
        Self {
            sha256: artifact.digest.to_string(),
            size_bytes: artifact.bytes,
            media_type: artifact.media_type.clone(),
            filename: artifact.name.to_string(),
        }
    }
}

pub(super) async fn upload(
    substrate: Arc<Substrate>,
    context: ToolContext,
    arguments: UploadArtifactArguments,
) -> Result<ToolReply<UploadArtifactOutput>, Refusal> {
    let given = arguments.filename.as_deref().map(toolgate_files::file_name).transpose()?;
    let (source, own_name) = source(&substrate, &context, arguments).await?;
    let name = match given.or(own_name) {
        Some(name) => name,
        None => toolgate_files::file_name(NAME_USUAL)?,
    };
    let stored = substrate.files.share_artifact(&Actor::of(&context.holder), name, source).await?;
    let SharedArtifact { artifact, is_duplicate } = stored;
    let data = UploadArtifactOutput { artifact: ArtifactOutput::of(&artifact), is_duplicate };
    Ok(ToolReply::new(data).refs([ObjectRef::Artifact { sha256: artifact.digest }]))
}

/// The one source that was given, and its own name.
async fn source(
    substrate: &Substrate,
    context: &ToolContext,
    arguments: UploadArtifactArguments,
) -> Result<(ArtifactSource, Option<FileName>), Refusal> {
    let UploadArtifactArguments { text, base64, file_id, ref_id, .. } = arguments;
    let ids: Vec<String> = [file_id, ref_id].into_iter().flatten().collect();
    match (text, base64, &ids[..]) {
        (Some(text), None, []) => Ok((ArtifactSource::Text(inline(text)?), None)),
        (None, Some(base64), []) => Ok((ArtifactSource::Base64(inline(base64)?), None)),
        (None, None, [id]) => {
            let found = substrate.files.find(&context.holder, id).await?;
            let name = found.name.clone();
            Ok((ArtifactSource::Found(found), name))
        }
        (None, None, []) => Err(invalid("nothing to store is given", ONE_OF)),
        _ => Err(invalid("more than one thing to store is given", ONE_OF)),
    }
}

const ONE_OF: &str = "give one of `text`, `base64`, `file_id` and `ref_id`";

fn inline(content: String) -> Result<String, Refusal> {
    if content.len() <= INLINE_BYTES_MAX {
        return Ok(content);
    }
    let message = format!("the arguments have {} bytes; at most {INLINE_BYTES_MAX} are taken", content.len());
    Err(Refusal::new(&codes::FILE_TOO_LARGE, message)
        .hint("upload it as a file (`file_upload_url`, or `POST /files`), and give its `file_id`"))
}
