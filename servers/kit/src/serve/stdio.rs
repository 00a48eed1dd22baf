//! One client on stdin and stdout, until it closes stdin.

use std::io;
use std::sync::Arc;

use rmcp::service::{QuitReason, RoleServer, RunningService, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::server::KitServer;
use crate::run_error::RunError;

pub(super) async fn serve(server: &Arc<KitServer>, signals: CancellationToken) -> Result<(), RunError> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(server.limits.read_bytes());
    let started = Box::pin(Handler(Arc::clone(server)).serve(transport));
    let started = signals.run_until_cancelled(started).await;
    let running = match started {
        Some(Ok(running)) => running,
        // A client that disconnects before initializing is not a failure.
        None | Some(Err(ServerInitializeError::ConnectionClosed(_))) => return Ok(()),
        Some(Err(error)) => return Err(RunError::Serve(io::Error::other(error))),
    };
    until_over(server, running, signals).await
}

async fn until_over(
    server: &KitServer,
    running: RunningService<RoleServer, Handler>,
    signals: CancellationToken,
) -> Result<(), RunError> {
    let stop = running.cancellation_token();
    let drained = async {
        signals.cancelled().await;
        server.drain().await;
        stop.cancel();
    };
    let (over, ()) = tokio::join!(ended(running, &signals), drained);
    over
}

/// However it ended, there is no need to wait for a signal.
async fn ended(
    running: RunningService<RoleServer, Handler>,
    signals: &CancellationToken,
) -> Result<(), RunError> {
    let over = running.waiting().await;
    signals.cancel();
    match over {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(RunError::Serve(io::Error::other(error))),
        Ok(_) => Ok(()),
    }
}
