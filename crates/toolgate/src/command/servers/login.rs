//! `toolgate servers login`: a person signs the gateway in at a server, in a browser, and the gateway stores
//! the result.

mod api;
mod callback;

use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::json;
use tokio::time::timeout;
use toolgate_core::PrincipalId;
use toolgate_core::address::Reach;
use toolgate_credentials::{LoginError, LoginOptions, OAuthSpec, PendingLogin, SIGN_IN, SignedIn, Vault};
use toolgate_outbound::OutboundSettings;
use toolgate_registry::ServerSource;

use super::roster::{RosterServer, roster, unknown_server};
use crate::cli::LoginArgs;
use crate::command::context::Context;
use crate::command::input::ask;
use crate::command::records::{RecordsContext, person};
use crate::command::secrets::{server_name, whose};
use crate::output::{printable, say, talk};
use callback::CallbackListener;

/// The time limit for signing in.
const WAIT: Duration = Duration::from_secs(300);

pub(super) async fn login(context: &Context, args: LoginArgs) -> anyhow::Result<ExitCode> {
    // Addresses and client secrets may be references to the environment.
    let room = RecordsContext::of(context.config()?).await?;
    let outcome = sign_in(&room, &args).await;
    let lists = args.principal.is_none() || is_signed_in_for_everyone(&room, &args).await;
    room.close().await;
    let signed_in = outcome?;
    if !lists {
        talk!(
            "The gateway lists the tools of {0} on its own account, and there is no sign-in for everyone: \
             if {0} wants a token for that too, run `toolgate servers login {0}` as well.",
            args.name
        );
    }
    match context.global.json {
        true => say!(
            "{}",
            json!({ "server": args.name, "principal": args.principal, "scopes": signed_in.scopes, "renews": signed_in.renews })
        ),
        false => say!("{}", told(&args, &signed_in)),
    }
    Ok(ExitCode::SUCCESS)
}

async fn is_signed_in_for_everyone(room: &RecordsContext, args: &LoginArgs) -> bool {
    let (Ok(vault), Ok(server)) = (room.vault(), server_name(&args.name)) else { return true };
    let stored = vault.list(Some(&server)).await.unwrap_or_default();
    stored.iter().any(|one| one.name == SIGN_IN && one.principal.is_none())
}

fn told(args: &LoginArgs, signed_in: &SignedIn) -> String {
    let principal = args.principal.as_deref().map(PrincipalId::new);
    let granted = match &signed_in.scopes[..] {
        [] => "what the server gives by default".to_owned(),
        scopes => scopes.join(", "),
    };
    let renews = match signed_in.renews {
        true => "it renews itself",
        false => "sign in again when it runs out",
    };
    let whose = whose(principal.as_ref());
    printable(&format!("signed in at {} for {whose}\ngranted: {granted}\n{renews}", args.name))
}

async fn sign_in(room: &RecordsContext, args: &LoginArgs) -> anyhow::Result<SignedIn> {
    let options = options(room, args).await?;
    let vault = room.vault()?;
    let desk = CallbackListener::open(args.port).await?;
    let login = PendingLogin::open(&vault, options, &desk.address()).await?;
    talk!("To sign in, open this address in a browser:\n\n  {}\n", login.authorization_url());
    if args.paste {
        return by_hand(&login).await;
    }
    if !args.no_browser && !opened(login.authorization_url()) {
        talk!("No browser could be started here.");
    }
    talk!(
        "Waiting for it for {} minutes. If the browser is on another machine, use --paste.",
        WAIT.as_secs() / 60
    );
    match timeout(WAIT, desk.serve(&login)).await {
        Ok(signed_in) => Ok(signed_in?),
        Err(_) => bail!(
            "the sign-in was not completed within {} minutes\nhint: start again with `toolgate servers login {}`",
            WAIT.as_secs() / 60,
            args.name
        ),
    }
}

