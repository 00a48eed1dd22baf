//! The interpretation of a server's bytes as the answer to a request: its result, an error of the server's
//! own, or a breach of the protocol.

use bytes::Bytes;
use bytestring::ByteString;
use toolgate_core::port::{ServerError, ServerReply};
use toolgate_core::server::Era;
use toolgate_core::{Raw, RawJson};
use toolgate_wire::message::parse_text;
use toolgate_wire::{IncomingMessage, ObjectMembers, Response, object};

use crate::context::ServerContext;

/// The result in `body`, which must be only the response to the request `id`.
pub(crate) fn of_body(ctx: &ServerContext, body: &Bytes, id: u64) -> Result<RawJson, ServerError> {
    let Ok(text) = ByteString::try_from(body.clone()) else {
        return Err(ctx.garbled("its answer is not UTF-8"));
    };
    match parse_text(&text, ctx.limits().depth_max) {
        Ok(IncomingMessage::Response(response)) => match request_id(&response) {
            Some(answered) if answered != id => {
                Err(ctx.garbled(format!("it answered request {answered} when it was asked request {id}")))
            }
            None if response.outcome.is_ok() => Err(ctx.garbled("its result has no id that was asked")),
            _ => match response.outcome {
                Ok(result) => Ok(RawJson::within_text(&text, result)),
                Err(error) => Err(ServerError::Rpc(error)),
            },
        },
        Ok(_) => Err(ctx.garbled("its answer is not a JSON-RPC response")),
        Err(malformed) => Err(ctx.garbled(malformed.to_string())),
    }
}

/// The outcome of a response that was found inside `buffer`.
pub(crate) fn outcome(buffer: &Bytes, response: Response<'_>) -> Result<RawJson, ServerError> {
    match response.outcome {
        Ok(result) => Ok(RawJson::within(buffer, result)),
        Err(error) => Err(ServerError::Rpc(error)),
    }
}

/// The id of the request of ours that a response answers. All ids of ours are unsigned integers.
pub(crate) fn request_id(response: &Response<'_>) -> Option<u64> {
    number(response.id?)
}

pub(crate) fn number(value: Raw<'_>) -> Option<u64> {
    value.get().parse().ok()
}

/// The kind of reply that a result is. Only the newer era has more than one kind.
pub(crate) fn reply(ctx: &ServerContext, era: Era, result: RawJson) -> Result<ServerReply, ServerError> {
    if era == Era::Legacy {
        return Ok(ServerReply::Complete(result));
    }
    match result_type(result.as_str()) {
        ResultType::Complete => Ok(ServerReply::Complete(result)),
        ResultType::InputRequired => Ok(ServerReply::InputRequired(result)),
        ResultType::Task => Ok(ServerReply::Task(result)),
        ResultType::Several => Err(ctx.garbled("its result states its type more than once")),
        ResultType::Unknown(name) => {
            Err(ctx.garbled(format!("its result is of the unknown type \"{name}\"")))
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum ResultType {
    Complete,
    InputRequired,
    Task,
    /// Two readers could see two different ones.
    Several,
    Unknown(String),
}

const COMPLETE_FIRST: &str = r#"{"resultType":"complete""#;
const COMPLETE_LAST: &str = r#","resultType":"complete"}"#;

/// A large result is not parsed a second time if its first or last bytes tell: in valid JSON the last brace
/// closes the outermost object, so the member right before it belongs to that object.
fn result_type(result: &str) -> ResultType {
    if result.starts_with(COMPLETE_FIRST) || result.ends_with(COMPLETE_LAST) {
        return ResultType::Complete;
    }
    if !object::may_say(result.as_bytes(), "resultType") {
        return ResultType::Complete;
    }
    let Ok(members) = ObjectMembers::of_str(result) else { return ResultType::Complete };
    let mut named = members.iter().filter(|(name, _)| *name == "resultType").map(|(_, value)| decode(value));
    let (name, other) = (named.next(), named.next());
    match name.as_deref() {
        _ if other.is_some() => ResultType::Several,
        None | Some("complete") => ResultType::Complete,
        Some("input_required") => ResultType::InputRequired,
        Some("task") => ResultType::Task,
        Some(other) => ResultType::Unknown(other.to_owned()),
    }
}

fn decode(value: Raw<'_>) -> String {
    object::string(value).map_or_else(|| value.get().to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_read_wherever_it_stands() {
        let check =
            |result: &str, expected: ResultType| assert_eq!(result_type(result), expected, "{result}");
        check("{}", ResultType::Complete);
        check(r#"{"resultType":"complete","a":1}"#, ResultType::Complete);
        check(r#"{"a":{"resultType":"task"},"resultType":"complete"}"#, ResultType::Complete);
        check(r#"{"a":{"resultType":"odd"}}"#, ResultType::Complete);
        check(r#"{"a":1, "resultType" : "input_required"}"#, ResultType::InputRequired);
        check(r#"{"taskId":"1","resultType":"task"}"#, ResultType::Task);
        check(r#"{"resultType":"odd"}"#, ResultType::Unknown("odd".into()));
        check(r#"{"resultType":7}"#, ResultType::Unknown("7".into()));
        check(r#"{"a":",\"resultType\":\"complete","resultType":"task"}"#, ResultType::Task);
        check(r#"{"result\u0054ype":"input_required"}"#, ResultType::InputRequired);
        check(r#"{"resultType":"task","result\u0054ype":"input_required"}"#, ResultType::Several);
    }
}
