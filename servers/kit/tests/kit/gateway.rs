//! Registration with a gateway, which here is a few lines that record their requests.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use nix::sys::signal::Signal;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::drive::{KitEra, LIMIT, eventually, serve};

/// All its requests, as method, path and body.
type RecordedRequests = Arc<Mutex<Vec<(Method, String, Value)>>>;

struct FakeGateway {
    url: String,
    told: RecordedRequests,
    mood: Arc<Mutex<Mood>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mood {
    Friendly,
    /// Answers the next sign of life with 410.
    Forgetful,
    Unwilling,
}

const BEAT: &str = "/servers/sample-mcp/instances/one/heartbeat";
const PLACE: &str = "/servers/sample-mcp/instances/one";

impl FakeGateway {
    async fn start(address: &str, mood: Mood) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let gateway = Self { url, told: RecordedRequests::default(), mood: Arc::new(Mutex::new(mood)) };
        let router =
            Router::new().fallback(answer).with_state((Arc::clone(&gateway.told), Arc::clone(&gateway.mood)));
        tokio::spawn(async move { axum::serve(listener, router).await });
        gateway
    }

    fn count(&self, method: &Method, path: &str) -> usize {
        let told = self.told.lock();
        told.iter().filter(|(told_method, told_path, _)| told_method == method && told_path == path).count()
    }

    fn registrations(&self) -> usize {
        self.count(&Method::POST, "/servers/register")
    }

    fn beats(&self) -> usize {
        self.count(&Method::POST, BEAT)
    }

    fn set(&self, mood: Mood) {
        *self.mood.lock() = mood;
    }
}

async fn answer(
    State((told, mood)): State<(RecordedRequests, Arc<Mutex<Mood>>)>,
    request: Request,
) -> Response {
    assert_eq!(request.headers()["authorization"], "Bearer secret");
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let body = request.into_body().collect().await.unwrap().to_bytes();
    told.lock().push((method, path.clone(), serde_json::from_slice(&body).unwrap_or_default()));
    let mut mood = mood.lock();
    match *mood {
        Mood::Unwilling => (StatusCode::FORBIDDEN, "{\"message\": \"not you\"}").into_response(),
        Mood::Forgetful if path == BEAT => {
            *mood = Mood::Friendly;
            StatusCode::GONE.into_response()
        }
        _ => json!({"lease_seconds": 5.0, "heartbeat_seconds": 0.1}).to_string().into_response(),
    }
}

fn options(gateway: &str) -> Vec<&str> {
    vec!["--gateway", gateway, "--token", "secret", "--instance", "one", "--lease-seconds", "5"]
}

#[tokio::test]
async fn a_server_registers_shows_that_it_lives_and_says_goodbye() {
    let gateway = FakeGateway::start("127.0.0.1:0", Mood::Friendly).await;
    let mut server = serve(&options(&gateway.url)).await;
    eventually("it shows that it lives", async || gateway.beats() > 2).await;
    let (_, _, registration) = gateway.told.lock()[0].clone();
    assert_eq!(registration["url"], json!(server.url));
    assert_eq!((&registration["name"], &registration["instance_id"]), (&json!("sample-mcp"), &json!("one")));
    assert_eq!(
        (&registration["version"], &registration["lease_seconds"]),
        (&json!(env!("CARGO_PKG_VERSION")), &json!(5.0))
    );
    let extra =
        json!({"effects": ["read"], "idempotent": true, "capabilities": ["sample"], "aliases": ["say"]});
    assert_eq!(registration["tools"]["echo"], extra);
    assert_eq!(registration.get("token"), None, "whoever is on this machine may call");
    assert_eq!(gateway.registrations(), 1);
    server.signal(Signal::SIGTERM);
    tokio::time::timeout(LIMIT, server.process.wait()).await.unwrap().unwrap();
    assert_eq!(gateway.count(&Method::DELETE, PLACE), 1);
}

#[tokio::test]
async fn a_server_that_the_gateway_forgot_registers_again() {
    let gateway = FakeGateway::start("127.0.0.1:0", Mood::Friendly).await;
    let _server = serve(&options(&gateway.url)).await;
    eventually("it is there", async || gateway.beats() > 0).await;
    gateway.set(Mood::Forgetful);
    eventually("it registers again", async || gateway.registrations() == 2).await;
    let beats = gateway.beats();
    eventually("it goes on", async || gateway.beats() > beats).await;
}

#[tokio::test]
async fn a_gateway_that_is_away_is_waited_for_while_the_server_serves() {
    let address: SocketAddr = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{address}");
    let server = serve(&options(&url)).await;
    eventually("it says so", async || server.logged("the gateway does not answer") == 1).await;
    server.client(KitEra::Modern).await.is_well().await;
    let gateway = FakeGateway::start(&address.to_string(), Mood::Friendly).await;
    eventually("it registers", async || gateway.beats() > 0).await;
    eventually("that is said too", async || server.logged("registered with the gateway") == 1).await;
    assert_eq!(server.logged("the gateway does not answer"), 1, "once is enough");
}

#[tokio::test]
async fn a_refusal_is_logged_once_and_tried_again() {
    let gateway = FakeGateway::start("127.0.0.1:0", Mood::Unwilling).await;
    let server = serve(&options(&gateway.url)).await;
    eventually("it tries again", async || gateway.registrations() > 1).await;
    assert_eq!(server.logged("403 Forbidden: {\"message\": \"not you\"}"), 1);
    gateway.set(Mood::Friendly);
    eventually("it registers", async || gateway.beats() > 0).await;
}

#[tokio::test]
async fn a_token_in_a_file_is_read_and_the_public_url_registered() {
    let gateway = FakeGateway::start("127.0.0.1:0", Mood::Friendly).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "secret\n").unwrap();
    let path = file.path().to_str().unwrap();
    let _server = serve(&[
        "--gateway",
        &gateway.url,
        "--token-file",
        path,
        "--public-url",
        "http://documents.internal:1",
    ])
    .await;
    eventually("it registers", async || gateway.registrations() == 1).await;
    let (_, _, registration) = gateway.told.lock()[0].clone();
    assert_eq!(registration["url"], "http://documents.internal:1/mcp");
    assert_eq!(registration["instance_id"].as_str().unwrap().len(), 12);
}

#[tokio::test]
async fn the_gateway_is_told_the_token_that_it_has_to_show() {
    let gateway = FakeGateway::start("127.0.0.1:0", Mood::Friendly).await;
    let _server = serve(&[&options(&gateway.url)[..], &["--http-token", "hunter2"]].concat()).await;
    eventually("it registers", async || gateway.registrations() == 1).await;
    let (_, _, registration) = gateway.told.lock()[0].clone();
    assert_eq!(registration["token"], "hunter2");
}
