//! `toolgate serve`: the gateway itself.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::Permissions;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;
use tokio::net::{TcpListener, UnixListener, UnixSocket, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use toolgate_core::Role;
use toolgate_edge::{serve, serve_pipe};
use toolgate_registry::Registry;
use toolgate_store::{NewToken, Others};

use super::Context;
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::local::{Socket, open_store};
use crate::lock::GatewayLock;
use crate::output;
use crate::reload::{Seen, Watch};
use crate::wiring::{self, House, Record};

/// More than the gateway can have connections.
const OPEN_FILES_MAX: u64 = 65_536;
/// Connections to the local socket that wait to be accepted.
const SOCKET_BACKLOG: u32 = 128;
/// Breathing space after `accept` failed, usually because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn run(context: &Context, args: ServeArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    allow_many_files();
    let store = open_store(&config).await?;
    warn_of_others(&config.data);
    let lock = GatewayLock::take(&config.data).await?;
    let wanted = args.listen.unwrap_or(config.listen);
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!("could not listen on {wanted}\nhint: choose another address with --listen, port 0 picks a free one")
    })?;
    let address = listener.local_addr().context("could not find the address that was bound")?;
    let endpoint = endpoint(address);
    let house = wiring::start(&config, &store, address, Record::Yes).await?;
    // Made once it is certain that they will be shown: a start that fails must not use them up.
    let first = store.first_start_tokens().await?;
    lock.announce(Some(endpoint.clone()))?;
    let sockets: Vec<PathBuf> = Socket::ALL
        .into_iter()
        .filter_map(|socket| open_socket(socket, &config.data, &house, config.limits.connections_max))
        .collect();
    // A gateway serves on where nobody reads what it says.
    if let Err(error) = announce(context, &config, &endpoint, &first) {
        tracing::warn!(%error, "could not print the address and tokens; `toolgate token create` makes another token");
    }

    let following = Watch::new(&context.whereabouts(), super::environment, config.clone());
    let registry = house.registry.clone();
    tokio::spawn(house.shutdown.clone().run_until_cancelled_owned(follow_config(following, registry)));
    let mut serving = tokio::spawn(serve(listener, house.gateway.clone()));
    tokio::select! {
        signal = wait_for_signal() => signal?,
        failed = &mut serving => return failed?.map(|()| ExitCode::SUCCESS).context("could not start serving"),
    }
    tracing::info!("shutting down; a second signal ends it at once");
    tokio::select! {
        () = finish(house, serving) => {}
        again = wait_for_signal() => again?,
    }
    for path in sockets {
        // Whoever starts next removes a leftover, so a failure here costs nothing.
        drop(std::fs::remove_file(path));
    }
    store.close().await;
    drop(lock);
    Ok(ExitCode::SUCCESS)
}

/// Takes up what changes in the configuration file. One that does not load changes nothing.
async fn follow_config(mut watch: Watch, registry: Arc<Registry>) {
    loop {
        match watch.next().await {
            Seen::Changed { config, restart } => {
                let lines = registry.reload(config.file_state()).await;
                if lines.is_empty() {
                    tracing::info!("configuration: it loads, and no server, tool or alias is different");
                }
                for line in lines {
                    tracing::info!("configuration: {line}");
                }
                if !restart.is_empty() {
                    tracing::warn!("configuration: {} counts after a restart only", restart.join(", "));
                }
            }
            Seen::Refused(error) => {
                // Not the lines themselves: they may hold secrets, and logs and ledgers travel.
                let places = error.places();
                tracing::error!(
                    "the configuration file does not load and what it said before stays: {places}; \
                     `toolgate doctor` says what is wrong there"
                );
                registry.config_refused(&places).await;
            }
        }
    }
}

async fn finish(house: House, serving: tokio::task::JoinHandle<std::io::Result<()>>) {
    house.stop().await;
    drop(serving.await);
}

async fn wait_for_signal() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("could not wait for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("could not wait for signals")?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

/// The address that clients on this machine use.
pub(super) fn endpoint(address: SocketAddr) -> String {
    let ip = if address.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { address.ip() };
    format!("http://{}/mcp", SocketAddr::new(ip, address.port()))
}

/// Every connection is an open file, and the usual limit of 1024 is a few hundred servers. What may be had without asking
/// anybody is taken.
fn allow_many_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        setrlimit(Resource::RLIMIT_NOFILE, hard.min(OPEN_FILES_MAX).max(soft), hard)
    });
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files stays as it is; `ulimit -n` shows it");
    }
}

