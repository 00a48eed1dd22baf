//! The entry over HTTP, in both eras. An input is a request as one would write it down: method and path,
//! headers, an empty line, the body, and after a line `---` the server's answer. Every request is answered,
//! and an answer to JSON-RPC is JSON-RPC.
//!
//! The framing of a request (`Content-Length` and the like) is added here: parsing that is hyper's.
//! `{2025-11-25}` in a header is replaced by a session of that version, which is opened before and ended
//! after.
#![expect(clippy::disallowed_methods, reason = "the served end of a connection is awaited here")]

use std::net::SocketAddr;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use toolgate_core::RawJson;
use toolgate_edge::serve_stream;
use toolgate_wire::sse::SseDecoder;

use crate::house::{self, FuzzGateway, SECRET, SERVER};

/// Every request and answer passes without waiting for its reader.
const PIPE_BYTES: usize = 1 << 20;
const EVENT_BYTES_MAX: usize = 1 << 20;
const PEER: ([u8; 4], u16) = ([127, 0, 0, 1], 50_000);
const FRAMING: [&str; 8] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "expect", "te", "trailer"];
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const ENVELOPE: &str = "dev.toolgate/envelope";
/// Tools with results beyond a complete one.
const ASKING: [&str; 3] = ["ask", "input", "task"];

pub(crate) fn try_one(input: &[u8]) {
    // The beginning of HTTP/2, which is not supported here: hyper hangs up without an answer.
    if input.starts_with(b"PRI ") {
        return;
    }
    house::within(|house| {
        let visit = Visit::read(input);
        house.around.will_answer(visit.answer.clone());
        let opened = visit.sessions(house);
        let answer = sent(house, &visit.bytes(&opened));
        judge(house, &visit, &answer);
        let own = answer.header("mcp-session-id").map(str::to_owned);
        opened.into_iter().map(|(_, id)| id).chain(own).for_each(|id| end(house, &id));
    });
}

/// The content of an input.
struct Visit<'a> {
    first: &'a [u8],
    headers: Vec<&'a [u8]>,
    body: &'a [u8],
    answer: Option<RawJson>,
}

impl<'a> Visit<'a> {
    fn read(input: &'a [u8]) -> Self {
        let (request, answer) = parted(input, b"\n---\n");
        let (head, body) = parted(request, b"\n\n");
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let answer = RawJson::parse(Bytes::copy_from_slice(answer)).ok();
        // An empty line would end the headers, and the added ones would be another request.
        let headers = lines.filter(|line| !line.trim_ascii().is_empty()).collect();
        Self { first, headers, body, answer }
    }

    /// The sessions that headers name, by their marks.
    fn sessions(&self, house: &FuzzGateway) -> Vec<(String, String)> {
        let marks = VERSIONS.map(|version| (version, format!("{{{version}}}")));
        let named = |mark: &str| self.headers.iter().any(|line| has(line, mark));
        let named = marks.into_iter().filter(|(_, mark)| named(mark));
        named.filter_map(|(version, mark)| Some((mark, open(house, version)?))).collect()
    }

    /// The bytes on the wire.
    fn bytes(&self, sessions: &[(String, String)]) -> Vec<u8> {
        let mut bytes = [self.first, b" HTTP/1.1\r\n"].concat();
        let mut names = Vec::new();
        for line in &self.headers {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
            if !FRAMING.contains(&name.as_str()) {
                bytes.extend(with_sessions(line, sessions));
                bytes.extend(b"\r\n");
            }
            names.push(name);
        }
        for (name, value) in [("host", "localhost"), ("authorization", &format!("Bearer {SECRET}"))] {
            if !names.iter().any(|one| one == name) {
                bytes.extend(format!("{name}: {value}\r\n").into_bytes());
            }
        }
        let length = self.body.len();
        bytes.extend(format!("content-length: {length}\r\nconnection: close\r\n\r\n").into_bytes());
        bytes.extend(self.body);
        bytes
    }

    /// True if its target is the message endpoint.
    fn is_message(&self) -> bool {
        self.first.starts_with(b"POST /mcp") || self.first.starts_with(b"POST /messages")
    }

