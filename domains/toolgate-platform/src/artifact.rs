//! `store_artifact`: stores the output of a run, in one of three forms.

use serde::Deserialize;
use serde_json::json;
use toolgate_core::Refusal;
use toolgate_core::platform::{PlatformAnswer, PlatformCall};
use toolgate_files::ArtifactSource;

use crate::PlatformTools;
use crate::answering::{arguments, done, invalid, run_of};

#[derive(Deserialize)]
struct StoreArtifactArguments {
    file_name: String,
    content: Option<String>,
    content_encoding: Option<String>,
    content_ref_id: Option<String>,
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
        match (self.content.take(), self.content_encoding.as_deref(), self.content_ref_id.take()) {
            (Some(_), _, Some(_)) => Err(invalid("both `content` and `content_ref_id` are given", hint)),
            (None, _, None) => Err(invalid("neither `content` nor `content_ref_id` is given", hint)),
            (None, Some(_), Some(_)) => {
                Err(invalid("`content_encoding` says nothing about a `content_ref_id`", hint))
            }
            (None, None, Some(id)) => Ok(ContentMode::Ref(id)),
            (Some(text), None | Some("utf-8"), None) => Ok(ContentMode::Text(text)),
            (Some(text), Some("base64"), None) => Ok(ContentMode::Base64(text)),
            (Some(_), Some(other), None) => Err(invalid(format!("{other:?} is no encoding"), hint)),
        }
    }
}

pub(crate) async fn run(tools: &PlatformTools, call: &PlatformCall<'_>) -> Result<PlatformAnswer, Refusal> {
    run_of(call.holder)?;
    let mut arguments: StoreArtifactArguments = arguments(call.arguments)?;
    let mode = arguments.mode()?;
    let name = toolgate_files::file_name(&arguments.file_name)?;
    let source = match mode {
        ContentMode::Text(text) => ArtifactSource::Text(text),
        ContentMode::Base64(text) => ArtifactSource::Base64(text),
        ContentMode::Ref(id) => ArtifactSource::Found(tools.files.find(call.holder, &id).await?),
    };
    let artifact = tools.files.store_artifact(call.holder, name, source).await?;
    let data = json!({
        "artifact": artifact.digest, "file_name": artifact.name,
        "media_type": artifact.media_type, "size": artifact.bytes,
    });
    Ok(done(format!("stored {} ({} bytes)", artifact.name, artifact.bytes), data))
}
