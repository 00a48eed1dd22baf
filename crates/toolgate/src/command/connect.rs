//! `toolgate connect`: points a client at this gateway.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use toolgate_core::Role;
use toolgate_store::Store;

use super::Context;
use crate::cli::ConnectArgs;
use crate::connect::{self, Client, Gate, Machine, Os, Written};
use crate::lock;

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
pub(super) async fn run(context: &Context, args: ConnectArgs) -> anyhow::Result<ExitCode> {
    let client = Client::parse(&args.client)?;
    let config = context.config_as_written()?;
    let url = args.url.clone().unwrap_or_else(|| {
        let running = lock::running(&config.data).and_then(|running| running.endpoint);
        running.unwrap_or_else(|| super::serve::endpoint(config.listen))
    });
    let token = match (&args.token, client.holds_token()) {
        (Some(token), _) => token.clone(),
        (None, false) => String::new(),
        (None, true) => {
            let store = Store::open(&config.data).await?;
            let label = format!("connect {}", client.name());
            let token = store.create_token(Role::Agent, Some(&label)).await?;
            eprintln!(
                "Made the token {} for {} (`toolgate token revoke {}` takes it back).",
                token.id,
                client.name(),
                token.id
            );
            token.secret
        }
    };
    let program = std::env::current_exe().context("could not find the path of this program")?;
    let gate = Gate {
        url: &url,
        token: &token,
        program: &program,
        data: &config.data,
        config: config.source.as_deref(),
    };
    if !args.write {
        println!("{}", connect::render(client, &gate));
        return Ok(ExitCode::SUCCESS);
    }
    let home = std::env::home_dir().context("could not find your home folder")?;
    let os = Os::this();
    let variable = if os == Os::Windows { "APPDATA" } else { "XDG_CONFIG_HOME" };
    // The specification has an empty or relative value count as none.
    let settings = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let machine = Machine { os, home: &home, settings: settings.as_deref(), cwd: &context.cwd };
    let path = client.config_path(&machine)?;
    let written = connect::write(&path, client, &gate)?;
    if context.global.json {
        println!("{}", json!({ "file": path, "written": format!("{written:?}") }));
        return Ok(ExitCode::SUCCESS);
    }
    match written {
        Written::Changed { backup: None } => println!("Created {}.", path.display()),
        Written::Changed { backup: Some(backup) } => {
            println!("Wrote {}; what was there before is in {}.", path.display(), backup.display())
        }
        Written::Unchanged => println!("{} points at this gateway already.", path.display()),
    }
    Ok(ExitCode::SUCCESS)
}
