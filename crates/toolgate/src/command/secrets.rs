//! `toolgate secrets`: what servers want to be shown. Values come in and never out.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use toolgate_core::moment::rfc3339;
use toolgate_core::{PrincipalId, ServerName};
use toolgate_credentials::{SIGN_IN, Secret, Stored};

use super::Context;
use super::input;
use super::records::{Room, person};
use super::servers::roster;
use crate::cli::{SecretArgs, SecretsCommand};
use crate::output::{put, say, talk};
use crate::table::Table;

const VALUE_BYTES_MAX: u64 = 64 << 10;

pub(super) async fn run(context: &Context, command: SecretsCommand) -> anyhow::Result<ExitCode> {
    let room = Room::open(context).await?;
    let outcome = match command {
        SecretsCommand::Set(args) => set(context, &room, args).await,
        SecretsCommand::List { server } => list(context, &room, server.as_deref()).await,
        SecretsCommand::Remove(args) => remove(context, &room, args).await,
    };
    room.close().await;
    outcome
}

async fn set(context: &Context, room: &Room, args: SecretArgs) -> anyhow::Result<ExitCode> {
    let server = server_name(&args.server)?;
    let principal = args.principal.as_deref().map(PrincipalId::new);
    let vault = room.vault()?;
    let question = format!("{} of {server} (not shown): ", args.name);
    let value = Secret::new(input::secret(&question, VALUE_BYTES_MAX).await?);
    vault.set(&person(), &server, principal.as_ref(), &args.name, &value).await?;
    if context.global.json {
        say!("{}", json!({ "server": server, "name": args.name, "principal": principal }));
        return Ok(ExitCode::SUCCESS);
    }
    say!("stored {} of {server} for {}", args.name, whose(principal.as_ref()));
    if !roster(&room.config, &room.store).await?.iter().any(|known| known.name == server) {
        talk!("No server is called {server:?} yet; `toolgate servers list` shows those there are.");
    }
    talk!("Where the server shall get it, write ${{vault:{}}} in its `headers` or `env`.", args.name);
    Ok(ExitCode::SUCCESS)
}

async fn list(context: &Context, room: &Room, server: Option<&str>) -> anyhow::Result<ExitCode> {
    let server = server.map(server_name).transpose()?;
    // No key is needed, and none is made, to read names.
    let stored: Vec<Stored> =
        room.store.list_sealed(server.as_ref()).await?.into_iter().map(Stored::from).collect();
    let mut table = Table::new(["SERVER", "SECRET", "FOR", "CHANGED"]);
    for one in &stored {
        let name = if one.name == SIGN_IN { "(a sign-in)".to_owned() } else { one.name.clone() };
        table.row([one.server.clone(), name, whose(one.principal.as_ref()), rfc3339(one.updated_at_ms)]);
    }
    put!("{}", table.render(context.reader(), &stored));
    Ok(ExitCode::SUCCESS)
}

async fn remove(context: &Context, room: &Room, args: SecretArgs) -> anyhow::Result<ExitCode> {
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
    principal.map_or_else(|| "everybody".to_owned(), ToString::to_string)
}
