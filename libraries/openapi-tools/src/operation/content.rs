//! Media types: which of several a request is sent in, and which an answer is read as.

use serde_json::{Map, Value};

use crate::plan::BodyCodec;
use crate::reference::{DocumentSet, Spot, reference_of};

/// A body in the media type that was chosen.
pub(super) struct ChosenContent<'d> {
    pub(super) media_type: String,
    pub(super) codec: BodyCodec,
    pub(super) schema: Option<Spot<'d>>,
    /// The member `encoding`.
    pub(super) encoding: Option<&'d Map<String, Value>>,
}

/// Of the body's media types the one that arguments describe best, if it has any.
pub(super) fn chosen<'d>(set: &'d DocumentSet, body: Spot<'d>) -> Option<ChosenContent<'d>> {
    let content = body.value.get("content").and_then(Value::as_object)?;
    let of = |(name, media): (&'d String, &'d Value)| {
        let schema = media.get("schema").map(|value| Spot { part: body.part, value });
        let codec = codec(set, &essence(name), schema);
        (rank(&essence(name), codec), name, codec, schema, media)
    };
    let (_, name, codec, schema, media) = content.iter().map(of).min_by_key(|(rank, ..)| *rank)?;
    let encoding = media.get("encoding").and_then(Value::as_object);
    Some(ChosenContent { media_type: sent_as(name, codec), codec, schema, encoding })
}

/// The type without parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(super) fn is_json(essence: &str) -> bool {
    essence.ends_with("/json") || essence.ends_with("+json") || essence == "*/*" || essence == "application/*"
}

fn rank(essence: &str, codec: BodyCodec) -> usize {
    match codec {
        BodyCodec::Json if essence == "application/json" => 0,
        BodyCodec::Json if essence.ends_with("+json") && !essence.contains("patch") => 1,
        BodyCodec::Json => 2,
        BodyCodec::Form => 3,
        BodyCodec::Multipart => 4,
        BodyCodec::Text => 5,
        BodyCodec::Bytes => 6,
    }
}

fn codec(set: &DocumentSet, essence: &str, schema: Option<Spot<'_>>) -> BodyCodec {
    let is_binary = schema.is_some_and(|schema| is_binary(set, schema));
    match essence {
        "application/x-www-form-urlencoded" => BodyCodec::Form,
        _ if essence.starts_with("multipart/") => BodyCodec::Multipart,
        _ if essence.ends_with("/json") || essence.ends_with("+json") => BodyCodec::Json,
        _ if is_binary => BodyCodec::Bytes,
        _ if essence.ends_with("/xml") || essence.ends_with("+xml") || essence.starts_with("text/") => {
            BodyCodec::Text
        }
        _ if is_structured(set, schema) => BodyCodec::Json,
        "*/*" | "application/*" => BodyCodec::Json,
        _ => BodyCodec::Bytes,
    }
}

/// True for a string that holds bytes: `format: binary` in version 3.0, a media type without an encoding in 3.1.
pub(super) fn is_binary(set: &DocumentSet, schema: Spot<'_>) -> bool {
    let Some(schema) = set.follow(schema).map(|spot| spot.value) else { return false };
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let is_text = matches!(text("type"), Some("string") | None);
    let said = text("format") == Some("binary")
        || (text("contentMediaType").is_some() && text("contentEncoding").is_none());
    (is_text && said) || text("type") == Some("file")
}

fn is_structured(set: &DocumentSet, schema: Option<Spot<'_>>) -> bool {
    let Some(schema) = schema else { return false };
    let Some(found) = set.follow(schema) else { return reference_of(schema.value).is_some() };
    let kind = found.value.get("type").and_then(Value::as_str);
    matches!(kind, Some("object" | "array"))
        || ["properties", "allOf", "anyOf", "oneOf"].iter().any(|key| found.value.get(*key).is_some())
}

/// The media type of the request. A range becomes a type of it.
fn sent_as(name: &str, codec: BodyCodec) -> String {
    let essence = essence(name);
    match codec {
        BodyCodec::Form => essence,
        BodyCodec::Multipart if essence.contains('*') => "multipart/form-data".to_owned(),
        BodyCodec::Multipart => essence,
        BodyCodec::Json if essence.contains('*') => "application/json".to_owned(),
        BodyCodec::Text if essence.contains('*') => "text/plain".to_owned(),
        BodyCodec::Bytes if essence.contains('*') => "application/octet-stream".to_owned(),
        BodyCodec::Json | BodyCodec::Text | BodyCodec::Bytes => {
            name.chars().filter(|c| c.is_ascii() && !c.is_ascii_control()).collect()
        }
    }
}
