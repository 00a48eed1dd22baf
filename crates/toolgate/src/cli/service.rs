//! `toolgate service …`

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ServiceCommand {
    /// Write a unit of systemd for you alone, and start the gateway with it
    #[command(
        after_help = "Examples:\n  toolgate service install\n  toolgate service install --data ~/toolgate --config ~/toolgate/toolgate.toml\n  toolgate service install --print\n\nThe unit runs this very program, with the configuration and the data folder that commands use here. Do it again after\nan upgrade: the gateway is restarted with what is installed then. `loginctl enable-linger` keeps it running while you are\nnot logged in."
    )]
    Install(InstallServiceArgs),
    /// Stop the gateway that `install` has started, and remove its unit; the data folder stays
    Uninstall,
    /// Say whether the service is installed and runs, and whether it runs the program that is installed
    Status,
}

#[derive(Args)]
pub(crate) struct InstallServiceArgs {
    /// Print the unit, and change nothing
    #[arg(long)]
    pub(crate) print: bool,
}
