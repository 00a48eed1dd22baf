//! The health of servers, as the gateway last reported.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_core::moment::rfc3339;
use toolgate_core::server::{Confinement, InstanceState, ServerHealth, ServerState};
use toolgate_registry::OriginFinding;
use toolgate_store::{ListCounts, ServerStatus, Store};

use super::roster::{RosterInstance, RosterServer, roster, unknown_server};
use crate::command::context::Context;
use crate::command::shown::{now_ms, span};
use crate::config::Config;
use crate::confining;
use crate::import::masked_url;
use crate::local::open_store;
use crate::lock;
use crate::output::{printable, put, say, talk};
use crate::table::TextTable;

/// A server with the gateway's last report.
struct ServerReport {
    known: RosterServer,
    status: Option<ServerStatus>,
    running: bool,
    /// What the registry that it came from has instead.
    finding: Option<OriginFinding>,
}

impl ServerReport {
    fn state(&self) -> &'static str {
        match (&self.status, self.running) {
            _ if !self.known.enabled => "disabled",
            (_, false) => "not running",
            (None, true) => "starting",
            (Some(status), true) => health(&status.state),
        }
    }

    /// The gateway's current report; `None` if it does not run.
    fn now(&self) -> Option<&ServerStatus> {
        self.status.as_ref().filter(|_| self.running && self.known.enabled)
    }

    fn reason(&self) -> Option<&str> {
        let found = self.now().and_then(|status| status.state.reason.as_deref());
        found.or(self.known.disabled_for.as_deref())
    }

    fn to_json(&self) -> Value {
        let state = self.now().map(|status| &status.state);
        let instances: Vec<Value> = self.known.instances.iter().map(|one| self.instance(one)).collect();
        let mut value = json!({
            "name": self.known.name,
            "source": self.known.source,
            "target": self.known.target,
            "state": self.state(),
            "reason": self.reason(),
            "since": self.now().map(|status| rfc3339(status.since_ms)),
            "era": state.and_then(|state| state.era),
            "protocol_version": state.and_then(|state| state.protocol_version.clone()),
            "transport": state.and_then(|state| state.transport),
            "pid": state.and_then(|state| state.pid),
            "restarts": state.map(|state| state.restarts),
            "listed": self.status.as_ref().map(|status| status.counts),
            "instances": instances,
        });
        if let Some(finding) = &self.finding {
            value["outdated"] = outdated(finding);
        }
        value
    }

    fn instance(&self, instance: &RosterInstance) -> Value {
        let spec = &instance.spec;
        let state = self.state_of(instance);
        json!({
            "id": spec.id,
            "url": masked_url(&spec.url),
            "version": spec.version,
            "state": state.map(|state| health_word(state.health)),
            "reason": state.and_then(|state| state.reason.clone()),
            "concurrency_max": spec.concurrency_max,
            "lease_seconds": instance.lease.map(|lease| lease.as_secs_f64()),
        })
    }

    fn state_of(&self, instance: &RosterInstance) -> Option<&InstanceState> {
        self.now()?.state.instances.iter().find(|state| state.id == instance.spec.id)
    }
}

fn outdated(finding: &OriginFinding) -> Value {
    json!({
        "state": finding.standing.as_str(),
        "version": finding.version,
        "latest": finding.latest,
        "says": finding.says(),
    })
}

pub(crate) fn health(state: &ServerState) -> &'static str {
    health_word(state.health)
}

fn health_word(health: ServerHealth) -> &'static str {
    match health {
        ServerHealth::Starting => "starting",
        ServerHealth::Healthy => "healthy",
        ServerHealth::Degraded => "degraded",
    }
}

async fn seen(config: &Config, store: &Store) -> anyhow::Result<Vec<ServerReport>> {
    let running = lock::running(&config.data).is_some();
    let mut statuses: BTreeMap<String, ServerStatus> =
        store.read_statuses().await?.into_iter().map(|status| (status.name.to_string(), status)).collect();
    let outdated = store.read_outdated_servers().await?;
    let with_status = |known: RosterServer| {
        let status = statuses.remove(known.name.as_str());
        let finding = OriginFinding::among(&outdated, &known.name, known.published.as_ref());
        ServerReport { known, status, running, finding }
    };
    Ok(roster(config, store).await?.into_iter().map(with_status).collect())
}

