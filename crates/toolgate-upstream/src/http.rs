//! A server behind a URL: the address, the headers every request carries, and what its HTTP answers mean.

pub(crate) mod open;
pub(crate) mod pair;
mod session;
pub(crate) mod sessions;
pub(crate) mod stateless;

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use toolgate_core::FaultKind;
use toolgate_core::port::ServerError;
use toolgate_core::server::TransportSpec;
use toolgate_wire::Incoming;

use crate::answer;
use crate::client::{Answered, BadAddress, BodyError, Client, SendError, excerpt, shown};
use crate::context::Context;
use crate::pending::Answer;

const EXCERPT_CHARS: usize = 300;

/// Where and how to send.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) client: Arc<Client>,
    pub(crate) url: url::Url,
    target: Uri,
    /// The configured headers and those that never change.
    headers: HeaderMap,
}

impl Endpoint {
    pub(crate) fn new(ctx: &Context) -> Result<Self, BadAddress> {
        let TransportSpec::Http { url, headers } = &ctx.spec.transport else {
            return Err(BadAddress::Url { url: "a process".into() });
        };
        let parsed = url::Url::parse(url).map_err(|_| BadAddress::Url { url: shown(url) })?;
        let client = Client::new(&parsed, &ctx.house.tls, ctx.tasks.clone())?;
        Ok(Self { client, target: target(&parsed)?, url: parsed, headers: fixed_headers(headers)? })
    }

    /// The same server at another path.
    pub(crate) fn at(&self, url: url::Url) -> Result<Self, BadAddress> {
        Ok(Self { client: self.client.clone(), target: target(&url)?, url, headers: self.headers.clone() })
    }

    pub(crate) fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    pub(crate) async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Answered, SendError> {
        self.client.send(Method::POST, self.target.clone(), headers, body).await
    }

    pub(crate) async fn get(&self, mut headers: HeaderMap) -> Result<Answered, SendError> {
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.client.send(Method::GET, self.target.clone(), headers, Bytes::new()).await
    }

    pub(crate) async fn delete(&self, mut headers: HeaderMap) -> Result<Answered, SendError> {
        headers.remove(header::CONTENT_TYPE);
        self.client.send(Method::DELETE, self.target.clone(), headers, Bytes::new()).await
    }
}

fn target(url: &url::Url) -> Result<Uri, BadAddress> {
    let text = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    text.parse().map_err(|_| BadAddress::Url { url: shown(url.as_str()) })
}

fn fixed_headers(configured: &std::collections::BTreeMap<String, String>) -> Result<HeaderMap, BadAddress> {
    let mut headers = HeaderMap::with_capacity(16);
    for (name, value) in configured {
        let bad = |reason: String| BadAddress::Header { name: name.clone(), reason };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|error| bad(error.to_string()))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| bad("its value has characters no header allows".into()))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if !headers.contains_key(header::USER_AGENT) {
        headers.insert(
            header::USER_AGENT,
            HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION"))),
        );
    }
    Ok(headers)
}

/// A request that could not be sent, as a fault. The supervisor is asked to look after the server.
pub(crate) fn send_fault(ctx: &Context, error: SendError) -> ServerError {
    ctx.signals.suspect();
    match error {
        SendError::Connect { .. } => ctx.down(error.to_string()),
        SendError::Lost(reason) => ctx.lost(reason),
    }
}

pub(crate) fn body_fault(ctx: &Context, error: BodyError) -> ServerError {
    match error {
        BodyError::TooLarge => ctx.too_large(),
        BodyError::Lost(reason) => ctx.lost(reason),
    }
}

/// What a whole body says about the request `id`. Errors of the protocol come with any status; other statuses than
/// success without one are no answer.
pub(crate) fn judge(ctx: &Context, status: StatusCode, body: &Bytes, id: u64) -> Answer {
    if status.is_success() && !body.is_empty() {
        return answer::of_body(ctx, body, id);
    }
    if let Ok(Incoming::Response(response)) = toolgate_wire::parse(body, ctx.limits().depth_max)
        && let Err(error) = response.outcome
    {
        return Err(ServerError::Rpc(error));
    }
    if status.is_success() {
        return Err(ctx.garbled(format!("it took the request with HTTP {} and no answer", status.as_u16())));
    }
    ctx.signals.suspect();
    Err(ctx.fault(FaultKind::Refused { status: status.as_u16(), body: excerpt(body, EXCERPT_CHARS) }))
}

pub(crate) fn timed_out(ctx: &Context, after: std::time::Duration) -> ServerError {
    ctx.fault(FaultKind::TimedOut { after })
}
