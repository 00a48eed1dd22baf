//! The tool that writes an object, and the preview of what it would write.

use std::collections::BTreeMap;
use std::sync::Arc;

use capability_kit::{
    CallPreview, Effect, FileInput, FileStrategy, PreviewQuestion, ResidentCall, ShownRequest, Tool, Trouble,
    TroubleCode, Work,
};
use object_store::path::Path;
use object_store::{Attribute, Attributes, GetOptions, ObjectStore as _, PutMode, PutOptions, PutPayload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bucket::Bucket;
use super::http::noted;
use crate::provided::{Provided, ToolWords, data_tool};

pub(super) const NAME: &str = "put_object";
const WORDS: ToolWords = ToolWords {
    name: NAME,
    title: "Write an object",
    description: "Writes a text or a file (by file_id) as one object. An object that is there already is kept, unless `overwrite` is \
        true and the operator allows it.",
};
const TEXT_TYPE: &str = "text/plain; charset=utf-8";
const UNKNOWN_TYPE: &str = "application/octet-stream";
const PREVIEW_CHARS_MAX: usize = 20_000;
/// The argument of agents, which a gateway replaces by the content of a file.
const FILE_ARGUMENT: &str = "file_id";
/// The object's own note of the call that wrote it.
const CALL_NOTE: Attribute = Attribute::Metadata(std::borrow::Cow::Borrowed("toolgate-call"));

pub(super) fn tool(bucket: &Provided<Bucket>) -> Tool {
    data_tool(bucket, WORDS, put).effect(Effect::ExternalWrite).file(FileStrategy::BinaryBase64)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PutObjectArguments {
    /// The key, such as reports/2026/november.pdf.
    key: String,
    /// The content as text, instead of a file.
    #[serde(default)]
    text: Option<String>,
    /// The content, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Replace an object that is there.
    #[serde(default)]
    overwrite: bool,
}

#[derive(Serialize, JsonSchema)]
struct WrittenObject {
    key: String,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// True if this call had written it before; nothing was written now.
    repeated: bool,
}

async fn put(
    bucket: Arc<Bucket>,
    arguments: PutObjectArguments,
    call: ResidentCall,
) -> Result<WrittenObject, Trouble> {
    let key = checked(&bucket, &arguments)?;
    let media_type = media_type(&arguments);
    let mode = if arguments.overwrite { PutMode::Overwrite } else { PutMode::Create };
    let bytes = content(arguments, &call.work)?;
    let size = bytes.len() as u64;
    if size > bucket.object_bytes_max {
        return Err(bucket.too_large(size));
    }
    let mut attributes = Attributes::from_iter([(Attribute::ContentType, media_type)]);
    if let Some(call) = &call.call_id {
        attributes.insert(CALL_NOTE, call.clone().into());
    }
    let options = PutOptions { mode, attributes, ..PutOptions::default() };
    match noted(bucket.objects.put_opts(&key, PutPayload::from(bytes), options)).await {
        Ok(put) => Ok(WrittenObject { key: key.to_string(), bytes: size, etag: put.e_tag, repeated: false }),
        Err(failure) if is_there(&failure.error) => {
            // A lost answer was asked for again, or the whole call was repeated.
            let before = written_before(&bucket, &key, call.call_id.as_deref()).await;
            before.ok_or_else(|| bucket.trouble("write the object", &failure))
        }
        Err(failure) => Err(unsure(bucket.trouble("write the object", &failure))),
    }
}

fn is_there(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. })
}

/// The object, if this call wrote it.
async fn written_before(bucket: &Bucket, key: &Path, call: Option<&str>) -> Option<WrittenObject> {
    let found =
        bucket.objects.get_opts(key, GetOptions { head: true, ..GetOptions::default() }).await.ok()?;
    let noted = found.attributes.get(&CALL_NOTE)?;
    (Some(noted.as_ref()) == call).then(|| WrittenObject {
        key: key.to_string(),
        bytes: found.meta.size,
        etag: found.meta.e_tag,
        repeated: true,
    })
}

/// A server that did not answer may have written it all the same.
fn unsure(trouble: Trouble) -> Trouble {
    match trouble.code {
        TroubleCode::Unavailable => Trouble::new(
            TroubleCode::OutcomeUnknown,
            format!("{}; it may have been written", trouble.message),
        )
        .hint("list_objects shows whether it is there; the same call may be repeated"),
        _ => trouble,
    }
}

fn checked(bucket: &Bucket, arguments: &PutObjectArguments) -> Result<Path, Trouble> {
    if arguments.overwrite && !bucket.allow_overwrite {
        return Err(Trouble::bad_arguments("objects are not replaced here")
            .hint("choose another key; the operator's option --allow-overwrite allows it"));
    }
    if arguments.text.is_some() && arguments.file_data.is_some() {
        return Err(Trouble::bad_arguments("both a text and a file were passed").hint("pass one of them"));
    }
    Bucket::key(&arguments.key)
}

fn content(arguments: PutObjectArguments, work: &Work) -> Result<Vec<u8>, Trouble> {
    match arguments.text {
        Some(text) => Ok(text.into_bytes()),
        None => {
            let input = FileInput { file_data: arguments.file_data, file_type: None, source_ref_id: None };
            Ok(input.load(work)?.bytes)
        }
    }
}

fn media_type(arguments: &PutObjectArguments) -> String {
    let usual = if arguments.text.is_some() { TEXT_TYPE } else { UNKNOWN_TYPE };
    let said = arguments
        .file_type
        .as_deref()
        .filter(|said| said.contains('/') && said.chars().all(|c| c == ' ' || c.is_ascii_graphic()));
    said.unwrap_or(usual).to_owned()
}

/// The request that a call would send. A file that a gateway has not read yet has no size.
pub(super) fn preview(bucket: &Bucket, asked: PreviewQuestion) -> Result<CallPreview, Trouble> {
    if asked.name != NAME {
        return Err(Trouble::bad_arguments(format!("{} writes nothing", asked.name))
            .hint(format!("only {NAME} has a preview")));
    }
    let mut arguments = asked.arguments;
    let file = arguments.as_object_mut().and_then(|arguments| arguments.remove(FILE_ARGUMENT));
    let arguments: PutObjectArguments = serde_json::from_value(arguments).map_err(|error| {
        Trouble::bad_arguments(error.to_string()).hint("pass the arguments of put_object")
    })?;
    let key = checked(bucket, &arguments)?;
    let mut headers = BTreeMap::from([
        ("Authorization".to_owned(), ShownRequest::MASK.to_owned()),
        ("Content-Type".to_owned(), media_type(&arguments)),
    ]);
    if !arguments.overwrite {
        headers.insert("If-None-Match".to_owned(), "*".to_owned());
    }
    let what = match (&file, &arguments.text) {
        (Some(file), _) => format!("the file {file}"),
        (None, Some(text)) => format!("a text of {} bytes", text.len()),
        (None, None) => "a file".to_owned(),
    };
    let body_bytes = match (&arguments.text, &arguments.file_data) {
        (Some(text), _) => Some(text.len() as u64),
        (None, Some(data)) => Some(data.trim_end_matches('=').len() as u64 * 3 / 4),
        (None, None) => None,
    };
    let url = format!("{}/{key}", bucket.url);
    let verb = if arguments.overwrite { "Write or replace" } else { "Write" };
    let text = format!("{verb} {url} with {what}");
    let body_text = arguments.text.map(|text| text.chars().take(PREVIEW_CHARS_MAX).collect());
    Ok(CallPreview {
        request: ShownRequest { method: "PUT".to_owned(), url, headers, body_text, body_bytes },
        text,
    })
}
