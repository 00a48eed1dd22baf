//! `toolgate servers …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ServersCommand {
    /// List all servers, with their source and health
    #[command(after_help = "Example:\n  toolgate servers list")]
    List,
    /// Show one server in full: its instances, its health and since when, and the last lines of its standard
    /// error
    #[command(after_help = "Example:\n  toolgate servers show files")]
    Show { name: String },
    /// Add the servers of a client's configuration (Claude Desktop, Claude Code, Cursor, VS Code), or an API by its OpenAPI
    /// document
    #[command(
        after_help = "Examples:\n  toolgate servers import ~/.cursor/mcp.json\n  toolgate servers import --openapi https://petstore3.swagger.io/api/v3/openapi.json --name pets"
    )]
    Import(ImportArgs),
    /// Connect to one server now and show what it offers
    Test { name: String },
    /// Sign in at a server that requires OAuth, in a browser
    #[command(
        after_help = "Examples:\n  toolgate servers login github\n  toolgate servers login github --principal ann\n  toolgate servers login github --no-browser"
    )]
    Login(LoginArgs),
    /// Remove the sign-in at a server
    #[command(after_help = "Example:\n  toolgate servers logout github")]
    Logout {
        name: String,
        /// Remove the sign-in of this principal, not the shared one
        #[arg(long, value_name = "NAME")]
        principal: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The client's configuration file
    #[arg(required_unless_present = "openapi", conflicts_with = "openapi")]
    pub(crate) file: Option<PathBuf>,
    /// The path or address of an OpenAPI document: its API becomes a server
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) openapi: Option<String>,
    /// The name of the API's server [default: made of the document's title]
    #[arg(long, value_name = "NAME", requires = "openapi")]
    pub(crate) name: Option<String>,
    /// The address of the API [default: what the document says]
    #[arg(long, value_name = "URL", requires = "openapi")]
    pub(crate) base_url: Option<String>,
    /// Show what would be added, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask before writing
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct LoginArgs {
    pub(crate) name: String,
    /// Sign in for this principal only, not for everyone
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
    /// Scope to request; repeatable [default: those of the file or the server]
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    /// Print the URL instead of opening it
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Port on which to wait for the browser, for clients that were registered with one [default: any free
    /// port]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Ask for the URL at which the browser ends up instead of waiting for it, for a browser on another
    /// machine
    #[arg(long)]
    pub(crate) paste: bool,
}
