//! `toolgate token`: who may come in.

use std::process::ExitCode;

use serde_json::json;
use toolgate_store::{NewTokenSpec, Store};

use super::Context;
use crate::cli::TokenCommand;
use crate::output::{put, say, talk};
use crate::table::Table;

pub(super) async fn run(context: &Context, command: TokenCommand) -> anyhow::Result<ExitCode> {
    let store = Store::open(&context.config_as_written()?.data).await?;
    match command {
        TokenCommand::Create { role, label, principal, kind, groups } => {
            let kind = kind.map(Into::into);
            let spec = NewTokenSpec { role: role.into(), label, principal, kind, groups };
            let token = store.create_token(spec).await?;
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
