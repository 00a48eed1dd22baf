//! The only place that knows both protocol eras: how a request is read and how its answer is dressed.

use std::sync::Arc;

use http::HeaderMap;
use serde_json::json;
use toolgate_core::port::ServerReply;
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::object::{self, may_say, with_member};
use toolgate_wire::{ObjectMembers, ProtocolVersion, compose, header, meta};

use crate::clients::client::Client;
use crate::messages::frame::{MessagePieces, ResponseFrame};
use crate::messages::parts::{OwnedRequest, RequestHead};
use crate::messages::reply::EnvelopedReply;

/// The time that a client may keep a list before it asks again. Changes are announced, so this only bounds what a client
/// that does not listen can miss.
const LIST_TTL_MS: u32 = 5_000;
const DISCOVER_TTL_MS: u32 = 60_000;

/// The era in which a message speaks: the newer one says so in its header or in `_meta`.
pub(crate) fn of_message(meta_version: Option<&str>, version_header: Option<&str>) -> Era {
    let header_is_legacy =
        version_header.and_then(ProtocolVersion::parse).map(ProtocolVersion::era) == Some(Era::Legacy);
    match (version_header, meta_version) {
        (Some(_), _) if !header_is_legacy => Era::Modern,
        (_, Some(_)) => Era::Modern,
        _ => Era::Legacy,
    }
}

/// Reads what every request of the newer era carries in `_meta`, and holds it against the headers where there are any.
pub(crate) fn read_modern(
    seat: &Arc<Seat>,
    request: &mut OwnedRequest,
    headers: Option<&HeaderMap>,
) -> Result<Client, RpcError> {
    let missing = |what: &str| RpcError::invalid_params(format!("params._meta must have \"{what}\""));
    let OwnedRequest { head, parts, .. } = request;
    let meta = &mut parts.meta;
    if !meta.given {
        return Err(unknown_version(headers).unwrap_or_else(|| missing(meta::PROTOCOL_VERSION)));
    }
    let version = meta.protocol_version.as_deref().ok_or_else(|| missing(meta::PROTOCOL_VERSION))?;
    if let Some(headers) = headers {
        check_header(headers, header::PROTOCOL_VERSION, version)?;
    }
    let known = ProtocolVersion::parse(version).filter(|version| version.era() == Era::Modern);
    let known = known.ok_or_else(|| unsupported_version(version))?;
    let capabilities = meta.capabilities.take().ok_or_else(|| missing(meta::CLIENT_CAPABILITIES))?;
    if let Some(headers) = headers {
        check_header(headers, header::METHOD, &head.method)?;
        if let Some(target) = &parts.target {
            check_header(headers, header::NAME, target)?;
        }
    }
    Ok(Client::new(seat.clone(), known, capabilities).called(meta.client_info.take()))
}

/// A message without `_meta` names its version in the header alone, which may be one that is not served.
fn unknown_version(headers: Option<&HeaderMap>) -> Option<RpcError> {
    let named = headers?.get(header::PROTOCOL_VERSION)?.to_str().ok()?.trim();
    ProtocolVersion::parse(named).is_none().then(|| unsupported_version(named))
}

/// Holds a header against the body. Every value of it: a router may look at another one than we do.
fn check_header(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), RpcError> {
    let mismatch = |what: String| Err(RpcError::new(RpcError::HEADER_MISMATCH, what));
    if !headers.contains_key(name) {
        return mismatch(format!("the header {name} is missing; it must say {expected:?}"));
    }
    for value in headers.get_all(name) {
        if value.as_bytes() == expected.as_bytes() && !expected.starts_with('=') {
            continue;
        }
        let decoded = value.to_str().ok().and_then(|text| header::decode_value(text.trim()));
        match decoded {
            Some(decoded) if decoded == expected => {}
            Some(decoded) => {
                return mismatch(format!(
                    "the header {name} says {decoded:?} and the body says {expected:?}"
                ));
            }
            None => return mismatch(format!("the header {name} cannot be decoded")),
        }
    }
    Ok(())
}

