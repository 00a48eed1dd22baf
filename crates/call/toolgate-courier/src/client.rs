//! HTTP towards one receiver: POST, a time limit on each attempt, no redirects, answers read up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioExecutor;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use toolgate_outbound::{Connector, Resolver, Scheme, told};
use url::Url;

use crate::BadReceiver;
use crate::failure::Failure;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Common servers close connections that idle for five seconds.
const IDLE_MAX: Duration = Duration::from_secs(4);
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The number of characters of an answer that are shown to the operator.
const EXCERPT_CHARS_MAX: usize = 200;
const PRODUCT: HeaderValue = HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION")));

pub(crate) struct Client {
    hyper: HyperClient<Connector, Full<Bytes>>,
    uri: Uri,
}

impl Client {
    pub(crate) fn new(address: &str, egress: &Arc<Egress>) -> Result<Self, BadReceiver> {
        let bad = || BadReceiver::Address { address: address.to_owned() };
        let uri = read_address(address).ok_or_else(bad)?;
        let scheme = uri.scheme_str().and_then(Scheme::of).ok_or_else(bad)?;
        // The operator wrote the address down.
        let resolver = Resolver::system(Reach::Anywhere);
        let connector = toolgate_outbound::connector(scheme, egress, resolver, CONNECT_TIMEOUT)?;
        let hyper = HyperClient::builder(TokioExecutor::new()).pool_idle_timeout(IDLE_MAX).build(connector);
        Ok(Self { hyper, uri })
    }

    /// One attempt. Returns a successful answer.
    pub(crate) async fn post(
        &self,
        content_type: &'static str,
        mut headers: HeaderMap,
        body: Bytes,
        limit: Duration,
    ) -> Result<Bytes, Failure> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(USER_AGENT, PRODUCT);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        let attempt = tokio::time::timeout(limit, self.exchange(request)).await;
        attempt.unwrap_or_else(|_| {
            Err(Failure::temporary(format!("no answer within {} s", limit.as_secs_f32())))
        })
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Bytes, Failure> {
        let sent = self.hyper.request(request).await;
        let response = sent.map_err(|error| Failure::temporary(told(&error)))?;
        let (status, retry_after) = (response.status(), retry_after(&response));
        // The status decides about success; an answer that breaks off does not change that.
        let answer = read_answer(response).await.unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        Err(Failure::answered(status, excerpt(&answer), retry_after))
    }
}

fn read_address(address: &str) -> Option<Uri> {
    let url = Url::parse(address).ok()?;
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
    if !usable || url.password().is_some() {
        return None;
    }
    url.as_str().parse().ok()
}

async fn read_answer(response: Response<Incoming>) -> Option<Bytes> {
    let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX);
    Some(body.collect().await.ok()?.to_bytes())
}

fn retry_after(response: &Response<Incoming>) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.parse().ok().map(Duration::from_secs)
}

fn excerpt(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    text.chars().filter(|c| !c.is_control()).take(EXCERPT_CHARS_MAX).collect()
}

impl Failure {
    /// An answer that is no success. What the receiver will say again next time is a refusal.
    fn answered(status: StatusCode, excerpt: String, retry_after: Option<Duration>) -> Self {
        let why = match (status.is_redirection(), excerpt.is_empty()) {
            (true, _) => format!("HTTP status {status}; redirects are not followed"),
            (false, true) => format!("HTTP status {status}"),
            (false, false) => format!("HTTP status {status}: {excerpt}"),
        };
        let later = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
        let failure =
            if later || status.is_server_error() { Failure::temporary(why) } else { Failure::refused(why) };
        failure.retry_after(retry_after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_addresses_without_credentials_are_taken() {
        for good in ["http://127.0.0.1:9/hook?a=b", "https://example.org", "http://[::1]:80/"] {
            assert!(read_address(good).is_some(), "{good}");
        }
        for bad in ["", "hook", "ftp://example.org", "http://", "http://me:secret@example.org/", "file:///a"]
        {
            assert!(read_address(bad).is_none(), "{bad}");
        }
    }
}