/// The person copies the address at which the browser ended up: nothing listens there.
async fn by_hand(login: &PendingLogin) -> anyhow::Result<SignedIn> {
    loop {
        let pasted =
            ask("Afterwards the browser cannot open a page at 127.0.0.1; paste its address here: ").await?;
        if pasted.is_empty() {
            bail!("nothing was pasted\nhint: start again, and copy the whole address from the browser");
        }
        match login.finish(&pasted).await {
            Err(LoginError::Foreign { .. }) => {
                talk!("That is not the address: it has `code` and `state` in it.")
            }
            finished => return Ok(finished?),
        }
    }
}

async fn options(room: &RecordsContext, args: &LoginArgs) -> anyhow::Result<LoginOptions> {
    let roster = roster(&room.config, &room.store).await?;
    let Some(known) = roster.iter().find(|known| known.name.as_str() == args.name) else {
        bail!("{}", unknown_server(&roster, &args.name));
    };
    let entry = room.config.servers.iter().find(|entry| entry.spec.name == known.name);
    let egress = match entry {
        Some(entry) => entry.spec.egress.clone(),
        None => Arc::new(room.config.egress.anonymous()),
    };
    let reach = match known.source {
        ServerSource::File => Reach::Anywhere,
        ServerSource::Expected | ServerSource::Settings | ServerSource::Registered => {
            Reach::Within(room.config.network)
        }
    };
    let principal = args.principal.as_deref().map(PrincipalId::new);
    let (url, mut spec) = match &known.api {
        Some(api) => {
            let way = OutboundSettings { reach, egress: egress.clone() };
            let (url, spec) = api::place(room, known, api, &way, principal.as_ref()).await?;
            let own = entry.and_then(|entry| entry.oauth.clone()).unwrap_or_default();
            (url, OAuthSpec { client_metadata_url: own.client_metadata_url, ..spec })
        }
        None => (address(known)?, entry.and_then(|entry| entry.oauth.clone()).unwrap_or_default()),
    };
    if !args.scopes.is_empty() {
        spec.scopes.clone_from(&args.scopes);
    }
    let server = known.name.clone();
    Ok(LoginOptions { server, principal, by: person(), url, reach, egress, spec })
}

fn address(known: &RosterServer) -> anyhow::Result<String> {
    let name = &known.name;
    match (known.instances.first(), known.source) {
        (Some(instance), _) => Ok(instance.spec.url.clone()),
        (None, ServerSource::File) => bail!(
            "{name:?} is a command: there is nowhere to sign in\nhint: give it what it needs in `env`, as `${{vault:NAME}}` after `toolgate secrets set {name} NAME`"
        ),
        (None, _) => bail!("no instance of {name:?} has registered\nhint: start the server first"),
    }
}

/// True if a browser could be asked to open an address.
fn opened(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let nowhere = || Stdio::null();
    let started =
        Command::new(program).arg(url).stdin(nowhere()).stdout(nowhere()).stderr(nowhere()).status();
    started.is_ok_and(|status| status.success())
}

pub(super) async fn logout(
    context: &Context,
    name: &str,
    principal: Option<String>,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let principal = principal.as_deref().map(PrincipalId::new);
    let outcome = match room.vault() {
        Ok(vault) => forget(&vault, name, principal.as_ref()).await,
        Err(error) => Err(error),
    };
    room.close().await;
    outcome?;
    match context.global.json {
        true => say!("{}", json!({ "server": name, "principal": principal, "signed_in": false })),
        false => say!("signed out at {name} for {}", whose(principal.as_ref())),
    }
    Ok(ExitCode::SUCCESS)
}

async fn forget(vault: &Vault, name: &str, principal: Option<&PrincipalId>) -> anyhow::Result<()> {
    let server = server_name(name)?;
    let removed = vault.remove(&person(), &server, principal, SIGN_IN).await;
    if !removed.context("the sign-in could not be forgotten")? {
        bail!(
            "there is no sign-in at {name:?} for {}\nhint: `toolgate secrets list {name}` shows what there is",
            whose(principal)
        );
    }
    Ok(())
}
