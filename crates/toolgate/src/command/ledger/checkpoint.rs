//! `toolgate ledger checkpoint`: the present state of the ledger, signed.

use std::path::Path;
use std::process::ExitCode;

use toolgate_store::Store;

use super::export::ExportSink;
use crate::checkpoints::sign_next;
use crate::command::context::Context;
use crate::config::Config;
use crate::output::talk;

pub(super) async fn run(
    context: &Context,
    config: &Config,
    store: &Store,
    output: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let signed = sign_next(config, store).await?;
    let target = output.map(|file| context.cwd.join(file));
    ExportSink::put(target.as_deref(), &signed.text())?;
    if let Some(target) = target {
        talk!("wrote a checkpoint of {} streams to {}", signed.notes.len(), target.display());
    }
    Ok(ExitCode::SUCCESS)
}