    /// The body where it is one request of JSON-RPC that every reader reads alike.
    fn request(&self) -> Option<Value> {
        let text = std::str::from_utf8(self.body).ok()?;
        let body: Value = serde_json::from_str(text).ok()?;
        let is_id = |id: &Value| id.is_string() || id.is_number();
        let is_one = self.first == b"POST /mcp" && body["jsonrpc"] == "2.0" && body["method"].is_string();
        (is_one && body.get("id").is_some_and(is_id)).then_some(body)
    }
}

/// The parts before and after the first `between`; everything is before if there is none.
fn parted<'a>(bytes: &'a [u8], between: &[u8]) -> (&'a [u8], &'a [u8]) {
    match bytes.windows(between.len()).position(|window| window == between) {
        Some(at) => (&bytes[..at], &bytes[at + between.len()..]),
        None => (bytes, &[]),
    }
}

fn has(line: &[u8], mark: &str) -> bool {
    line.windows(mark.len()).any(|window| window == mark.as_bytes())
}

fn with_sessions(line: &[u8], sessions: &[(String, String)]) -> Vec<u8> {
    match std::str::from_utf8(line) {
        Ok(text) => {
            let put = |text: String, (mark, id): &(String, String)| text.replace(mark.as_str(), id);
            sessions.iter().fold(text.to_owned(), put).into_bytes()
        }
        Err(_) => line.to_vec(),
    }
}

/// The answer.
struct DoorAnswer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl DoorAnswer {
    /// `None` without a complete head.
    fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Vec<_> = lines.filter_map(header).collect();
        let body = bytes[end + 4..].to_vec();
        let mut answer = Self { status, headers, body };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(&answer.body);
        }
        Some(answer)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    fn is(&self, media: &str) -> bool {
        self.header("content-type") == Some(media)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("an answer is not JSON: {error}: {}", String::from_utf8_lossy(&self.body))
        })
    }

    /// The messages of a stream, as far as they have arrived.
    fn messages(&self) -> Vec<Value> {
        let mut data = Vec::new();
        let read = SseDecoder::new(EVENT_BYTES_MAX).push(&self.body, |event| data.push(event.data));
        read.expect("no event is so large");
        let messages = data.into_iter().filter(|text| !text.is_empty());
        messages.map(|text| serde_json::from_str(&text).expect("an event carries JSON")).collect()
    }
}

/// The complete chunks.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let length =
            std::str::from_utf8(&rest[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(chunk) = length.and_then(|length| rest.get(end + 2..end + 2 + length)) else { break };
        whole.extend_from_slice(chunk);
        rest = rest.get(end + 2 + chunk.len() + 2..).unwrap_or_default();
    }
    whole
}

/// Sends a request on its own connection and waits for the answer: all of it, or the beginning of a stream.
fn sent(house: &FuzzGateway, request: &[u8]) -> DoorAnswer {
    house.runtime.block_on(async {
        let (mut ours, theirs) = duplex(PIPE_BYTES);
        let serving = tokio::spawn(serve_stream(theirs, SocketAddr::from(PEER), house.gateway.clone()));
        // A request that is refused at the first line need not be read to the end.
        drop(ours.write_all(request).await);
        let mut bytes = Vec::new();
        let is_get = request.starts_with(b"GET ");
        while !tells_enough(&bytes, is_get) {
            match ours.read_buf(&mut bytes).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(ours);
        serving.await.expect("a connection is served to its end");
        DoorAnswer::read(&bytes).unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)))
    })
}

/// A stream need not have an end, and an unsolicited one need not have a beginning.
fn tells_enough(bytes: &[u8], is_get: bool) -> bool {
    let Some(answer) = DoorAnswer::read(bytes) else { return false };
    answer.is("text/event-stream") && (is_get || answer.body.windows(2).any(|window| window == b"\n\n"))
}

fn open(house: &FuzzGateway, version: &str) -> Option<String> {
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let params = json!({"protocolVersion": version, "capabilities": capabilities});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let head = "POST /mcp\ncontent-type: application/json\naccept: application/json, text/event-stream";
    let visit = Visit::read(head.as_bytes());
    let answer = sent(house, &Visit { body: body.as_bytes(), ..visit }.bytes(&[]));
    answer.header("mcp-session-id").map(str::to_owned)
}

