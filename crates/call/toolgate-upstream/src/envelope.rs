//! Requests as the text that a server of either era is sent: one string each, made around parts that are not ours, and
//! where in it the inserts go.

use toolgate_core::port::{CallOrigin, Caller, ServerRequest};
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::object::{push_member, push_string};
use toolgate_wire::{ProtocolVersion, compose, meta};

use crate::callers::push_origin;
use crate::message::OutgoingMessage;

/// Our own name if no client's name is known.
pub(crate) const CLIENT_INFO: &str =
    concat!(r#"{"name":"toolgate","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// Declared to servers of the older era, so that everything a client can answer can be bridged.
const LEGACY_CAPABILITIES: &str = r#"{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}"#;

/// The gateway's own capabilities, when it asks on its own account.
const OWN_CAPABILITIES: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

/// The fixed parts of a modern request and some room for numbers.
const MODERN_FRAME_BYTES: usize = 320;

/// A request of the newer era. The progress token is the request's id: unique on the connection, and the reply's
/// stream or the pending table leads from it to the caller. `origin` is there if the server wants to know it.
pub(crate) fn modern(
    id: u64,
    version: ProtocolVersion,
    request: &ServerRequest,
    caller: Option<&dyn Caller>,
    origin: Option<&CallOrigin>,
) -> OutgoingMessage {
    let capabilities = caller.map_or(OWN_CAPABILITIES, |caller| caller.capabilities().as_str());
    let info = caller.and_then(Caller::client_info).map_or(CLIENT_INFO, RawJson::as_str);
    let length =
        request.method.len() + request.params.len() + request.meta.len() + capabilities.len() + info.len();
    let mut text = String::with_capacity(length + MODERN_FRAME_BYTES);
    let params_at = open(&mut text, id, request);
    text.push_str(&request.params);
    if let Some(input) = &request.input {
        if let Some(responses) = &input.responses {
            push_member(&mut text, "inputResponses", responses.as_str());
        }
        if let Some(state) = &input.state {
            push_member(&mut text, "requestState", state.as_str());
        }
    }
    if !text.ends_with('{') {
        text.push(',');
    }
    text.push_str(r#""_meta":{"io.modelcontextprotocol/protocolVersion":""#);
    text.push_str(version.as_str());
    text.push_str(r#"","io.modelcontextprotocol/clientCapabilities":"#);
    text.push_str(capabilities);
    text.push_str(r#","io.modelcontextprotocol/clientInfo":"#);
    text.push_str(info);
    if let Some(level) = caller.and_then(Caller::log_level) {
        text.push_str(r#","io.modelcontextprotocol/logLevel":"#);
        push_string(&mut text, level);
    }
    if caller.is_some_and(Caller::wants_progress) {
        push_member(&mut text, meta::PROGRESS_TOKEN, &id.to_string());
    }
    push_cargo(&mut text, &request.meta);
    push_origin(&mut text, origin, request.call.as_ref());
    text.push('}');
    close(&mut text, id, request);
    OutgoingMessage::new(text, params_at, &request.inserts)
}

/// A request of the older era.
pub(crate) fn legacy(
    id: u64,
    request: &ServerRequest,
    caller: Option<&dyn Caller>,
    origin: Option<&CallOrigin>,
) -> OutgoingMessage {
    let wants_progress = caller.is_some_and(Caller::wants_progress);
    let mut text =
        String::with_capacity(request.method.len() + request.params.len() + request.meta.len() + 128);
    let params_at = open(&mut text, id, request);
    text.push_str(&request.params);
    if wants_progress || origin.is_some() || !request.meta.is_empty() {
        if !text.ends_with('{') {
            text.push(',');
        }
        text.push_str(r#""_meta":{"#);
        if wants_progress {
            push_member(&mut text, meta::PROGRESS_TOKEN, &id.to_string());
        }
        push_cargo(&mut text, &request.meta);
        push_origin(&mut text, origin, request.call.as_ref());
        text.push('}');
    }
    close(&mut text, id, request);
    OutgoingMessage::new(text, params_at, &request.inserts)
}

/// Writes the text up to and including the brace that opens `params`, and returns its length.
///
/// A request with inserts names its method after them: until then it can still become something else (see the
/// writing to child processes).
fn open(text: &mut String, id: u64, request: &ServerRequest) -> usize {
    text.push_str(r#"{"jsonrpc":"2.0""#);
    if request.inserts.is_empty() {
        push_identity(text, id, &request.method);
    }
    text.push_str(r#","params":{"#);
    text.len()
}

/// Writes the brace that closes `params`, and the rest.
fn close(text: &mut String, id: u64, request: &ServerRequest) {
    text.push('}');
    if !request.inserts.is_empty() {
        push_identity(text, id, &request.method);
    }
    text.push('}');
}

fn push_identity(text: &mut String, id: u64, method: &str) {
    text.push_str(r#","id":"#);
    push_number(text, id);
    text.push_str(r#","method":"#);
    push_string(text, method);
}

fn push_number(text: &mut String, number: u64) {
    use std::fmt::Write;
    write!(text, "{number}").expect("writing to a string does not fail");
}

fn push_cargo(text: &mut String, cargo: &str) {
    if cargo.is_empty() {
        return;
    }
    if !text.ends_with('{') {
        text.push(',');
    }
    text.push_str(cargo);
}

pub(crate) fn initialize(id: u64) -> OutgoingMessage {
    let request = ServerRequest::new(
        "initialize",
        format!(
            r#""protocolVersion":"{}","capabilities":{LEGACY_CAPABILITIES},"clientInfo":{CLIENT_INFO}"#,
            ProtocolVersion::LATEST_LEGACY.as_str()
        ),
    );
    legacy(id, &request, None, None)
}

pub(crate) fn initialized() -> String {
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()
}

pub(crate) fn roots_changed() -> String {
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#.to_owned()
}

pub(crate) fn cancelled(id: u64, reason: &str) -> String {
    let mut text = String::with_capacity(120 + reason.len());
    text.push_str(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#);
    push_number(&mut text, id);
    text.push_str(r#","reason":"#);
    push_string(&mut text, reason);
    text.push_str("}}");
    text
}

/// The answer to a request that the server sent.
pub(crate) fn answer(id: &str, outcome: &Result<RawJson, RpcError>) -> bytes::Bytes {
    match outcome {
        Ok(result) => compose::response(id, result.as_str()),
        Err(error) => compose::error(Some(id), error),
    }
}

pub(crate) fn level_request(level: &str) -> ServerRequest {
    let mut params = r#""level":"#.to_owned();
    push_string(&mut params, level);
    ServerRequest::new("logging/setLevel", params)
}

#[cfg(test)]
mod tests {
    use toolgate_core::id::{RunId, SessionId};

    use super::*;

    fn request() -> ServerRequest {
        ServerRequest {
            meta: r#""traceparent":"00-1""#.into(),
            ..ServerRequest::new("tools/call", r#""name":"add","arguments":{"a":1.10}"#.into())
        }
    }

    fn text(message: OutgoingMessage) -> String {
        String::from_utf8(message.into_text().to_vec()).expect("text")
    }

    #[test]
    fn a_modern_request_carries_its_whole_context() {
        let text = text(modern(7, ProtocolVersion::V2026_07_28, &request(), None, None));
        let value: serde_json::Value = serde_json::from_str(&text).expect("valid");
        assert_eq!(value["id"], 7);
        assert_eq!(value["params"]["_meta"][meta::PROTOCOL_VERSION], "2026-07-28");
        assert_eq!(value["params"]["_meta"]["traceparent"], "00-1");
        assert_eq!(value["params"]["_meta"][meta::CLIENT_INFO]["name"], "toolgate");
        assert!(text.contains(r#""arguments":{"a":1.10}"#));
    }

    #[test]
    fn empty_params_and_cargo_leave_no_stray_commas() {
        let request = ServerRequest::new("tools/list", String::new());
        for message in [
            modern(1, ProtocolVersion::V2026_07_28, &request, None, None),
            legacy(1, &request, None, None),
            initialize(2),
        ] {
            serde_json::from_str::<serde_json::Value>(&text(message)).expect("valid");
        }
    }

    #[test]
    fn a_legacy_request_has_no_meta_where_nothing_needs_it() {
        let request = ServerRequest::new("tools/list", String::new());
        assert_eq!(
            text(legacy(1, &request, None, None)),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#
        );
    }

    fn origin(run: Option<&str>) -> CallOrigin {
        CallOrigin { session: SessionId::new("ses_1"), run: run.map(RunId::new) }
    }

    #[test]
    fn the_caller_is_named_in_both_eras_and_nothing_else_changes() {
        let named = |message| serde_json::from_str::<serde_json::Value>(&text(message)).expect("valid");
        let bare = ServerRequest::new("tools/call", String::new());
        for request in [request(), bare] {
            for (origin, expected) in [
                (origin(None), serde_json::json!({ "session": "ses_1" })),
                (origin(Some("run_2")), serde_json::json!({ "session": "ses_1", "run": "run_2" })),
            ] {
                let both = |origin: Option<&CallOrigin>| {
                    let modern = modern(1, ProtocolVersion::V2026_07_28, &request, None, origin);
                    [named(modern), named(legacy(1, &request, None, origin))]
                };
                for (mut with, without) in both(Some(&origin)).into_iter().zip(both(None)) {
                    let members = with["params"]["_meta"].as_object_mut().expect("an object");
                    assert_eq!(members.remove(meta::CALLER), Some(expected.clone()));
                    if members.is_empty() {
                        with["params"].as_object_mut().expect("an object").remove("_meta");
                    }
                    assert_eq!(with, without);
                }
            }
        }
    }
}
