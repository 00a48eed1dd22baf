//! `toolgate substrate …`: proofs that are checked here, and manifests that go out and in as files. All else about the substrate is a
//! tool's command.

mod calls;
mod check;
mod content;
mod export;
mod import;
mod paging;
mod progress;
mod source;
mod unpacking;

use std::process::ExitCode;

use super::context::Context;
use crate::cli::SubstrateCommand;

pub(super) async fn run(context: &Context, command: SubstrateCommand) -> anyhow::Result<ExitCode> {
    match command {
        SubstrateCommand::Check { proof, manifest } => check::run(context, &proof, manifest),
        SubstrateCommand::Export(args) => export::run(context, &args).await,
        SubstrateCommand::Import(args) => import::run(context, &args).await,
    }
}
