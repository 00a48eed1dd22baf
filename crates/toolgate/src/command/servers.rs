//! `toolgate servers`: what stands behind the gateway, and how it does.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use toolgate_core::ServerName;
use toolgate_core::server::{ServerHealth, ServerState, TransportSpec};
use toolgate_store::{Counts, ServerStatus, Store};

use super::Context;
use crate::cli::ServersCommand;
use crate::config::{Config, ServerEntry};
use crate::import::{self, Plan, Surroundings, masked_line, masked_url};
use crate::local::open_store;
use crate::lock;
use crate::output::{printable, put, say, talk};
use crate::table::Table;
use crate::wiring::{self, House, Record};

pub(super) async fn run(context: &Context, command: ServersCommand) -> anyhow::Result<ExitCode> {
    match command {
        ServersCommand::List => list(context).await,
        ServersCommand::Show { name } => show(context, &name).await,
        ServersCommand::Import { file, dry_run, yes } => import(context, &file, dry_run, yes),
        ServersCommand::Test { name } => test(context, &name).await,
    }
}

/// A configured server together with what the gateway last said of it.
struct Known<'a> {
    entry: &'a ServerEntry,
    status: Option<ServerStatus>,
    running: bool,
}

impl Known<'_> {
    fn state(&self) -> &'static str {
        match (&self.status, self.running) {
            _ if !self.entry.enabled => "disabled",
            (_, false) => "not running",
            (None, true) => "starting",
            (Some(status), true) => health(&status.state),
        }
    }

    fn to_json(&self) -> Value {
        let state = self.status.as_ref().filter(|_| self.running).map(|status| &status.state);
        json!({
            "name": self.entry.spec.name,
            "target": target(self.entry),
            "state": self.state(),
            "reason": state.and_then(|state| state.reason.clone()),
            "era": state.and_then(|state| state.era),
            "protocol_version": state.and_then(|state| state.protocol_version.clone()),
            "transport": state.and_then(|state| state.transport),
            "pid": state.and_then(|state| state.pid),
            "restarts": state.map(|state| state.restarts),
            "listed": self.status.as_ref().map(|status| status.counts),
        })
    }
}

pub(super) fn health(state: &ServerState) -> &'static str {
    match state.health {
        ServerHealth::Starting => "starting",
        ServerHealth::Healthy => "healthy",
        ServerHealth::Degraded => "degraded",
    }
}

/// What a server is reached by, with its secrets hidden. References to the environment stand as they were written.
pub(super) fn target(entry: &ServerEntry) -> String {
    match &entry.spec.transport {
        TransportSpec::Stdio { command, args, .. } => {
            masked_line(&[std::slice::from_ref(command), args].concat())
        }
        TransportSpec::Http { url, .. } => masked_url(url),
    }
}

async fn known<'a>(config: &'a Config, store: &Store) -> anyhow::Result<Vec<Known<'a>>> {
    let running = lock::running(&config.data).is_some();
    let mut statuses: BTreeMap<String, ServerStatus> =
        store.read_statuses().await?.into_iter().map(|status| (status.name.to_string(), status)).collect();
    let with_status =
        |entry: &'a ServerEntry| Known { entry, status: statuses.remove(entry.spec.name.as_str()), running };
    Ok(config.servers.iter().map(with_status).collect())
}

