//! The HTTP client: one pool of connections per server, so that a slow server holds up nobody else's.
//!
//! The pool is ours because the hot path needs little of what a general one does: one destination, HTTP/1.1, no
//! redirects, and no task per request. A connection goes back to the pool when its response has been read to the
//! end; a response that is dropped earlier closes its connection, which is how the newer era cancels.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tower_service::Service;

/// Common servers close connections that idle for five seconds; ours must be gone before, or a request could be
/// written to a connection that is just being closed.
const IDLE_MAX: Duration = Duration::from_secs(4);
const IDLE_CONNECTIONS_MAX: usize = 256;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE: Duration = Duration::from_secs(30);

type Sender = SendRequest<Full<Bytes>>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// No connection: nothing was sent.
    #[error("could not connect to {authority}: {reason}")]
    Connect { authority: String, reason: String },
    #[error("{0}")]
    Lost(String),
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body is larger than the limit")]
    TooLarge,
    #[error("{0}")]
    Lost(String),
}

/// Why an address cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadAddress {
    #[error("\"{url}\" is not an http or https address")]
    Url { url: String },
    #[error("\"{name}\" cannot be a header: {reason}")]
    Header { name: String, reason: String },
    #[error("no root certificates were found on this machine: {0}")]
    Roots(String),
}

/// The TLS configuration, read from the machine when the first https address asks for it.
#[derive(Default)]
pub(crate) struct Tls(OnceLock<Result<HttpsConnector<HttpConnector>, String>>);

impl Tls {
    fn connector(&self) -> Result<HttpsConnector<HttpConnector>, BadAddress> {
        self.0.get_or_init(tls_connector).clone().map_err(BadAddress::Roots)
    }
}

fn tls_connector() -> Result<HttpsConnector<HttpConnector>, String> {
    let builder = hyper_rustls::HttpsConnectorBuilder::new().with_native_roots().map_err(|error| error.to_string())?;
    Ok(builder.https_only().enable_http1().wrap_connector(tcp_connector()))
}

fn tcp_connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    connector.set_keepalive(Some(KEEPALIVE));
    connector
}

#[derive(Clone)]
enum Connector {
    Plain(HttpConnector),
    Tls(HttpsConnector<HttpConnector>),
}

/// One destination and the connections to it.
pub(crate) struct Client {
    connector: Connector,
    /// Scheme and authority, to connect to.
    origin: Uri,
    host: HeaderValue,
    idle: Mutex<Vec<Idle>>,
    tasks: TaskTracker,
}

struct Idle {
    sender: Sender,
    since: Instant,
}

impl Client {
    pub(crate) fn new(url: &url::Url, tls: &Tls, tasks: TaskTracker) -> Result<Arc<Self>, BadAddress> {
        let bad = || BadAddress::Url { url: url.to_string() };
        let connector = match url.scheme() {
            "http" => Connector::Plain(tcp_connector()),
            "https" => Connector::Tls(tls.connector()?),
            _ => return Err(bad()),
        };
        let authority = authority(url).ok_or_else(bad)?;
        let origin = format!("{}://{authority}/", url.scheme()).parse().map_err(|_| bad())?;
        let host = HeaderValue::from_str(&authority).map_err(|_| bad())?;
        Ok(Arc::new(Self { connector, origin, host, idle: Mutex::default(), tasks }))
    }

    /// Sends one request. `target` is path and query.
    pub(crate) async fn send(
        self: &Arc<Self>,
        method: Method,
        target: Uri,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answered, SendError> {
        headers.insert(header::HOST, self.host.clone());
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        while let Some(mut sender) = self.take_idle() {
            // A connection that was given back a moment ago may have to finish its last read first.
            if sender.ready().await.is_err() {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(response) => return Ok(Answered::new(response, sender, self)),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(SendError::Lost(describe(&error.into_error()))),
                },
            }
        }
        let mut sender = Box::pin(self.connect()).await?;
        match sender.try_send_request(request).await {
            Ok(response) => Ok(Answered::new(response, sender, self)),
            Err(error) => Err(SendError::Lost(describe(&error.into_error()))),
        }
    }