pub(super) async fn list(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let all = seen(&config, &store).await?;
    let json: Vec<Value> = all.iter().map(ServerReport::to_json).collect();
    let mut table = TextTable::new(["SERVER", "STATE", "SINCE", "LISTED", "FROM", "DETAIL"]);
    for one in &all {
        table.row([
            one.known.name.to_string(),
            one.state().to_owned(),
            one.now().map(|status| ago(status.since_ms)).unwrap_or_default(),
            listed(one.status.as_ref().map_or(ListCounts::default(), |status| status.counts)),
            source(one).to_owned(),
            one.reason().map_or_else(|| one.known.target.clone(), str::to_owned),
        ]);
    }
    put!("{}", table.render(context.reader(), &json));
    if !context.global.json {
        talk_of_findings(&all);
    }
    if all.is_empty() && !context.global.json {
        talk!(
            "hint: `toolgate servers import <file>` adds the servers a client has; toolgate.example.toml shows how to write one"
        );
    } else if all.iter().all(|one| !one.running) && !context.global.json {
        let data = context.missing_data().unwrap_or(&config.data);
        talk!("The gateway is not running on {}; `toolgate serve` starts it.", data.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn talk_of_findings(all: &[ServerReport]) {
    let mut any = false;
    for (one, finding) in all.iter().filter_map(|one| Some((one, one.finding.as_ref()?))) {
        talk!("{}: {}", one.known.name, printable(&finding.says()));
        any = true;
    }
    if any {
        talk!(
            "hint: nothing was changed; `toolgate servers outdated` shows the difference. To take another version, remove the old \
             entry, then `toolgate servers add`"
        );
    }
}

fn ago(since_ms: i64) -> String {
    format!("{} ago", span(now_ms().saturating_sub(since_ms)))
}

fn listed(counts: ListCounts) -> String {
    format!("{} tools, {} prompts, {} resources", counts.tools, counts.prompts, counts.resources)
}

fn source(one: &ServerReport) -> &'static str {
    use toolgate_registry::ServerSource;
    match one.known.source {
        ServerSource::File => "file",
        ServerSource::Expected => "file, registers",
        ServerSource::Settings => "settings",
        ServerSource::Registered => "registered",
    }
}

pub(super) async fn show(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    let all = seen(&config, &store).await?;
    let Some(one) = all.iter().find(|one| one.known.name.as_str() == name) else {
        let known: Vec<RosterServer> = all.into_iter().map(|one| one.known).collect();
        bail!("{}", unknown_server(&known, name));
    };
    let stderr = store.read_stderr(&one.known.name).await?;
    let confinement = confinement(context, &config, name)?;
    let mut value = one.to_json();
    value["confinement"] = json!(confinement);
    if context.global.json {
        value["stderr"] = stderr.into();
        say!("{value}");
        return Ok(ExitCode::SUCCESS);
    }
    say_facts(one, &value);
    if let Some(Confinement { level, says }) = &confinement {
        say!("{:<10} {}", "sandbox", level.as_str());
        says.iter().for_each(|line| say!("{:<10} {}", "", printable(line)));
    }
    if !one.known.instances.is_empty() {
        say!("");
        put!("{}", instances(one).render(context.reader(), &()));
    }
    if !stderr.is_empty() {
        say!("\nLast lines on standard error:");
        stderr.iter().for_each(|line| say!("  {}", printable(line)));
    }
    Ok(ExitCode::SUCCESS)
}

/// The actual or future confinement of its process; `None` for a server that is not a process of this
/// gateway.
fn confinement(context: &Context, written: &Config, name: &str) -> anyhow::Result<Option<Confinement>> {
    // Paths may contain references; unresolvable ones are shown as written.
    let resolved = context.config().ok();
    let config = resolved.as_ref().unwrap_or(written);
    let Some(entry) = config.servers.iter().find(|entry| entry.spec.name.as_str() == name) else {
        return Ok(None);
    };
    Ok(confining::confiner(config)?.confinement(&entry.spec.transport, &confining::inherited()))
}

fn say_facts(one: &ServerReport, value: &Value) {
    for (key, label) in [
        ("name", "server"),
        ("state", "state"),
        ("reason", "reason"),
        ("since", "since"),
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
    say!("{:<10} {}", "from", source(one));
    if let Some(finding) = &one.finding {
        say!("{:<10} {}", "registry", printable(&finding.says()));
    }
    if let Some(status) = &one.status {
        say!("{:<10} {}", "lists", listed(status.counts));
    }
}

fn instances(one: &ServerReport) -> TextTable {
    let mut table = TextTable::new(["INSTANCE", "STATE", "VERSION", "ADDRESS", "LEASE", "WHY"]);
    for instance in &one.known.instances {
        let (spec, state) = (&instance.spec, one.state_of(instance));
        let lease = instance.lease.map(|lease| format!("{} s", lease.as_secs_f64()));
        table.row([
            spec.id.to_string(),
            state.map_or("", |state| health_word(state.health)).to_owned(),
            spec.version.clone().unwrap_or_default(),
            masked_url(&spec.url),
            lease.unwrap_or_default(),
            state.and_then(|state| state.reason.clone()).unwrap_or_default(),
        ]);
    }
    table
}
