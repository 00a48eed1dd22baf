//! `toolgate servers disable` and `enable`: any server, without a change of the file.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use toolgate_core::{Principal, ServerName};
use toolgate_registry::SettingContext;

use super::roster::{disabled, roster, unknown_server};
use crate::command::context::Context;
use crate::command::records::{RecordsContext, told};
use crate::output::{say, talk};

pub(super) async fn disable(
    context: &Context,
    name: &str,
    reason: Option<String>,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let (server, around) = known(&room, name).await?;
    let disabling = room.records.disable_server(&Principal::local(), &server, reason, &around).await;
    disabling.map_err(told)?;
    room.close().await;
    tell(context, &server, "disabled");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn enable(
    context: &Context,
    name: &str,
    reason: Option<String>,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let (server, around) = known(&room, name).await?;
    refuse_configured(&room, name).await?;
    let enabling = room.records.enable_server(&Principal::local(), &server, reason, &around).await;
    enabling.map_err(told)?;
    room.close().await;
    tell(context, &server, "enabled");
    Ok(ExitCode::SUCCESS)
}

/// A server that there is, or one that was disabled and is not there any more.
async fn known(room: &RecordsContext, name: &str) -> anyhow::Result<(ServerName, SettingContext)> {
    let roster = roster(&room.config, &room.store).await?;
    let is_there = roster.iter().any(|known| known.name.as_str() == name);
    if !is_there && !disabled(&room.store).await?.contains_key(name) {
        bail!("{}", unknown_server(&roster, name));
    }
    let around = room.records.setting_context(room.config.file_state()).await.map_err(told)?;
    Ok((ServerName::new(name)?, around))
}

/// What `enabled = false` disables where the server is configured, nothing else enables.
async fn refuse_configured(room: &RecordsContext, name: &str) -> anyhow::Result<()> {
    if disabled(&room.store).await?.contains_key(name) {
        return Ok(());
    }
    let roster = roster(&room.config, &room.store).await?;
    match roster.iter().find(|known| known.name.as_str() == name) {
        Some(known) if !known.enabled => {
            let place = known.source.place();
            bail!("{name:?} has `enabled = false` in {place}\nhint: remove it there")
        }
        _ => Ok(()),
    }
}

fn tell(context: &Context, server: &ServerName, state: &str) {
    if context.global.json {
        say!("{}", json!({ "name": server.as_str(), "state": state }));
        return;
    }
    say!("{server} is {state}");
    talk!("A gateway that runs takes it up within a second.");
}
