//! `toolgate ledger key`: the public key of checkpoints, or a new key.

use std::path::Path;
use std::process::ExitCode;

use crate::checkpoints::{make_key, signing_key};
use crate::command::context::Context;
use crate::output::{say, talk};

/// The public key is a line on standard output; the private key is never shown.
pub(super) async fn run(context: &Context, new: Option<&Path>, name: &str) -> anyhow::Result<ExitCode> {
    let Some(path) = new else {
        let config = context.config_to_read()?;
        say!("{}", signing_key(&config).await?.public());
        return Ok(ExitCode::SUCCESS);
    };
    let path = context.cwd.join(path);
    say!("{}", make_key(&path, name)?);
    talk!("wrote the private key to {}", path.display());
    talk!(
        "hint: name it as `key_file` in `[checkpoints]`, and give the line above to everybody who checks proofs"
    );
    Ok(ExitCode::SUCCESS)
}
