//! Requests of a server to one address: the gateway, or a service that a tool asks. JSON, limits on time and size, no
//! redirects; the machine's certificates and others that the operator names, and a proxy.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Collected, Full, LengthLimitError, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use url::{Host, Position, Url};

pub(crate) const CONNECT_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A client for one address.
pub struct Outgoing {
    way: Way,
    base: String,
    limit: Duration,
}

enum Way {
    Direct(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
    Proxy(Client<HttpsConnector<Tunnel<HttpConnector>>, Full<Bytes>>),
}

/// An answer whose head arrived. The status counts even if the body broke off or was too long.
pub type OutgoingAnswer = Response<Result<Bytes, OutgoingError>>;

/// The reason why there is no answer, or not all of it. Nothing of the request is in the texts.
#[derive(Debug, thiserror::Error)]
pub enum OutgoingError {
    #[error("it does not have an http or https address")]
    Address,
    #[error("the certificates of {} cannot be read: {why}", place.display())]
    Certificates { place: PathBuf, why: String },
    #[error("the address of the proxy is not like http://user:password@proxy.example:3128")]
    Proxy,
    #[error("the token has characters that no header allows")]
    Token,
    #[error("it could not be reached: {0}")]
    Unreachable(String),
    #[error("it did not answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("its answer has more than {} bytes", ANSWER_BYTES_MAX)]
    TooLong,
}

impl Outgoing {
    /// `ca_file` has certificates of authorities to trust beside the machine's, in PEM. `proxy` is such as
    /// `http://user:password@proxy.example:3128`; this machine itself is reached without it. `limit` is the time from
    /// the beginning of a connection to the end of the answer.
    pub fn new(
        url: &Url,
        ca_file: Option<&Path>,
        proxy: Option<&str>,
        limit: Duration,
    ) -> Result<Self, OutgoingError> {
        let base = base(url).ok_or(OutgoingError::Address)?;
        let roots = roots(url, ca_file).map_err(|why| {
            let place = ca_file.unwrap_or(Path::new("this machine"));
            OutgoingError::Certificates { place: place.to_owned(), why: why.to_string() }
        })?;
        let tunnel = proxy.map(|proxy| tunnel(proxy).ok_or(OutgoingError::Proxy)).transpose()?;
        let way = match tunnel.filter(|_| !is_here(url)) {
            Some(tunnel) => Way::Proxy(client(roots, tunnel)),
            None => Way::Direct(client(roots, tcp())),
        };
        Ok(Self { way, base, limit })
    }

    /// Sends JSON to the address itself.
    pub fn post(&self, token: Option<&str>, body: &Value) -> Result<OutgoingAnswer, OutgoingError> {
        at_once(self.ask(Method::POST, "", token, Some(body)))
    }

    /// Reads the address itself, in a program without a runtime.
    pub fn get_at_once(&self) -> Result<OutgoingAnswer, OutgoingError> {
        at_once(self.get(None))
    }

    /// Reads the address itself, for a tool that runs in the server. `header` is one more header, such as a key; it is never
    /// logged.
    pub async fn get(&self, header: Option<(&str, &str)>) -> Result<OutgoingAnswer, OutgoingError> {
        let request = Request::builder().uri(&self.base).header(ACCEPT, "application/json");
        let mut request = request.body(Full::default()).map_err(|_| OutgoingError::Address)?;
        if let Some((name, value)) = header {
            let name = HeaderName::try_from(name).map_err(|_| OutgoingError::Token)?;
            let mut value = HeaderValue::try_from(value).map_err(|_| OutgoingError::Token)?;
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
        self.within_limit(request).await
    }

    /// `path` follows the address.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Result<OutgoingAnswer, OutgoingError> {
        let content = Full::from(body.map(Value::to_string).unwrap_or_default());
        let request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        let request = request.header(CONTENT_TYPE, "application/json").body(content);
        let mut request = request.map_err(|_| OutgoingError::Address)?;
        if let Some(token) = token {
            let bearer = HeaderValue::try_from(format!("Bearer {token}"));
            let mut bearer = bearer.map_err(|_| OutgoingError::Token)?;
            bearer.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, bearer);
        }
        self.within_limit(request).await
    }

