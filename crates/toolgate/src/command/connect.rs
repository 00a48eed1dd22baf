//! `toolgate connect`: points a client at this gateway.
//!
//! A token is made last, when all that can be checked has been, and is taken back if it did not reach the client.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::json;
use toolgate_core::scope::AgentName;
use toolgate_core::{Principal, Role};
use toolgate_store::{NewToken, NewTokenSpec, Store};
use url::Url;

use super::agents;
use super::context::Context;
use super::looking::SpareFolder;
use crate::cli::ConnectArgs;
use crate::config::Config;
use crate::connect::{self, ClientFile, ClientPlaces, ClientProgram, GatewayAccess, Os, WriteOutcome};
use crate::environment;
use crate::governance::COMMAND_STREAM;
use crate::local::open_store;
use crate::lock;
use crate::output::{self, talk};

pub(super) async fn run(context: &Context, args: ConnectArgs) -> anyhow::Result<ExitCode> {
    let client = ClientProgram::parse(&args.client)?;
    let config = context.config_as_written()?;
    let endpoint = args.url.clone().unwrap_or_else(|| {
        let running = lock::running(&config.data).and_then(|running| running.endpoint);
        running.unwrap_or_else(|| super::serve::endpoint(config.listen))
    });
    let url = match &args.agent {
        Some(agent) => address_of(&endpoint, agent)?,
        None => endpoint,
    };
    if let Some(agent) = &args.agent {
        Box::pin(warn_of_unknown(&config, agent)).await?;
    }
    let program = std::env::current_exe().context("could not find the path of this program")?;
    let file = place(context, client).and_then(|path| Ok(ClientFile::read(path, client)?));
    // Printing needs no file.
    let file = if args.write { Some(file?) } else { file.ok() };
    let hand_over = |token: &str| {
        let (data, config) = (&config.data, config.source.as_deref());
        let agent = args.agent.as_ref();
        let gate = GatewayAccess { url: &url, token, program: &program, data, config, agent };
        match &file {
            Some(file) if args.write => write(context, file, &gate),
            _ => print(client, &gate),
        }
    };
    if let Some(token) = &args.token {
        hand_over(token)?;
    } else if client.holds_token() && !args.write {
        hand_over("<your token>")?;
        talk!(
            "Put a token there: `toolgate token create --role agent` makes one. With --write the entry is written for you, with a token of its own."
        );
    } else if client.holds_token() {
        let store = open_store(&config).await?;
        with_token(&store, client, file.as_ref(), hand_over).await?;
        store.close().await;
    } else {
        hand_over("")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Warns about an undefined agent, without creating a data folder: without one, only the file counts, and
/// without a file no agent is known yet.
async fn warn_of_unknown(config: &Config, agent: &AgentName) -> anyhow::Result<()> {
    let spare = SpareFolder::default();
    match spare.stand_in(config.clone()) {
        Ok(config) => agents::warn_of_unknown(&config, agent).await,
        Err(_) => Ok(()),
    }
}

/// The endpoint of one agent: `/mcp/NAME`.
fn address_of(endpoint: &str, agent: &AgentName) -> anyhow::Result<String> {
    let given = || {
        format!(
            "{endpoint:?} is not the address of an endpoint\nhint: write it like http://127.0.0.1:8700/mcp"
        )
    };
    let mut url = Url::parse(endpoint).with_context(given)?;
    match url.path_segments_mut() {
        Ok(mut parts) => drop(parts.pop_if_empty().push(agent.as_str())),
        Err(()) => bail!(given()),
    }
    Ok(url.into())
}

/// Hands over the token that the client has already, or a new one.
async fn with_token(
    store: &Store,
    client: ClientProgram,
    file: Option<&ClientFile>,
    hand_over: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if let Some(token) = file.and_then(ClientFile::token)
        && store.verify(&token).await?.is_some()
    {
        return hand_over(&token);
    }
    let label = format!("connect {}", client.name());
    let created_by = Some(Principal::local().id);
    let spec = NewTokenSpec { created_by, ..NewTokenSpec::of(Role::Agent).labelled(label) };
    let NewToken { id, secret, .. } = store.create_token(COMMAND_STREAM, spec).await?;
    if let Err(error) = hand_over(&secret) {
        store.revoke_token(COMMAND_STREAM, &Principal::local().id, &id).await?;
        return Err(error);
    }
    talk!("Made the token {id} for {} (`toolgate token revoke {id}` takes it back).", client.name());
    Ok(())
}

/// The file that the client reads.
fn place(context: &Context, client: ClientProgram) -> anyhow::Result<PathBuf> {
    let home = std::env::home_dir().context("could not find your home folder")?;
    let os = Os::this();
    let variable = if os == Os::Windows { "APPDATA" } else { "XDG_CONFIG_HOME" };
    let settings = environment::folder(variable);
    let machine = ClientPlaces { os, home: &home, settings: settings.as_deref(), cwd: &context.cwd };
    Ok(client.config_path(&machine)?)
}

fn print(client: ClientProgram, gate: &GatewayAccess<'_>) -> anyhow::Result<()> {
    output::try_write(format_args!("{}\n", connect::render(client, gate)))
        .context("could not write to standard output")
}

fn write(context: &Context, file: &ClientFile, gate: &GatewayAccess<'_>) -> anyhow::Result<()> {
    let written = file.write(gate)?;
    let path = file.path().display();
    if context.global.json {
        output::say!("{}", json!({ "file": file.path(), "written": format!("{written:?}") }));
        return Ok(());
    }
    match written {
        WriteOutcome::Changed { backup: None } => output::say!("Created {path}."),
        WriteOutcome::Changed { backup: Some(backup) } => {
            output::say!("Wrote {path}; what was there before is in {}.", backup.display());
        }
        WriteOutcome::Unchanged => output::say!("{path} points at this gateway already."),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    struct ConnectFixture {
        folder: tempfile::TempDir,
        store: Store,
    }

    impl ConnectFixture {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("data")).await.unwrap();
            Self { folder, store }
        }

        async fn connect(&self) -> WriteOutcome {
            let file = ClientFile::read(self.folder.path().join("mcp.json"), ClientProgram::Cursor).unwrap();
            let mut written = None;
            let hand_over = |token: &str| {
                let here = Path::new("/x");
                let gate = GatewayAccess {
                    url: "http://127.0.0.1:1/mcp",
                    token,
                    program: here,
                    data: here,
                    config: None,
                    agent: None,
                };
                written = Some(file.write(&gate)?);
                Ok(())
            };
            with_token(&self.store, ClientProgram::Cursor, Some(&file), hand_over).await.unwrap();
            written.expect("it was handed over")
        }

        async fn live(&self) -> usize {
            let tokens = self.store.list_tokens().await.unwrap();
            tokens.iter().filter(|token| token.revoked_at_ms.is_none()).count()
        }
    }

    #[test]
    fn an_agent_has_an_address_of_its_own() {
        let agent = AgentName::new("büro").expect("a name");
        let address = |endpoint: &str| address_of(endpoint, &agent).map_err(|error| error.to_string());
        assert_eq!(address("http://127.0.0.1:1/mcp"), Ok("http://127.0.0.1:1/mcp/b%C3%BCro".to_owned()));
        assert_eq!(address("https://x/mcp/"), Ok("https://x/mcp/b%C3%BCro".to_owned()));
        assert!(address("x").is_err_and(|told| told.contains("hint: ")));
    }

    #[tokio::test]
    async fn connecting_again_keeps_the_token_while_it_is_good() {
        let desk = ConnectFixture::new().await;
        assert_eq!(desk.connect().await, WriteOutcome::Changed { backup: None });
        assert_eq!(desk.connect().await, WriteOutcome::Unchanged);
        assert_eq!(desk.live().await, 1);
        desk.store.revoke_token(COMMAND_STREAM, &Principal::local().id, "connect cursor").await.unwrap();
        assert!(matches!(desk.connect().await, WriteOutcome::Changed { backup: Some(_) }));
        assert_eq!(desk.live().await, 1);
    }

    #[tokio::test]
    async fn a_token_that_did_not_reach_the_client_is_revoked() {
        let desk = ConnectFixture::new().await;
        let refuse = |_: &str| anyhow::bail!("the disk is full");
        with_token(&desk.store, ClientProgram::Generic, None, refuse).await.expect_err("it was refused");
        assert_eq!(desk.live().await, 0);
    }
}
