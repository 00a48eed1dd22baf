//! `toolgate servers …`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolgate_registry::{AddWishes, ContainerRuntime, PublishedName};

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
    /// Search servers in the MCP registry; nothing is added
    #[command(
        after_help = "Examples:\n  toolgate servers search weather\n  toolgate servers search postgres schema --limit 5\n\n`[registry] url` in toolgate.toml names another registry."
    )]
    Search {
        /// Words that name, title or description have, all of them
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Maximum number of servers
        #[arg(long, short = 'n', value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=100))]
        limit: u16,
    },
    /// Add a server of the MCP registry, after showing what it may do, where it comes from and which secrets it
    /// wants
    #[command(
        after_help = "Examples:\n  toolgate servers add io.github.owner/weather --dry-run\n  toolgate servers add io.github.owner/weather --version 1.2.0 --as weather\n  toolgate servers add io.github.owner/files --set folder=/srv/docs\n\nOnly an entry is written: an exact version, confined, with all its tools under review."
    )]
    Add(AddServerArgs),
    /// Say which servers from a registry have another version there, and show the difference; nothing is changed
    #[command(
        after_help = "Examples:\n  toolgate servers outdated\n  toolgate servers outdated weather --json"
    )]
    Outdated {
        /// Only this server
        name: Option<String>,
    },
    /// Disable a server of any source: it is neither started nor contacted, and nobody can call its tools
    #[command(after_help = "Example:\n  toolgate servers disable files --reason \"it is being moved\"")]
    Disable {
        name: String,
        /// Reason, which the ledger keeps and callers of its tools see
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Enable a disabled server again
    #[command(after_help = "Example:\n  toolgate servers enable files")]
    Enable {
        name: String,
        /// Reason, which the ledger keeps
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
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

#[derive(Args)]
pub(crate) struct AddServerArgs {
    /// Name in the registry: `io.github.owner/server`
    #[arg(value_parser = published_name)]
    pub(crate) name: PublishedName,
    /// Version to add [default: the latest]
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
    /// Name of the server here [default: the last part of its name]
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) own_name: Option<String>,
    /// Way to run or reach it, if it has several [default: the first that works]
    #[arg(long, value_parser = ["npm", "pypi", "nuget", "oci", "remote"])]
    pub(crate) way: Option<String>,
    /// Program that may start its image; without it no image is started
    #[arg(long, value_parser = ["docker", "podman"])]
    runtime: Option<String>,
    /// Value of an argument or variable that it needs; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    values: Vec<(String, String)>,
    /// Add it with `enabled = false`: nothing is started
    #[arg(long)]
    pub(crate) disabled: bool,
    /// Show what would be added, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask before writing
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl AddServerArgs {
    pub(crate) fn wishes(&self) -> AddWishes {
        let containers = self.runtime.as_deref().map(|runtime| match runtime {
            "podman" => ContainerRuntime::Podman,
            _ => ContainerRuntime::Docker,
        });
        AddWishes { containers, values: self.values.iter().cloned().collect() }
    }
}

fn published_name(text: &str) -> Result<PublishedName, String> {
    PublishedName::new(text).map_err(|bad| bad.to_string())
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_have_any_characters_after_its_name() {
        assert_eq!(assignment("folder=/a=b"), Ok(("folder".to_owned(), "/a=b".to_owned())));
        assert_eq!(assignment("folder="), Ok(("folder".to_owned(), String::new())));
        assert!(assignment("=x").is_err() && assignment("folder").is_err());
    }
}
