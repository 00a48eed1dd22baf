//! What can be said on the command line. Nothing else looks at argv.

mod approvals;
mod ledger;
mod policy;
mod servers;
mod settings;
mod span;
mod tools;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use toolgate_core::{Kind, Role};

use crate::config::{LISTEN_EXPECTED, parse_listen};

pub(crate) use approvals::{ApprovalsArgs, ApprovalsCommand, NewArguments, Remember, StateArg};
pub(crate) use ledger::{ExportFormat, LedgerCommand};
pub(crate) use policy::{ExplainArgs, PolicyCommand};
pub(crate) use servers::{LoginArgs, ServersCommand};
pub(crate) use settings::{SecretArgs, SecretsCommand, SettingsCommand};
pub(crate) use tools::{AcceptArgs, AliasesCommand, StatusArg, ToolsCommand, VersionArg};

/// One governed door between AI agents and tools: every MCP server behind one endpoint.
#[derive(Parser)]
#[command(name = "toolgate", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args)]
pub(crate) struct Global {
    /// Read this configuration [default: ./toolgate.toml, else toolgate.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Keep everything in this folder [default: $TOOLGATE_DATA, else ./toolgate-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the gateway and serve MCP over HTTP
    Serve(ServeArgs),
    /// Speak MCP on standard input and output, for clients that spawn a process
    Stdio,
    /// See, import, test and sign in at the servers behind the gateway
    #[command(subcommand)]
    Servers(ServersCommand),
    /// List, describe and call tools, and review what servers changed about them
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Other names under which tools are known
    #[command(subcommand)]
    Aliases(AliasesCommand),
    /// Read and change what can be set while the gateway runs
    #[command(subcommand)]
    Settings(SettingsCommand),
    /// Keep what servers want to be shown: stored encrypted, never shown again
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// See what waits for a person, and decide
    Approvals(ApprovalsArgs),
    /// Check, explain and test the policies
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Read, check and export the record of what happened
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Make and revoke access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Point an MCP client at this gateway
    Connect(ConnectArgs),
    /// Check everything and say what is wrong and what to do
    Doctor,
    /// Print a completion script for your shell
    Completions { shell: Shell },
    /// Ends children of a gateway that was killed; started by the gateway itself
    #[command(hide = true)]
    Reap,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Listen here instead of where the configuration says; port 0 picks a free one
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) listen: Option<SocketAddr>,
}

fn listen_address(written: &str) -> Result<SocketAddr, String> {
    parse_listen(written).map_err(|hint| format!("expected {LISTEN_EXPECTED}\nhint: {hint}"))
}

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; it is printed once and cannot be shown again
    #[command(
        after_help = "Examples:\n  toolgate token create --role agent --label laptop\n  toolgate token create --role approver --principal ann --group finance\n  toolgate token create --role server --server resume-profile-mcp"
    )]
    Create {
        #[arg(long, value_enum)]
        role: RoleArg,
        /// A word to recognise it by
        #[arg(long)]
        label: Option<String>,
        /// Whose token it is: what policies and the ledger call them. Without it each token is its own principal
        #[arg(long, value_name = "NAME")]
        principal: Option<String>,
        /// The one server that a token of role `server` registers
        #[arg(long, value_name = "NAME", conflicts_with_all = ["principal", "groups"], required_if_eq("role", "server"))]
        server: Option<String>,
        /// What holds it; only a human may approve [default: agent for agents, service for servers, else human]
        #[arg(long, value_enum)]
        kind: Option<KindArg>,
        /// A group that its holder belongs to, as a gate's @approvers names it; may be given several times
        #[arg(long = "group", value_name = "GROUP")]
        groups: Vec<String>,
    },
    /// All tokens, without their secrets
    List,
    /// Make a token useless; running gateways notice within a second
    Revoke {
        /// Its id, the beginning of its id, or its label
        token: String,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RoleArg {
    Agent,
    Admin,
    Operator,
    Approver,
    Auditor,
    Server,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Agent => Role::Agent,
            RoleArg::Admin => Role::Admin,
            RoleArg::Operator => Role::Operator,
            RoleArg::Approver => Role::Approver,
            RoleArg::Auditor => Role::Auditor,
            RoleArg::Server => Role::Server,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum KindArg {
    Human,
    Agent,
    Service,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Kind {
        match kind {
            KindArg::Human => Kind::Human,
            KindArg::Agent => Kind::Agent,
            KindArg::Service => Kind::Service,
        }
    }
}

#[derive(Args)]
pub(crate) struct ConnectArgs {
    /// claude-desktop, claude-code, cursor, vscode or generic
    pub(crate) client: String,
    /// Write the entry into the client's own configuration, after a backup
    #[arg(long)]
    pub(crate) write: bool,
    /// Use this token instead of making a new one
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Use this address instead of the one in the configuration
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_to_listen_on_may_be_localhost_and_a_wrong_one_has_a_hint() {
        assert_eq!(listen_address("localhost:8700"), Ok(SocketAddr::from(([127, 0, 0, 1], 8700))));
        let refused = listen_address("8700").expect_err("no address");
        assert!(refused.contains("127.0.0.1:8700") && refused.contains("\nhint: "), "{refused}");
    }
}
