//! `toolgate agents …` and `toolgate capabilities …`

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum AgentsCommand {
    /// Every agent that is defined, in toolgate.toml or in the settings
    #[command(after_help = "Example:\n  toolgate agents list")]
    List,
    /// One definition in full
    #[command(after_help = "Example:\n  toolgate agents show researcher")]
    Show { name: String },
    /// What a definition said over time, the first version first
    #[command(after_help = "Example:\n  toolgate agents versions researcher")]
    Versions { name: String },
}

#[derive(Subcommand)]
pub(crate) enum CapabilitiesCommand {
    /// Every capability that is defined, in toolgate.toml or in the settings
    #[command(after_help = "Example:\n  toolgate capabilities list")]
    List,
    /// One capability in full
    #[command(after_help = "Example:\n  toolgate capabilities show documents")]
    Show { name: String },
}
