//! `toolgate servers outdated`: servers from a registry, held against what the registry has now. Nothing is changed.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_registry::{PublicationStatus, PublishedOrigin, PublishedServer, Refusal, difference};
use toolgate_store::Store;

use crate::command::context::Context;
use crate::command::records::told;
use crate::config::Config;
use crate::local::open_store;
use crate::output::{printable, put, say, talk};
use crate::published::RegistryClient;
use crate::table::TextTable;

/// A server with its origin, and what became of that.
struct OriginReport {
    server: String,
    origin: PublishedOrigin,
    latest: Option<PublishedServer>,
    standing: OriginStanding,
    difference: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OriginStanding {
    Current,
    /// There is another version.
    Outdated,
    /// The entry of the very version is another one now.
    Changed,
    Deprecated,
    Deleted,
    /// The registry does not have it any more.
    Gone,
    /// It comes from a registry that is not configured now.
    Foreign,
}

impl OriginStanding {
    fn as_str(self) -> &'static str {
        match self {
            OriginStanding::Current => "current",
            OriginStanding::Outdated => "outdated",
            OriginStanding::Changed => "changed",
            OriginStanding::Deprecated => "deprecated",
            OriginStanding::Deleted => "deleted",
            OriginStanding::Gone => "gone",
            OriginStanding::Foreign => "of another registry",
        }
    }
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
        reports.push(report(&client, &config, server, origin).await.map_err(told)?);
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
    let of_settings = value.as_array().into_iter().flatten().filter_map(|entry| {
        let origin: PublishedOrigin = serde_json::from_value(entry.get("published")?.clone()).ok()?;
        Some((entry.get("name")?.as_str()?.to_owned(), origin))
    });
    origins.extend(of_settings);
    Ok(origins)
}

async fn report(
    client: &RegistryClient,
    config: &Config,
    server: String,
    origin: PublishedOrigin,
) -> Result<OriginReport, Refusal> {
    let mut report = OriginReport {
        server,
        origin,
        latest: None,
        standing: OriginStanding::Foreign,
        difference: Vec::new(),
    };
    let origin = &report.origin;
    if origin.registry != config.registry.url {
        return Ok(report);
    }
    let latest = if_there(client.entry(&origin.name, None).await)?;
    let own = match &latest {
        Some(latest) if latest.version == origin.version => Some(latest.clone()),
        _ => if_there(client.entry(&origin.name, Some(&origin.version)).await)?,
    };
    report.standing = standing(origin, own.as_ref(), latest.as_ref());
    if let (Some(own), Some(latest)) = (&own, &latest) {
        report.difference = difference(own, latest);
    }
    report.latest = latest;
    Ok(report)
}

/// An entry that is gone is a finding; a registry that does not answer is not.
fn if_there(entry: Result<PublishedServer, Refusal>) -> Result<Option<PublishedServer>, Refusal> {
    match entry {
        Ok(server) => Ok(Some(server)),
        Err(refusal) if refusal.code == &codes::UNKNOWN_PUBLISHED_SERVER => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

fn standing(
    origin: &PublishedOrigin,
    own: Option<&PublishedServer>,
    latest: Option<&PublishedServer>,
) -> OriginStanding {
    let Some(own) = own else { return OriginStanding::Gone };
    match own.status {
        PublicationStatus::Deleted => OriginStanding::Deleted,
        _ if own.digest != origin.digest => OriginStanding::Changed,
        PublicationStatus::Deprecated => OriginStanding::Deprecated,
        PublicationStatus::Active if latest.is_some_and(|latest| latest.version != origin.version) => {
            OriginStanding::Outdated
        }
        PublicationStatus::Active => OriginStanding::Current,
    }
}

fn show(context: &Context, reports: &[OriginReport]) {
    let mut table = TextTable::new(["SERVER", "PUBLISHED AS", "VERSION", "LATEST", "STATE"]);
    for report in reports {
        let latest = report.latest.as_ref().map(|latest| latest.version.clone()).unwrap_or_default();
        table.row([
            report.server.clone(),
            report.origin.name.to_string(),
            report.origin.version.clone(),
            latest,
            report.standing.as_str().to_owned(),
        ]);
    }
    let views: Vec<Value> = reports.iter().map(OriginReport::to_json).collect();
    put!("{}", table.render(context.reader(), &views));
    if context.global.json {
        return;
    }
    for report in reports.iter().filter(|report| report.standing != OriginStanding::Current) {
        report.say_more();
    }
    if reports.is_empty() {
        talk!("No server was added from a registry; `toolgate servers add` adds one.");
    } else {
        talk!(
            "Nothing was changed. Another version is another entry: remove the old one, then `toolgate servers add`."
        );
    }
}

impl OriginReport {
    fn to_json(&self) -> Value {
        json!({
            "server": self.server,
            "published": self.origin,
            "latest": self.latest.as_ref().map(|latest| &latest.version),
            "latest_digest": self.latest.as_ref().map(|latest| latest.digest),
            "state": self.standing.as_str(),
            "status_message": self.latest.as_ref().and_then(|latest| latest.status_message.clone()),
            "difference": self.difference,
        })
    }

    fn say_more(&self) {
        say!("\n{} ({}):", self.server, self.standing.as_str());
        match self.standing {
            OriginStanding::Foreign => {
                say!("  it was added from {}, which is not asked", printable(&self.origin.registry))
            }
            OriginStanding::Gone => {
                say!("  the registry has no version {} any more", printable(&self.origin.version))
            }
            OriginStanding::Changed => {
                say!(
                    "  the entry of version {} is not the one that was added",
                    printable(&self.origin.version)
                );
            }
            _ => {}
        }
        let message = self.latest.as_ref().and_then(|latest| latest.status_message.as_deref());
        message.into_iter().for_each(|message| say!("  its publisher says: {}", one_line(message)));
        self.difference.iter().for_each(|line| say!("  {}", one_line(line)));
    }
}

fn one_line(text: &str) -> String {
    printable(text).replace('\n', " ")
}
