//! The wire format: the generator's requests and its checks of replies, in both protocol eras.
//!
//! Lives here: headers, request bodies, reply checks. Does not live here: sockets, clocks, counting.

use std::fmt::Write as _;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The maximum size of a large reply beyond its payload: the JSON-RPC envelope and a gateway's additions to
/// `_meta`.
const ENVELOPE_BYTES_MAX: usize = 4096;
/// The part of the beginning and of the end of a large reply that is checked.
const EDGE_BYTES: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BenchEra {
    /// 2026-07-28: stateless, every request carries its own `_meta`.
    Modern,
    /// 2025-11-25: `initialize` first, then a session id on every request.
    Legacy,
}

impl BenchEra {
    pub(crate) fn version(self) -> &'static str {
        match self {
            BenchEra::Modern => MODERN,
            BenchEra::Legacy => LEGACY,
        }
    }
}

/// The called tool, which determines the right answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Echo,
    /// A large text that streams past; only its edges are checked.
    Blob {
        bytes: usize,
    },
    /// The same, decoded as a client does that uses it.
    DecodedBlob {
        bytes: usize,
    },
}

impl Work {
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Work::Echo => "echo",
            Work::Blob { .. } | Work::DecodedBlob { .. } => "blob",
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum ReplyFault {
    #[error("HTTP status {status} instead of 200, body begins {begin:?}")]
    Status { status: u16, begin: String },
    #[error("content type {found:?} instead of application/json")]
    ContentType { found: String },
    #[error("not a JSON-RPC reply: {detail}; it begins {begin:?}")]
    Malformed { detail: String, begin: String },
    #[error("the reply is for id {found}, the request had id {sent}")]
    WrongId { sent: u64, found: String },
    #[error("a JSON-RPC error: {error}")]
    RpcError { error: String },
    #[error("the tool said isError: {result}")]
    ToolError { result: String },
    #[error("the result does not hold the text that was sent: {result}")]
    WrongText { result: String },
    #[error("{found} bytes for a payload of {payload} bytes")]
    WrongLength { payload: usize, found: usize },
}

/// The headers of every request of this client.
pub(crate) fn common_headers(authority: &str, token: Option<&str>, version: BenchEra) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(HOST, value(authority));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(version.version()));
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, value(&format!("Bearer {token}")));
    }
    headers
}

/// The headers that name one modern request for routers that do not read the body.
pub(crate) fn routing_headers(headers: &mut HeaderMap, method: &str, name: Option<&str>) {
    headers.insert(METHOD, value(method));
    if let Some(name) = name {
        headers.insert(NAME, value(name));
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("addresses, tool names and tokens are visible ASCII")
}

/// A request body with the params given as JSON members, closed by the era's `_meta` where it has one.
pub(crate) fn request_body(era: BenchEra, id: u64, method: &str, members: &str) -> Bytes {
    let separator = if members.is_empty() { "" } else { "," };
    let params = match era {
        BenchEra::Modern => format!("{members}{separator}{}", modern_meta()),
        BenchEra::Legacy => members.to_owned(),
    };
    Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#))
}

pub(crate) fn initialize_members() -> String {
    format!(
        r#""protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{{"name":"toolgate-bench","version":"{}"}}"#,
        env!("CARGO_PKG_VERSION")
    )
}

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn modern_meta() -> String {
    format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"toolgate-bench","version":"{}"}}}}"#,
        env!("CARGO_PKG_VERSION")
    )
}

/// A `tools/call` in which only the id, and for an echo the text made from it, differs from call to call.
#[derive(Clone, Debug)]
pub(crate) struct CallTemplate {
    work: Work,
    before_id: String,
    before_argument: String,
    after_argument: String,
}

