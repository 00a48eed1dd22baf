//! The gateway's side of the sockets in the data folder: for `toolgate stdio` and the CLI. They need no
//! token. Only their owner may open them, with the key that is kept beside them, and none of the servers that
//! the gateway starts.

mod api;
mod descent;
mod greeting;

use std::convert::Infallible;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{UnixListener, UnixSocket, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_api::Api;
use toolgate_core::MessageLimits;
use toolgate_core::scope::SessionRoute;
use toolgate_edge::{Gateway, serve_pipe};

use crate::local::{Socket, SocketKey};
use crate::wiring::AssembledGateway;

pub(crate) use greeting::greet;

/// Connections to a socket that wait to be accepted.
const BACKLOG: u32 = 128;
/// Breathing space after `accept` failed, usually because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The time that a connection has to send its key, which comes first.
const KEY_WAIT: Duration = Duration::from_secs(15);

/// The sockets that are open.
pub(crate) struct Sockets {
    paths: Vec<PathBuf>,
    /// The listeners, and the answers besides MCP, which the gateway itself waits for.
    answering: TaskTracker,
    last_answers_wait: Duration,
}

impl Sockets {
    /// A socket that cannot be opened is reported and left out.
    pub(crate) fn open(data: &Path, house: &AssembledGateway, limits: &MessageLimits) -> Self {
        let answering = TaskTracker::new();
        let paths = Self::opened(data, house, limits, &answering).unwrap_or_else(|error| {
            tracing::warn!(%error, "no key for local sockets; commands start a gateway of their own");
            Vec::new()
        });
        Self { paths, answering, last_answers_wait: limits.shutdown_wait }
    }

    fn opened(
        data: &Path,
        house: &AssembledGateway,
        limits: &MessageLimits,
        answering: &TaskTracker,
    ) -> io::Result<Vec<PathBuf>> {
        let host = Arc::new(SocketHost {
            key: SocketKey::renew(data)?,
            gateway: house.gateway.clone(),
            api: house.api.clone(),
            shutdown: house.shutdown.clone(),
            answering: answering.clone(),
        });
        let opened = Socket::ALL.into_iter().filter_map(|socket| {
            let path = socket.path(data);
            let listener = listen(&path)?;
            answering.spawn(host.clone().receive(socket, listener, limits.connections_max));
            Some(path)
        });
        Ok(opened.chain([SocketKey::path(data)]).collect())
    }

    /// Waits for the last answers, once the gateway has been told to stop.
    pub(crate) async fn finish(&self) {
        self.answering.close();
        // Requests without an answer by then get none.
        drop(tokio::time::timeout(self.last_answers_wait, self.answering.wait()).await);
    }

    pub(crate) fn remove(self) {
        for path in self.paths {
            // The next start removes a leftover, so a failure here costs nothing.
            drop(std::fs::remove_file(path));
        }
    }
}

fn listen(path: &Path) -> Option<UnixListener> {
    // The lock is ours, so an existing socket has no owner.
    drop(std::fs::remove_file(path));
    match bind_private(path) {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no local socket; commands that would use it start a gateway of their own");
            None
        }
    }
}

/// Nothing can connect before `listen`, and by then the mode is set, whatever the umask.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    socket.listen(BACKLOG)
}

/// The services behind the sockets.
struct SocketHost {
    key: SocketKey,
    gateway: Arc<Gateway>,
    api: Api,
    shutdown: CancellationToken,
    answering: TaskTracker,
}

impl SocketHost {
    async fn receive(self: Arc<Self>, socket: Socket, listener: UnixListener, connections_max: usize) {
        let serve_one = |stream| Box::pin(self.clone().serve(socket, stream));
        self.shutdown.run_until_cancelled(accept(&listener, connections_max, serve_one)).await;
    }

    async fn lets_in(&self, stream: &mut UnixStream) -> bool {
        if descent::is_of_ours(stream) {
            tracing::warn!(
                "a server's process was refused at a socket of the data folder, which is for people"
            );
            return false;
        }
        let shown = tokio::time::timeout(KEY_WAIT, self.key.opens(stream));
        let opens = self.shutdown.run_until_cancelled(shown).await.is_some_and(|shown| shown == Ok(true));
        if !opens {
            tracing::debug!("a connection to a socket of the data folder did not show its key");
        }
        opens
    }

    async fn serve(self: Arc<Self>, socket: Socket, mut stream: UnixStream) {
        if !self.lets_in(&mut stream).await {
            return;
        }
        let credential = socket.credential();
        match socket {
            Socket::Person => {
                let (reader, writer) = stream.into_split();
                serve_pipe(self.gateway.clone(), credential, SessionRoute::Default, reader, writer).await;
            }
            Socket::Agent => {
                let (reader, writer) = stream.into_split();
                let heard = self.shutdown.run_until_cancelled(greeting::hear(reader)).await;
                let Some((route, reader)) = heard else { return };
                serve_pipe(self.gateway.clone(), credential, route, reader, writer).await;
            }
            Socket::Api => {
                let serving = api::serve(&self.api, stream, &self.shutdown);
                self.answering.track_future(serving).await;
            }
        }
    }
}

/// Serves every connection in its own task, up to a limit; more wait to be accepted.
async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: &UnixListener,
    connections_max: usize,
    serve_one: impl Fn(UnixStream) -> F,
) -> Infallible {
    // The gateway waits for what a connection asked for, not for the connection.
    let connections = TaskTracker::new();
    let places = Arc::new(Semaphore::new(connections_max));
    loop {
        let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = serve_one(stream);
                connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection on the local socket");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn the_socket_is_open_to_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = bind_private(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test]
    async fn connections_over_the_limit_wait_for_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let listener = bind_private(&path).unwrap();
        let story = async {
            let mut first = UnixStream::connect(&path).await.unwrap();
            let mut second = UnixStream::connect(&path).await.unwrap();
            assert_eq!(first.read_u8().await.unwrap(), b'!');
            drop(first);
            assert_eq!(second.read_u8().await.unwrap(), b'!', "its turn comes");
        };
        let greet = |mut stream: UnixStream| async move {
            stream.write_u8(b'!').await.unwrap();
            stream.read_u8().await.unwrap_err();
        };
        tokio::select! {
            never = accept(&listener, 1, greet) => match never {},
            () = story => {}
        }
    }
}
