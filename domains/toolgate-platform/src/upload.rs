//! `file_upload_url`: a way in for bytes, for clients that have no other.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ToolPresence;
use toolgate_core::run::CallKind;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use crate::PlatformTools;

pub(crate) const FILE_UPLOAD_URL: ToolDefinition = ToolDefinition::reads(
    "toolgate.files.upload",
    "Offer an upload",
    "Gives an address to which one file can be sent by HTTP PUT; the answer to that has its file_id, which tools take.",
)
.wire("file_upload_url")
.presence(ToolPresence::WithFiles)
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FileUploadArguments {
    file_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FileUploadOutput {
    url: String,
    method: &'static str,
    expires_at: String,
}

pub(crate) async fn file_upload_url(
    tools: Arc<PlatformTools>,
    context: ToolContext,
    arguments: FileUploadArguments,
) -> Result<ToolReply<FileUploadOutput>, Refusal> {
    let name = toolgate_files::file_name(&arguments.file_name)?;
    let offer = tools.files.offer_upload(&context.holder, name).await?;
    let expires_at = rfc3339(offer.expires_at_ms);
    let text =
        format!("PUT the bytes to {} once, before {expires_at}. The answer has the file_id.", offer.url);
    Ok(ToolReply::new(FileUploadOutput { url: offer.url, method: "PUT", expires_at }).text(text))
}
