//! `toolgate stdio`: MCP on standard input and output, through the running gateway of the data folder if
//! there is one.

use std::io::ErrorKind;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use toolgate_core::scope::{AgentName, SessionRoute};
use toolgate_edge::serve_pipe;

use super::agents;
use super::context::Context;
use crate::cli::StdioArgs;
use crate::config::Config;
use crate::local::{LocalApi, Socket, open_store};
use crate::output::{printable, talk};
use crate::relay::{RelayEnd, relay};
use crate::sockets::greet;
use crate::wiring::{self, ServerRecording};

pub(super) async fn run(context: &Context, args: StdioArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    if let Some(stream) = Socket::Agent.connect(&config.data).await {
        if let Some(agent) = &args.agent {
            warn_of_unknown(&config, agent).await;
        }
        return through(stream, &config, args.agent.as_ref()).await;
    }
    let store = open_store(&config).await?;
    let house = wiring::start(&config, &store, config.listen, ServerRecording::No).await?;
    let warning = args.agent.as_ref().and_then(|agent| agents::unknown(&house.registry.definitions(), agent));
    warning.iter().for_each(|warning| talk!("{warning}"));
    let route = args.agent.map_or(SessionRoute::Default, SessionRoute::Agent);
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    serve_pipe(house.gateway.clone(), Socket::Agent.credential(), route, input, output).await;
    house.stop().await;
    store.close().await;
    Ok(ExitCode::SUCCESS)
}

/// It may be defined while the client is connected, so it is only a warning.
async fn warn_of_unknown(config: &Config, agent: &AgentName) {
    // If this cannot be checked, the answers to requests show it.
    let Ok(Some(mut api)) = LocalApi::running(config).await else { return };
    if let Err(error) = api.get(&["agents", agent.as_str()], &[]).await {
        talk!("warning: {}", printable(&error.to_string()));
    }
}

async fn through(
    mut stream: UnixStream,
    config: &Config,
    agent: Option<&AgentName>,
) -> anyhow::Result<ExitCode> {
    if let Some(agent) = agent {
        stream.write_all(greet(agent).as_bytes()).await.context("the gateway has gone")?;
    }
    let client = (tokio::io::stdin(), tokio::io::stdout());
    match relay(client, stream.into_split(), &config.limits).await {
        Ok(RelayEnd::Client) => Ok(ExitCode::SUCCESS),
        Ok(RelayEnd::Gateway { unanswered: 0 }) => bail!("the gateway ended"),
        Ok(RelayEnd::Gateway { unanswered }) => {
            bail!("the gateway ended; {unanswered} requests were answered with an error")
        }
        // The client no longer reads.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error).context("could not write to standard output"),
    }
}
