//! `toolgate servers search` and `add`: servers of the MCP registry. Adding writes an entry and nothing else.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};
use toolgate_core::server::{Sandbox, TransportSpec};
use toolgate_credentials::origin_of;
use toolgate_registry::{
    PublicationStatus, PublishedEntry, PublishedServer, PublishedTransport, PublishedWay, WayRefusal,
};

use super::writing;
use crate::cli::AddServerArgs;
use crate::command::context::Context;
use crate::command::records::told;
use crate::config::Config;
use crate::config::reference::escape;
use crate::confining;
use crate::import::{self, ImportPlan, ImportedServer, ImportedServers, ImportedTransport};
use crate::output::{printable, put, say, talk};
use crate::published::RegistryClient;
use crate::table::{TextTable, clean, json as pretty};

const ABOUT_CHARS_MAX: usize = 100;
const VAULT: &str = "${vault:";

pub(super) async fn search(
    context: &Context,
    words: &[String],
    count_max: usize,
) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let client = RegistryClient::of(&config.registry, &config.egress).map_err(told)?;
    let words: Vec<String> =
        words.iter().flat_map(|word| word.split_whitespace()).map(str::to_owned).collect();
    if words.is_empty() {
        bail!(
            "there is no word to search for\nhint: name what the server should do: `toolgate servers search weather`"
        );
    }
    let found = client.search(&words, count_max).await.map_err(told)?;
    let mut table = TextTable::new(["SERVER", "VERSION", "RUNS AS", "ABOUT"]);
    for server in &found.servers {
        table.row([
            server.name.to_string(),
            server.version.clone(),
            server.kinds().join(", "),
            about(server),
        ]);
    }
    let views: Vec<Value> = found.servers.iter().map(view).collect();
    put!("{}", table.render(context.reader(), &views));
    if context.global.json {
        return Ok(ExitCode::SUCCESS);
    }
    if found.unread > 0 {
        talk!("{} entries could not be read, and are left out.", found.unread);
    }
    if found.more {
        talk!("There may be more; another word narrows it down.");
    }
    if !found.servers.is_empty() {
        talk!("`toolgate servers add SERVER --dry-run` says what one may do and which secrets it wants.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Enough to recognise a server by.
fn about(server: &PublishedServer) -> String {
    let status = match server.status {
        PublicationStatus::Active => String::new(),
        other => format!("({}) ", other.as_str()),
    };
    let text = clean(&server.description);
    let short: String = text.chars().take(ABOUT_CHARS_MAX).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{status}{short}{dots}")
}

fn view(server: &PublishedServer) -> Value {
    json!({
        "name": server.name,
        "version": server.version,
        "title": server.title,
        "description": server.description,
        "publisher": server.name.namespace(),
        "repository": server.repository,
        "website": server.website,
        "status": server.status,
        "status_message": server.status_message,
        "published_at": server.published_at,
        "digest": server.digest,
        "kinds": server.kinds(),
    })
}

pub(super) async fn add(context: &Context, args: AddServerArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let client = RegistryClient::of(&config.registry, &config.egress).map_err(told)?;
    let server = client.entry(&args.name, args.version.as_deref()).await.map_err(told)?;
    let ways = server.ways(&args.wishes(), config.network);
    let chosen = server.choose(&ways, args.way.as_deref()).map_err(|refusal| refused(&server, &refusal))?;
    let own_name = args.own_name.clone().unwrap_or_else(|| server.name.own_name());
    let addition = Addition { config: &config, server: &server, ways: &ways, chosen, own_name };
    let plan = addition.plan(context, !args.disabled)?;
    if context.global.json {
        put!("{}", pretty(&addition.to_json(&plan)?));
    } else {
        addition.show(&plan)?;
    }
    addition.refuse_without_place(&plan)?;
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !writing::write(context, &config, &plan, args.yes)? {
        return Ok(ExitCode::FAILURE);
    }
    addition.say_what_is_left();
    Ok(ExitCode::SUCCESS)
}

/// The words of a refusal may be the publisher's.
fn refused(server: &PublishedServer, refusal: &WayRefusal) -> anyhow::Error {
    let WayRefusal { says, hint } = refusal;
    anyhow!(
        "{}",
        printable(&format!("{} {} cannot be added: {says}\nhint: {hint}", server.name, server.version))
    )
}

/// A published server on its way into the configuration.
struct Addition<'a> {
    config: &'a Config,
    server: &'a PublishedServer,
    ways: &'a [PublishedWay],
    chosen: (&'a PublishedWay, &'a PublishedEntry),
    own_name: String,
}

impl Addition<'_> {
    fn plan(&self, context: &Context, enabled: bool) -> anyhow::Result<ImportPlan> {
        let (server, entry) = (self.server, self.chosen.1);
        let registry = &self.config.registry.url;
        let imported = ImportedServer {
            name: self.own_name.clone(),
            transport: transport(entry),
            enabled,
            notes: entry.notes.clone(),
            secrets: Vec::new(),
            published: Some(server.origin(registry)),
        };
        let found = ImportedServers { servers: vec![imported], skipped: Vec::new() };
        let origin = format!("{} {} of {registry}", server.name, server.version);
        let target = context.whereabouts().file_to_write();
        let current = writing::current_text(&target)?;
        Ok(import::plan(found, Path::new(&origin), &target, current.as_deref(), &BTreeMap::new())?)
    }

    fn refuse_without_place(&self, plan: &ImportPlan) -> anyhow::Result<()> {
        if let Some(conflict) = plan.conflicts.first() {
            bail!(
                "nothing was added: another server is called {:?}\nhint: give this one another name: `--as {}`",
                conflict.name,
                conflict.suggested
            );
        }
        if let Some((name, reason)) = plan.skipped.first() {
            let says = printable(&format!("nothing was added: {name} {reason}"));
            bail!("{says}\nhint: `toolgate servers list` shows the servers there are");
        }
        Ok(())
    }

    fn show(&self, plan: &ImportPlan) -> anyhow::Result<()> {
        for (label, text) in self.facts()? {
            say!("{label:<11} {}", printable(&text).replace('\n', " "));
        }
        say!("");
        put!("{}", printable(&plan.to_string()));
        Ok(())
    }

    /// Where it comes from, what it may do, and what it wants.
    fn facts(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        let (server, (way, entry)) = (self.server, self.chosen);
        let mut facts = vec![
            ("server", format!("{} {}", server.name, server.version)),
            ("about", server.description.clone()),
            ("publisher", server.name.namespace().to_owned()),
            ("registry", self.config.registry.url.clone()),
            ("entry", server.digest.to_string()),
        ];
        facts.extend(server.repository.iter().map(|text| ("repository", text.clone())));
        facts.extend(server.published_at.iter().map(|text| ("published", text.clone())));
        if server.status != PublicationStatus::Active {
            let why = server.status_message.clone().unwrap_or_default();
            facts.push(("status", format!("{} {why}", server.status.as_str())));
        }
        facts.push(("taken", format!("{} {}", way.kind, way.target)));
        facts.extend(entry.digest.iter().map(|digest| ("package", digest.clone())));
        facts.extend(
            self.ways.iter().filter(|other| *other != way).map(|other| ("also there", told_way(other))),
        );
        facts.extend(self.may()?.into_iter().map(|text| ("may", text)));
        facts.extend(entry.secrets.iter().map(|secret| ("secret", named(&secret.name, &secret.description))));
        let left_out = entry.left_out.iter();
        facts.extend(left_out.map(|input| ("left out", named(&input.name, &input.description))));
        Ok(facts)
    }

    fn may(&self) -> anyhow::Result<Vec<String>> {
        match &self.chosen.1.transport {
            PublishedTransport::Url { url, .. } => Ok(vec![format!(
                "receive what agents send to its tools, at {url}; nothing of it runs on this machine"
            )]),
            PublishedTransport::Command { command, args, env } => {
                let transport = TransportSpec::Stdio {
                    command: command.clone(),
                    args: args.clone(),
                    env: env.clone(),
                    cwd: None,
                    sandbox: Sandbox::default(),
                };
                let confiner = confining::confiner(self.config)?;
                let confinement = confiner.confinement(&transport, &confining::inherited());
                Ok(confinement.map(|confinement| confinement.says).unwrap_or_default())
            }
        }
    }

    fn to_json(&self, plan: &ImportPlan) -> anyhow::Result<Value> {
        let (way, entry) = self.chosen;
        let mut value = view(self.server);
        value["registry"] = json!(self.config.registry.url);
        value["as"] = json!(self.own_name);
        value["way"] = json!({ "kind": way.kind, "target": way.target, "package_digest": entry.digest });
        value["may"] = json!(self.may()?);
        value["secrets"] = json!(entry.secrets);
        value["left_out"] = json!(entry.left_out);
        value["notes"] = json!(entry.notes);
        value["file"] = json!(plan.target);
        value["added"] = json!(plan.additions.iter().map(|server| &server.name).collect::<Vec<_>>());
        Ok(value)
    }

    fn say_what_is_left(&self) {
        let name = &self.own_name;
        for secret in &self.chosen.1.secrets {
            talk!("It waits for its secret: `toolgate secrets set {name} {}`.", secret.name);
            // The address is the registry's word, so a person says that the secret may go there.
            if let PublishedTransport::Url { url, .. } = &self.chosen.1.transport
                && let Some(origin) = origin_of(url)
            {
                talk!(
                    "It is sent there once you allow it: `toolgate secrets allow {name} {} {origin}`.",
                    secret.name
                );
            }
        }
        talk!(
            "Its tools wait for a review: `toolgate tools diff`, then `toolgate tools accept --all --server {name}`."
        );
    }
}

