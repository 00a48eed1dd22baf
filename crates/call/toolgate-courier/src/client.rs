//! HTTP towards one receiver: POST, a time limit on each attempt, no redirects, answers read up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use toolgate_core::egress::Egress;
use toolgate_outbound::{Scheme, excerpt};
use url::Url;

use crate::BadReceiver;
use crate::failure::DeliveryFailure;

const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The number of characters of an answer that are shown to the operator.
const EXCERPT_CHARS_MAX: usize = 200;

pub(crate) struct DeliveryClient {
    outbound: toolgate_outbound::Client,
    uri: Uri,
}

impl DeliveryClient {
    pub(crate) fn new(address: &str, egress: &Arc<Egress>) -> Result<Self, BadReceiver> {
        let bad = || BadReceiver::Address { address: address.to_owned() };
        let uri = read_address(address).ok_or_else(bad)?;
        let scheme = uri.scheme_str().and_then(Scheme::of).ok_or_else(bad)?;
        Ok(Self { outbound: toolgate_outbound::Client::to(scheme, egress)?, uri })
    }

    /// One attempt. Returns a successful answer.
    pub(crate) async fn post(
        &self,
        content_type: &'static str,
        mut headers: HeaderMap,
        body: Bytes,
        limit: Duration,
    ) -> Result<Bytes, DeliveryFailure> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        let answered = self.outbound.send(request, limit, ANSWER_BYTES_MAX).await;
        let answer = answered.map_err(|error| DeliveryFailure::temporary(error.to_string()))?;
        let (status, retry_after) = (answer.status(), retry_after(answer.headers()));
        // The status decides about success; an answer that breaks off does not change that.
        let body = answer.into_body().unwrap_or_default();
        if status.is_success() {
            return Ok(body);
        }
        Err(DeliveryFailure::answered(status, &excerpt(&body, EXCERPT_CHARS_MAX), retry_after))
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

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    value.parse().ok().map(Duration::from_secs)
}

impl DeliveryFailure {
    /// An answer that is no success. What the receiver will say again next time is a refusal.
    fn answered(status: StatusCode, excerpt: &str, retry_after: Option<Duration>) -> Self {
        let why = match (status.is_redirection(), excerpt.is_empty()) {
            (true, _) => format!("HTTP status {status}; redirects are not followed"),
            (false, true) => format!("HTTP status {status}"),
            (false, false) => format!("HTTP status {status}: {excerpt}"),
        };
        let later = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
        let failure = if later || status.is_server_error() {
            DeliveryFailure::temporary(why)
        } else {
            DeliveryFailure::refused(why)
        };
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
