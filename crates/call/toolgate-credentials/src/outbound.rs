//! HTTP towards authorization servers: every address that is dialled was checked, answers are read up to a limit, redirects
//! are not followed.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, USER_AGENT};
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use toolgate_core::address::{AddressRefused, Reach};
use toolgate_core::egress::Egress;
use toolgate_outbound::{Connector, Resolver, Tcp, told};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(15);
/// Common servers close connections that idle for five seconds.
const IDLE_MAX: Duration = Duration::from_secs(4);
const ANSWER_BYTES_MAX: usize = 1 << 20;
const PRODUCT: HeaderValue = HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION")));
const JSON: HeaderValue = HeaderValue::from_static("application/json");

#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    #[error(transparent)]
    Address(#[from] AddressRefused),
    #[error("{0} is not an http or https address")]
    Url(String),
    #[error("no answer within {} s", EXCHANGE_TIMEOUT.as_secs())]
    TimedOut,
    #[error("{0}")]
    Exchange(String),
}

/// A client whose every connection stays within `reach`. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Outbound {
    client: Client<Connector, Full<Bytes>>,
    reach: Reach,
}

impl Outbound {
    pub(crate) fn new(reach: Reach, egress: &Arc<Egress>) -> Self {
        let tls = toolgate_outbound::tls(egress).unwrap_or_else(|error| {
            tracing::warn!(%error, "no https address of an authorization server can be trusted");
            toolgate_outbound::without_roots()
        });
        let tcp = Tcp::new(egress.clone(), Resolver::system(reach), CONNECT_TIMEOUT);
        let connector = Connector::from((tcp, tls));
        let client = Client::builder(TokioExecutor::new()).pool_idle_timeout(IDLE_MAX).build(connector);
        Self { client, reach }
    }

    pub(crate) async fn get(&self, url: &str) -> Result<Response<Bytes>, OutboundError> {
        let uri: Uri = url.parse().map_err(|_| OutboundError::Url(url.to_owned()))?;
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri;
        request.headers_mut().insert(ACCEPT, JSON);
        self.send(request).await
    }

    pub(crate) async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, OutboundError> {
        self.check(request.uri())?;
        request.headers_mut().insert(USER_AGENT, PRODUCT);
        let exchange = self.exchange(request.map(Full::new));
        tokio::time::timeout(EXCHANGE_TIMEOUT, exchange).await.unwrap_or(Err(OutboundError::TimedOut))
    }

    /// The connector asks no resolver about an address that is written as a number.
    fn check(&self, uri: &Uri) -> Result<(), OutboundError> {
        let host = uri.host().filter(|_| matches!(uri.scheme_str(), Some("http" | "https")));
        let host = host.ok_or_else(|| OutboundError::Url(uri.to_string()))?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => Ok(self.reach.check(address)?),
            Err(_) => Ok(()),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, OutboundError> {
        let sent = self.client.request(request).await;
        let (parts, body) = sent.map_err(|error| OutboundError::Exchange(told(&error)))?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| OutboundError::Exchange(told(&*error)))?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::address::AddressRules;

    use super::*;

    #[tokio::test]
    async fn an_address_out_of_reach_is_not_dialled_however_it_is_written() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let outbound = Outbound::new(Reach::Within(AddressRules::default()), &Arc::default());
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"] {
            let refused = outbound.get(&format!("http://{host}:{port}/")).await.unwrap_err().to_string();
            assert!(refused.contains("address of this machine"), "{host}: {refused}");
        }
        let dialled = tokio::time::timeout(Duration::ZERO, listener.accept()).await;
        assert!(dialled.is_err(), "nobody came");
    }

    #[tokio::test]
    async fn only_http_is_spoken() {
        let outbound = Outbound::new(Reach::Anywhere, &Arc::default());
        for url in ["ftp://example.org/", "/path", "file:///etc/hostname", ""] {
            assert!(matches!(outbound.get(url).await, Err(OutboundError::Url(_))), "{url}");
        }
    }
}
