//! The bytes the fast server answers with.
//!
//! Lives here: result texts, the reply body, the large texts made once and shared. Does not live here: which to send when.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;

use super::Eras;
use crate::wire::{BenchEra, LEGACY, MODERN, SESSION_ID};

pub(super) const BLOB_BYTES_MAX: usize = 64 << 20;
/// Sizes kept ready; a benchmark asks for one or two.
const BLOBS_MAX: usize = 8;
const SESSION_PREFIX: &str = "fast-";

const TOOLS: &str = concat!(
    r#""tools":[{"name":"blob","description":"Returns a text of about the given size","#,
    r#""inputSchema":{"type":"object","properties":{"bytes":{"type":"integer","minimum":0}},"required":["bytes"]}},"#,
    r#"{"name":"echo","description":"Returns the text it is given","#,
    r#""inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]"#,
);
const SERVER_INFO: &str =
    concat!(r#"{"name":"toolgate-bench-fast","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// One or two chunks of known length: hyper sends the head and both of them with a single vectored write.
pub(crate) struct ReplyBody {
    chunks: [Bytes; 2],
}

impl ReplyBody {
    fn new(first: Bytes, second: Bytes) -> ReplyBody {
        ReplyBody { chunks: [first, second] }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.chunks.iter_mut().find(|chunk| !chunk.is_empty());
        Poll::Ready(next.map(|chunk| Ok(Frame::data(std::mem::take(chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.chunks.iter().map(|chunk| chunk.len() as u64).sum())
    }
}

pub(crate) fn empty(status: StatusCode) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::new(Bytes::new(), Bytes::new()));
    *response.status_mut() = status;
    response
}

fn json(status: StatusCode, first: Bytes, second: Bytes) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::new(first, second));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn joined(parts: &[&str]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| bytes.extend_from_slice(part.as_bytes()));
    bytes.freeze()
}

pub(crate) fn result(id: &str, result: &str) -> Response<ReplyBody> {
    json(
        StatusCode::OK,
        joined(&[r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, result, "}"]),
        Bytes::new(),
    )
}

pub(crate) fn error(status: StatusCode, id: &str, code: i32, message: &str) -> Response<ReplyBody> {
    let message = serde_json::Value::from(message);
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#);
    json(status, Bytes::from(body), Bytes::new())
}

pub(crate) fn unknown_method(status: StatusCode, id: &str, method: &str) -> Response<ReplyBody> {
    error(status, id, -32601, &format!("unknown method {method}"))
}

/// A legacy server knows no modern error code; it refuses a request that has no session the way it always did.
pub(super) fn unsupported_version(id: &str, eras: Eras) -> Response<ReplyBody> {
    if eras == Eras::Legacy {
        return error(StatusCode::BAD_REQUEST, id, -32600, "no valid session; send initialize first");
    }
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"unsupported protocol version","data":{{"supported":["{MODERN}"]}}}}}}"#
    );
    json(StatusCode::BAD_REQUEST, Bytes::from(body), Bytes::new())
}

pub(super) fn discover(id: &str) -> Response<ReplyBody> {
    let body = format!(
        r#"{{"resultType":"complete","supportedVersions":["{MODERN}"],"capabilities":{{"tools":{{}}}},"ttlMs":60000,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{SERVER_INFO}}}}}"#
    );
    result(id, &body)
}

pub(super) fn initialized(id: &str, session: u64) -> Response<ReplyBody> {
    let body = format!(
        r#"{{"protocolVersion":"{LEGACY}","capabilities":{{"tools":{{}}}},"serverInfo":{SERVER_INFO}}}"#
    );
    let mut response = result(id, &body);
    let session =
        HeaderValue::from_str(&format!("{SESSION_PREFIX}{session}")).expect("digits are visible ASCII");
    response.headers_mut().insert(SESSION_ID, session);
    response
}

