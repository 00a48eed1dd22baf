//! `toolgate secrets`: the credentials for servers and models. Values go in and never out.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use toolgate_core::moment::rfc3339;
use toolgate_core::{PrincipalId, ServerName};
use toolgate_credentials::{OutsideSecret, SIGN_IN, Secret, SecretInfo, origin_of};
use toolgate_registry::ServerSource;
use toolgate_store::{SecretOrigin, SecretOwner};

use super::context::Context;
use super::input;
use super::records::{RecordsContext, person};
use super::servers::{RosterServer, roster};
use crate::cli::{SecretArgs, SecretsCommand};
use crate::models::own_server;
use crate::output::{put, say, talk};
use crate::table::TextTable;

const VALUE_BYTES_MAX: u64 = 64 << 10;

pub(super) async fn run(context: &Context, command: SecretsCommand) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let outcome = match command {
        SecretsCommand::Set(args) => set(context, &room, args).await,
        SecretsCommand::List { server } => list(context, &room, server.as_deref()).await,
        SecretsCommand::Allow { server, name, origins } => {
            allow(context, &room, &server, &name, &origins).await
        }
        SecretsCommand::Remove(args) => remove(context, &room, args).await,
    };
    room.close().await;
    outcome
}

async fn set(context: &Context, room: &RecordsContext, args: SecretArgs) -> anyhow::Result<ExitCode> {
    let server = server_name(&args.server)?;
    let principal = args.principal.as_deref().map(PrincipalId::new);
    let vault = room.vault()?;
    let question = format!("{} of {server} (not shown): ", args.name);
    let value = Secret::new(input::secret(&question, VALUE_BYTES_MAX).await?);
    vault.set(&person(), &server, principal.as_ref(), &args.name, &value, &[]).await?;
    if context.global.json {
        say!("{}", json!({ "server": server, "name": args.name, "principal": principal }));
        return Ok(ExitCode::SUCCESS);
    }
    say!("stored {} of {server} for {}", args.name, whose(principal.as_ref()));
    if server == own_server() {
        let name = &args.name;
        talk!(
            "It is the gateway's own: a model gets it by `key = \"{name}\"`, a webhook of an automation by `secret`."
        );
        return Ok(ExitCode::SUCCESS);
    }
    match roster(&room.config, &room.store).await?.into_iter().find(|known| known.name == server) {
        None => talk!("No server is called {server:?} yet; `toolgate servers list` shows those there are."),
        Some(known) => tell_where_not(room, &known, principal, &args.name).await?,
    }
    match server.provider() {
        Some(_) => talk!("The file of the connector says where it goes, by this name."),
        None => {
            talk!("Where the server shall get it, write ${{vault:{}}} in its `headers` or `env`.", args.name)
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports addresses from other people that are not allowed yet.
async fn tell_where_not(
    room: &RecordsContext,
    known: &RosterServer,
    principal: Option<PrincipalId>,
    name: &str,
) -> anyhow::Result<()> {
    if known.source == ServerSource::File {
        return Ok(());
    }
    let (server, origins) = (&known.name, room.store.list_secret_origins().await?);
    let mut asked = BTreeSet::new();
    for origin in known.instances.iter().filter_map(|instance| origin_of(&instance.spec.url)) {
        let is_allowed = |one: &SecretOrigin| one.allows(server, principal.as_ref(), name, &origin);
        if !origins.iter().any(is_allowed) && asked.insert(origin.clone()) {
            talk!(
                "It is not sent to {origin} until that is allowed: `toolgate secrets allow {server} {name} {origin}`."
            );
        }
    }
    Ok(())
}

async fn allow(
    context: &Context,
    room: &RecordsContext,
    server: &str,
    name: &str,
    origins: &[String],
) -> anyhow::Result<ExitCode> {
    let server = server_name(server)?;
    let origins = room.vault()?.allow(&person(), &server, name, origins).await?;
    match (context.global.json, origins.is_empty()) {
        (true, _) => say!("{}", json!({ "server": server, "name": name, "origins": origins })),
        (false, true) => say!("{name} of {server} is sent to addresses of the configuration file only"),
        (false, false) => say!("{name} of {server} may be sent to {}", origins.join(", ")),
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(context: &Context, room: &RecordsContext, server: Option<&str>) -> anyhow::Result<ExitCode> {
    let server = server.map(server_name).transpose()?;
    let origins = room.store.list_secret_origins().await?;
    // No key is needed, and none is made, to read names.
    let stored = room.store.list_sealed(server.as_ref()).await?.into_iter();
    let mut listed: Vec<ListedSecret> =
        stored.map(|one| ListedSecret::stored(SecretInfo::from(one), &origins)).collect();
    let outside =
        room.config.secrets.iter().filter(|one| server.as_ref().is_none_or(|name| one.server == *name));
    listed.extend(outside.map(|one| ListedSecret::elsewhere(one, &origins)));
    let mut table = TextTable::new(["SERVER", "SECRET", "FOR", "KEPT", "ALLOWED FOR", "CHANGED"]);
    for one in &listed {
        let name = if one.name == SIGN_IN { "(a sign-in)".to_owned() } else { one.name.clone() };
        let changed = one.updated_at_ms.map(rfc3339).unwrap_or_default();
        let kept = one.kept.to_owned();
        table.row([
            one.server.clone(),
            name,
            whose(one.principal.as_ref()),
            kept,
            one.origins.join(", "),
            changed,
        ]);
    }
    put!("{}", table.render(context.reader(), &listed));
    Ok(ExitCode::SUCCESS)
}

/// The public data of a secret.
#[derive(serde::Serialize)]
struct ListedSecret {
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<PrincipalId>,
    name: String,
    kept: &'static str,
    /// Beside the addresses of the configuration file.
    origins: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at_ms: Option<i64>,
}

impl ListedSecret {
    fn stored(one: SecretInfo, origins: &[SecretOrigin]) -> Self {
        let SecretInfo { server, principal, name, created_at_ms, updated_at_ms } = one;
        let allows = |origin: &&SecretOrigin| {
            let known = ServerName::new(&server);
            known.is_ok_and(|server| origin.allows(&server, principal.as_ref(), &name, &origin.origin))
        };
        let origins = origins.iter().filter(allows).map(|origin| origin.origin.clone()).collect();
        let (created_at_ms, updated_at_ms) = (Some(created_at_ms), Some(updated_at_ms));
        Self { server, principal, name, kept: "vault", origins, created_at_ms, updated_at_ms }
    }

    fn elsewhere(one: &OutsideSecret, origins: &[SecretOrigin]) -> Self {
        let OutsideSecret { server, name, source, .. } = one;
        let by_admin = origins.iter().filter(|origin| origin.whose == SecretOwner::All);
        let by_admin = by_admin.filter(|origin| origin.allows(server, None, name, &origin.origin));
        let origins =
            one.origins.iter().cloned().chain(by_admin.map(|origin| origin.origin.clone())).collect();
        let (server, name) = (server.to_string(), name.clone());
        let kept = source.kind();
        Self { server, principal: None, name, kept, origins, created_at_ms: None, updated_at_ms: None }
    }
}

async fn remove(context: &Context, room: &RecordsContext, args: SecretArgs) -> anyhow::Result<ExitCode> {
    let server = server_name(&args.server)?;
    let principal = args.principal.as_deref().map(PrincipalId::new);
    if args.name == SIGN_IN {
        bail!("{SIGN_IN:?} is what a sign-in gave\nhint: `toolgate servers logout {server}` forgets it");
    }
    let removed = room.vault()?.remove(&person(), &server, principal.as_ref(), &args.name).await?;
    if !removed {
        bail!(
            "there is no secret {:?} of server {server:?} for {}\nhint: `toolgate secrets list {server}` shows those there are",
            args.name,
            whose(principal.as_ref())
        );
    }
    match context.global.json {
        true => say!("{}", json!({ "removed": args.name, "server": server, "principal": principal })),
        false => say!("removed {} of {server} for {}", args.name, whose(principal.as_ref())),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn server_name(name: &str) -> anyhow::Result<ServerName> {
    ServerName::new(name)
        .map_err(|bad| anyhow::anyhow!("{bad}\nhint: `toolgate servers list` shows the servers there are"))
}

pub(super) fn whose(principal: Option<&PrincipalId>) -> String {
    principal.map_or_else(|| "everyone".to_owned(), ToString::to_string)
}