pub(crate) fn supported_versions() -> Vec<&'static str> {
    ProtocolVersion::ALL.iter().rev().map(|version| version.as_str()).collect()
}

pub(crate) fn unsupported_version(requested: &str) -> RpcError {
    let supported = supported_versions();
    RpcError::new(RpcError::UNSUPPORTED_VERSION, format!("protocol version {requested:?} is not supported"))
        .with_data(json!({ "supported": supported, "requested": requested }))
}

/// The answer as this client must get it.
pub(crate) fn respond(
    client: &Client,
    request: &RequestHead,
    answer: Result<EnvelopedReply, RpcError>,
) -> ResponseFrame {
    let id = request.id.as_str();
    let EnvelopedReply { reply, front } = match answer {
        Ok(said) => said,
        Err(error) => {
            let error = translate_error(client.era(), &request.method, error);
            return ResponseFrame::error(Some(&request.id), &error);
        }
    };
    let body = match (reply, client.era()) {
        (ServerReply::Complete(result) | ServerReply::Cached(result), Era::Modern) => {
            complete_modern(id, &request.method, front, result)
        }
        (
            ServerReply::Complete(result)
            | ServerReply::Cached(result)
            | ServerReply::InputRequired(result)
            | ServerReply::Task(result),
            _,
        ) => envelope(id, &front, result),
    };
    ResponseFrame { body, error_code: None, cancelled: false }
}

/// Puts on what the newer era requires and the older one lacks; what a server sent stays as it is.
fn complete_modern(id: &str, method: &str, mut front: String, result: RawJson) -> MessagePieces {
    let ttl = match method {
        "server/discover" => Some(DISCOVER_TTL_MS),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => Some(LIST_TTL_MS),
        "resources/read" => Some(0),
        _ => None,
    };
    let result = match type_of(result.as_str()) {
        ClaimedResultType::Complete => result,
        ClaimedResultType::Unsaid => {
            object::push_member(&mut front, "resultType", "\"complete\"");
            result
        }
        ClaimedResultType::Other => match with_member(result.as_str(), "resultType", "\"complete\"") {
            Ok(complete) => RawJson::from_composed(complete),
            Err(_) => result,
        },
    };
    let Some(ttl) = ttl else {
        return envelope(id, &front, result);
    };
    let text = result.as_str();
    if !has_member(text, "ttlMs") {
        object::push_member(&mut front, "ttlMs", &ttl.to_string());
    }
    if !has_member(text, "cacheScope") {
        object::push_member(&mut front, "cacheScope", "\"private\"");
    } else if let Ok(private) = with_member(text, "cacheScope", "\"private\"") {
        // What one principal may read, another may not: nothing behind this gateway is public.
        return envelope(id, &front, RawJson::from_composed(private));
    }
    envelope(id, &front, result)
}

/// A result that is larger than this is sent from where it lies instead of being copied.
const COPY_BYTES_MAX: usize = 16 << 10;

/// The response around a result, with more members in front of the result's own.
fn envelope(id: &str, front: &str, result: RawJson) -> MessagePieces {
    let text = result.as_str();
    // A result must be an object; one that is not is passed on as it is rather than broken.
    let front = if text.starts_with('{') { front } else { "" };
    let is_empty = || text[1..].trim_ascii_start().starts_with('}');
    if text.len() <= COPY_BYTES_MAX || (!front.is_empty() && is_empty()) {
        let whole = if front.is_empty() {
            compose::response(id, text)
        } else {
            compose::response_with_front(id, front, text)
        };
        return whole.into();
    }
    let mut head = compose::response_head(id);
    let bytes = result.into_bytes();
    let skipped = if front.is_empty() { 0 } else { 1 };
    if !front.is_empty() {
        head.push('{');
        head.push_str(front);
        head.push(',');
    }
    MessagePieces([head.into(), bytes.slice(skipped..), bytes::Bytes::from_static(b"}")])
}

/// The type that a complete result states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ClaimedResultType {
    Complete,
    Unsaid,
    /// Another one, or several: a client that believed it would take an answer for a question that was not screened.
    Other,
}

