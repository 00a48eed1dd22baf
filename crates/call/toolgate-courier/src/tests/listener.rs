//! A real HTTP receiver that keeps its requests and answers as configured.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One request as it came in.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) answered: StatusCode,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("text")
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

type Answering = Box<dyn Fn(usize) -> StatusCode + Send + Sync>;

pub(super) struct Listener {
    pub(super) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    accepting: JoinHandle<()>,
}

impl Listener {
    /// `answering` gets the number of earlier requests.
    pub(super) async fn start(answering: impl Fn(usize) -> StatusCode + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let accepting = tokio::spawn(accept(listener, received.clone(), Arc::new(Box::new(answering))));
        Self { address, received, accepting }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().clone()
    }

    /// The received requests, by their signed id.
    pub(super) fn ids(&self) -> Vec<String> {
        self.received().iter().map(|one| one.header("webhook-id").to_owned()).collect()
    }

    /// The accepted requests, by their signed id.
    pub(super) fn taken(&self) -> Vec<String> {
        let taken = self.received().into_iter().filter(|one| one.answered.is_success());
        taken.map(|one| one.header("webhook-id").to_owned()).collect()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, received: Arc<Mutex<Vec<Received>>>, answering: Arc<Answering>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (received, answering) = (received.clone(), answering.clone());
        let service = service_fn(move |request| keep(received.clone(), answering.clone(), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn keep(
    received: Arc<Mutex<Vec<Received>>>,
    answering: Arc<Answering>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let mut received = received.lock();
    let answered = answering(received.len());
    received.push(Received { path: parts.uri.path().to_owned(), headers: parts.headers, body, answered });
    let mut response = Response::new(Full::default());
    *response.status_mut() = answered;
    Ok(response)
}
