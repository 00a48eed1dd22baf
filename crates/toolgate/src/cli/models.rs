//! `toolgate models …`

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the language models of the configuration and of the setting `models`
    #[command(after_help = "Example:\n  toolgate models list")]
    List,
    /// Show one model: its provider, address, prices and limits
    #[command(after_help = "Example:\n  toolgate models show gpt")]
    Show { name: String },
    /// Ask a model whether it answers, streams and calls tools; two short questions, which cost a few tokens
    #[command(after_help = "Example:\n  toolgate models test gpt")]
    Test { name: String },
}
