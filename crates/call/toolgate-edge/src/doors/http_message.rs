//! HTTP messages: bodies read with limits, and the answers that every route gives alike.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self as h, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use serde_json::json;
use toolgate_core::{RawJson, Refusal, RpcError, codes};
use toolgate_wire::compose;

use crate::doors::body::{EventBody, OutBody};
use crate::messages::frame::MessagePieces;

pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// The time that a client may take to send a body.
const BODY_WAIT: Duration = Duration::from_secs(30);
/// The part of a body over the limit that is still read and discarded, and the time for it. A client that is busy sending
/// would see a broken connection and not the answer if the rest were left unread.
const DISCARD_BYTES_MAX: u64 = 32 << 20;
const DISCARD_WAIT: Duration = Duration::from_secs(5);

pub(crate) type HttpRequest = http::Request<Incoming>;
pub(crate) type HttpResponse = http::Response<OutBody>;

/// A refusal in the form of RFC 9457, as every route gives it, with the usual status of its code.
pub(crate) fn problem(refusal: &Refusal) -> HttpResponse {
    let status = refusal.code.status().and_then(|status| StatusCode::from_u16(status).ok());
    problem_as(status.unwrap_or(StatusCode::BAD_REQUEST), refusal)
}

/// The same with another status.
pub(crate) fn problem_as(status: StatusCode, refusal: &Refusal) -> HttpResponse {
    let retry = matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS);
    let fault = if status.is_server_error() { "gateway" } else { "caller" };
    let body = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or_default(),
        "status": status.as_u16(),
        "code": refusal.code,
        "fault": fault,
        "retry": retry,
        "detail": refusal.message,
        "hint": refusal.hint,
    });
    respond(status, "application/problem+json", OutBody::whole(Bytes::from(body.to_string()).into()))
}

pub(crate) fn json_response(status: StatusCode, body: impl Into<MessagePieces>) -> HttpResponse {
    respond(status, "application/json", OutBody::whole(body.into()))
}

pub(crate) fn whole(status: StatusCode, media: &'static str, body: Bytes) -> HttpResponse {
    respond(status, media, OutBody::whole(body.into()))
}

fn respond(status: StatusCode, media: &'static str, body: OutBody) -> HttpResponse {
    let mut response = HttpResponse::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(h::CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

pub(crate) fn empty(status: StatusCode) -> HttpResponse {
    let mut response = HttpResponse::new(OutBody::whole(MessagePieces::default()));
    *response.status_mut() = status;
    response
}

pub(crate) fn not_allowed() -> HttpResponse {
    let mut response = problem(
        &Refusal::new(&codes::METHOD_NOT_ALLOWED, "this method is not served here")
            .hint("send messages with POST"),
    );
    response.headers_mut().insert(h::ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
    response
}

/// A JSON-RPC error as the whole HTTP answer.
pub(crate) fn rpc_refusal(status: StatusCode, id: Option<&RawJson>, error: &RpcError) -> HttpResponse {
    json_response(status, compose::error(id.map(RawJson::as_str), error))
}

pub(crate) fn invalid(status: StatusCode, message: impl Into<String>) -> HttpResponse {
    rpc_refusal(status, None, &RpcError::new(RpcError::INVALID_REQUEST, message))
}

pub(crate) fn event_stream(events: EventBody) -> HttpResponse {
    let mut response = respond(StatusCode::OK, EVENT_STREAM, OutBody::Events(events));
    let headers = response.headers_mut();
    headers.insert(h::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

pub(crate) fn check_media(headers: &HeaderMap) -> Result<(), HttpResponse> {
    // What every client sends, told in two comparisons.
    let says =
        |name: HeaderName, value: &[u8]| headers.get(name).is_some_and(|found| found.as_bytes() == value);
    if says(h::CONTENT_TYPE, b"application/json") && says(h::ACCEPT, b"application/json, text/event-stream") {
        return Ok(());
    }
    let media = headers.get(h::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be application/json"));
    }
    if !accepts(headers, "application/json") || !accepts(headers, "text/event-stream") {
        return Err(invalid(
            StatusCode::NOT_ACCEPTABLE,
            "accept both application/json and text/event-stream",
        ));
    }
    Ok(())
}

pub(crate) fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let kind = media.split('/').next().unwrap_or_default();
    headers
        .get_all(h::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|one| {
            let one = one.split(';').next().unwrap_or_default().trim();
            one == "*/*"
                || one.eq_ignore_ascii_case(media)
                || one.strip_suffix("/*").is_some_and(|prefix| prefix.eq_ignore_ascii_case(kind))
        })
}

pub(crate) async fn read_body(mut body: Incoming, bytes_max: usize) -> Result<Bytes, HttpResponse> {
    let reading = tokio::time::timeout(BODY_WAIT, Limited::new(&mut body, bytes_max).collect()).await;
    let Ok(read) = reading else {
        let late = format!("the body did not arrive within {} s", BODY_WAIT.as_secs());
        return Err(invalid(StatusCode::REQUEST_TIMEOUT, late));
    };
    match read {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            discard(body).await;
            let message = format!("the body is larger than the limit of {bytes_max} bytes");
            Err(invalid(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(error) => Err(invalid(StatusCode::BAD_REQUEST, format!("the body could not be read: {error}"))),
    }
}

async fn discard(mut body: Incoming) {
    let mut left = DISCARD_BYTES_MAX;
    if body.size_hint().lower() > left {
        return;
    }
    let rest = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, |data| data.len() as u64);
            let Some(less) = left.checked_sub(length) else { return };
            left = less;
        }
    };
    // A client that takes longer than this has had its chance.
    drop(tokio::time::timeout(DISCARD_WAIT, rest).await);
}
