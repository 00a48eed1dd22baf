//! The HTTP client for the gateway: JSON requests and answers, limits on time and size, no redirects.

use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use url::Url;

use crate::settings::Token;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The number of characters of a refusal in the log.
const EXCERPT_CHARS_MAX: usize = 300;

pub(super) struct Client {
    hyper: HyperClient<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    token: Token,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BadGateway {
    #[error("the machine's root certificates cannot be read: {0}")]
    Roots(#[source] io::Error),
}

/// The reason why a request to the gateway failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the token cannot be read: {0}")]
    Token(#[source] io::Error),
    #[error("the request cannot be built: {0}")]
    Request(#[from] http::Error),
    #[error("the gateway does not answer: {0}")]
    Away(String),
    #[error("the gateway answered {status}: {text}")]
    Answered { status: StatusCode, text: String },
}

impl Client {
    pub(super) fn new(gateway: &Url, token: Token) -> Result<Self, BadGateway> {
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls(gateway)?).https_or_http();
        let connector = connector.enable_http1().wrap_connector(tcp());
        let hyper = HyperClient::builder(TokioExecutor::new()).build(connector);
        Ok(Self { hyper, base: gateway.as_str().trim_end_matches('/').to_owned(), token })
    }

    /// The answer, or null if it is empty.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let request = self.request(method, path, body)?;
        let answered = tokio::time::timeout(ANSWER_LIMIT, self.exchange(request)).await;
        answered
            .unwrap_or_else(|_| Err(Failure::Away(format!("no answer within {} s", ANSWER_LIMIT.as_secs()))))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let token = self.token.read().map_err(Failure::Token)?;
        let mut bearer = HeaderValue::try_from(format!("Bearer {token}")).map_err(http::Error::from)?;
        bearer.set_sensitive(true);
        let uri = Uri::try_from(format!("{}{path}", self.base)).map_err(http::Error::from)?;
        let request = Request::builder().method(method).uri(uri).header(AUTHORIZATION, bearer);
        let content = body.map(Value::to_string).unwrap_or_default();
        let request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(request.body(Full::from(content))?)
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Value, Failure> {
        let answered = self.hyper.request(request).await.map_err(|error| Failure::Away(told(&error)))?;
        let status = answered.status();
        let body = Limited::new(answered.into_body(), ANSWER_BYTES_MAX).collect().await;
        let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        if !status.is_success() {
            return Err(Failure::Answered { status, text: excerpt(&body) });
        }
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }
}

/// The machine's root certificates are read only where they are needed.
fn tls(gateway: &Url) -> Result<ClientConfig, BadGateway> {
    let provider = std::sync::Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("the provider has the protocol versions that it was built with");
    if gateway.scheme() != "https" {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    Ok(builder.with_native_roots().map_err(BadGateway::Roots)?.with_no_client_auth())
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_LIMIT));
    connector
}

/// An error with its causes: hyper's outermost one says next to nothing.
fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn excerpt(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    text.chars().filter(|c| !c.is_control()).take(EXCERPT_CHARS_MAX).collect()
}
