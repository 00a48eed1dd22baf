//! `token-proxy`: a loopback reverse proxy that adds a bearer token, for clients that cannot send one (the
//! conformance suite). Everything else passes untouched in both directions, streams included; a side that hangs up
//! hangs up on the other.

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;
use clap::Parser;
use http::header::{AUTHORIZATION, CONNECTION, HOST, ORIGIN};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

type Body = BoxBody<Bytes, hyper::Error>;

/// Adds `Authorization: Bearer TOKEN` to every request and passes it on.
#[derive(Parser)]
struct TokenProxyArguments {
    /// The target of requests, for example http://127.0.0.1:8700/mcp; only http.
    #[arg(long, value_name = "URL")]
    to: Uri,
    #[arg(long, value_name = "TOKEN")]
    token: String,
    /// Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

struct Proxy {
    client: Client<HttpConnector, Incoming>,
    target: Authority,
    own: String,
    credentials: HeaderValue,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = TokenProxyArguments::parse();
    anyhow::ensure!(arguments.to.scheme() == Some(&Scheme::HTTP), "--to takes an http:// address");
    let listener = TcpListener::bind(arguments.listen).await?;
    let own = listener.local_addr()?.to_string();
    let mut credentials = HeaderValue::from_str(&format!("Bearer {}", arguments.token))
        .context("the token has characters that no header may carry")?;
    credentials.set_sensitive(true);
    let target = arguments.to.authority().context("--to names no host")?.clone();
    let client = Client::builder(TokioExecutor::new()).http1_preserve_header_case(true).build_http();
    writeln!(std::io::stdout(), "listening on http://{own}{}", arguments.to.path())?;
    let proxy = Arc::new(Proxy { client, target, own, credentials });
    tokio::select! {
        served = serve(listener, proxy) => served?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}

async fn serve(listener: TcpListener, proxy: Arc<Proxy>) -> std::io::Result<()> {
    let connections = TaskTracker::new();
    loop {
        let (stream, _) = listener.accept().await?;
        let proxy = Arc::clone(&proxy);
        connections.spawn(async move {
            let service = service_fn(move |request| {
                let proxy = Arc::clone(&proxy);
                async move { Ok::<_, Infallible>(proxy.pass(request).await) }
            });
            // A broken connection concerns only its two ends.
            drop(
                http1::Builder::new()
                    .preserve_header_case(true)
                    .serve_connection(TokioIo::new(stream), service)
                    .await,
            );
        });
    }
}

impl Proxy {
    async fn pass(&self, mut request: Request<Incoming>) -> Response<Body> {
        *request.uri_mut() = self.aim(request.uri());
        self.dress(request.headers_mut());
        match self.client.request(request).await {
            Ok(mut response) => {
                response.headers_mut().remove(CONNECTION);
                response.map(BodyExt::boxed)
            }
            Err(error) => unreachable_target(&error),
        }
    }

    fn aim(&self, uri: &Uri) -> Uri {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(self.target.clone())
            .path_and_query(path)
            .build()
            .expect("the parts come from valid addresses")
    }

    /// Names of this proxy become names of the target; any other `Host` or `Origin` is the client's claim and
    /// the target has to see it unchanged.
    fn dress(&self, headers: &mut HeaderMap) {
        headers.remove(CONNECTION);
        headers.entry(AUTHORIZATION).or_insert_with(|| self.credentials.clone());
        let target = self.target.as_str();
        if headers.get(HOST).is_some_and(|host| host.as_bytes() == self.own.as_bytes()) {
            headers.insert(HOST, header_value(target));
        }
        let own_origin = format!("http://{}", self.own);
        if headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes() == own_origin.as_bytes()) {
            headers.insert(ORIGIN, header_value(&format!("http://{target}")));
        }
    }
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("an authority is a legal header value")
}

fn unreachable_target(error: &hyper_util::client::legacy::Error) -> Response<Body> {
    let text = format!("token-proxy could not reach its target: {error}");
    let mut response = Response::new(Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed());
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response
}
