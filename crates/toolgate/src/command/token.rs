//! `toolgate token`: access to the gateway.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use toolgate_core::moment::rfc3339;
use toolgate_core::{Principal, Role, ServerName};
use toolgate_store::{ListedToken, NewTokenSpec, SESSIONS_PAGE_MAX, SessionFilter, SessionKind, Store};

use super::agents;
use super::context::Context;
use super::shown::{now_ms, span};
use crate::cli::{NewTokenArgs, TokenCommand};
use crate::config::Config;
use crate::governance::COMMAND_STREAM;
use crate::local::open_store;
use crate::output::{put, say, talk};
use crate::table::TextTable;

/// Pages of sessions whose tokens are listed.
const SESSION_PAGES_MAX: usize = 20;

pub(super) async fn run(context: &Context, command: TokenCommand) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let store = open_store(&config).await?;
    match command {
        TokenCommand::Create(args) => create(context, &config, &store, args).await?,
        TokenCommand::List { sessions } => {
            let mut tokens = store.list_tokens().await?;
            if sessions {
                tokens.extend(session_tokens(&store).await?);
            }
            put!("{}", table(&tokens).render(context.reader(), &tokens));
        }
        TokenCommand::Revoke { token } => {
            let token = store.revoke_token(COMMAND_STREAM, &Principal::local().id, &token).await?;
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

async fn create(context: &Context, config: &Config, store: &Store, args: NewTokenArgs) -> anyhow::Result<()> {
    let role = args.role.into();
    let principal = match args.server {
        Some(server) => Some(checked_server(role, &server)?),
        None => args.principal,
    };
    let NewTokenArgs { label, kind, groups, agent, expires, .. } = args;
    let expires_at_ms =
        expires.map(|time| now_ms().saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)));
    let (kind, created_by) = (kind.map(Into::into), Some(Principal::local().id));
    let spec = NewTokenSpec { role, label, principal, kind, groups, agent, expires_at_ms, created_by };
    let expires_at = expires_at_ms.map(rfc3339);
    let agent = spec.agent.clone();
    let token = store.create_token(COMMAND_STREAM, spec).await?;
    if let Some(agent) = &agent {
        agents::warn_of_unknown(config, agent).await?;
    }
    if context.global.json {
        let mut said = json!({ "id": token.id, "role": token.role, "token": token.secret });
        if let Some(agent) = agent {
            said["agent"] = json!(agent);
        }
        if let Some(expires_at) = expires_at {
            said["expires_at"] = json!(expires_at);
        }
        say!("{said}");
    } else {
        say!("{}", token.secret);
        let bound = agent.map(|agent| format!(", bound to agent {agent}")).unwrap_or_default();
        let until = expires_at.map(|at| format!(", until {at}")).unwrap_or_default();
        talk!("{} ({}{bound}{until}): keep it now, it cannot be shown again", token.id, token.role.as_str());
    }
    Ok(())
}

/// The tokens of the newest sessions, including closed ones.
async fn session_tokens(store: &Store) -> anyhow::Result<Vec<ListedToken>> {
    let mut tokens = Vec::new();
    let mut cursor = None;
    for _ in 0..SESSION_PAGES_MAX {
        let filter = SessionFilter::default();
        let (sessions, next) = store.list_sessions(&filter, cursor.as_ref(), SESSIONS_PAGE_MAX).await?;
        for session in sessions.iter().filter(|session| session.kind == SessionKind::Explicit) {
            tokens.extend(store.list_session_tokens(&session.id).await?);
        }
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    Ok(tokens)
}

fn table(tokens: &[ListedToken]) -> TextTable {
    let mut table = TextTable::new([
        "ID",
        "ROLE",
        "KIND",
        "PRINCIPAL",
        "GROUPS",
        "AGENT",
        "SESSION",
        "LABEL",
        "MADE BY",
        "LAST USED",
        "EXPIRES",
        "STATE",
    ]);
    let now_ms = now_ms();
    for token in tokens {
        table.row([
            token.id.clone(),
            token.role.as_str().into(),
            token.kind.as_str().into(),
            token.principal.clone().unwrap_or_default(),
            token.groups.join(", "),
            token.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
            token.session.as_ref().map(ToString::to_string).unwrap_or_default(),
            token.label.clone().unwrap_or_default(),
            token.created_by.clone().unwrap_or_default(),
            token.used_at_ms.map(|at| format!("{} ago", span(now_ms - at))).unwrap_or_default(),
            token.expires_at_ms.map(rfc3339).unwrap_or_default(),
            token.state(now_ms).as_str().into(),
        ]);
    }
    table
}

/// The principal of a server's token: the server itself, by its name.
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
