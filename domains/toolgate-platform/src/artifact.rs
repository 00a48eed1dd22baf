//! `store_artifact`: stores the output of a run, in one of three forms.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::{ObjectRef, ToolPresence};
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::ArtifactSource;

use crate::PlatformTools;
use crate::refusal::invalid;

pub(crate) const STORE_ARTIFACT: ToolDefinition = ToolDefinition::writes(
    "toolgate.artifacts.store",
    "Store an artifact",
    "Keeps a result of this run: text, Base64, or a ref or file by its id. Give content or content_ref_id, not both.",
)
.wire("store_artifact")
.presence(ToolPresence::WithRun)
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct StoreArtifactArguments {
    file_name: String,
    content: Option<String>,
    content_encoding: Option<ContentEncoding>,
    /// Any ref_id or file_id; the bytes do not pass through you
    content_ref_id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum ContentEncoding {
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "base64")]
    Base64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StoreArtifactOutput {
    artifact: String,
    file_name: String,
    media_type: String,
    size: u64,
}

/// Exactly one of the three ways to pass a content.
enum ContentMode {
    Text(String),
    Base64(String),
    Ref(String),
}

impl StoreArtifactArguments {
    fn mode(&mut self) -> Result<ContentMode, Refusal> {
        let hint =
            "give `content` (text), `content` with `content_encoding` \"base64\", or `content_ref_id` alone";
        match (self.content.take(), self.content_encoding, self.content_ref_id.take()) {
            (Some(_), _, Some(_)) => Err(invalid("both `content` and `content_ref_id` are given", hint)),
            (None, _, None) => Err(invalid("neither `content` nor `content_ref_id` is given", hint)),
            (None, Some(_), Some(_)) => {
                Err(invalid("`content_encoding` says nothing about a `content_ref_id`", hint))
            }
            (None, None, Some(id)) => Ok(ContentMode::Ref(id)),
            (Some(text), None | Some(ContentEncoding::Utf8), None) => Ok(ContentMode::Text(text)),
            (Some(text), Some(ContentEncoding::Base64), None) => Ok(ContentMode::Base64(text)),
        }
    }
}

pub(crate) async fn store_artifact(
    tools: Arc<PlatformTools>,
    context: ToolContext,
    mut arguments: StoreArtifactArguments,
) -> Result<ToolReply<StoreArtifactOutput>, Refusal> {
    context.run()?;
    let mode = arguments.mode()?;
    let name = toolgate_files::file_name(&arguments.file_name)?;
    let source = match mode {
        ContentMode::Text(text) => ArtifactSource::Text(text),
        ContentMode::Base64(text) => ArtifactSource::Base64(text),
        ContentMode::Ref(id) => ArtifactSource::Found(tools.files.find(&context.holder, &id).await?),
    };
    let artifact = tools.files.store_artifact(&context.holder, name, source).await?;
    let text = format!("stored {} ({} bytes)", artifact.name, artifact.bytes);
    let data = StoreArtifactOutput {
        artifact: artifact.digest.to_string(),
        file_name: artifact.name.to_string(),
        media_type: artifact.media_type,
        size: artifact.bytes,
    };
    Ok(ToolReply::new(data).text(text).refs([ObjectRef::Artifact { sha256: artifact.digest }]))
}
