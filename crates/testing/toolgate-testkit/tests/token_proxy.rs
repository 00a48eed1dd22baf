//! `token-proxy` as a program, between a bare client and a bare server.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::process::Stdio;

use axum::Router;
use axum::extract::Request;
use axum::routing::any;
use bytes::Bytes;
use http::HeaderMap;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio_util::task::TaskTracker;

struct Setup {
    /// host:port of the server behind the proxy.
    target: String,
    /// host:port of the proxy.
    proxy: String,
    _process: Child,
}

/// A server that answers with the headers it got, one per line.
async fn say_headers(request: Request) -> String {
    let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        format!("{name}: {}\n", value.to_str().unwrap())
    };
    request.headers().iter().map(line).collect()
}

async fn set_up() -> Setup {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = listener.local_addr().unwrap().to_string();
    let app = Router::new().route("/mcp", any(say_headers));
    TaskTracker::new().spawn(async move { axum::serve(listener, app).await });
    let mut process = Command::new(env!("CARGO_BIN_EXE_token-proxy"))
        .args(["--to", &format!("http://{target}/mcp"), "--token", "sesame"])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let proxy = line.strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    Setup { target, proxy, _process: process }
}

/// The server's view of a request that the proxy got with these headers.
async fn seen(setup: &Setup, headers: &[(&'static str, &str)]) -> String {
    let mut request = http::Request::post(format!("http://{}/mcp", setup.proxy));
    let map: &mut HeaderMap = request.headers_mut().unwrap();
    for (name, value) in headers {
        map.insert(*name, value.parse().unwrap());
    }
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request.body(Full::default()).unwrap()).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

#[tokio::test]
async fn the_token_is_added_and_own_names_become_the_targets() {
    let setup = set_up().await;
    let origin = format!("http://{}", setup.proxy);
    let seen = seen(&setup, &[("origin", &origin), ("mcp-method", "ping")]).await;
    assert!(seen.contains("authorization: Bearer sesame\n"), "{seen}");
    assert!(seen.contains("mcp-method: ping\n"), "{seen}");
    assert!(seen.contains(&format!("host: {}\n", setup.target)), "{seen}");
    assert!(seen.contains(&format!("origin: http://{}\n", setup.target)), "{seen}");
}

#[tokio::test]
async fn foreign_names_and_tokens_pass_as_they_are() {
    let setup = set_up().await;
    let seen = seen(
        &setup,
        &[
            ("host", "evil.example.com"),
            ("origin", "http://evil.example.com"),
            ("authorization", "Bearer other"),
        ],
    )
    .await;
    assert!(seen.contains("host: evil.example.com\n"), "{seen}");
    assert!(seen.contains("origin: http://evil.example.com\n"), "{seen}");
    assert!(seen.contains("authorization: Bearer other\n"), "{seen}");
    assert!(!seen.contains("sesame"), "{seen}");
}
