//! HTTP on a socket of the data folder: every request goes straight to the REST API, as one of the person at
//! the command line. The socket's key keeps others out, so Host, Origin and tokens do not matter here.

use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;
use toolgate_api::Api;

use crate::local;

/// The time that a command has to send its request line and headers.
const HEADERS_WAIT: Duration = Duration::from_secs(15);

/// Each route limits the size of its body.
pub(super) async fn serve(api: &Api, stream: UnixStream, shutdown: &CancellationToken) {
    let answer = service_fn(|request: http::Request<hyper::body::Incoming>| async move {
        Ok::<_, Infallible>(local::serve(api, request).await)
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADERS_WAIT);
    let mut connection = pin!(server.serve_connection(TokioIo::new(stream), answer));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the API's socket ended badly");
    }
}
