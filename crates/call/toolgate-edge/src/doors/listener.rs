//! Accepting connections: bounded in number, patient with slow clients only so far, ended in good order.
//!
//! Each connection stays on one thread with an event loop of its own, and so does everything done for it. A small call
//! is a few microseconds of work; handing it between threads would cost more than doing it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::doors::entrance::{self, Visitor};
use crate::doors::places::{ConnectionSlot, ConnectionSlots, ConnectionUse};
use crate::gateway::Gateway;

/// The time that a client may take to send its request line and headers.
const HEADERS_WAIT: Duration = Duration::from_secs(15);
/// The same, and how long it may last altogether, where a connection has one of the few places that are kept.
const KEPT_HEADERS_WAIT: Duration = Duration::from_secs(2);
const KEPT_WAIT: Duration = Duration::from_secs(10);
/// Breathing space after `accept` failed, usually because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Connections that wait to be taken over by their thread.
const HANDED_OVER_MAX: usize = 64;

/// A connection on its way to its thread, with its place among all.
struct AcceptedConnection {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    place: ConnectionSlot,
}

/// Serves until the gateway shuts down, then lets connections finish what they are answering.
pub async fn serve(listener: TcpListener, gateway: Arc<Gateway>) -> std::io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let connections = TaskTracker::new();
    let mut doors = Vec::with_capacity(threads);
    for number in 0..threads {
        doors.push(open_door(number, &gateway, &connections)?);
    }
    accept(listener, &gateway, &doors).await;
    connections.close();
    let shutdown_wait = gateway.limits.shutdown_wait;
    if tokio::time::timeout(shutdown_wait, connections.wait()).await.is_err() {
        tracing::warn!(
            left = connections.len(),
            "connections were still open when the time to shut down ran out"
        );
    }
    Ok(())
}

/// Starts a thread that serves the connections it is handed.
fn open_door(
    number: usize,
    gateway: &Arc<Gateway>,
    connections: &TaskTracker,
) -> std::io::Result<mpsc::Sender<AcceptedConnection>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (door, mut accepted) = mpsc::channel::<AcceptedConnection>(HANDED_OVER_MAX);
    let (gateway, connections) = (gateway.clone(), connections.clone());
    std::thread::Builder::new().name(format!("door-{number}")).spawn(move || {
        runtime.block_on(async {
            while let Some(AcceptedConnection { stream, peer, place }) = accepted.recv().await {
                let standing = place.standing;
                let connection = serve_connection(stream, Visitor { peer, standing }, gateway.clone());
                connections.spawn(async move {
                    match standing {
                        ConnectionUse::Ordinary => connection.await,
                        // A client that takes longer has had its chance.
                        ConnectionUse::Kept => drop(tokio::time::timeout(KEPT_WAIT, connection).await),
                    }
                    drop(place);
                });
            }
            // Calls may go on without their client; the loop they run on stays until they have ended.
            connections.wait().await;
            gateway.calls.wait().await;
        });
    })?;
    Ok(door)
}

async fn accept(listener: TcpListener, gateway: &Gateway, doors: &[mpsc::Sender<AcceptedConnection>]) {
    let places = ConnectionSlots::new(gateway.limits.connections_max);
    for door in doors.iter().cycle() {
        let accepted = tokio::select! {
            () = gateway.shutdown.cancelled() => return,
            accepted = accept_one(&listener, &places) => accepted,
        };
        // A door that has gone can only mean that the process is ending.
        if door.send(accepted).await.is_err() {
            return;
        }
    }
}

async fn accept_one(listener: &TcpListener, places: &ConnectionSlots) -> AcceptedConnection {
    loop {
        let accepted = listener.accept().await.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
        match accepted {
            Ok((stream, peer)) => {
                return AcceptedConnection { stream, peer, place: places.take(peer.ip()).await };
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(stream: std::net::TcpStream, visitor: Visitor, gateway: Arc<Gateway>) {
    let stream = match TcpStream::from_std(stream) {
        Ok(stream) => stream,
        Err(error) => return tracing::warn!(%error, "a connection could not be taken over"),
    };
    // Small answers must not wait for an acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    serve_bytes(stream, visitor, gateway).await;
}

/// Serves one connection that was opened in some other way, with an ordinary place, until it ends.
pub async fn serve_stream(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: SocketAddr,
    gateway: Arc<Gateway>,
) {
    serve_bytes(stream, Visitor { peer, standing: ConnectionUse::Ordinary }, gateway).await;
}

async fn serve_bytes(stream: impl AsyncRead + AsyncWrite + Unpin, visitor: Visitor, gateway: Arc<Gateway>) {
    let service = service_fn(|request| {
        let gateway = &gateway;
        async move { Ok::<_, Infallible>(entrance::enter(gateway, visitor, request).await) }
    });
    let (peer, shutdown) = (visitor.peer, gateway.shutdown.clone());
    let is_kept = visitor.standing == ConnectionUse::Kept;
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(if is_kept { KEPT_HEADERS_WAIT } else { HEADERS_WAIT })
        .keep_alive(!is_kept)
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
