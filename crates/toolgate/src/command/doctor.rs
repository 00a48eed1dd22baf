//! `toolgate doctor`: everything checked once, each fault with what to do about it.

use std::process::ExitCode;

use serde_json::{Value, json};
use toolgate_core::server::{ServerHealth, TransportSpec};
use toolgate_store::Store;

use super::Context;
use super::servers::{Trial, try_servers};
use crate::config::Config;
use crate::lock;

/// One finding.
struct Finding {
    ok: bool,
    about: String,
    says: String,
    hint: Option<String>,
}

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let findings = examine(context).await;
    let healthy = findings.iter().all(|finding| finding.ok);
    if context.global.json {
        let list: Vec<Value> = findings
            .iter()
            .map(|one| json!({ "ok": one.ok, "about": one.about, "says": one.says, "hint": one.hint }))
            .collect();
        println!("{}", json!({ "ok": healthy, "findings": list }));
    } else {
        for Finding { ok, about, says, hint } in &findings {
            println!("{} {about}: {says}", if *ok { "ok   " } else { "WRONG" });
            if let Some(hint) = hint {
                println!("      hint: {hint}");
            }
        }
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn examine(context: &Context) -> Vec<Finding> {
    let config = match context.config() {
        Ok(config) => config,
        Err(error) => return vec![wrong("configuration", format!("{error:#}"), None)],
    };
    let source = config
        .source
        .as_ref()
        .map_or_else(|| "none, defaults are used".to_owned(), |path| path.display().to_string());
    let mut findings = vec![fine("configuration", source)];
    let store = match Store::open(&config.data).await {
        Ok(store) => store,
        Err(error) => {
            let hint = "choose a folder you can write to with --data DIR";
            findings.push(wrong("data folder", error.to_string(), Some(hint.into())));
            return findings;
        }
    };
    findings.push(fine("data folder", config.data.display().to_string()));
    findings.push(check_tokens(&store).await);
    findings.push(match lock::running(&config.data) {
        Some(running) => {
            fine("gateway", format!("runs (pid {}) at {}", running.pid, running.endpoint.unwrap_or_default()))
        }
        None => fine("gateway", "is not running; `toolgate serve` starts it".into()),
    });
    findings.extend(check_servers(&config, &store).await);
    findings
}

async fn check_tokens(store: &Store) -> Finding {
    match store.list_tokens().await {
        Ok(tokens) => {
            let live = tokens.iter().filter(|token| token.revoked_at_ms.is_none()).count();
            let hint = (live == 0).then(|| "`toolgate token create --role agent` makes one".to_owned());
            Finding { ok: true, about: "tokens".into(), says: format!("{live} live"), hint }
        }
        Err(error) => wrong("tokens", error.to_string(), None),
    }
}

async fn check_servers(config: &Config, store: &Store) -> Vec<Finding> {
    let names: Vec<String> = config
        .servers
        .iter()
        .filter(|server| server.enabled)
        .map(|server| server.spec.name.to_string())
        .collect();
    if names.is_empty() {
        let hint = "`toolgate servers import <file>` adds the servers of a client";
        return vec![Finding {
            ok: true,
            about: "servers".into(),
            says: "none is configured".into(),
            hint: Some(hint.into()),
        }];
    }
    eprintln!("Trying {} servers …", names.len());
    match try_servers(config, store, &names).await {
        Ok(trials) => trials.iter().map(|trial| judge(config, trial)).collect(),
        Err(error) => vec![wrong("servers", format!("{error:#}"), None)],
    }
}

fn judge(config: &Config, trial: &Trial) -> Finding {
    let about = format!("server {}", trial.name);
    if trial.state.health == ServerHealth::Healthy {
        return fine(&about, trial.describe());
    }
    let entry = config.servers.iter().find(|server| server.spec.name.as_str() == trial.name);
    let hint = match entry.map(|entry| &entry.spec.transport) {
        Some(TransportSpec::Stdio { command, .. }) => {
            format!(
                "run `{command}` by hand with the same arguments and environment; children get only PATH, HOME and what `env` gives them"
            )
        }
        Some(TransportSpec::Http { url, .. }) => {
            format!("check that {url} is reachable from here and that its `headers` carry a valid credential")
        }
        None => "check its entry in the configuration".into(),
    };
    wrong(&about, trial.describe(), Some(hint))
}

fn fine(about: &str, says: String) -> Finding {
    Finding { ok: true, about: about.into(), says, hint: None }
}

fn wrong(about: &str, says: String, hint: Option<String>) -> Finding {
    Finding { ok: false, about: about.into(), says, hint }
}
