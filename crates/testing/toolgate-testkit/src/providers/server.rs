//! The server of a stand-in, on a thread of its own.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use parking_lot::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::form_urlencoded;

use super::exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
use super::fault::{FaultPlan, ProviderFault};
use super::pages::PageManner;

const BODY_BYTES_MAX: usize = 32 << 20;

/// The credentials that a stand-in takes, until it is told others.
const TOKEN: &str = "standin-token";

/// A provider on loopback, until it is dropped.
pub struct Standin<P> {
    address: SocketAddr,
    books: Arc<Mutex<StandinBooks<P>>>,
    _end: DropGuard,
}

struct StandinBooks<P> {
    provider: P,
    token: String,
    fault: Option<FaultPlan>,
    requests: Vec<ProviderRequest>,
    effects: Vec<String>,
}

impl<P: Provider> Standin<P> {
    pub fn start(provider: P) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (requests, effects) = (Vec::new(), Vec::new());
        let books = StandinBooks { provider, token: TOKEN.to_owned(), fault: None, requests, effects };
        let books = Arc::new(Mutex::new(books));
        let end = CancellationToken::new();
        let (until, state) = (end.clone(), Arc::clone(&books));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(until.run_until_cancelled(serve(listener, state)));
        });
        Ok(Self { address, books, _end: end.drop_guard() })
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The `base_url` of a connector that asks here.
    pub fn base_url(&self) -> String {
        format!("{}{}", self.origin(), P::BASE_PATH)
    }

    /// The credentials that it takes.
    pub fn token(&self) -> String {
        self.books.lock().token.clone()
    }

    /// It takes other credentials from now on, and no longer those before.
    pub fn renew_token(&self, token: &str) {
        self.books.lock().token = token.to_owned();
    }

    /// Every request has this fault until [`Standin::calm`].
    pub fn misbehave(&self, fault: ProviderFault) {
        self.books.lock().fault = Some(FaultPlan::new(fault, None, ""));
    }

    /// So many requests to paths that end so have this fault.
    pub fn misbehave_at(&self, path_end: &str, fault: ProviderFault, times: u32) {
        self.books.lock().fault = Some(FaultPlan::new(fault, Some(times), path_end));
    }

    /// All requests to paths that end so have this fault, but for the first ones.
    pub fn misbehave_after(&self, path_end: &str, fault: ProviderFault, spared: u32) {
        self.books.lock().fault = Some(FaultPlan::new(fault, None, path_end).after(spared));
    }

    pub fn calm(&self) {
        self.books.lock().fault = None;
    }

    /// Everything that arrived, oldest first.
    pub fn requests(&self) -> Vec<ProviderRequest> {
        self.books.lock().requests.clone()
    }

    pub fn forget_requests(&self) {
        self.books.lock().requests.clear();
    }

    /// Everything that happened, oldest first: `chat.postMessage C1 Hello`.
    pub fn effects(&self) -> Vec<String> {
        self.books.lock().effects.clone()
    }

    /// Looks at what the provider keeps, or changes it.
    pub fn with<T>(&self, look: impl FnOnce(&mut P) -> T) -> T {
        look(&mut self.books.lock().provider)
    }
}

impl<P: Provider> StandinBooks<P> {
    /// The answer to a request; none if the connection is to break.
    fn answer(&mut self, request: ProviderRequest) -> Option<ProviderAnswer> {
        let fault = self.fault.as_mut().and_then(|plan| plan.take(&request.path));
        self.requests.push(request.clone());
        if let Some(answer) = self.at_once(fault.as_ref()) {
            return Some(answer);
        }
        let expected = format!("Bearer {}", self.token);
        let is_known = request.header("authorization") == Some(expected.as_str());
        if self.provider.needs_token(&request) && !is_known {
            return Some(self.provider.signed_out(SignedOut::Unknown));
        }
        let manner = match fault {
            Some(ProviderFault::EndlessPages) => PageManner::Endless,
            Some(ProviderFault::RepeatedCursor) => PageManner::Repeating,
            Some(ProviderFault::ChangedSchema) => PageManner::Changing,
            _ => PageManner::Honest,
        };
        let answer = self.provider.answer(&request, manner, &mut self.effects);
        match fault {
            Some(ProviderFault::ErrorAfterEffect) => {
                Some(ProviderAnswer::bytes(500, "text/plain", b"Internal Server Error".to_vec()))
            }
            Some(ProviderFault::LostAfterEffect) => None,
            _ => Some(answer),
        }
    }

    /// The answer of a fault that keeps the request from being carried out.
    fn at_once(&self, fault: Option<&ProviderFault>) -> Option<ProviderAnswer> {
        match fault? {
            ProviderFault::RateLimited { after_s } => {
                let answer = self.provider.limited();
                Some(match after_s {
                    Some(after_s) => answer.with("retry-after", after_s),
                    None => answer,
                })
            }
            ProviderFault::Html => {
                let page = b"<!doctype html><title>Sign in</title><h1>Welcome to the proxy</h1>".to_vec();
                Some(ProviderAnswer::bytes(200, "text/html", page))
            }
            ProviderFault::ExpiredCredentials => Some(self.provider.signed_out(SignedOut::Expired)),
            ProviderFault::RevokedCredentials => Some(self.provider.signed_out(SignedOut::Revoked)),
            ProviderFault::Redirect { location } => {
                Some(ProviderAnswer::bytes(302, "text/plain", Vec::new()).with("location", location))
            }
            ProviderFault::ErrorAfterEffect
            | ProviderFault::LostAfterEffect
            | ProviderFault::EndlessPages
            | ProviderFault::RepeatedCursor
            | ProviderFault::ChangedSchema => None,
        }
    }
}

async fn serve<P: Provider>(listener: TcpListener, books: Arc<Mutex<StandinBooks<P>>>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket that does not block");
    let router = Router::new().fallback(answer::<P>).with_state(books);
    // It ends with its owner.
    drop(axum::serve(listener, router).await);
}

async fn answer<P: Provider>(State(books): State<Arc<Mutex<StandinBooks<P>>>>, request: Request) -> Response {
    let Some(request) = read(request).await else {
        return respond(ProviderAnswer::bytes(413, "text/plain", b"too large".to_vec()));
    };
    let answer = books.lock().answer(request);
    answer.map_or_else(broken, respond)
}

async fn read(request: Request) -> Option<ProviderRequest> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, BODY_BYTES_MAX).await.ok()?;
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let host = head.headers.get(header::HOST).map(text).unwrap_or_default();
    let query = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes()).into_owned();
    Some(ProviderRequest {
        method: head.method.as_str().to_owned(),
        origin: format!("http://{host}"),
        path: head.uri.path().to_owned(),
        query: query.collect(),
        headers: head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
        body: body.to_vec(),
    })
}

fn respond(answer: ProviderAnswer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// An answer that ends in the middle of its body.
fn broken() -> Response {
    let end = std::io::Error::new(std::io::ErrorKind::ConnectionReset, "the answer is lost");
    let parts: [Result<Bytes, std::io::Error>; 2] = [Ok(Bytes::from_static(b"{\"ok\":")), Err(end)];
    Response::new(Body::from_stream(stream::iter(parts)))
}