    async fn within_limit(&self, request: Request<Full<Bytes>>) -> Result<OutgoingAnswer, OutgoingError> {
        let answered = tokio::time::timeout(self.limit, self.exchange(request)).await;
        answered.unwrap_or(Err(OutgoingError::TimedOut(self.limit)))
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<OutgoingAnswer, OutgoingError> {
        let answered = match &self.way {
            Way::Direct(client) => client.request(request).await,
            Way::Proxy(client) => client.request(request).await,
        };
        let (head, body) = answered.map_err(|error| unreachable(&error))?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map(Collected::to_bytes);
        let body = body.map_err(|error| match error.is::<LengthLimitError>() {
            true => OutgoingError::TooLong,
            false => unreachable(&*error),
        });
        Ok(Response::from_parts(head, body))
    }
}

/// Tools in workers are synchronous, so the runtime lives as long as the request.
fn at_once(
    asking: impl Future<Output = Result<OutgoingAnswer, OutgoingError>>,
) -> Result<OutgoingAnswer, OutgoingError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| OutgoingError::Unreachable(error.to_string()))?;
    runtime.block_on(asking)
}

/// The address without a slash at its end. The port is written out, because a tunnel takes 443 where there is none.
pub(crate) fn base(url: &Url) -> Option<String> {
    let (scheme, host) = (url.scheme(), url.host_str()?);
    let port = url.port_or_known_default().filter(|_| matches!(scheme, "http" | "https"))?;
    let (path, query) = (url.path().trim_end_matches('/'), &url[Position::AfterPath..Position::AfterQuery]);
    Some(format!("{scheme}://{host}:{port}{path}{query}"))
}

/// Requests are rare: the other side would close an idle connection before the next one.
pub(crate) fn client<T>(roots: RootCertStore, tcp: T) -> Client<HttpsConnector<T>, Full<Bytes>>
where
    HttpsConnector<T>: Connect + Clone,
{
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let tls = tls.with_safe_default_protocol_versions();
    let tls = tls.expect("the provider has the protocol versions that it was built with");
    let connector = HttpsConnector::from((tcp, tls.with_root_certificates(roots).with_no_client_auth()));
    Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector)
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_LIMIT));
    connector
}

/// `None` if that is not the address of an HTTP proxy.
fn tunnel(proxy: &str) -> Option<Tunnel<HttpConnector>> {
    let url = Url::parse(proxy).ok().filter(|url| url.scheme() == "http")?;
    if !matches!(&url[Position::BeforePath..], "" | "/") {
        return None;
    }
    let address = format!("http://{}/", &url[Position::BeforeHost..Position::AfterPort]);
    let tunnel = Tunnel::new(address.parse().ok()?, tcp());
    if url.username().is_empty() && url.password().is_none() {
        return Some(tunnel);
    }
    let credentials = [url.username(), url.password().unwrap_or_default()];
    let credentials = credentials.map(|part| percent_decode_str(part).collect::<Vec<u8>>()).join(&b':');
    let basic = format!("Basic {}", base64_simd::STANDARD.encode_to_string(credentials));
    Some(tunnel.with_auth(HeaderValue::try_from(basic).ok()?))
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

/// The machine's certificates and those of the file. They are read only where they are needed.
pub(crate) fn roots(url: &Url, ca_file: Option<&Path>) -> Result<RootCertStore, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    if url.scheme() == "http" {
        return Ok(roots);
    }
    let (machine, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in ca_file.map(CertificateDer::pem_file_iter).transpose()?.into_iter().flatten() {
        roots.add(certificate?)?;
    }
    match ca_file {
        Some(_) if roots.len() == machine => Err("it holds no certificate in PEM".into()),
        None if machine == 0 => Err("there are none".into()),
        _ => Ok(roots),
    }
}

/// The error with its causes: hyper's outermost one says next to nothing.
pub(crate) fn unreachable(error: &(dyn Error + 'static)) -> OutgoingError {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    OutgoingError::Unreachable(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

#[cfg(test)]
mod tests;
