//! The HTTP client: one pool of connections per server, so that a slow server blocks no other.
//!
//! The pool is ours because the hot path needs little of what a general one does: one destination, HTTP/1.1,
//! no redirects, and no task per request. A connection goes back to the pool when its response has been read
//! to the end; a response that is dropped earlier closes its connection, which is how the newer era cancels.

mod answered;
mod body;
mod line;
mod prompt;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use toolgate_core::egress::Egress;
use toolgate_core::port::{NoKey, SourceError};
use toolgate_outbound::{BadEgress, ForbiddenAddress, IDLE_MAX, Resolver, Scheme, Tcp, told};
use tower_service::Service;

pub(crate) use answered::{BodyError, ServerResponse};
use body::OutgoingBody;
use line::HttpConnection;

use crate::message::{MessageInserts, OutgoingMessage, SentState};

const IDLE_CONNECTIONS_MAX: usize = 256;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// No connection: nothing was sent.
    #[error("could not connect to {authority}: {reason}")]
    Connect { authority: String, reason: String },
    /// There was a connection, and the request was not written to it.
    #[error("{0}")]
    Unsent(String),
    /// There is no credential for the server, so nothing was sent.
    #[error(transparent)]
    NoKey(#[from] NoKey),
    /// The content to send could not be read completely, so no request arrived.
    #[error(transparent)]
    Unread(#[from] SourceError),
    /// The fate of the request is unknown.
    #[error("{0}")]
    Lost(String),
}

/// The reason why an address cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadAddress {
    #[error("\"{url}\" is not an http or https address")]
    Url { url: String },
    #[error("\"{name}\" cannot be a header: {reason}")]
    Header { name: String, reason: String },
    #[error("TLS cannot be spoken: {0}")]
    Egress(#[from] BadEgress),
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
}

#[derive(Clone)]
enum ServerConnector {
    Plain(Tcp),
    Tls(toolgate_outbound::OutboundConnector),
}

/// One destination and the connections to it.
pub(crate) struct ServerClient {
    connector: ServerConnector,
    /// Scheme and authority, to connect to.
    origin: Uri,
    host: HeaderValue,
    idle: Mutex<Vec<IdleConnection>>,
    /// For ends of streams in the background.
    tasks: TaskTracker,
}

struct IdleConnection {
    line: HttpConnection,
    since: Instant,
    /// A connection belongs to the event loop it was opened on; used from another thread, every byte would cost a
    /// wake-up across threads.
    thread: u64,
}

/// A number for this thread.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static THIS: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    THIS.with(|this| *this)
}

impl ServerClient {
    pub(crate) fn new(
        url: &url::Url,
        resolver: Resolver,
        egress: &Arc<Egress>,
        tasks: TaskTracker,
    ) -> Result<Arc<Self>, BadAddress> {
        let bad = || BadAddress::Url { url: shown(url.as_str()) };
        resolver.check_literal(url)?;
        let connector = match Scheme::of(url.scheme()).ok_or_else(bad)? {
            Scheme::Http => ServerConnector::Plain(Tcp::new(egress.clone(), resolver, CONNECT_TIMEOUT)),
            https @ Scheme::Https => {
                ServerConnector::Tls(toolgate_outbound::connector(https, egress, resolver, CONNECT_TIMEOUT)?)
            }
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
        message: OutgoingMessage,
    ) -> Result<ServerResponse, SendError> {
        let inserts = message.inserts().cloned();
        if let Some(inserts) = &inserts {
            Box::pin(inserts.begin()).await?;
        }
        headers.insert(header::HOST, self.host.clone());
        let mut request = Request::new(OutgoingBody::from(message));
        *request.method_mut() = method;
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        while let Some(mut line) = self.take_idle() {
            // A connection that was given back a moment ago may have to finish its last read first.
            if line.ready().await.is_err() {
                continue;
            }
            match line.send(request).await {
                Ok(response) => return Ok(ServerResponse::new(response, line, self, inserts)),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(broken_off(&error.into_error(), inserts.as_deref())),
                },
            }
        }
        let mut line = Box::pin(self.connect()).await?;
        match line.send(request).await {
            Ok(response) => Ok(ServerResponse::new(response, line, self, inserts)),
            Err(mut error) => Err(match error.take_message() {
                Some(_) => {
                    SendError::Unsent("it closed the connection before the request was written".into())
                }
                None => broken_off(&error.into_error(), inserts.as_deref()),
            }),
        }
    }

    fn take_idle(&self) -> Option<HttpConnection> {
        let mut idle = self.idle.lock();
        let here = this_thread();
        let at = idle.iter().rposition(|one| one.thread == here)?;
        let latest = idle.remove(at);
        if latest.since.elapsed() > IDLE_MAX {
            // The newest of this thread has been idle too long, so all of its have.
            idle.retain(|one| one.thread != here);
            return None;
        }
        Some(latest.line)
    }

    fn give_back(&self, line: HttpConnection) {
        if line.is_over() || self.tasks.is_closed() {
            return;
        }
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_CONNECTIONS_MAX {
            idle.push(IdleConnection { line, since: Instant::now(), thread: this_thread() });
        }
    }

    /// Lets the connections go that have idled too long. Nothing else would notice that the server closed them.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        self.idle.lock().retain(|one| now - one.since <= IDLE_MAX);
    }

    /// Lets every idle connection go.
    pub(crate) fn close_idle(&self) {
        self.idle.lock().clear();
    }

    async fn connect(&self) -> Result<HttpConnection, SendError> {
        match self.connector.clone() {
            ServerConnector::Plain(mut connector) => {
                let stream =
                    connector.call(self.origin.clone()).await.map_err(|error| self.unreachable(&*error))?;
                HttpConnection::open_plain(stream).await.map_err(|error| self.unreachable(&error))
            }
            ServerConnector::Tls(mut connector) => {
                let stream =
                    connector.call(self.origin.clone()).await.map_err(|error| self.unreachable(&*error))?;
                HttpConnection::open(stream).await.map_err(|error| self.unreachable(&error))
            }
        }
    }

    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> SendError {
        let authority = self.origin.authority().map(ToString::to_string).unwrap_or_default();
        SendError::Connect { authority, reason: told(error) }
    }
}

fn authority(url: &url::Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// An address for display: its query and its user part may contain secrets.
pub(crate) fn shown(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let start = address.find("//").map_or(0, |at| at + 2);
    let (scheme, rest) = address.split_at(start);
    let end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}{}", &rest[host..])
}

/// A connection that broke during a request. A server without the whole request has run nothing.
fn broken_off(error: &hyper::Error, inserts: Option<&MessageInserts>) -> SendError {
    match inserts.map_or(SentState::Whole, MessageInserts::sent) {
        SentState::Whole => SendError::Lost(describe(error)),
        SentState::Broken(error) => SendError::Unread(error),
        SentState::Partly => {
            SendError::Unsent(format!("it hung up in the middle of the request: {}", told(error)))
        }
    }
}

fn describe(error: &hyper::Error) -> String {
    if error.is_incomplete_message() {
        return "it closed the connection without an answer".into();
    }
    told(error)
}

#[cfg(test)]
mod tests;