async fn list(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let known = known(&config, &store).await?;
    let json: Vec<Value> = known.iter().map(Known::to_json).collect();
    let mut table = Table::new(["SERVER", "STATE", "LISTED", "DETAIL"]);
    for one in &known {
        let counts = one.status.as_ref().map_or(Counts::default(), |status| status.counts);
        let reason =
            one.status.as_ref().filter(|_| one.running).and_then(|status| status.state.reason.clone());
        let listed =
            format!("{} tools, {} prompts, {} resources", counts.tools, counts.prompts, counts.resources);
        let detail = reason.unwrap_or_else(|| target(one.entry));
        table.row([one.entry.spec.name.to_string(), one.state().to_owned(), listed, detail]);
    }
    put!("{}", table.render(context.reader(), &json));
    if known.is_empty() && !context.global.json {
        talk!(
            "hint: `toolgate servers import <file>` adds the servers a client has; toolgate.example.toml shows how to write one"
        );
    } else if known.iter().all(|one| !one.running) && !context.global.json {
        talk!("The gateway is not running on {}; `toolgate serve` starts it.", config.data.display());
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let known = known(&config, &store).await?;
    let Some(one) = known.iter().find(|one| one.entry.spec.name.as_str() == name) else {
        bail!("{}", unknown_server(&config, name));
    };
    let stderr = store.read_stderr(&one.entry.spec.name).await?;
    if context.global.json {
        let mut value = one.to_json();
        value["stderr"] = stderr.into();
        say!("{value}");
        return Ok(ExitCode::SUCCESS);
    }
    let value = one.to_json();
    for (key, label) in [
        ("name", "server"),
        ("state", "state"),
        ("reason", "reason"),
        ("target", "target"),
        ("transport", "transport"),
        ("protocol_version", "protocol"),
        ("pid", "process"),
        ("restarts", "restarts"),
    ] {
        match &value[key] {
            Value::Null => {}
            Value::String(text) => say!("{label:<10} {}", printable(text)),
            other => say!("{label:<10} {other}"),
        }
    }
    if let Some(status) = &one.status {
        let Counts { tools, prompts, resources } = status.counts;
        say!("{:<10} {tools} tools, {prompts} prompts, {resources} resources", "lists");
    }
    if !stderr.is_empty() {
        say!("\nLast lines on standard error:");
        stderr.iter().for_each(|line| say!("  {}", printable(line)));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn unknown_server(config: &Config, name: &str) -> String {
    let names: Vec<&str> = config.servers.iter().map(|server| server.spec.name.as_str()).collect();
    let best =
        names.iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    match best {
        None => format!(
            "there is no server {name:?}: none is configured\nhint: `toolgate servers import <file>` adds some"
        ),
        Some(best) if strsim::jaro_winkler(best, name) > 0.7 => {
            format!("there is no server {name:?}\nhint: did you mean {best:?}?")
        }
        Some(_) => format!("there is no server {name:?}\nhint: there are {}", names.join(", ")),
    }
}

fn import(context: &Context, file: &Path, dry_run: bool, yes: bool) -> anyhow::Result<ExitCode> {
    let path = context.cwd.join(file);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("could not read {}", file.display()))?;
    let home = std::env::home_dir();
    let config = context.config_as_written()?;
    let found = import::read_client_config(
        &path,
        &text,
        &Surroundings { home: home.as_deref(), listen: config.listen },
    )?;
    let target = context.whereabouts().file_to_write();
    let current = match std::fs::read_to_string(&target) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("could not read {}", target.display())),
    };
    let plan = import::plan(found, &path, &target, current.as_deref(), &BTreeMap::new())?;
    if context.global.json {
        say!("{}", plan_json(&plan));
    } else {
        put!("{}", printable(&plan.to_string()));
    }
    if dry_run || plan.additions.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !yes && !context.global.json && std::io::stdin().is_terminal() && !confirmed()? {
        talk!("Nothing was written.");
        return Ok(ExitCode::FAILURE);
    }
    let backup = import::apply(&plan)?;
    let kept = backup
        .map(|backup| format!("; what was there before is in {}", backup.display()))
        .unwrap_or_default();
    talk!("Wrote {}{kept}.", plan.target.display());
    Ok(ExitCode::SUCCESS)
}

fn plan_json(plan: &Plan) -> Value {
    json!({
        "file": plan.target,
        "added": plan.additions.iter().map(|server| &server.name).collect::<Vec<_>>(),
        "skipped": plan.skipped.iter().map(|(name, reason)| json!({ "name": name, "reason": reason })).collect::<Vec<_>>(),
        "conflicts": plan.conflicts.iter().map(|one| json!({ "name": one.name, "suggested": one.suggested })).collect::<Vec<_>>(),
    })
}

fn confirmed() -> anyhow::Result<bool> {
    std::io::stderr().write_all(b"Write this? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// How one server did when it was tried.
pub(super) struct Trial {
    pub(super) name: String,
    pub(super) state: ServerState,
    pub(super) tools: Vec<String>,
    pub(super) took_ms: u128,
    pub(super) stderr: Vec<String>,
}

/// Connects to servers in a gateway of its own and reports each.
pub(super) async fn try_servers(
    config: &Config,
    store: &Store,
    names: &[String],
) -> anyhow::Result<Vec<Trial>> {
    let mut config = config.clone();
    config.servers.retain(|server| names.iter().any(|name| name == server.spec.name.as_str()));
    for server in &mut config.servers {
        server.enabled = true;
    }
    let longest = config.servers.iter().map(|server| server.spec.connect_timeout).max().unwrap_or_default();
    let started = Instant::now();
    let house = wiring::start(&config, store, config.listen, Record::No).await?;
    let mut trials = Vec::new();
    for server in &config.servers {
        let name = &server.spec.name;
        let state = house.settled(name, longest.saturating_sub(started.elapsed())).await;
        trials.push(Trial {
            name: name.to_string(),
            state: state.unwrap_or_else(ServerState::starting),
            tools: tools_of(&house, name),
            took_ms: started.elapsed().as_millis(),
            stderr: house.heard(name),
        });
    }
    house.stop().await;
    Ok(trials)
}

fn tools_of(house: &House, server: &ServerName) -> Vec<String> {
    let snapshot = house.catalog.snapshot();
    snapshot
        .tools
        .entries()
        .iter()
        .filter(|entry| entry.server == *server)
        .map(|entry| entry.wire.clone())
        .collect()
}

async fn test(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    if !config.servers.iter().any(|server| server.spec.name.as_str() == name) {
        bail!("{}", unknown_server(&config, name));
    }
    let store = open_store(&config).await?;
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

impl Trial {
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

    /// For people: what the server said is in it, made printable.
    pub(super) fn describe(&self) -> String {
        let Self { name, state, tools, took_ms, stderr } = self;
        let reason = state.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let mut text = format!("{name} is {}{reason}", health(state));
        if state.health == ServerHealth::Healthy {
            let version = state.protocol_version.as_deref().unwrap_or("?");
            let transport = state.transport.unwrap_or("?");
            text.push_str(&format!(
                " ({transport}, protocol {version}, {} tools, {took_ms} ms)",
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
