//! The tool that reads an object.

use std::sync::Arc;

use capability_kit::{Attachment, ResidentAnswer, ResidentCall, Tool, Trouble};
use futures_util::TryStreamExt as _;
use object_store::{Attribute, GetOptions, GetResult, ObjectStore as _};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::bucket::Bucket;
use super::http::noted;
use crate::provided::{Provided, ToolWords, free_tool};

const WORDS: ToolWords = ToolWords {
    name: "read_object",
    title: "Read an object",
    description: "Reads one object by its key. Its bytes come with the answer as a file.",
};
const UNKNOWN_TYPE: &str = "application/octet-stream";

pub(super) fn tool(bucket: &Provided<Bucket>) -> Tool {
    free_tool(bucket, WORDS, read)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadObjectArguments {
    /// As list_objects returns it.
    key: String,
}

async fn read(
    bucket: Arc<Bucket>,
    arguments: ReadObjectArguments,
    _: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let key = Bucket::key(&arguments.key)?;
    let found = noted(bucket.objects.get_opts(&key, GetOptions::default())).await;
    let found = found.map_err(|error| bucket.trouble("read the object", &error))?;
    if found.meta.size > bucket.object_bytes_max {
        return Err(bucket.too_large(found.meta.size));
    }
    let media_type =
        found.attributes.get(&Attribute::ContentType).map_or(UNKNOWN_TYPE, |said| said.as_ref()).to_owned();
    let data = json!({
        "key": key.as_ref(), "bytes": found.meta.size, "media_type": media_type,
        "modified": found.meta.last_modified.to_rfc3339(), "etag": found.meta.e_tag,
    });
    let bytes = contents(&bucket, found).await?;
    let name = key.filename().unwrap_or("object").to_owned();
    Ok(ResidentAnswer::data(data).with(Attachment { bytes, media_type, name }))
}

/// The bytes, counted as they arrive: a server may say less than it sends.
async fn contents(bucket: &Bucket, found: GetResult) -> Result<Vec<u8>, Trouble> {
    let mut pieces = found.into_stream();
    let mut bytes = Vec::new();
    while let Some(piece) =
        noted(pieces.try_next()).await.map_err(|error| bucket.trouble("read the object", &error))?
    {
        if (bytes.len() + piece.len()) as u64 > bucket.object_bytes_max {
            return Err(bucket.too_large((bytes.len() + piece.len()) as u64));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}
