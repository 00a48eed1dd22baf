//! `toolgate doctor`: everything checked once, each problem with advice.

mod checkpoints;
mod definitions;
mod engine;
mod files;
mod finding;
mod machine;
mod models;
mod registry;
mod sandbox;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolgate_core::server::{ServerHealth, TransportSpec};
use toolgate_outbound::ConnectTrouble;
use toolgate_store::{OtherUsersAccess, Store, StoreError};

use super::context::Context;
use super::servers::{ServerTrial, disabled, target, try_servers};
use super::shown;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{printable, say, talk};
use crate::{failure, lock};
use finding::{DoctorFinding, fine, wrong};

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    // The future is large: too much for the stack of every command.
    let findings = Box::pin(examine(context)).await;
    let healthy = findings.iter().all(|finding| finding.ok);
    if context.global.json {
        let list: Vec<Value> = findings
            .iter()
            .map(|one| json!({ "ok": one.ok, "about": one.about, "says": one.says, "hint": one.hint }))
            .collect();
        say!("{}", json!({ "ok": healthy, "findings": list }));
    } else {
        for DoctorFinding { ok, about, says, hint } in &findings {
            say!("{} {about}: {}", if *ok { "ok   " } else { "WRONG" }, printable(says));
            if let Some(hint) = hint {
                say!("      hint: {}", printable(hint));
            }
        }
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn examine(context: &Context) -> Vec<DoctorFinding> {
    let config = match context.config() {
        Ok(config) => config,
        Err(error) => {
            let hint = "a gateway that runs goes on with what the file said before, and takes it up within a second once it loads";
            return vec![wrong("configuration", failure::render(&error), Some(hint.to_owned()))];
        }
    };
    let source = config
        .source
        .as_ref()
        .map_or_else(|| "none, defaults are used".to_owned(), |path| path.display().to_string());
    let mut findings = vec![machine::version(), fine("configuration", source)];
    let store = match open_store(&config).await {
        Ok(store) => store,
        Err(error) => {
            findings.push(wrong("data folder", error.to_string(), failure::hint(&error).map(str::to_owned)));
            return findings;
        }
    };
    let (config, disabled) = match without_disabled(config, &store).await {
        Ok(found) => found,
        Err(error) => {
            findings.push(wrong("servers", error.to_string(), None));
            return findings;
        }
    };
    findings.push(match context.missing_data() {
        Some(missing) => {
            fine("data folder", format!("{} is not there; `toolgate serve` makes it", missing.display()))
        }
        None => check_folder(&config.data),
    });
    findings.extend(machine::check(&config, &store).await);
    findings.push(check_tokens(&store).await);
    findings.push(match lock::running(&config.data) {
        Some(running) => {
            fine("gateway", format!("runs (pid {}) at {}", running.pid, running.endpoint.unwrap_or_default()))
        }
        None => fine("gateway", "is not running; `toolgate serve` starts it".into()),
    });
    // Hints show references to the environment as written in the file, never their values.
    let written =
        context.config_as_written().unwrap_or_else(|_| Config { servers: Vec::new(), ..config.clone() });
    findings.extend(registry::check(&config, &store).await);
    findings.extend(definitions::check(&config, &store).await);
    findings.extend(models::check(&config, &store).await);
    findings.extend(files::check(&config, &store).await);
    findings.extend(checkpoints::check(&config, &store).await);
    findings.extend(sandbox::check(&config));
    findings.push(engine::check(&config, &store).await);
    if disabled.is_empty() || config.servers.iter().any(|server| server.enabled) {
        findings.extend(check_servers(&config, &written, &store).await);
    }
    findings.extend(disabled);
    findings
}

/// The configuration in which the servers are off that somebody disabled, and a finding for each of them.
async fn without_disabled(
    mut config: Config,
    store: &Store,
) -> Result<(Config, Vec<DoctorFinding>), StoreError> {
    let disabled = disabled(store).await?;
    let mut findings = Vec::new();
    for server in config.servers.iter_mut().filter(|server| server.enabled) {
        let name = &server.spec.name;
        let Some(reason) = disabled.get(name.as_str()) else { continue };
        let why = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let hint = Some(format!("`toolgate servers enable {name}` enables it"));
        let says = format!("is disabled, so it was not tried{why}");
        findings.push(DoctorFinding { hint, ..fine(&format!("server {name}"), says) });
        server.enabled = false;
    }
    Ok((config, findings))
}

fn check_folder(data: &Path) -> DoctorFinding {
    let shown = data.display();
    let hint = Some(format!("`chmod 700 {shown}` keeps them out"));
    match OtherUsersAccess::of(data) {
        OtherUsersAccess::Nothing => fine("data folder", shown.to_string()),
        OtherUsersAccess::Look => DoctorFinding {
            hint,
            ..fine("data folder", format!("{shown}; other users of this machine may look into it"))
        },
        OtherUsersAccess::Change => {
            wrong("data folder", format!("{shown}; other users of this machine may change it"), hint)
        }
    }
}

async fn check_tokens(store: &Store) -> DoctorFinding {
    match store.list_tokens().await {
        Ok(tokens) => {
            let now_ms = shown::now_ms();
            let live = tokens.iter().filter(|token| token.is_live(now_ms)).count();
            let hint = (live == 0).then(|| "`toolgate token create --role agent` makes one".to_owned());
            DoctorFinding { ok: true, about: "tokens".into(), says: format!("{live} live"), hint }
        }
        Err(error) => wrong("tokens", error.to_string(), None),
    }
}

async fn check_servers(config: &Config, written: &Config, store: &Store) -> Vec<DoctorFinding> {
    let names: Vec<String> = config
        .servers
        .iter()
        // Servers that register have no address that is known here.
        .filter(|server| server.enabled && !server.registered)
        .map(|server| server.spec.name.to_string())
        .collect();
    if names.is_empty() && config.servers.iter().any(|server| server.enabled) {
        return Vec::new();
    }
    if names.is_empty() {
        let hint = "`toolgate servers import <file>` adds the servers of a client";
        return vec![DoctorFinding {
            ok: true,
            about: "servers".into(),
            says: "none is configured".into(),
            hint: Some(hint.into()),
        }];
    }
    talk!("Trying {} servers …", names.len());
    match try_servers(config, store, &names).await {
        Ok(trials) => trials.iter().map(|trial| judge(written, trial)).collect(),
        Err(error) => vec![wrong("servers", failure::render(&error), None)],
    }
}

fn judge(written: &Config, trial: &ServerTrial) -> DoctorFinding {
    let about = format!("server {}", trial.name);
    match trial.state.health {
        ServerHealth::Healthy => return fine(&about, trial.describe()),
        ServerHealth::Starting => {
            let hint =
                "ask again in a moment; `connect_timeout_seconds` of the server says how long it may take";
            return DoctorFinding { hint: Some(hint.into()), ..fine(&about, trial.describe()) };
        }
        ServerHealth::Degraded => {}
    }
    let entry = written.servers.iter().find(|server| server.spec.name.as_str() == trial.name);
    let hint = match entry.map(|entry| (target(entry), &entry.spec.transport)) {
        Some((target, TransportSpec::Stdio { .. })) => {
            format!(
                "run `{target}` by hand with the same environment; children get only PATH, HOME and what `env` gives them, and `toolgate servers show {name}` says what their sandbox lets them do",
                name = trial.name
            )
        }
        Some((target, TransportSpec::Http { .. })) => {
            format!(
                "check that {target} is reachable from here and that its `headers` carry a valid credential, or sign in with `toolgate servers login {name}`",
                name = trial.name
            )
        }
        Some((target, TransportSpec::Api(_))) => {
            format!(
                "check that {target} can be read from here and is an OpenAPI document or a connector file, and that `headers` and `query` carry a valid credential; `toolgate servers show {name}` says what was found",
                name = trial.name
            )
        }
        None => "check its entry in the configuration".into(),
    };
    let told = trial.describe();
    if let (Some(trouble), Some(entry)) = (ConnectTrouble::in_text(&told), entry) {
        let hint = format!("{} ({})", trouble.advice(), target(entry));
        return wrong(&about, told, Some(hint));
    }
    // The advice of the server or the vault itself is closer to the problem.
    match told.split_once("\nhint: ") {
        Some((says, hint)) => wrong(&about, says.to_owned(), Some(hint.to_owned())),
        None => wrong(&about, told, Some(hint)),
    }
}