/// A folder that was there before keeps its mode: its owner may have reasons, but should know.
fn warn_of_others(data: &Path) {
    let may = match Others::of(data) {
        Others::Nothing => return,
        Others::Look => "look into",
        Others::Change => "change",
    };
    tracing::warn!(
        "other users of this machine may {may} the data folder; `chmod 700 {}` keeps them out",
        data.display()
    );
}

/// A socket beside the data, for `toolgate stdio` and the CLI: it needs no token, so only its owner may open it.
fn open_socket(socket: Socket, data: &Path, house: &House, connections_max: usize) -> Option<PathBuf> {
    let path = socket.path(data);
    // The lock is ours, so a socket that is still there belongs to nobody.
    drop(std::fs::remove_file(&path));
    let listener = match bind_private(&path) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no local socket; `toolgate stdio` and `toolgate tools` start a gateway of their own");
            return None;
        }
    };
    let (gateway, shutdown) = (house.gateway.clone(), house.shutdown.clone());
    tokio::spawn(async move {
        let accepting = accept(&listener, connections_max, |stream| {
            let (reader, writer) = stream.into_split();
            serve_pipe(gateway.clone(), socket.principal(), reader, writer)
        });
        shutdown.run_until_cancelled(accepting).await;
    });
    Some(path)
}

/// Nobody can connect before `listen`, and by then the mode is what it shall be, whatever the umask.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    socket.listen(SOCKET_BACKLOG)
}

/// Serves every connection in a task of its own, so many at a time; more wait to be accepted.
async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: &UnixListener,
    connections_max: usize,
    serve_one: impl Fn(UnixStream) -> F,
) -> Infallible {
    let places = Arc::new(Semaphore::new(connections_max));
    loop {
        let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = serve_one(stream);
                tokio::spawn(async move {
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

/// What someone who has just started the gateway needs next.
fn announce(context: &Context, config: &Config, endpoint: &str, first: &[NewToken]) -> io::Result<()> {
    let secret = |role| first.iter().find(|token| token.role == role).map(|token| token.secret.as_str());
    let client = json!({ "mcpServers": { "toolgate": {
        "type": "http",
        "url": endpoint,
        "headers": { "Authorization": format!("Bearer {}", secret(Role::Agent).unwrap_or("<your token>")) },
    } } });
    if context.global.json {
        let tokens: BTreeMap<_, _> =
            first.iter().map(|token| (token.role.as_str(), token.secret.as_str())).collect();
        let tokens = (!tokens.is_empty()).then_some(tokens);
        let said = json!({ "endpoint": endpoint, "data": config.data, "tokens": tokens, "client": client });
        return output::try_write(format_args!("{said}\n"));
    }
    let enabled = config.servers.iter().filter(|server| server.enabled).count();
    let source = match &config.source {
        Some(source) => format!("{} ({enabled} servers)", source.display()),
        None => "none yet; `toolgate servers import <file>` takes over what a client has".into(),
    };
    let admin = secret(Role::Admin).map(|secret| format!("  admin token    {secret}\n")).unwrap_or_default();
    let next = match (secret(Role::Agent), secret(Role::Admin)) {
        (Some(_), Some(_)) => "Paste this into your MCP client. Both tokens are shown only this once:",
        (Some(_), None) => "Paste this into your MCP client. Its token is shown only this once:",
        (None, Some(_)) => {
            "The admin token is shown only this once. For an MCP client (`toolgate token create --role agent` makes a token):"
        }
        (None, None) => "For an MCP client (`toolgate token create --role agent` makes a token):",
    };
    output::try_write(format_args!(
        "Toolgate {version} is ready.\n  MCP endpoint   {endpoint}\n  data           {data}\n  configuration  {source}\n\
         {admin}\n{next}\n\n{client:#}\n\n\
         `toolgate connect <client>` writes this for Claude, Cursor and VS Code. Ctrl-C stops the gateway.\n",
        version = env!("CARGO_PKG_VERSION"),
        data = config.data.display(),
    ))
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