/// Servers of the newer era say the type of their results, mostly first or last. A server of the older era means nothing by it.
fn type_of(result: &str) -> ClaimedResultType {
    const KEY: &str = "resultType";
    const FIRST: &str = r#"{"resultType":"complete""#;
    const LAST: &str = r#","resultType":"complete"}"#;
    // In valid JSON the last brace closes the outermost object, so what stands before it is a member of that object.
    let other = result.strip_prefix(FIRST).or_else(|| result.strip_suffix(LAST));
    let says_it = |text: &str| may_say(text.as_bytes(), KEY);
    if other.is_some_and(|other| !says_it(other)) {
        return ClaimedResultType::Complete;
    }
    if !says_it(result) {
        return ClaimedResultType::Unsaid;
    }
    let Ok(members) = ObjectMembers::of_str(result) else { return ClaimedResultType::Unsaid };
    let mut said = members.iter().filter(|(name, _)| *name == KEY).map(|(_, value)| value.get());
    match (said.next(), said.next()) {
        (None, _) => ClaimedResultType::Unsaid,
        (Some("\"complete\""), None) => ClaimedResultType::Complete,
        _ => ClaimedResultType::Other,
    }
}

/// True if an object has a top-level member. The word is looked for first, which is all that most results need.
fn has_member(object: &str, key: &str) -> bool {
    may_say(object.as_bytes(), key)
        && ObjectMembers::of_str(object).is_ok_and(|members| members.get(key).is_some())
}

/// A missing resource has a code of its own in the older era and none in the newer.
fn translate_error(era: Era, method: &str, mut error: RpcError) -> RpcError {
    match (era, error.code) {
        (Era::Modern, RpcError::RESOURCE_NOT_FOUND_LEGACY) => error.code = RpcError::INVALID_PARAMS,
        (Era::Legacy, RpcError::INVALID_PARAMS) if method == "resources/read" && names_resource(&error) => {
            error.code = RpcError::RESOURCE_NOT_FOUND_LEGACY;
        }
        _ => {}
    }
    error
}

/// True if an error is about a resource that does not exist, and not about parameters.
fn names_resource(error: &RpcError) -> bool {
    let named = |data: &RawJson| ObjectMembers::of(data).is_ok_and(|members| members.get("uri").is_some());
    error.data.as_ref().is_some_and(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_result_says_so_once_whatever_its_server_wrote() {
        let check =
            |result: &str, expected: ClaimedResultType| assert_eq!(type_of(result), expected, "{result}");
        check("{}", ClaimedResultType::Unsaid);
        check(r#"{"a":{"resultType":"task"}}"#, ClaimedResultType::Unsaid);
        check(r#"{"resultType":"complete","a":1}"#, ClaimedResultType::Complete);
        check(r#"{"a":1,"resultType":"complete"}"#, ClaimedResultType::Complete);
        check(r#"{"a":{"resultType":"task"},"resultType":"complete"}"#, ClaimedResultType::Complete);
        check(r#"{"resultType":"complete","a":"resultType"}"#, ClaimedResultType::Complete);
        check(r#"{"resultType":"input_required"}"#, ClaimedResultType::Other);
        check(r#"{"result\u0054ype":"input_required"}"#, ClaimedResultType::Other);
        check(r#"{"resultType":"complete","resultType":"input_required"}"#, ClaimedResultType::Other);
        check(r#"{"resultType":"input_required","a":1,"resultType":"complete"}"#, ClaimedResultType::Other);
        check(r#"{"resultType":"complete","result\u0054ype":"input_required"}"#, ClaimedResultType::Other);
        let text = r#"{"cache\u0053cope":"public","resultType":"complete","resultType":"task"}"#;
        let result = RawJson::parse(text.into()).expect("JSON");
        let answer = complete_modern("1", "resources/read", String::new(), result).joined();
        let answer: serde_json::Value = serde_json::from_slice(&answer).expect("an answer is JSON");
        assert_eq!(answer["result"], json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}));
    }
}
