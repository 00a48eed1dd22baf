//! Accepting connections: bounded in number, patient with slow clients only so far, ended in good order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

/// How long a client may take to send its request line and headers.
const HEADERS_WAIT: Duration = Duration::from_secs(15);
/// Breathing space after `accept` failed, usually because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets connections finish what they are answering.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections_max: usize,
    shutdown: CancellationToken,
    finish_wait: Duration,
) {
    let places = Arc::new(Semaphore::new(connections_max));
    let connections = TaskTracker::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { break };
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = serve_connection(stream, peer, router.clone(), shutdown.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    connections.close();
    if tokio::time::timeout(finish_wait, connections.wait()).await.is_err() {
        tracing::warn!(left = connections.len(), "connections were still open when the time to shut down ran out");
    }
}

async fn serve_connection(stream: TcpStream, peer: SocketAddr, router: Router, shutdown: CancellationToken) {
    // Small answers must not wait for an acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WAIT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "a connection ended early");
    }
}
