//! The server of the site, on a thread of its own.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode, header};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::books::ReceivedApplication;
use super::reading::SentForm;
use super::site::{Site, SiteAnswer, SiteRequest};

const BODY_BYTES_MAX: usize = 8 << 20;
const COOKIE: &str = "visitor";

/// A site on loopback, until it is dropped.
pub struct JobSite {
    address: SocketAddr,
    served: Arc<ServedSite>,
    _end: DropGuard,
}

struct ServedSite {
    site: Site,
    /// Requests that have arrived and have no answer yet.
    under_way: AtomicUsize,
}

impl JobSite {
    /// Starts it at this address, with the applications that the file has.
    pub fn start_at(address: SocketAddr, books: &Path) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let served = Arc::new(ServedSite { site: Site::open(books)?, under_way: AtomicUsize::new(0) });
        let end = CancellationToken::new();
        let (until, state) = (end.clone(), Arc::clone(&served));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(until.run_until_cancelled(serve(listener, state)));
        });
        Ok(Self { address, served, _end: end.drop_guard() })
    }

    /// The same on a free port.
    pub fn start(books: &Path) -> std::io::Result<Self> {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), books)
    }

    /// `http://127.0.0.1:4711`
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that it stored, oldest first.
    pub fn received(&self) -> Vec<ReceivedApplication> {
        self.served.site.received()
    }
}

async fn serve(listener: TcpListener, state: Arc<ServedSite>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket that does not block");
    let router = Router::new().fallback(answer).with_state(state);
    // It ends with its owner.
    drop(axum::serve(listener, router).await);
}

async fn answer(State(served): State<Arc<ServedSite>>, request: Request) -> Response {
    let others = served.under_way.fetch_add(1, Ordering::SeqCst);
    let response = answer_to(&served.site, request, others).await;
    served.under_way.fetch_sub(1, Ordering::SeqCst);
    response
}

async fn answer_to(site: &Site, request: Request, others: usize) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
        return built(StatusCode::PAYLOAD_TOO_LARGE, "text/plain", Body::from("too large"));
    };
    let content_type = text_of(&head.headers, header::CONTENT_TYPE);
    let cookies = text_of(&head.headers, header::COOKIE);
    let asked = SiteRequest {
        is_post: head.method == Method::POST,
        path: head.uri.path(),
        query: head.uri.query().unwrap_or_default(),
        cookie: cookie_of(cookies),
        form: SentForm::read(content_type, &body),
        others,
    };
    respond(site.answer(&asked))
}

fn text_of(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn cookie_of(cookies: &str) -> Option<&str> {
    cookies
        .split("; ")
        .filter_map(|one| one.split_once('='))
        .find(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value)
}

fn respond(answer: SiteAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = built(status, answer.media_type, Body::from(answer.body));
    let cookie = answer.cookie.map(|cookie| format!("{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax"));
    for (name, value) in [(header::SET_COOKIE, cookie), (header::LOCATION, answer.location)] {
        if let Some(value) = value.and_then(|value| value.parse().ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn built(status: StatusCode, media_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media_type));
    response
}
