//! A minimal, fast MCP server over HTTP: the benchmark calls it directly and through the gateway.
//!
//! Lives here: listening, reading requests, choosing the answer by method and era. Does not live here: the
//! bytes of the answers (`replies`), any check of headers the protocol leaves to real servers.

pub(crate) mod replies;

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use bytes::Bytes;
use http::header::HeaderMap;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use self::replies::{Blobs, ReplyBody};
use crate::wire::{BenchEra, MODERN, PROTOCOL_VERSION, SESSION_ID};

/// A request to this server is a few hundred bytes; the limit only keeps a mistake from filling memory.
pub(crate) const REQUEST_BYTES_MAX: usize = 4 << 20;

/// The eras that the server supports, so that every combination with a gateway can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Eras {
    Both,
    Modern,
    Legacy,
}

impl Eras {
    /// Its name on the command line.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Eras::Both => "both",
            Eras::Modern => "modern",
            Eras::Legacy => "legacy",
        }
    }

    fn serves(self, era: BenchEra) -> bool {
        match self {
            Eras::Both => true,
            Eras::Modern => era == BenchEra::Modern,
            Eras::Legacy => era == BenchEra::Legacy,
        }
    }
}

/// Binds, hands the address to `announce`, and serves until its stdin ends, so that it cannot outlive its parent.
pub(crate) async fn serve(
    listen: SocketAddr,
    eras: Eras,
    announce: impl FnOnce(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("listen on {listen}"))?;
    announce(listener.local_addr().context("ask for the address that was bound")?)?;
    let server = Arc::new(BenchServer { eras, sessions: AtomicU64::new(0), blobs: Blobs::default() });
    let answer = move |request| {
        let server = server.clone();
        async move { server.answer(request).await }
    };
    serve_until_stdin_ends(listener, answer).await
}

/// Answers every request on every connection, for as long as the parent holds the other end of stdin.
pub(crate) async fn serve_until_stdin_ends<A, F, B>(listener: TcpListener, answer: A) -> anyhow::Result<()>
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    tokio::select! {
        outcome = accept_all(listener, answer) => outcome,
        () = stdin_ended() => Ok(()),
    }
}

async fn stdin_ended() {
    let mut stdin = tokio::io::stdin();
    let mut ignored = [0; 64];
    while matches!(stdin.read(&mut ignored).await, Ok(1..)) {}
}

async fn accept_all<A, F, B>(listener: TcpListener, answer: A) -> anyhow::Result<()>
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.context("accept a connection")?;
        stream.set_nodelay(true).context("set TCP_NODELAY")?;
        connections.spawn(serve_connection(stream, answer.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve_connection<A, F, B>(stream: TcpStream, answer: A)
where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    let service = service_fn(move |request| {
        let answering = answer(request);
        async move { Ok::<_, Infallible>(answering.await) }
    });
    // A client that hangs up in the middle is no concern of a benchmark server; the client side counts errors.
    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

struct BenchServer {
    eras: Eras,
    /// The number of opened sessions; a session id is a number below it, so no table is needed to know one.
    sessions: AtomicU64,
    blobs: Blobs,
}

#[derive(Deserialize)]
pub(crate) struct BenchMessage<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) method: &'a str,
    #[serde(borrow)]
    pub(crate) params: Option<Params<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Params<'a> {
    pub(crate) name: Option<&'a str>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct EchoArguments<'a> {
    #[serde(borrow)]
    pub(crate) text: &'a RawValue,
}

#[derive(Deserialize)]
struct BlobArguments {
    bytes: usize,
}

impl BenchServer {
    async fn answer(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        match *request.method() {
            Method::POST => {}
            Method::DELETE => return replies::empty(StatusCode::OK),
            _ => return replies::empty(StatusCode::METHOD_NOT_ALLOWED),
        }
        let (head, body) = request.into_parts();
        match Limited::new(body, REQUEST_BYTES_MAX).collect().await {
            Ok(body) => self.answer_post(&head.headers, &body.to_bytes()),
            Err(_) => replies::empty(StatusCode::PAYLOAD_TOO_LARGE),
        }
    }

    fn answer_post(&self, headers: &HeaderMap, body: &Bytes) -> Response<ReplyBody> {
        let message: BenchMessage<'_> = match serde_json::from_slice(body) {
            Ok(message) => message,
            Err(error) => return replies::error(StatusCode::BAD_REQUEST, "null", -32700, &error.to_string()),
        };
        let Some(id) = message.id.map(RawValue::get) else {
            return replies::empty(StatusCode::ACCEPTED);
        };
        let era = if headers.get(PROTOCOL_VERSION).is_some_and(|version| version == MODERN) {
            BenchEra::Modern
        } else {
            BenchEra::Legacy
        };
        if !self.eras.serves(era) {
            return replies::unsupported_version(id, self.eras);
        }
        match era {
            BenchEra::Modern => self.answer_modern(id, &message),
            BenchEra::Legacy => self.answer_legacy(id, &message, headers),
        }
    }

    fn answer_modern(&self, id: &str, message: &BenchMessage<'_>) -> Response<ReplyBody> {
        match message.method {
            "tools/call" => self.call(BenchEra::Modern, id, message),
            "tools/list" => replies::tools(BenchEra::Modern, id),
            "server/discover" => replies::discover(id),
            other => replies::unknown_method(StatusCode::NOT_FOUND, id, other),
        }
    }

    fn answer_legacy(
        &self,
        id: &str,
        message: &BenchMessage<'_>,
        headers: &HeaderMap,
    ) -> Response<ReplyBody> {
        if message.method == "initialize" {
            return replies::initialized(id, self.sessions.fetch_add(1, Ordering::Relaxed));
        }
        match headers.get(SESSION_ID) {
            None => replies::error(StatusCode::BAD_REQUEST, id, -32600, "no Mcp-Session-Id"),
            Some(session) if !self.knows(session.as_bytes()) => {
                replies::error(StatusCode::NOT_FOUND, id, -32001, "unknown session")
            }
            Some(_) => match message.method {
                "tools/call" => self.call(BenchEra::Legacy, id, message),
                "tools/list" => replies::tools(BenchEra::Legacy, id),
                "ping" => replies::result(id, "{}"),
                other => replies::unknown_method(StatusCode::OK, id, other),
            },
        }
    }

    fn knows(&self, session: &[u8]) -> bool {
        replies::session_number(session).is_some_and(|number| number < self.sessions.load(Ordering::Relaxed))
    }

    fn call(&self, era: BenchEra, id: &str, message: &BenchMessage<'_>) -> Response<ReplyBody> {
        let Some(Params { name: Some(name), arguments: Some(arguments) }) = &message.params else {
            return replies::error(StatusCode::OK, id, -32602, "tools/call needs name and arguments");
        };
        match *name {
            "echo" => match serde_json::from_str::<EchoArguments<'_>>(arguments.get()) {
                Ok(echo) if echo.text.get().starts_with('"') => replies::echo(era, id, echo.text.get()),
                _ => replies::error(StatusCode::OK, id, -32602, "echo needs a string `text`"),
            },
            "blob" => match serde_json::from_str::<BlobArguments>(arguments.get()) {
                Ok(blob) if blob.bytes <= replies::BLOB_BYTES_MAX => self.blobs.reply(era, id, blob.bytes),
                _ => replies::error(StatusCode::OK, id, -32602, "blob needs `bytes`, at most 64 MiB"),
            },
            other => replies::error(StatusCode::OK, id, -32602, &format!("unknown tool {other}")),
        }
    }
}