impl CallTemplate {
    pub(crate) fn new(era: BenchEra, work: Work, tool: &str) -> CallTemplate {
        let before_argument = match work {
            Work::Echo => {
                format!(
                    r#","method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"{ECHO_BEFORE_ID}"#
                )
            }
            Work::Blob { bytes } | Work::DecodedBlob { bytes } => {
                format!(r#","method":"tools/call","params":{{"name":"{tool}","arguments":{{"bytes":{bytes}"#)
            }
        };
        let close_text = if work == Work::Echo { "\"" } else { "" };
        let after_argument = match era {
            BenchEra::Modern => format!("{close_text}}},{}}}}}", modern_meta()),
            BenchEra::Legacy => format!("{close_text}}}}}}}"),
        };
        CallTemplate {
            work,
            before_id: r#"{"jsonrpc":"2.0","id":"#.to_owned(),
            before_argument,
            after_argument,
        }
    }

    pub(crate) fn body(&self, id: u64) -> Bytes {
        const DIGITS_MAX: usize = 20;
        let fixed = self.before_id.len() + self.before_argument.len() + self.after_argument.len();
        let mut body = BytesMut::with_capacity(fixed + 2 * DIGITS_MAX);
        body.extend_from_slice(self.before_id.as_bytes());
        write_number(&mut body, id);
        body.extend_from_slice(self.before_argument.as_bytes());
        if self.work == Work::Echo {
            write_number(&mut body, id);
        }
        body.extend_from_slice(self.after_argument.as_bytes());
        body.freeze()
    }
}

const ECHO_BEFORE_ID: &str = "The quick brown fox jumps over the lazy dog, call ";

fn write_number(body: &mut BytesMut, number: u64) {
    write!(body, "{number}").expect("a BytesMut grows");
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResultHead {
    #[serde(rename = "isError", default)]
    is_error: bool,
}

/// Checks the envelope of a small reply and returns its raw `result`.
pub(crate) fn check_envelope(id: u64, body: &[u8]) -> Result<&RawValue, ReplyFault> {
    let envelope: Envelope<'_> = serde_json::from_slice(body)
        .map_err(|error| ReplyFault::Malformed { detail: error.to_string(), begin: begin(body) })?;
    let found = envelope.id.map_or("null", RawValue::get);
    if found.parse() != Ok(id) {
        return Err(ReplyFault::WrongId { sent: id, found: found.to_owned() });
    }
    if let Some(error) = envelope.error {
        return Err(ReplyFault::RpcError { error: error.get().to_owned() });
    }
    envelope
        .result
        .ok_or_else(|| ReplyFault::Malformed { detail: "it has no result".to_owned(), begin: begin(body) })
}

/// Checks the whole reply to `echo`: it is ours, it is not an error, and the text came back.
pub(crate) fn check_echo(id: u64, body: &[u8]) -> Result<(), ReplyFault> {
    let result = check_envelope(id, body)?.get();
    let head: ResultHead = serde_json::from_str(result)
        .map_err(|error| ReplyFault::Malformed { detail: error.to_string(), begin: begin(body) })?;
    if head.is_error {
        return Err(ReplyFault::ToolError { result: result.to_owned() });
    }
    if echoed_id(result) != Some(id) {
        return Err(ReplyFault::WrongText { result: result.to_owned() });
    }
    Ok(())
}

fn echoed_id(result: &str) -> Option<u64> {
    let at = memmem::find(result.as_bytes(), ECHO_BEFORE_ID.as_bytes())? + ECHO_BEFORE_ID.len();
    let digits = result[at..].bytes().take_while(u8::is_ascii_digit).count();
    result[at..at + digits].parse().ok()
}

/// The kept parts of a large reply while it streams past: its length, its first bytes and its last bytes.
#[derive(Default)]
pub(crate) struct ReplyEdges {
    length: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl ReplyEdges {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.length += chunk.len();
        let wanted = EDGE_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..wanted]);
        let last = &chunk[chunk.len().saturating_sub(EDGE_BYTES)..];
        let surplus = (self.tail.len() + last.len()).saturating_sub(EDGE_BYTES);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(last);
    }

