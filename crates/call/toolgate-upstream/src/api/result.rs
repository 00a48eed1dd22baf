//! Results of tools, made of answers: JSON as it is, text as text, everything else as bytes that the gateway keeps.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use connector_file::ProviderVerdict;
use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_outbound::excerpt;

use super::book::is_json;
use super::definition::RESULT;
use super::exchange::ApiAnswer;
use super::masks::{MASK, SecretMasks};

/// The most of a failure's own words that are passed on.
const WORDS_CHARS_MAX: usize = 4000;

/// The kind of body that an answer has, by its header and its bytes.
enum AnswerBody {
    Empty,
    Json(Value),
    Text(String),
    Binary {
        media_type: String,
    },
    /// The header says JSON, and it is none.
    BrokenJson,
    Html,
}

/// What a result says beside its data.
pub(super) struct ResultNote {
    pub(super) text: String,
    /// A member of `_meta`, and its name.
    pub(super) meta: Option<(&'static str, Value)>,
}

/// The result of a call that succeeded.
pub(super) fn of_success(
    answer: &ApiAnswer,
    promises_json: bool,
    uri: &str,
    note: Option<ResultNote>,
) -> RawJson {
    let status = answer.status.as_u16();
    match body_of(answer) {
        AnswerBody::Empty => of_text(&format!("done: HTTP {status} without content")),
        AnswerBody::Json(value) => of_json(value, note),
        AnswerBody::Html if promises_json => of_failure(&format!(
            "the API answered HTTP {status} with an HTML page where JSON was promised, which is often a page to sign in or a \
             notice of a proxy: {}",
            said(answer)
        )),
        AnswerBody::BrokenJson => of_failure(&format!(
            "the API answered HTTP {status} and said that it is JSON, which it is not: {}",
            said(answer)
        )),
        AnswerBody::Html => of_text(&answer.masks.masked(&String::from_utf8_lossy(&answer.body))),
        AnswerBody::Text(text) => of_text(&answer.masks.masked(&text)),
        AnswerBody::Binary { media_type } => match answer.masks.stand_in(&answer.body) {
            true => of_failure(
                "the API repeated a credential in binary content, which is therefore not passed on",
            ),
            false => of_bytes(&answer.body, &media_type, uri),
        },
    }
}

/// The bytes of an answer, as the result of an action that fetches a file.
pub(super) fn of_file(answer: &ApiAnswer, uri: &str) -> RawJson {
    let media_type = media_type(answer).unwrap_or_else(|| "application/octet-stream".to_owned());
    of_bytes(&answer.body, &media_type, uri)
}

/// The failure that an answer tells by its status, or by its body where a connector file says how.
pub(super) fn failed_words(answer: &ApiAnswer, verdict: &ProviderVerdict) -> String {
    let status = answer.status;
    let reason = status.canonical_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
    let mut words = format!("the API answered HTTP {}{reason}", status.as_u16());
    if status.is_success() {
        words.push_str(" and says that it failed");
    }
    let said = said(answer);
    if !said.is_empty() {
        words.push_str(": ");
        words.push_str(&said);
    }
    if matches!(verdict, ProviderVerdict::Unsure { .. }) {
        words.push_str("\nhint: it may have taken effect all the same: look before you repeat it");
    }
    if let ProviderVerdict::Again { after: Some(after), .. } = verdict {
        words.push_str(&format!("\nhint: it takes calls again in {} s", after.as_secs()));
    } else if let Some(after) = answer.header("retry-after") {
        words.push_str(&format!("\nhint: it asks to be called again after {after} (Retry-After)"));
    }
    words
}

pub(super) fn of_failure(words: &str) -> RawJson {
    RawJson::from_serialize(&json!({ "content": [{ "type": "text", "text": words }], "isError": true }))
}

/// A result as structure and as text. What is no object becomes a member of one.
pub(super) fn of_json(value: Value, note: Option<ResultNote>) -> RawJson {
    let text = value.to_string();
    let structured = if value.is_object() { value } else { json!({ RESULT: value }) };
    let mut content = vec![json!({ "type": "text", "text": text })];
    let meta = note.and_then(|note| {
        content.push(json!({ "type": "text", "text": note.text }));
        note.meta
    });
    let mut result = json!({ "content": content, "structuredContent": structured });
    if let Some((name, value)) = meta {
        result["_meta"] = json!({ name: value });
    }
    RawJson::from_serialize(&result)
}

/// JSON without the secrets that went out.
pub(super) fn masked_json(value: Value, masks: &SecretMasks) -> Value {
    match masks.masked(&value.to_string()) {
        Cow::Borrowed(_) => value,
        Cow::Owned(masked) => serde_json::from_str(&masked).unwrap_or_else(|_| MASK.into()),
    }
}

/// The body of an answer as JSON, if it is that.
pub(super) fn json_of(answer: &ApiAnswer) -> Option<Value> {
    serde_json::from_slice(&answer.body).ok().map(|value| masked_json(value, &answer.masks))
}

fn of_text(text: &str) -> RawJson {
    RawJson::from_serialize(&json!({ "content": [{ "type": "text", "text": text }] }))
}

fn of_bytes(body: &Bytes, media_type: &str, uri: &str) -> RawJson {
    let blob = BASE64_STANDARD.encode(body);
    RawJson::from_serialize(&json!({ "content": [
        { "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "blob": blob } },
    ] }))
}

fn body_of(answer: &ApiAnswer) -> AnswerBody {
    if answer.body.is_empty() {
        return AnswerBody::Empty;
    }
    let media_type = media_type(answer);
    let kind = media_type.as_deref().unwrap_or_default();
    if is_json(kind) {
        return json_of(answer).map_or(AnswerBody::BrokenJson, AnswerBody::Json);
    }
    if matches!(kind, "text/html" | "application/xhtml+xml") {
        return AnswerBody::Html;
    }
    // Without a type, or with the one that says nothing, the bytes tell.
    if matches!(kind, "" | "text/plain")
        && let Some(value) = json_of(answer).filter(|value| value.is_object() || value.is_array())
    {
        return AnswerBody::Json(value);
    }
    let is_text =
        kind.is_empty() || kind.starts_with("text/") || kind.ends_with("xml") || kind.ends_with("yaml");
    match std::str::from_utf8(&answer.body) {
        Ok(text) if is_text && !text.contains('\0') => AnswerBody::Text(text.to_owned()),
        _ => AnswerBody::Binary {
            media_type: media_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
        },
    }
}

fn media_type(answer: &ApiAnswer) -> Option<String> {
    let kind = answer.header("content-type")?;
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!kind.is_empty()).then_some(kind)
}

/// The beginning of a body, without secrets: they are taken out before it is cut.
pub(super) fn said(answer: &ApiAnswer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    excerpt(answer.masks.masked(&text).as_bytes(), WORDS_CHARS_MAX)
}
