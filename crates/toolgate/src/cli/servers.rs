//! `toolgate servers …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ServersCommand {
    /// All servers, where they come from and how they do
    #[command(after_help = "Example:\n  toolgate servers list")]
    List,
    /// One server in full: its instances, since when it is as it is, and the last lines it wrote to standard error
    #[command(after_help = "Example:\n  toolgate servers show files")]
    Show { name: String },
    /// Add the servers of a client's configuration (Claude Desktop, Claude Code, Cursor, VS Code)
    Import {
        /// The client's configuration file
        file: PathBuf,
        /// Only show what would be added
        #[arg(long)]
        dry_run: bool,
        /// Do not ask before writing
        #[arg(long, short)]
        yes: bool,
    },
    /// Connect to one server now and say what it offers
    Test { name: String },
    /// Sign in at a server that wants OAuth, in a browser
    #[command(
        after_help = "Examples:\n  toolgate servers login github\n  toolgate servers login github --principal ann\n  toolgate servers login github --no-browser"
    )]
    Login(LoginArgs),
    /// Forget what a sign-in at a server gave
    #[command(after_help = "Example:\n  toolgate servers logout github")]
    Logout {
        name: String,
        /// That of this principal, and not everybody's
        #[arg(long, value_name = "NAME")]
        principal: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct LoginArgs {
    pub(crate) name: String,
    /// For this principal only, and not for everybody
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
    /// A scope to ask for; may be given several times [default: what the file or the server says]
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    /// Only print the address to open
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Wait for the browser at this port, for clients that were registered with one [default: any free one]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Do not wait for the browser: ask for the address it ends up at, for a browser on another machine
    #[arg(long)]
    pub(crate) paste: bool,
}