    fn take_idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = idle.pop()?;
        if latest.since.elapsed() > IDLE_MAX {
            // The newest has been idle too long, so all have.
            idle.clear();
            return None;
        }
        Some(latest.sender)
    }

    fn give_back(&self, sender: Sender) {
        if sender.is_closed() || self.tasks.is_closed() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if idle.first().is_some_and(|oldest| now - oldest.since > IDLE_MAX) {
            idle.retain(|one| now - one.since <= IDLE_MAX);
        }
        if idle.len() < IDLE_CONNECTIONS_MAX {
            idle.push(Idle { sender, since: now });
        }
    }

    /// Lets every idle connection go.
    pub(crate) fn close_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn connect(&self) -> Result<Sender, SendError> {
        match self.connector.clone() {
            Connector::Plain(mut connector) => {
                let stream = connector.call(self.origin.clone()).await.map_err(|error| self.unreachable(&error))?;
                self.handshake(stream).await
            }
            Connector::Tls(mut connector) => {
                let stream = connector.call(self.origin.clone()).await.map_err(|error| self.unreachable(&*error))?;
                self.handshake(stream).await
            }
        }
    }

    async fn handshake<T>(&self, stream: T) -> Result<Sender, SendError>
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            http1::Builder::new().handshake(stream).await.map_err(|error| self.unreachable(&error))?;
        self.tasks.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "an upstream connection ended");
            }
        });
        sender.ready().await.map_err(|error| self.unreachable(&error))?;
        Ok(sender)
    }

    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> SendError {
        let authority = self.origin.authority().map(ToString::to_string).unwrap_or_default();
        SendError::Connect { authority, reason: root_cause(error) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close_idle();
    }
}

fn authority(url: &url::Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// The innermost reason: "Connection refused (os error 111)" and not "tcp connect error".
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn describe(error: &hyper::Error) -> String {
    if error.is_incomplete_message() {
        return "it closed the connection without an answer".into();
    }
    root_cause(error)
}

/// A response whose head has arrived.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    lease: Option<(Sender, Arc<Client>)>,
}

impl Answered {
    fn new(response: Response<Incoming>, sender: Sender, client: &Arc<Client>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status, headers: head.headers, body, lease: Some((sender, client.clone())) }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn is_event_stream(&self) -> bool {
        self.header("content-type").is_some_and(|kind| {
            kind.trim_start().get(..17).is_some_and(|start| start.eq_ignore_ascii_case("text/event-stream"))
        })
    }

    /// The next piece of the body; `None` at its end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| BodyError::Lost(describe(&error)))?;
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        self.release();
        Ok(None)
    }

    /// The whole body, if it is not larger than `bytes_max`. One that arrives in one piece is not copied.
    pub(crate) async fn whole(mut self, bytes_max: usize) -> Result<Bytes, BodyError> {
        let announced = self.body.size_hint().exact();
        if announced.is_some_and(|length| length > bytes_max as u64) {
            return Err(BodyError::TooLarge);
        }
        let Some(first) = self.next().await? else {
            return Ok(Bytes::new());
        };
        if self.body.is_end_stream() {
            self.release();
            return Ok(first);
        }
        let announced = announced.and_then(|length| usize::try_from(length).ok());
        let mut length = first.len();
        let mut whole = BytesMut::with_capacity(announced.unwrap_or(length).max(length));
        whole.extend_from_slice(&first);
        while let Some(piece) = self.next().await? {
            length += piece.len();
            if length > bytes_max {
                return Err(BodyError::TooLarge);
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }

    /// The rest of the body is of no interest, but if it ends soon the connection can serve again.
    pub(crate) fn finish(mut self) {
        const REST_CHUNKS_MAX: usize = 16;
        const PATIENCE: Duration = Duration::from_secs(1);
        let Some(tasks) = self.lease.as_ref().map(|(_, client)| client.tasks.clone()) else { return };
        let rest = async move {
            for _ in 0..REST_CHUNKS_MAX {
                if !matches!(self.next().await, Ok(Some(_))) {
                    return;
                }
            }
        };
        let mut rest = Box::pin(rest);
        if rest.as_mut().now_or_never().is_none() {
            tasks.spawn(tokio::time::timeout(PATIENCE, rest));
        }
    }

    fn release(&mut self) {
        if let Some((sender, client)) = self.lease.take() {
            client.give_back(sender);
        }
    }
}

/// A short readable beginning of a body, for messages to people.
pub(crate) fn excerpt(bytes: &[u8], chars_max: usize) -> String {
    String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(chars_max).collect()
}
