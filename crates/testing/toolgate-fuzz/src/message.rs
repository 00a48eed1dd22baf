//! Incoming messages, in both eras: JSON-RPC, its `_meta`, versions and headers. Compared with a plain parse
//! by serde_json.

use serde_json::Value;
use toolgate_core::server::Era;
use toolgate_core::{Raw, RawJson};
use toolgate_wire::meta::{self, RequestMeta};
use toolgate_wire::{
    IncomingMessage, MalformedMessage, ObjectMembers, ProtocolVersion, compose, header, message, param_header,
};

const DEPTH_MAX: usize = 100;

pub(crate) fn try_one(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        survives_the_header(text);
        assert_eq!(
            ProtocolVersion::parse(text).map(ProtocolVersion::as_str),
            Some(text).filter(|_| ProtocolVersion::parse(text).is_some())
        );
        assert_eq!(ProtocolVersion::negotiate_legacy(text).era(), Era::Legacy, "{text:?} opens no session");
    }
    if let Ok(messages) = message::parse_batch(input) {
        messages.iter().for_each(|one| drop(message::parse(one.get().as_bytes(), DEPTH_MAX)));
    }
    let plain: Option<Value> = serde_json::from_slice(input).ok();
    match message::parse(input, DEPTH_MAX) {
        Ok(incoming) => {
            if let Some(plain) = &plain {
                says(&incoming, plain);
            }
            answered(&incoming);
        }
        Err(malformed) => refused(&malformed, plain.as_ref()),
    }
    if let Some(plain) = plain {
        drop(param_header::of_schema(&plain));
    }
}

fn survives_the_header(text: &str) {
    let encoded = header::encode_value(text);
    assert!(encoded.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "a header carries {encoded:?}");
    assert_eq!(header::decode_value(&encoded).as_deref(), Some(text), "a value survives its header");
    drop(header::decode_value(text));
}

/// The parsed parts match the message.
fn says(incoming: &IncomingMessage<'_>, plain: &Value) {
    assert_eq!(plain["jsonrpc"], "2.0");
    let read = |raw: Raw<'_>| serde_json::from_str::<Value>(raw.get()).expect("a part of a value is a value");
    let (method, params) = match incoming {
        IncomingMessage::Request(request) => {
            assert_eq!(read(request.id), plain["id"], "the id is another one");
            (&request.method, request.params)
        }
        IncomingMessage::Notification(notification) => {
            assert!(plain.get("id").is_none(), "a request was taken for a notification");
            (&notification.method, notification.params)
        }
        IncomingMessage::Response(response) => {
            match &response.outcome {
                Ok(result) => assert_eq!(read(*result), plain["result"], "the result is another one"),
                Err(error) => assert_eq!(plain["error"]["message"], error.message.as_str()),
            }
            return;
        }
    };
    assert_eq!(plain["method"], method.as_ref(), "the method is another one");
    assert_eq!(params.map(read).as_ref(), plain.get("params"), "the params are others");
}

/// Every answer is JSON, with the id of the request.
fn answered(incoming: &IncomingMessage<'_>) {
    let IncomingMessage::Request(request) = incoming else { return };
    let answer = compose::response_with_front(request.id.get(), "\"resultType\":\"complete\"", "{}");
    assert!(RawJson::parse(answer).is_ok(), "an answer to {} is not JSON", request.id.get());
    let meta = request.params.and_then(|params| ObjectMembers::parse(params).ok()?.get("_meta"));
    if let Some(meta) = meta.filter(|meta| meta.is_object()) {
        taken_apart(meta);
    }
}

/// Each member of `_meta` lands in exactly one place.
fn taken_apart(meta: Raw<'_>) {
    let Ok(read) = RequestMeta::parse(meta) else { return };
    let members = ObjectMembers::parse(meta).expect("it was read");
    if members.has_duplicates() {
        return;
    }
    let known = [
        read.protocol_version,
        read.client_capabilities,
        read.client_info,
        read.log_level,
        read.progress_token,
    ];
    let known = known.iter().filter(|one| one.is_some()).count();
    let others: usize = [&read.cargo, &read.claims, &read.extras].iter().map(|part| members_of(part)).sum();
    assert_eq!(known + others, members.iter().count(), "{}", meta.get());
    let claims = format!("{{{}}}", read.claims);
    let claims = ObjectMembers::of_str(&claims).expect("claims are members");
    assert!(claims.iter().all(|(key, _)| key.starts_with(meta::GATEWAY_PREFIX)));
}

fn members_of(part: &str) -> usize {
    ObjectMembers::of_str(&format!("{{{part}}}")).expect("a part of `_meta` is members").iter().count()
}

/// A refusal is JSON, and reports a syntax error only if there is one.
fn refused(malformed: &MalformedMessage, plain: Option<&Value>) {
    let error = compose::error(malformed.id().map(RawJson::as_str), &malformed.to_error());
    assert!(RawJson::parse(error).is_ok(), "a refusal is not JSON");
    let wrong = matches!(malformed, MalformedMessage::Syntax(_)) && plain.is_some();
    assert!(!wrong, "good JSON was refused: {malformed}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[should_panic(expected = "the method is another one")]
    fn a_message_that_is_read_wrongly_is_a_finding() {
        let incoming =
            message::parse(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, DEPTH_MAX).expect("it is one");
        says(&incoming, &json!({"jsonrpc": "2.0", "id": 1, "method": "pong"}));
    }

    #[test]
    #[should_panic(expected = "good JSON was refused")]
    fn good_json_that_is_refused_is_a_finding() {
        refused(&MalformedMessage::Syntax("no".to_owned()), Some(&json!({})));
    }
}
