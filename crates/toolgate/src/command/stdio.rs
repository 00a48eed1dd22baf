//! `toolgate stdio`: MCP on standard input and output, through the gateway that runs on the data folder if there is one.

use std::io::ErrorKind;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use tokio::net::UnixStream;
use toolgate_edge::serve_pipe;

use super::Context;
use crate::config::Config;
use crate::local::{Socket, open_store};
use crate::relay::{End, relay};
use crate::wiring::{self, Record};

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    if let Some(stream) = Socket::Agent.connect(&config.data).await {
        return through(stream, &config).await;
    }
    let store = open_store(&config).await?;
    let house = wiring::start(&config, &store, config.listen, Record::No).await?;
    serve_pipe(house.gateway.clone(), Socket::Agent.principal(), tokio::io::stdin(), tokio::io::stdout())
        .await;
    house.stop().await;
    store.close().await;
    Ok(ExitCode::SUCCESS)
}

async fn through(stream: UnixStream, config: &Config) -> anyhow::Result<ExitCode> {
    let client = (tokio::io::stdin(), tokio::io::stdout());
    match relay(client, stream.into_split(), &config.limits).await {
        Ok(End::Client) => Ok(ExitCode::SUCCESS),
        Ok(End::Gateway { unanswered: 0 }) => bail!("the gateway ended"),
        Ok(End::Gateway { unanswered }) => {
            bail!("the gateway ended; {unanswered} requests were answered with an error")
        }
        // The client no longer reads.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error).context("could not write to standard output"),
    }
}
