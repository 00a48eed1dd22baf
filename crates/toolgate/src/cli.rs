//! What can be said on the command line. Nothing else looks at argv.

mod agents;
mod approvals;
mod files;
mod filters;
mod ledger;
mod policy;
mod runs;
mod servers;
mod sessions;
mod settings;
mod span;
mod tokens;
mod tools;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use toolgate_core::scope::AgentName;

use crate::config::{LISTEN_EXPECTED, parse_listen};

pub(crate) use agents::{AgentsCommand, CapabilitiesCommand};
pub(crate) use approvals::{ApprovalsArgs, ApprovalsCommand, NewArguments, Remember, StateArg};
pub(crate) use files::{FilesCommand, GetArgs, ListFilesArgs, PutArgs};
pub(crate) use filters::{FiltersCommand, TestFiltersArgs};
pub(crate) use ledger::{ExportFormat, LedgerCommand};
pub(crate) use policy::{ExplainArgs, PolicyCommand};
pub(crate) use runs::{AnswerArgs, InputsCommand, ListInputsArgs, ListRunsArgs, RunsCommand, TasksCommand};
pub(crate) use servers::{LoginArgs, ServersCommand};
pub(crate) use sessions::{ExplainSessionArgs, ListSessionsArgs, MountArg, OpenArgs, SessionsCommand};
pub(crate) use settings::{SecretArgs, SecretsCommand, SettingsCommand};
pub(crate) use tokens::{NewTokenArgs, TokenCommand};
pub(crate) use tools::{
    AcceptArgs, AliasesCommand, CostArgs, RANKED_DEFAULT, SearchArgs, StatusArg, ToolsCommand, VersionArg,
};

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
    /// Read this configuration [default: ./toolgate.toml, else toolgate.toml in the data folder, once you have agreed to it]
    #[arg(long, global = true, value_name = "FILE", env = "TOOLGATE_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Keep everything in this folder [default: $TOOLGATE_DATA, else ./toolgate-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON instead of text for people; errors too, with their hint, on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the gateway and serve MCP over HTTP
    Serve(ServeArgs),
    /// Speak MCP on standard input and output, for clients that spawn a process
    Stdio(StdioArgs),
    /// See, import, test and sign in at the servers behind the gateway
    #[command(subcommand)]
    Servers(ServersCommand),
    /// List, search, describe and call tools, see what they cost, and review what servers changed about them
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// What agents work in: which tools a session sees and why; open and close sessions
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Work under way: see where runs stand, stop them and let them go on
    #[command(subcommand)]
    Runs(RunsCommand),
    /// What runs ask people: see the questions, and answer
    #[command(subcommand)]
    Inputs(InputsCommand),
    /// Definitions of work
    #[command(subcommand)]
    Tasks(TasksCommand),
    /// Store and fetch files, which agents use by their id alone
    #[command(subcommand)]
    Files(FilesCommand),
    /// Kinds of agents, as they are defined
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Groups of tools that agents are given
    #[command(subcommand)]
    Capabilities(CapabilitiesCommand),
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
    /// What must not go out in arguments or come in with results: see the filters, and try them on the last calls
    #[command(subcommand)]
    Filters(FiltersCommand),
    /// Read, check and export the record of what happened
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Make and revoke access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Point an MCP client at this gateway
    Connect(ConnectArgs),
    /// Print a link that logs you in to the web console of the running gateway, once
    Console,
    /// Check everything and say what is wrong and what to do
    Doctor,
    /// Print a completion script for your shell
    Completions { shell: Shell },
    /// Ends children of a gateway that was killed; started by the gateway itself
    #[command(hide = true)]
    Reap,
    /// Becomes the program of a server, with what is left to it; started by the gateway itself
    #[command(hide = true)]
    Confine(ConfineArgs),
}

#[derive(Args)]
pub(crate) struct ConfineArgs {
    /// What is to be done first; without it, what can be done is tried and told
    pub(crate) plan: Option<String>,
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Listen here instead of where the configuration says; port 0 picks a free one
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// The folder of a model to search tools by meaning with, where the configuration names none (`script/model` fetches one)
    #[arg(long, value_name = "DIR", env = "TOOLGATE_MODEL")]
    pub(crate) model: Option<PathBuf>,
}

fn listen_address(written: &str) -> Result<SocketAddr, String> {
    parse_listen(written).map_err(|hint| format!("expected {LISTEN_EXPECTED}\nhint: {hint}"))
}

#[derive(Args)]
pub(crate) struct StdioArgs {
    /// See what this agent sees, as `/mcp/NAME` does
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
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
    /// Show the client what this agent sees
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
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
