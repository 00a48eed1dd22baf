//! `toolgate console`: a link that logs the person at this machine in to the pages of the running gateway.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;

use super::context::Context;
use crate::local::open_store;
use crate::lock;
use crate::output::{put, talk};
use crate::pages::{LINK_TIME, link_address};

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    if !config.console.enabled {
        bail!(
            "the console is switched off\nhint: take `enabled = false` out of `[console]` in the configuration"
        );
    }
    let Some(endpoint) = lock::running(&config.data).and_then(|running| running.endpoint) else {
        bail!("no gateway runs on {}\nhint: `toolgate serve` starts one", config.data.display());
    };
    let store = open_store(&config).await?;
    let link = store.create_login_link(LINK_TIME).await?;
    store.close().await;
    let address = link_address(&endpoint, &link);
    if context.global.json {
        put!("{}\n", json!({ "console": address, "seconds": LINK_TIME.as_secs() }));
    } else {
        put!("{address}\n");
        talk!("It logs you in once, within an hour. Everyone else logs in with a token.");
    }
    Ok(ExitCode::SUCCESS)
}