fn end(house: &FuzzGateway, id: &str) {
    let head = format!("DELETE /mcp\nmcp-session-id: {id}");
    sent(house, &Visit::read(head.as_bytes()).bytes(&[]));
}

fn judge(house: &FuzzGateway, visit: &Visit<'_>, answer: &DoorAnswer) {
    assert!((100..600).contains(&answer.status), "a status of {}", answer.status);
    assert!(answer.status != 500, "the gateway failed: {}", String::from_utf8_lossy(&answer.body));
    // `HEAD` has the headers of an answer without its body.
    let is_whole = !visit.first.starts_with(b"HEAD ") && !visit.first.starts_with(b"CONNECT ");
    let request = visit.request();
    if is_whole && answer.is("application/problem+json") {
        let problem = answer.json();
        assert!(problem["code"].is_string() && problem["hint"].is_string(), "{problem}");
        assert_eq!(problem["status"], answer.status, "{problem}");
    }
    if is_whole && visit.is_message() && answer.is("application/json") {
        match answer.json() {
            Value::Array(all) => all.iter().for_each(is_response),
            one => {
                is_response(&one);
                answers(house, request.as_ref(), &one);
            }
        }
    }
    if answer.is("text/event-stream") && visit.is_message() {
        answer.messages().iter().for_each(|message| assert_eq!(message["jsonrpc"], "2.0", "{message}"));
    }
    if request.is_some() {
        assert!(answer.status != 202 && answer.status != 204, "a request was taken and not answered");
    }
}

fn is_response(message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    // An unreadable request has no id for an error.
    assert!(message.get("id").is_some() || message.get("error").is_some(), "an answer has no id: {message}");
    assert!(message.get("result").is_some() != message.get("error").is_some(), "{message}");
    if let Some(error) = message.get("error") {
        assert!(error["code"].is_i64() && error["message"].is_string(), "{message}");
    }
}

/// An answer belongs to this request, and nothing of its server overrides the gateway's members.
fn answers(house: &FuzzGateway, request: Option<&Value>, answer: &Value) {
    let Some(request) = request else { return };
    if answer.get("result").is_none() {
        assert!(answer["id"].is_null() || answer["id"] == request["id"], "{request}: {answer}");
        return;
    }
    assert_eq!(answer["id"], request["id"], "the answer is one to something else");
    if request["method"] != "tools/call" {
        return;
    }
    let result = &answer["result"];
    let name = request["params"]["name"].as_str().and_then(|name| name.strip_prefix(SERVER));
    let asks = name.is_none_or(|name| ASKING.iter().any(|asking| name.ends_with(asking)));
    let is_modern = request["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some();
    if is_modern && result.is_object() && !asks {
        assert_eq!(result["resultType"], "complete", "a server gave its result another type: {answer}");
    }
    let envelope = &result["_meta"][ENVELOPE];
    if envelope.is_object() {
        let id = envelope["tool_call_id"].as_str().unwrap_or_default();
        assert!(house.around.has_given(id), "a server wrote the envelope: {answer}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the answer is one to something else")]
    fn an_answer_to_another_request_is_a_finding() {
        let request = json!({"id": 1, "method": "ping"});
        house::within(|house| answers(house, Some(&request), &json!({"id": 2, "result": {}})));
    }

    #[test]
    #[should_panic(expected = "another type")]
    fn a_result_that_passes_for_a_question_is_a_finding() {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let params = json!({"name": "fuzz__say", "_meta": meta});
        let request = json!({"id": 1, "method": "tools/call", "params": params});
        let answer = json!({"id": 1, "result": {"resultType": "input_required"}});
        house::within(|house| answers(house, Some(&request), &answer));
    }

    #[test]
    fn chunks_are_put_together_as_far_as_they_have_come() {
        assert_eq!(unchunked(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), b"abcde");
        assert_eq!(unchunked(b"3\r\nabc\r\n5\r\nde"), b"abc");
    }
}
