//! `toolgate serve`: the gateway itself.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use toolgate_core::PrincipalId;
use toolgate_edge::{serve, serve_pipe};
use toolgate_store::{NewToken, Store};

use super::Context;
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::local::socket_path;
use crate::lock::GatewayLock;
use crate::wiring::{self, House, Record};

pub(super) async fn run(context: &Context, args: ServeArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let store = Store::open(&config.data).await?;
    let lock = GatewayLock::take(&config.data)?;
    let wanted = args.listen.unwrap_or(config.listen);
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!("could not listen on {wanted}\nhint: choose another address with --listen, port 0 picks a free one")
    })?;
    let address = listener.local_addr().context("could not find the address that was bound")?;
    let endpoint = endpoint(address);
    let first = store.first_start_tokens().await?;
    let house = wiring::start(&config, &store, address, Record::Yes).await?;
    lock.announce(Some(endpoint.clone()))?;
    let socket = open_socket(&config.data, &house);
    announce(context, &config, &endpoint, first.as_ref());

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
    if let Some(path) = socket {
        // Whoever starts next removes a leftover, so a failure here costs nothing.
        drop(std::fs::remove_file(path));
    }
    store.close().await;
    drop(lock);
    Ok(ExitCode::SUCCESS)
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

/// A socket beside the data, for `toolgate stdio` and the CLI: who may open the folder may speak to the gateway.
fn open_socket(data: &Path, house: &House) -> Option<std::path::PathBuf> {
    let path = socket_path(data);
    // The lock is ours, so a socket that is still there belongs to nobody.
    drop(std::fs::remove_file(&path));
    let listener = match UnixListener::bind(&path) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no local socket; `toolgate stdio` and `toolgate tools` start a gateway of their own");
            return None;
        }
    };
    let gateway = house.gateway.clone();
    let shutdown = house.shutdown.clone();
    tokio::spawn(async move {
        loop {
            let accepted = tokio::select! {
                () = shutdown.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            if let Ok((stream, _)) = accepted {
                let (reader, writer) = stream.into_split();
                tokio::spawn(serve_pipe(gateway.clone(), PrincipalId::local(), reader, writer));
            }
        }
    });
    Some(path)
}

/// What someone who has just started the gateway needs next.
#[expect(clippy::print_stdout, reason = "this is what the command is for")]
fn announce(context: &Context, config: &Config, endpoint: &str, first: Option<&(NewToken, NewToken)>) {
    let secret = first.map(|(agent, _)| agent.secret.as_str());
    let client = json!({ "mcpServers": { "toolgate": {
        "type": "http",
        "url": endpoint,
        "headers": { "Authorization": format!("Bearer {}", secret.unwrap_or("<your token>")) },
    } } });
    if context.global.json {
        let tokens = first.map(|(agent, admin)| json!({ "agent": agent.secret, "admin": admin.secret }));
        println!(
            "{}",
            json!({ "endpoint": endpoint, "data": config.data, "tokens": tokens, "client": client })
        );
        return;
    }
    let enabled = config.servers.iter().filter(|server| server.enabled).count();
    println!("Toolgate {} is ready.", env!("CARGO_PKG_VERSION"));
    println!("  MCP endpoint   {endpoint}");
    println!("  data           {}", config.data.display());
    match &config.source {
        Some(source) => println!("  configuration  {} ({enabled} servers)", source.display()),
        None => println!(
            "  configuration  none yet; `toolgate servers import <file>` takes over what a client has"
        ),
    }
    match first {
        Some((_, admin)) => {
            println!("  admin token    {}", admin.secret);
            println!("\nPaste this into your MCP client. Both tokens are shown only this once:\n");
        }
        None => println!("\nFor an MCP client (`toolgate token create --role agent` makes a token):\n"),
    }
    println!("{client:#}\n");
    println!(
        "`toolgate connect <client>` writes this for Claude, Cursor and VS Code. Ctrl-C stops the gateway."
    );
}
