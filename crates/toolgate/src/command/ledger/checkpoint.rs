//! `toolgate ledger checkpoint`: the present state of the ledger, signed.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate_store::Store;

use super::export::ExportSink;
use crate::checkpoints::sign_next;
use crate::command::context::Context;
use crate::config::{CheckpointSettings, Config};
use crate::output::talk;

pub(super) async fn run(
    context: &Context,
    config: &Config,
    store: &Store,
    output: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let signed = sign_next(settings(config)?, store).await?;
    let target = output.map(|file| context.cwd.join(file));
    ExportSink::put(target.as_deref(), &signed.text())?;
    if let Some(target) = target {
        talk!("wrote a checkpoint of {} streams to {}", signed.notes.len(), target.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The table of the configuration, which signing needs.
pub(super) fn settings(config: &Config) -> anyhow::Result<&CheckpointSettings> {
    config.checkpoints.as_ref().context(
        "the configuration has no `[checkpoints]`\n\
         hint: `toolgate ledger key --new FILE` makes a key; name it there as `key_file`, with a `folder` for the checkpoints",
    )
}
