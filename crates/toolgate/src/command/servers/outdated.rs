//! `toolgate servers outdated`: servers from a registry, held against what the registry has now. Nothing is changed.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_registry::{OriginStanding, PublishedOrigin};
use toolgate_store::Store;

use super::roster::published;
use crate::command::context::Context;
use crate::command::records::told;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{printable, put, say, talk};
use crate::published::{OriginReport, RegistryClient};
use crate::table::TextTable;

/// A server, and what became of the entry that it was made from.
struct ComparedServer {
    server: String,
    report: OriginReport,
}

pub(super) async fn outdated(context: &Context, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let store = open_store(&config).await?;
    let mut origins = origins(&config, &store).await?;
    if let Some(name) = name {
        origins.retain(|(server, _)| server == name);
        if origins.is_empty() {
            bail!(
                "no server {name:?} was added from a registry\nhint: `toolgate servers outdated` shows those that were"
            );
        }
    }
    let client = RegistryClient::of(&config.registry, &config.egress).map_err(told)?;
    let mut reports = Vec::new();
    for (server, origin) in origins {
        let report = client.report(origin).await.map_err(|fault| told(fault.into()))?;
        reports.push(ComparedServer { server, report });
    }
    show(context, &reports);
    Ok(ExitCode::SUCCESS)
}

/// Servers of the file and of the settings, with the entries that they were made from.
async fn origins(config: &Config, store: &Store) -> anyhow::Result<Vec<(String, PublishedOrigin)>> {
    let of_file = config
        .servers
        .iter()
        .filter_map(|entry| entry.published.clone().map(|origin| (entry.spec.name.to_string(), origin)));
    let mut origins: Vec<(String, PublishedOrigin)> = of_file.collect();
    let setting = store.read_setting("mcp_servers").await?;
    let value: Value = setting.and_then(|setting| setting.value.decode().ok()).unwrap_or_default();
    let of_settings = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| Some((entry.get("name")?.as_str()?.to_owned(), published(entry)?)));
    origins.extend(of_settings);
    Ok(origins)
}

fn show(context: &Context, reports: &[ComparedServer]) {
    let mut table = TextTable::new(["SERVER", "PUBLISHED AS", "VERSION", "LATEST", "STATE"]);
    for ComparedServer { server, report } in reports {
        let latest = report.latest.as_ref().map(|latest| latest.version.clone()).unwrap_or_default();
        table.row([
            server.clone(),
            report.origin.name.to_string(),
            report.origin.version.clone(),
            latest,
            report.standing.as_str().to_owned(),
        ]);
    }
    let views: Vec<Value> = reports.iter().map(ComparedServer::to_json).collect();
    put!("{}", table.render(context.reader(), &views));
    if context.global.json {
        return;
    }
    for one in reports.iter().filter(|one| one.report.standing != OriginStanding::Current) {
        one.say_more();
    }
    if reports.is_empty() {
        talk!("No server was added from a registry; `toolgate servers add` adds one.");
    } else {
        talk!(
            "Nothing was changed. Another version is another entry: remove the old one, then `toolgate servers add`."
        );
    }
}

impl ComparedServer {
    fn to_json(&self) -> Value {
        let Self { server, report } = self;
        json!({
            "server": server,
            "published": report.origin,
            "latest": report.latest.as_ref().map(|latest| &latest.version),
            "latest_digest": report.latest.as_ref().map(|latest| latest.digest),
            "state": report.standing.as_str(),
            "status_message": report.latest.as_ref().and_then(|latest| latest.status_message.clone()),
            "difference": report.difference,
        })
    }

    fn say_more(&self) {
        let Self { server, report } = self;
        say!("\n{server} ({}):", report.standing.as_str());
        match report.standing {
            OriginStanding::Foreign => {
                say!("  it was added from {}, which is not asked", printable(&report.origin.registry))
            }
            OriginStanding::Gone => {
                say!("  the registry has no version {} any more", printable(&report.origin.version))
            }
            OriginStanding::Changed => {
                say!(
                    "  the entry of version {} is not the one that was added",
                    printable(&report.origin.version)
                );
            }
            _ => {}
        }
        let message = report.latest.as_ref().and_then(|latest| latest.status_message.as_deref());
        message.into_iter().for_each(|message| say!("  its publisher says: {}", one_line(message)));
        report.difference.iter().for_each(|line| say!("  {}", one_line(line)));
    }
}

fn one_line(text: &str) -> String {
    printable(text).replace('\n', " ")
}
