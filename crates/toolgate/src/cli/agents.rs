//! `toolgate agents …` and `toolgate capabilities …`

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum AgentsCommand {
    /// List all agents that are defined in toolgate.toml or in the settings
    #[command(after_help = "Example:\n  toolgate agents list")]
    List,
    /// Show one definition in full
    #[command(after_help = "Example:\n  toolgate agents show researcher")]
    Show { name: String },
    /// List all versions of a definition, oldest first
    #[command(after_help = "Example:\n  toolgate agents versions researcher")]
    Versions { name: String },
}

#[derive(Subcommand)]
pub(crate) enum CapabilitiesCommand {
    /// List all capabilities that are defined in toolgate.toml or in the settings
    #[command(after_help = "Example:\n  toolgate capabilities list")]
    List,
    /// Show one capability in full
    #[command(after_help = "Example:\n  toolgate capabilities show documents")]
    Show { name: String },
}
