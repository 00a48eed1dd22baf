//! `toolgate token`: who may come in.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use serde_json::{Value, json};
use toolgate_core::event::{About, Entry, Event, EventKind};
use toolgate_core::governance::{Clock, Ledger};
use toolgate_core::{Principal, RawJson, Role, ServerName};
use toolgate_store::{NewTokenSpec, Store};

use super::Context;
use crate::cli::TokenCommand;
use crate::config::Config;
use crate::governance::{COMMAND_STREAM, SystemClock, books_settings};
use crate::local::open_store;
use crate::output::{put, say, talk};
use crate::table::Table;

pub(super) async fn run(context: &Context, command: TokenCommand) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    match command {
        TokenCommand::Create { role, label, principal, server, kind, groups } => {
            let kind = kind.map(Into::into);
            let principal = match server {
                Some(server) => Some(checked_server(role.into(), &server)?),
                None => principal,
            };
            let spec = NewTokenSpec { role: role.into(), label, principal, kind, groups };
            let detail = json!({ "role": spec.role, "principal": spec.principal, "groups": spec.groups });
            let token = store.create_token(spec).await?;
            note(&config, &store, EventKind::TokenCreated, &token.id, detail).await;
            if context.global.json {
                say!("{}", json!({ "id": token.id, "role": token.role, "token": token.secret }));
            } else {
                say!("{}", token.secret);
                talk!("{} ({}): keep it now, it cannot be shown again", token.id, token.role.as_str());
            }
        }
        TokenCommand::List => {
            let tokens = store.list_tokens().await?;
            let mut table = Table::new(["ID", "ROLE", "KIND", "PRINCIPAL", "GROUPS", "LABEL", "STATE"]);
            for token in &tokens {
                let state = if token.revoked_at_ms.is_some() { "revoked" } else { "live" };
                table.row([
                    token.id.clone(),
                    token.role.as_str().into(),
                    token.kind.as_str().into(),
                    token.principal.clone().unwrap_or_default(),
                    token.groups.join(", "),
                    token.label.clone().unwrap_or_default(),
                    state.into(),
                ]);
            }
            put!("{}", table.render(context.reader(), &tokens));
        }
        TokenCommand::Revoke { token } => {
            let token = store.revoke_token(&token).await?;
            note(&config, &store, EventKind::TokenRevoked, &token.id, json!({})).await;
            if context.global.json {
                say!("{}", serde_json::to_string(&token)?);
            } else {
                say!("revoked {}", token.id);
            }
        }
    }
    store.close().await;
    Ok(ExitCode::SUCCESS)
}

/// Whom a token of a server stands for: the server itself, by its name.
fn checked_server(role: Role, server: &str) -> anyhow::Result<String> {
    if role != Role::Server {
        bail!(
            "--server is for tokens that servers register with\nhint: add --role server, or say whose token it is with --principal"
        );
    }
    match ServerName::new(server) {
        Ok(server) => Ok(server.to_string()),
        Err(bad) => bail!("{bad}\nhint: --server is the name under which the server registers"),
    }
}

/// Who may come in is part of what an auditor asks about. The token itself is made or revoked by then.
async fn note(config: &Config, store: &Store, kind: EventKind, id: &str, mut detail: Value) {
    detail["token"] = id.into();
    let about = Arc::new(About::default());
    let mut event = Event::new(kind, SystemClock::default().now_ms(), Principal::local().id, about);
    event.detail = Some(RawJson::from(detail));
    let entry = Entry { events: vec![event], ..Entry::default() };
    let noted = match store.books(books_settings(config, COMMAND_STREAM)).await {
        Ok(books) => books.append(entry).await.map_err(|down| down.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = noted {
        talk!("warning: this is not in the ledger: {error}");
    }
}
