//! `file_upload_url`: a way in for bytes, for clients that have no other.

use serde::Deserialize;
use serde_json::json;
use toolgate_core::Refusal;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::{PlatformAnswer, PlatformCall};

use crate::PlatformTools;
use crate::answering::{arguments, done};

#[derive(Deserialize)]
struct FileUploadArguments {
    file_name: String,
}

pub(crate) async fn run(tools: &PlatformTools, call: &PlatformCall<'_>) -> Result<PlatformAnswer, Refusal> {
    let FileUploadArguments { file_name } = arguments(call.arguments)?;
    let name = toolgate_files::file_name(&file_name)?;
    let offer = tools.files.offer_upload(call.holder, name).await?;
    let until = rfc3339(offer.expires_at_ms);
    let text = format!("PUT the bytes to {} once, before {until}. The answer has the file_id.", offer.url);
    Ok(done(text, json!({ "url": offer.url, "method": "PUT", "expires_at": until })))
}
