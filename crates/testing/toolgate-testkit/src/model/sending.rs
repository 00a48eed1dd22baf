//! Answers on their way: whole, cut, stalled, endless, or none at all.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{StatusCode, header};
use serde_json::Value;

use super::exchange::StreamFacts;
use super::format::WireFormat;
use super::formats;
use super::script::{ModelStep, ScriptedAnswer, StreamEnd};

/// Until the bytes before a cut have left.
const FLUSH_WAIT: Duration = Duration::from_millis(20);
/// Short enough to be one piece of a stream.
const TALK: &str = "and on and on ";

pub(super) fn response(format: WireFormat, step: &ModelStep, facts: &StreamFacts) -> Response {
    match step {
        ModelStep::Answer(answer, end) => streamed(format, formats::frames(format, answer, facts), *end),
        ModelStep::Status { status, retry_after, message } => {
            refusal(*status, &formats::error(format, *status, message), retry_after.as_deref())
        }
        ModelStep::Overflow => {
            let (status, body) = formats::overflow(format);
            refusal(status, &body, None)
        }
        ModelStep::EndlessTalk => endless(format, facts),
        ModelStep::Nonsense => built(200, "text/html", None, Body::from("<html>It works!</html>")),
        ModelStep::Redirect(address) => {
            let mut response = built(307, "text/plain", None, Body::empty());
            let address = address.parse().expect("an address of a script is a header value");
            response.headers_mut().insert(header::LOCATION, address);
            response
        }
    }
}

pub(super) fn refusal(status: u16, body: &Value, retry_after: Option<&str>) -> Response {
    built(status, "application/json", retry_after, Body::from(body.to_string()))
}

pub(super) fn built(status: u16, content_type: &str, retry_after: Option<&str>, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("a status of a script is one of HTTP");
    let value = |text: &str| text.parse().expect("a header of a script is text");
    response.headers_mut().insert(header::CONTENT_TYPE, value(content_type));
    if let Some(wait) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, value(wait));
    }
    response
}

fn streamed(format: WireFormat, frames: Vec<String>, end: StreamEnd) -> Response {
    let head = |frames: Vec<Bytes>| stream::iter(frames.into_iter().map(Ok::<Bytes, io::Error>));
    let body = match end {
        StreamEnd::Whole => Body::from_stream(head(frames.into_iter().map(Bytes::from).collect())),
        StreamEnd::CutAfter(bytes) => {
            Body::from_stream(head(first_bytes(frames, bytes)).chain(stream::once(broken())))
        }
        StreamEnd::StallsAfter(bytes) => {
            Body::from_stream(head(first_bytes(frames, bytes)).chain(stream::pending()))
        }
    };
    built(200, format.content_type(), None, body)
}

async fn broken() -> Result<Bytes, io::Error> {
    tokio::time::sleep(FLUSH_WAIT).await;
    Err(io::Error::other("the script cuts the stream here"))
}

/// The frames up to this many bytes.
fn first_bytes(frames: Vec<String>, mut left: usize) -> Vec<Bytes> {
    let mut kept = Vec::new();
    for frame in frames {
        let mut bytes = Bytes::from(frame);
        bytes.truncate(left);
        left -= bytes.len();
        kept.push(bytes);
    }
    kept.retain(|bytes| !bytes.is_empty());
    kept
}

fn endless(format: WireFormat, facts: &StreamFacts) -> Response {
    let mut frames = formats::frames(format, &ScriptedAnswer::default().say(TALK), facts);
    let talk = frames.iter().position(|frame| frame.contains(TALK)).expect("it says its words");
    frames.truncate(talk + 1);
    let again = Bytes::from(frames[talk].clone());
    let head = stream::iter(frames.into_iter().map(Bytes::from));
    let body = Body::from_stream(head.chain(stream::repeat(again)).map(Ok::<Bytes, io::Error>));
    built(200, format.content_type(), None, body)
}
