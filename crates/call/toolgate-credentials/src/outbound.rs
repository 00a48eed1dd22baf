//! HTTP towards authorization servers: every address that is dialled is within reach, answers are read up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderValue, Request, Response};
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use toolgate_outbound::{Client, ExchangeError};

const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(15);
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A client whose every connection stays within `reach`. Clones share their connections.
#[derive(Clone)]
pub(crate) struct OutboundClient(Client);

impl OutboundClient {
    pub(crate) fn new(reach: Reach, egress: &Arc<Egress>) -> Self {
        Self(Client::within(reach, egress))
    }

    pub(crate) async fn get(&self, url: &str) -> Result<Response<Bytes>, ExchangeError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = url.parse().map_err(|_| ExchangeError::Address(url.to_owned()))?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        self.send(request).await
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ExchangeError> {
        let (head, body) = self.0.send(request, EXCHANGE_TIMEOUT, ANSWER_BYTES_MAX).await?.into_parts();
        Ok(Response::from_parts(head, body?))
    }
}