pub(super) fn session_number(session: &[u8]) -> Option<u64> {
    let digits = session.strip_prefix(SESSION_PREFIX.as_bytes())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

pub(super) fn tools(era: BenchEra, id: &str) -> Response<ReplyBody> {
    match era {
        BenchEra::Modern => {
            result(id, &format!(r#"{{"resultType":"complete","ttlMs":60000,"cacheScope":"public",{TOOLS}}}"#))
        }
        BenchEra::Legacy => result(id, &format!("{{{TOOLS}}}")),
    }
}

/// The text between the id and the text of a text block.
fn before_text(era: BenchEra) -> &'static str {
    match era {
        BenchEra::Modern => r#","result":{"resultType":"complete","content":[{"type":"text","text":"#,
        BenchEra::Legacy => r#","result":{"content":[{"type":"text","text":"#,
    }
}

const AFTER_TEXT: &str = "}]}}";

/// `text` is the raw JSON string, quotes and escapes included.
pub(crate) fn echo(era: BenchEra, id: &str, text: &str) -> Response<ReplyBody> {
    let body = joined(&[r#"{"jsonrpc":"2.0","id":"#, id, before_text(era), text, AFTER_TEXT]);
    json(StatusCode::OK, body, Bytes::new())
}

/// Everything after the id of a large reply, made once per size and era and then shared by every reply.
#[derive(Default)]
pub(super) struct Blobs {
    ready: Mutex<HashMap<(usize, bool), Bytes>>,
}

impl Blobs {
    pub(super) fn reply(&self, era: BenchEra, id: &str, bytes: usize) -> Response<ReplyBody> {
        json(StatusCode::OK, joined(&[r#"{"jsonrpc":"2.0","id":"#, id]), self.after_id(era, bytes))
    }

    fn after_id(&self, era: BenchEra, bytes: usize) -> Bytes {
        let mut ready = self.ready.lock();
        if let Some(made) = ready.get(&(bytes, era == BenchEra::Modern)) {
            return made.clone();
        }
        if ready.len() == BLOBS_MAX {
            ready.clear();
        }
        let made = joined(&[before_text(era), "\"", &text_of(bytes), "\"", AFTER_TEXT]);
        ready.insert((bytes, era == BenchEra::Modern), made.clone());
        made
    }
}

/// Lines of prose with escaped line ends, as in large results, in exactly `bytes` bytes of JSON.
fn text_of(bytes: usize) -> String {
    const LINE: &str =
        r"The quick brown fox jumps over the lazy dog while 1,024 bytes of text flow past it.\n";
    let mut text = LINE.repeat(bytes / LINE.len());
    text.push_str(&".".repeat(bytes - text.len()));
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn body_of(response: Response<ReplyBody>) -> Value {
        let chunks = response.into_body().chunks;
        serde_json::from_slice(&chunks.concat()).expect("every reply is JSON")
    }

    #[test]
    fn a_blob_has_the_size_that_was_asked_for() {
        for bytes in [0, 1, 84, 85, 86, 1000, 1 << 20] {
            assert_eq!(text_of(bytes).len(), bytes);
            let reply = body_of(Blobs::default().reply(BenchEra::Modern, "7", bytes));
            assert_eq!(reply["id"], 7);
            assert!(reply["result"]["content"][0]["text"].is_string());
        }
    }

    #[test]
    fn a_blob_is_made_once_and_then_shared() {
        let blobs = Blobs::default();
        let first = blobs.after_id(BenchEra::Modern, 1000);
        assert_eq!(first.as_ptr(), blobs.after_id(BenchEra::Modern, 1000).as_ptr());
        assert_ne!(first, blobs.after_id(BenchEra::Legacy, 1000));
    }

    #[test]
    fn an_echo_keeps_the_escapes_of_its_text() {
        let reply = body_of(echo(BenchEra::Legacy, "\"a\"", r#""tab\tquote\"""#));
        assert_eq!(reply["id"], "a");
        assert_eq!(reply["result"]["content"][0]["text"], "tab\tquote\"");
        assert!(reply["result"].get("resultType").is_none());
    }

    #[test]
    fn every_other_reply_is_json() {
        for reply in [
            discover("1"),
            initialized("1", 3),
            tools(BenchEra::Modern, "1"),
            tools(BenchEra::Legacy, "1"),
            error(StatusCode::OK, "1", -32602, "a \"quoted\" word"),
            unsupported_version("1", Eras::Modern),
            unsupported_version("1", Eras::Legacy),
        ] {
            assert_eq!(body_of(reply)["id"], 1);
        }
    }

    #[test]
    fn a_session_id_is_known_by_its_number() {
        assert_eq!(session_number(b"fast-12"), Some(12));
        assert_eq!(session_number(b"slow-12"), None);
        assert_eq!(session_number(b"fast-"), None);
    }
}
