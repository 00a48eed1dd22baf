//! `toolgate servers`: the servers behind the gateway, and their health.

mod import;
mod login;
mod outdated;
mod published;
mod roster;
mod show;
mod switching;
mod writing;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_core::ServerName;
use toolgate_core::server::{ServerHealth, ServerState};
use toolgate_registry::ServerSource;
use toolgate_store::Store;

use super::context::Context;
use crate::cli::ServersCommand;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{printable, say};
use crate::wiring::{self, AssembledGateway, ServerRecording};

pub(super) use roster::{RosterServer, disabled, roster, target, unknown_server};
use show::health;

pub(super) async fn run(context: &Context, command: ServersCommand) -> anyhow::Result<ExitCode> {
    match command {
        ServersCommand::List => show::list(context).await,
        ServersCommand::Show { name } => show::show(context, &name).await,
        ServersCommand::Import(args) => import::import(context, args).await,
        ServersCommand::Search { words, limit } => published::search(context, &words, limit.into()).await,
        ServersCommand::Add(args) => published::add(context, args).await,
        ServersCommand::Outdated { name } => outdated::outdated(context, name.as_deref()).await,
        ServersCommand::Disable { name, reason } => switching::disable(context, &name, reason).await,
        ServersCommand::Enable { name, reason } => switching::enable(context, &name, reason).await,
        ServersCommand::Test { name } => test(context, &name).await,
        ServersCommand::Login(args) => login::login(context, args).await,
        ServersCommand::Logout { name, principal } => login::logout(context, &name, principal).await,
    }
}

/// The result of trying one server.
pub(super) struct ServerTrial {
    pub(super) name: String,
    pub(super) state: ServerState,
    pub(super) tools: Vec<String>,
    pub(super) took_ms: u128,
    pub(super) stderr: Vec<String>,
}

/// Connects to servers in its own gateway and reports each.
pub(super) async fn try_servers(
    config: &Config,
    store: &Store,
    names: &[String],
) -> anyhow::Result<Vec<ServerTrial>> {
    let mut config = config.clone();
    config.servers.retain(|server| names.iter().any(|name| name == server.spec.name.as_str()));
    for server in &mut config.servers {
        server.enabled = true;
    }
    let longest = config.servers.iter().map(|server| server.spec.connect_timeout).max().unwrap_or_default();
    let started = Instant::now();
    let house = wiring::start(&config, store, config.listen, ServerRecording::No).await?;
    // Each at its own pace: the duration of one says nothing about another.
    let tried = &house;
    let settling = config.servers.iter().map(|server| async move {
        let state = tried.settled(&server.spec.name, longest).await;
        (state.unwrap_or_else(ServerState::starting), started.elapsed().as_millis())
    });
    let settled = futures_util::future::join_all(settling).await;
    let mut trials = Vec::new();
    for (server, (state, took_ms)) in config.servers.iter().zip(settled) {
        let name = &server.spec.name;
        trials.push(ServerTrial {
            name: name.to_string(),
            tools: tools_of(&house, name, &state).await,
            state,
            took_ms,
            stderr: house.heard(name),
        });
    }
    house.stop().await;
    Ok(trials)
}

/// The tools of a server that was reached.
async fn tools_of(house: &AssembledGateway, server: &ServerName, state: &ServerState) -> Vec<String> {
    house.shelved(server, state).await;
    let snapshot = house.catalog.snapshot();
    let tools = snapshot.tools.entries().iter().filter(|entry| entry.server == *server);
    tools.map(|entry| entry.wire.clone()).collect()
}

async fn test(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let store = open_store(&config).await?;
    refuse_untestable(&config, &store, name).await?;
    let trials = try_servers(&config, &store, &[name.to_owned()]).await?;
    let Some(trial) = trials.first() else { bail!("the server could not be tried") };
    let healthy = trial.state.health == ServerHealth::Healthy;
    if context.global.json {
        say!("{}", trial.to_json());
    } else {
        say!("{}", trial.describe());
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Only the gateway itself reaches servers that are not in the file, for only it knows where they are now.
async fn refuse_untestable(config: &Config, store: &Store, name: &str) -> anyhow::Result<()> {
    let roster = roster(config, store).await?;
    let is_disabled = disabled(store).await?.contains_key(name);
    match roster.iter().find(|known| known.name.as_str() == name) {
        None => bail!("{}", unknown_server(&roster, name)),
        Some(known) if known.source != ServerSource::File => bail!(
            "{name:?} is not reached by an address in the file\nhint: `toolgate servers show {name}` says how it does at the gateway"
        ),
        Some(_) if is_disabled => {
            bail!("{name:?} is disabled\nhint: `toolgate servers enable {name}` enables it")
        }
        Some(_) => Ok(()),
    }
}

impl ServerTrial {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "state": health(&self.state),
            "reason": self.state.reason,
            "era": self.state.era,
            "protocol_version": self.state.protocol_version,
            "transport": self.state.transport,
            "tools": self.tools,
            "took_ms": u64::try_from(self.took_ms).unwrap_or(u64::MAX),
            "stderr": self.stderr,
        })
    }

    /// For people: includes the server's text, made printable.
    pub(super) fn describe(&self) -> String {
        let Self { name, state, tools, took_ms, stderr } = self;
        let reason = state.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let mut text = format!("{name} is {}{reason}", health(state));
        if state.health == ServerHealth::Healthy {
            let version = state.protocol_version.as_deref().unwrap_or("?");
            let transport = state.transport.unwrap_or("?");
            text.push_str(&format!(
                " ({transport}, protocol {version}, {} tools, reached in {took_ms} ms)",
                tools.len()
            ));
        } else if !stderr.is_empty() {
            text.push_str("\n  last lines on standard error:");
            for line in stderr.iter().rev().take(10).rev() {
                text.push_str(&format!("\n    {line}"));
            }
        }
        printable(&text)
    }
}