    /// The envelope may have `id` before or after `result`, so both edges are searched for it.
    pub(crate) fn check(&self, id: u64, payload: usize) -> Result<(), ReplyFault> {
        if !(payload..=payload + ENVELOPE_BYTES_MAX).contains(&self.length) {
            return Err(ReplyFault::WrongLength { payload, found: self.length });
        }
        let on_an_edge = |text: &str| {
            [&self.head, &self.tail].iter().any(|edge| memmem::find(edge, text.as_bytes()).is_some())
        };
        if !(on_an_edge(&format!(r#""id":{id},"#)) || on_an_edge(&format!(r#""id":{id}}}"#))) {
            return Err(ReplyFault::WrongId { sent: id, found: begin(&self.head) });
        }
        if on_an_edge(r#""isError":true"#) {
            return Err(ReplyFault::ToolError { result: begin(&self.head) });
        }
        if !(self.head.starts_with(b"{") && on_an_edge(r#""result":{"#) && self.tail.ends_with(b"}")) {
            return Err(ReplyFault::Malformed {
                detail: "the edges are not those of a result".to_owned(),
                begin: begin(&self.head),
            });
        }
        Ok(())
    }
}

/// Decodes a large reply as a client does that hands its text to a model, and checks it.
pub(crate) fn check_decoded(id: u64, payload: usize, body: &[u8]) -> Result<(), ReplyFault> {
    #[derive(serde::Deserialize)]
    struct Reply {
        id: u64,
        result: Content,
    }
    #[derive(serde::Deserialize)]
    struct Content {
        content: Vec<Block>,
    }
    #[derive(serde::Deserialize)]
    struct Block {
        text: String,
    }
    let malformed = |detail: String| ReplyFault::Malformed { detail, begin: begin(body) };
    let reply: Reply = serde_json::from_slice(body).map_err(|error| malformed(error.to_string()))?;
    if reply.id != id {
        return Err(ReplyFault::WrongId { sent: id, found: reply.id.to_string() });
    }
    // Each line break is two bytes on the wire and one in the text.
    let found: usize = reply.result.content.iter().map(|block| block.text.len()).sum();
    if !(payload * 9 / 10..=payload).contains(&found) {
        return Err(ReplyFault::WrongLength { payload, found });
    }
    Ok(())
}

/// The form in which a reply comes. A gateway streams one that takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyForm {
    Json,
    Events,
}

/// The checks before the body is read, where a stream will do as well.
pub(crate) fn reply_form(status: http::StatusCode, headers: &HeaderMap) -> Result<ReplyForm, ReplyFault> {
    if status != http::StatusCode::OK {
        return Err(ReplyFault::Status { status: status.as_u16(), begin: String::new() });
    }
    let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    if content_type.starts_with(b"application/json") {
        return Ok(ReplyForm::Json);
    }
    if content_type.starts_with(b"text/event-stream") {
        return Ok(ReplyForm::Events);
    }
    Err(ReplyFault::ContentType { found: String::from_utf8_lossy(content_type).into_owned() })
}

/// The same where a JSON reply is required: a stream would be measured as something else.
pub(crate) fn check_head(status: http::StatusCode, headers: &HeaderMap) -> Result<(), ReplyFault> {
    match reply_form(status, headers)? {
        ReplyForm::Json => Ok(()),
        ReplyForm::Events => Err(ReplyFault::ContentType { found: "text/event-stream".to_owned() }),
    }
}

/// The data of the last event: the answer, after whatever came before it. The gateway writes each message on one line.
pub(crate) fn last_data(events: &[u8]) -> &[u8] {
    let lines = events.rsplit(|byte| *byte == b'\n');
    let mut data = lines.filter_map(|line| line.strip_prefix(b"data: "));
    data.find(|data| !data.trim_ascii().is_empty()).unwrap_or_default()
}

/// The first bytes of a body, for a message to a person.
pub(crate) fn begin(body: &[u8]) -> String {
    const SHOWN_BYTES_MAX: usize = 200;
    String::from_utf8_lossy(&body[..body.len().min(SHOWN_BYTES_MAX)]).into_owned()
}
