//! `toolgate substrate …`, as far as it needs no gateway. `platform.rs` adds the tools.

use std::path::PathBuf;

use clap::Subcommand;
use toolgate_core::substrate::ManifestDigest;

#[derive(Subcommand)]
pub(crate) enum SubstrateCommand {
    /// Check the proof of a path, without a store and without a configuration
    #[command(after_help = "Example:\n  toolgate substrate check path.proof --manifest sha256:9f86d081…")]
    Check {
        /// Proof that `toolgate substrate manifest prove` made
        #[arg(value_name = "FILE")]
        proof: PathBuf,
        /// Manifest that it must be about, as you have it from somewhere you trust
        #[arg(long, value_name = "SHA256")]
        manifest: Option<ManifestDigest>,
    },
}