fn told_way(way: &PublishedWay) -> String {
    let why = match &way.entry {
        Ok(_) => format!("`--way {}` takes it", way.kind),
        Err(refusal) => format!("it cannot be taken: {}", refusal.says),
    };
    format!("{} {}; {why}", way.kind, way.target)
}

fn named(name: &str, about: &str) -> String {
    if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") }
}

/// In the spelling of `toolgate.toml`.
fn transport(entry: &PublishedEntry) -> ImportedTransport {
    match entry.transport.clone() {
        PublishedTransport::Command { command, args, env } => ImportedTransport::Command {
            command,
            args: args.iter().map(|arg| escape(arg)).collect(),
            env: spelled(env),
            cwd: None,
        },
        PublishedTransport::Url { url, headers } => {
            ImportedTransport::Url { url: escape(&url), headers: spelled(headers) }
        }
    }
}

/// Secrets stay references; every other `$` is a plain one.
fn spelled(values: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let spell = |text: &str| text.split(VAULT).map(escape).collect::<Vec<_>>().join(VAULT);
    values.into_iter().map(|(name, value)| (name, spell(&value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_references_and_other_dollars_are_plain() {
        let values = BTreeMap::from([("A".to_owned(), "Bearer ${vault:TOKEN} $5 $$".to_owned())]);
        assert_eq!(spelled(values)["A"], "Bearer ${vault:TOKEN} $$5 $$$$");
    }
}
