//! One JSON-RPC message, borrowed from the bytes it came in.

use std::borrow::Cow;

use toolgate_core::{Raw, RawJson, RpcError};

use crate::object::{self, ObjectMembers};
use crate::scan::{NotJson, TOO_DEEP};

#[derive(Debug)]
pub enum IncomingMessage<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Response(Response<'a>),
}

#[derive(Debug)]
pub struct Request<'a> {
    /// A string or an integer, as written.
    pub id: Raw<'a>,
    pub method: Cow<'a, str>,
    pub params: Option<Raw<'a>>,
}

#[derive(Debug)]
pub struct Notification<'a> {
    pub method: Cow<'a, str>,
    pub params: Option<Raw<'a>>,
}

#[derive(Debug)]
pub struct Response<'a> {
    /// Missing if the other side could not read the id of the request.
    pub id: Option<Raw<'a>>,
    pub outcome: Result<Raw<'a>, RpcError>,
}

/// The reason why bytes are not a JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedMessage {
    #[error("the message is not valid JSON: {0}")]
    Syntax(String),
    #[error("the message nests deeper than {depth_max} levels")]
    TooDeep { depth_max: usize },
    #[error("not a JSON-RPC 2.0 message: {why}")]
    Invalid { id: Option<RawJson>, why: &'static str },
    /// An array of messages. Only 2025-03-26 allows it.
    #[error("a batch of messages is not allowed in this protocol version; send them one by one")]
    Batch,
}

impl MalformedMessage {
    pub fn to_error(&self) -> RpcError {
        let code = match self {
            MalformedMessage::Syntax(_) => RpcError::PARSE,
            MalformedMessage::TooDeep { .. } | MalformedMessage::Invalid { .. } | MalformedMessage::Batch => {
                RpcError::INVALID_REQUEST
            }
        };
        RpcError::new(code, self.to_string())
    }

    pub fn id(&self) -> Option<&RawJson> {
        match self {
            MalformedMessage::Invalid { id, .. } => id.as_ref(),
            _ => None,
        }
    }
}

/// Reads exactly one message that nests at most `depth_max` deep; bytes after its end are refused.
pub fn parse(bytes: &[u8], depth_max: usize) -> Result<IncomingMessage<'_>, MalformedMessage> {
    parse_text(utf8(bytes)?, depth_max)
}

/// The same for bytes that are known to be text.
pub fn parse_text(text: &str, depth_max: usize) -> Result<IncomingMessage<'_>, MalformedMessage> {
    let wrong = |error: NotJson| match error.what {
        TOO_DEEP => MalformedMessage::TooDeep { depth_max },
        _ => syntax(error),
    };
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => classify(ObjectMembers::bounded(text, depth_max).map_err(wrong)?),
        Some(b'[') => {
            object::raw(text).map_err(wrong)?;
            Err(MalformedMessage::Batch)
        }
        _ => {
            object::raw(text).map_err(wrong)?;
            Err(MalformedMessage::Invalid { id: None, why: "it is not an object" })
        }
    }
}

/// The messages of a batch, for the one revision that has them.
pub fn parse_batch(bytes: &[u8]) -> Result<Vec<Raw<'_>>, MalformedMessage> {
    let messages = object::raw(utf8(bytes)?).and_then(object::elements).map_err(syntax)?;
    if messages.is_empty() {
        return Err(MalformedMessage::Invalid { id: None, why: "the batch is empty" });
    }
    Ok(messages)
}

fn utf8(bytes: &[u8]) -> Result<&str, MalformedMessage> {
    std::str::from_utf8(bytes).map_err(|error| MalformedMessage::Syntax(error.to_string()))
}

fn syntax(error: NotJson) -> MalformedMessage {
    MalformedMessage::Syntax(error.to_string())
}

fn classify(members: ObjectMembers<'_>) -> Result<IncomingMessage<'_>, MalformedMessage> {
    let id = members.get("id");
    let id_ok = id.is_some_and(is_id);
    let invalid = |why| Err(MalformedMessage::Invalid { id: id.filter(|_| id_ok).map(RawJson::from), why });
    if members.has_duplicates() {
        return invalid("a member stands twice");
    }
    if members.get("jsonrpc").and_then(object::string).as_deref() != Some("2.0") {
        return invalid("\"jsonrpc\" must be \"2.0\"");
    }
    if let Some(result) = members.get("result") {
        return Ok(IncomingMessage::Response(Response { id: id.filter(|_| id_ok), outcome: Ok(result) }));
    }
    if let Some(error) = members.get("error") {
        return match decode_error(error) {
            Some(error) => {
                Ok(IncomingMessage::Response(Response { id: id.filter(|_| id_ok), outcome: Err(error) }))
            }
            None => invalid("\"error\" must have a code and a message"),
        };
    }
    let Some(method) = members.get_str("method") else {
        return invalid("\"method\" must be a string");
    };
    let params = members.get("params");
    if params.is_some_and(|params| !params.is_object()) {
        return invalid("\"params\" must be an object");
    }
    match id {
        None => Ok(IncomingMessage::Notification(Notification { method, params })),
        Some(id) if id_ok => Ok(IncomingMessage::Request(Request { id, method, params })),
        Some(_) => invalid("\"id\" must be a string or an integer"),
    }
}

fn is_id(id: Raw<'_>) -> bool {
    let text = id.get();
    match text.as_bytes().first() {
        Some(b'"') => true,
        Some(b'-' | b'0'..=b'9') => text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()),
        _ => false,
    }
}

fn decode_error(error: Raw<'_>) -> Option<RpcError> {
    let members = ObjectMembers::parse(error).ok()?;
    let code = serde_json::from_str(members.get("code")?.get()).ok()?;
    let message = members.get_str("message")?.into_owned();
    Some(RpcError { code, message, data: members.get("data").map(RawJson::from) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (i64, Option<String>) {
        let malformed = parse(text.as_bytes(), 100).expect_err("must be refused");
        (malformed.to_error().code, malformed.id().map(|id| id.as_str().to_owned()))
    }

    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        let kind = |text: &'static str| match parse(text.as_bytes(), 100).expect("valid") {
            IncomingMessage::Request(request) => format!("request {}", request.id.get()),
            IncomingMessage::Notification(notification) => format!("notification {}", notification.method),
            IncomingMessage::Response(response) => format!("response {}", response.outcome.is_ok()),
        };
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#), "request \"7\"");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"x","params":{}}"#), "notification x");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), "response true");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}"#), "response false");
    }

    #[test]
    fn what_is_not_json_is_a_parse_error() {
        for text in ["", "{", r#"{"jsonrpc":"2.0","id":1,"method":"ping"} trailing"#, "nul", "\u{0}"] {
            assert_eq!(refusal(text).0, RpcError::PARSE, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_rpc_is_an_invalid_request() {
        for text in [
            "1",
            "[]",
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
        ] {
            assert_eq!(refusal(text).0, RpcError::INVALID_REQUEST, "{text}");
        }
    }

    #[test]
    fn what_nests_too_deep_is_an_invalid_request() {
        let nested = |depth: usize| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}{}}}}}"#,
                "[".repeat(depth),
                "]".repeat(depth)
            )
        };
        assert!(parse(nested(98).as_bytes(), 100).is_ok());
        assert_eq!(refusal(&nested(99)).0, RpcError::INVALID_REQUEST);
        assert_eq!(refusal(&nested(5000)).0, RpcError::INVALID_REQUEST);
    }

    #[test]
    fn a_readable_id_comes_back_with_the_refusal() {
        assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":"a","method":7}"#).1.as_deref(), Some("\"a\""));
    }
}
