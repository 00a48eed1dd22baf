//! Small HTTP servers for these tests: a function from request to response, and a record of the requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use toolgate_core::port::BoxFuture;
use toolgate_core::server::{ServerSpec, TransportSpec};

use crate::kit::{LIMIT, spec};

pub(crate) type Body = BoxBody<Bytes, Infallible>;

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    /// The size of the body.
    pub(crate) bytes: usize,
}

impl Seen {
    /// The MCP method, or nothing for answers and empty bodies.
    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn tool(&self) -> &str {
        self.body["params"]["name"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn id(&self) -> &Value {
        &self.body["id"]
    }

    /// The response to this request.
    pub(crate) fn result(&self, result: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result})
    }

    pub(crate) fn error(&self, code: i64, data: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "error": {"code": code, "message": "no", "data": data}})
    }
}

type Handler = dyn Fn(Seen) -> BoxFuture<'static, Response<Body>> + Send + Sync;

pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    seen: watch::Sender<Vec<Seen>>,
    /// Bodies that broke off.
    broken: watch::Sender<usize>,
    /// While it is set, no more than the beginning of a large body is read.
    held: watch::Sender<bool>,
    _accepting: AbortOnDropHandle<()>,
    stop: CancellationToken,
}

impl Drop for Web {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Web {
    pub(crate) async fn start<F>(handler: impl Fn(Seen) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        Self::start_at("127.0.0.1:0".parse().unwrap(), handler).await
    }

    pub(crate) async fn start_at<F>(
        address: SocketAddr,
        handler: impl Fn(Seen) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let handler: Arc<Handler> = Arc::new(move |seen| Box::pin(handler(seen)));
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(address).unwrap();
        let listener = socket.listen(64).unwrap();
        let address = listener.local_addr().unwrap();
        let seen = watch::Sender::new(Vec::new());
        let (broken, held) = (watch::Sender::new(0), watch::Sender::new(false));
        let stop = CancellationToken::new();
        let ears = WebListener { handler, seen: seen.clone(), broken: broken.clone(), held: held.clone() };
        let accepting = tokio::spawn(accept(listener, Arc::new(ears), stop.clone()));
        Self { address, seen, broken, held, _accepting: AbortOnDropHandle::new(accepting), stop }
    }

    /// Pauses or resumes reading large bodies.
    pub(crate) fn hold(&self, held: bool) {
        self.held.send_replace(held);
    }

    pub(crate) fn broken(&self) -> usize {
        *self.broken.borrow()
    }

    pub(crate) async fn until_broken(&self, bodies: usize) {
        let mut broken = self.broken.subscribe();
        let enough = tokio::time::timeout(LIMIT, broken.wait_for(|broken| *broken >= bodies)).await;
        assert!(enough.is_ok(), "waited in vain for {bodies} bodies to break off");
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn spec(&self) -> ServerSpec {
        spec(TransportSpec::http(self.url(), [("X-Key".into(), "secret".into())].into()))
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.borrow().clone()
    }

    pub(crate) fn count(&self, rpc: &str) -> usize {
        self.seen.borrow().iter().filter(|seen| seen.rpc() == rpc).count()
    }

    pub(crate) async fn until(&self, what: &str, enough: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        let mut seen = self.seen.subscribe();
        match tokio::time::timeout(LIMIT, seen.wait_for(|seen| enough(seen))).await {
            Ok(seen) => seen.unwrap().clone(),
            Err(_) => panic!("waited in vain for {what}; seen so far: {:#?}", self.seen()),
        }
    }
}

struct WebListener {
    handler: Arc<Handler>,
    seen: watch::Sender<Vec<Seen>>,
    broken: watch::Sender<usize>,
    held: watch::Sender<bool>,
}

impl WebListener {
    async fn hear(&self, request: Request<Incoming>) -> Result<Response<Body>, hyper::Error> {
        let (head, body) = request.into_parts();
        let read = self.read(body).await;
        let (body, bytes) = read.inspect_err(|_| self.broken.send_modify(|broken| *broken += 1))?;
        let one = Seen {
            method: head.method,
            path: head.uri.to_string(),
            headers: head.headers,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            bytes,
        };
        self.seen.send_modify(|all| all.push(one.clone()));
        Ok((self.handler)(one).await)
    }

    /// Only both ends of a large body are kept: the part between them is content, and the rest is JSON
    /// without it.
    async fn read(&self, mut body: Incoming) -> Result<(Vec<u8>, usize), hyper::Error> {
        const LARGE: usize = 4 << 20;
        const HEAD: usize = 1 << 20;
        const TAIL: usize = 64 << 10;
        let (mut kept, mut bytes) = (Vec::new(), 0);
        while let Some(frame) = body.frame().await {
            let data = frame?.into_data().unwrap();
            bytes += data.len();
            kept.extend_from_slice(&data);
            if kept.len() > LARGE {
                kept.drain(HEAD..kept.len() - TAIL);
                self.held.subscribe().wait_for(|held| !held).await.unwrap();
            }
        }
        Ok((kept, bytes))
    }
}

async fn accept(listener: TcpListener, ears: Arc<WebListener>, stop: CancellationToken) {
    while let Ok((stream, _)) = listener.accept().await {
        let (ears, stop) = (ears.clone(), stop.clone());
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let ears = ears.clone();
            async move { ears.hear(request).await }
        });
        tokio::spawn(async move {
            let serving =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                served = serving => drop(served),
                () = stop.cancelled() => {}
            }
        });
    }
}

pub(crate) fn reply(status: u16, body: &Value) -> Response<Body> {
    text(status, "application/json", &body.to_string())
}

pub(crate) fn ok(body: &Value) -> Response<Body> {
    reply(200, body)
}

pub(crate) fn text(status: u16, kind: &str, body: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_owned())).boxed());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response.headers_mut().insert("content-type", kind.parse().unwrap());
    response
}

pub(crate) fn empty(status: u16) -> Response<Body> {
    text(status, "text/plain", "")
}

/// A stream of events, for as long as the sender lives.
pub(crate) fn event_stream() -> (mpsc::Sender<String>, Response<Body>) {
    let (sender, receiver) = mpsc::channel::<String>(64);
    let frames = stream::unfold(receiver, |mut receiver| async move {
        let text = receiver.recv().await?;
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), receiver))
    });
    let mut response = Response::new(BodyExt::boxed(StreamBody::new(Synced::new(frames))));
    response.headers_mut().insert("content-type", "text/event-stream; charset=utf-8".parse().unwrap());
    (sender, response)
}

/// Exactly these events, then the end.
pub(crate) fn events(events: &[String]) -> Response<Body> {
    text(200, "text/event-stream", &events.concat())
}

pub(crate) fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// `BoxBody` needs a stream that can be shared; one that is only ever polled through `&mut` can.
struct Synced<S>(Mutex<std::pin::Pin<Box<S>>>);

impl<S> Synced<S> {
    fn new(stream: S) -> Self {
        Self(Mutex::new(Box::pin(stream)))
    }
}

impl<S: futures_util::Stream> futures_util::Stream for Synced<S> {
    type Item = S::Item;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.get_mut().0.get_mut().as_mut().poll_next(cx)
    }
}
