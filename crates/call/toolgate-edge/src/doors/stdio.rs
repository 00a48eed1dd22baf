//! MCP over a pair of byte streams: one message a line. `toolgate stdio` and the socket in the data folder come here.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use toolgate_core::RpcError;
use toolgate_core::scope::{Credential, SessionRoute};
use toolgate_wire::line::{Framer, WireLine};
use toolgate_wire::sse::push_one_line;

use crate::doors::pipe::{Pipe, PipePeer};
use crate::gateway::Gateway;

const READ_BYTES: usize = 64 << 10;
/// The time that answers may take after the client has closed its side.
const LAST_ANSWERS_WAIT: Duration = Duration::from_secs(120);

/// Serves one client until it closes its side or the gateway shuts down.
pub async fn serve_pipe(
    gateway: Arc<Gateway>,
    credential: Credential,
    route: SessionRoute,
    mut reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (out, messages) = mpsc::channel(gateway.limits.backlog_max);
    let writing = gateway.calls.spawn(write(messages, writer));
    let pipe = Pipe::new(&gateway, PipePeer { credential, route }, out);
    let mut framer = Framer::new(gateway.limits.request_bytes_max);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = tokio::select! {
            () = gateway.shutdown.cancelled() => break,
            read = reader.read(&mut buffer) => read,
        };
        let count = match read {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        framer.push(&buffer[..count]);
        while let Some(line) = framer.next_line() {
            match line {
                WireLine::Whole(line) if line.trim_ascii().is_empty() => {}
                WireLine::Whole(line) => pipe.receive(line).await,
                WireLine::TooLong { .. } => {
                    pipe.refuse(None, &too_long(gateway.limits.request_bytes_max)).await;
                }
            }
        }
    }
    // What was asked before the end of input is still answered.
    let wait = if gateway.shutdown.is_cancelled() {
        gateway.limits.shutdown_wait
    } else {
        pipe.leave();
        LAST_ANSWERS_WAIT
    };
    pipe.drain(wait).await;
    pipe.close();
    drop(pipe);
    // Calls that were under way have their last words written before the writer ends.
    drop(writing.await);
}

fn too_long(limit: usize) -> RpcError {
    RpcError::new(RpcError::INVALID_REQUEST, format!("the message is larger than the limit of {limit} bytes"))
}

async fn write(mut messages: mpsc::Receiver<Bytes>, mut writer: impl AsyncWrite + Unpin) {
    let mut buffer = Vec::new();
    while let Some(message) = messages.recv().await {
        buffer.clear();
        push_one_line(&mut buffer, &message);
        buffer.push(b'\n');
        while let Ok(message) = messages.try_recv() {
            push_one_line(&mut buffer, &message);
            buffer.push(b'\n');
        }
        if writer.write_all(&buffer).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}
