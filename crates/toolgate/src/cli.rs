//! The command line. Nothing else reads argv.

mod agents;
mod approvals;
mod credentials;
mod files;
mod filters;
mod ledger;
mod mail;
mod models;
mod platform;
mod policy;
mod run;
mod runs;
mod servers;
mod service;
mod sessions;
mod settings;
mod span;
mod store;
mod substrate;
mod tasks;
mod tokens;
mod tools;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use toolgate_core::scope::AgentName;

use crate::config::{LISTEN_EXPECTED, parse_listen};

pub(crate) use agents::{AgentsCommand, CapabilitiesCommand};
pub(crate) use approvals::{ApprovalsArgs, ApprovalsCommand, NewArguments, RememberArgs, StateArg};
pub(crate) use credentials::{CredentialAddArgs, CredentialRotateArgs, CredentialsCommand};
pub(crate) use files::{FilesCommand, GetArgs, ListFilesArgs, PutArgs};
pub(crate) use filters::{FiltersCommand, TestFiltersArgs};
pub(crate) use ledger::{ArchiveArgs, ArchiveCommand, EraseArgs, ExportFormat, LedgerCommand};
pub(crate) use mail::MailCommand;
pub(crate) use models::ModelsCommand;
pub(crate) use platform::PlatformCommand;
pub(crate) use policy::{ExplainArgs, PolicyCommand};
pub(crate) use run::RunArgs;
pub(crate) use runs::{AnswerArgs, InputsCommand, ListInputsArgs, ListRunsArgs, RunsCommand};
pub(crate) use servers::{AddServerArgs, ImportArgs, LoginArgs, ServersCommand};
pub(crate) use service::{InstallServiceArgs, ServiceCommand};
pub(crate) use sessions::{ExplainSessionArgs, ListSessionsArgs, MountArg, OpenArgs, SessionsCommand};
pub(crate) use settings::{SecretArgs, SecretsCommand, SettingsCommand};
pub(crate) use store::{MigrateArgs, StoreCommand};
pub(crate) use substrate::{ExportManifestArgs, ImportKind, ImportManifestArgs, SubstrateCommand};
pub(crate) use tasks::{AutomationsCommand, CreateAutomationArgs, CreateTaskArgs, SpendArgs, TasksCommand};
pub(crate) use tokens::{NewTokenArgs, TokenCommand};
pub(crate) use tools::{
    AcceptArgs, AliasesCommand, CodeLanguage, CodegenArgs, CostArgs, RANKED_DEFAULT, SearchArgs, StatusArg,
    ToolsCommand, VersionArg,
};

/// A governed gateway between AI agents and tools: every MCP server behind one endpoint.
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
    /// Configuration file to read [default: ./toolgate.toml, else toolgate.toml in the data folder, once you
    /// have agreed to it]
    #[arg(long, global = true, value_name = "FILE", env = "TOOLGATE_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Data folder [default: $TOOLGATE_DATA, else ./toolgate-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON instead of text; errors as well, with their hint, on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the gateway and serve MCP over HTTP
    Serve(ServeArgs),
    /// Serve MCP over standard input and output, for clients that spawn a process
    Stdio(StdioArgs),
    /// List, import, find, add and test the servers behind the gateway, and sign in at them
    #[command(subcommand)]
    Servers(ServersCommand),
    /// List, search, describe and call tools, count their tokens, and review changes to their definitions
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// List, open and close sessions, and explain which tools a session sees and why
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Let an agent work on a goal, and show what it does
    // The tools `run.…` are commands below it, and have neither a goal nor a model.
    #[command(
        subcommand_negates_reqs = true,
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  toolgate run 'Summarise the open issues' --model large --agent clerk\n  toolgate run 'Tailor the résumé' --model large --file resume.pdf --budget-turns 20\n\nCtrl-C pauses the run. Exit codes: 0 completed, 3 partial, 1 failed or cancelled, 130 interrupted."
    )]
    Run(RunArgs),
    /// List, pause, resume and cancel runs, and show their chats
    #[command(subcommand)]
    Runs(RunsCommand),
    /// List and answer the questions that runs ask people
    #[command(subcommand)]
    Inputs(InputsCommand),
    /// List, show, create, run and delete tasks, the definitions of work for runs
    #[command(subcommand)]
    Tasks(TasksCommand),
    /// List, create, pause and resume automations, the rules that start tasks
    #[command(subcommand)]
    Automations(AutomationsCommand),
    /// Show what models have cost, by agent, task, model or day
    #[command(after_help = "Examples:\n  toolgate spend\n  toolgate spend --by day --since 7d")]
    Spend(SpendArgs),
    /// Store and fetch files, which agents use by their id
    #[command(subcommand)]
    Files(FilesCommand),
    /// Store artifacts, make, compare, export and import manifests of them, and check proofs of their paths
    #[command(subcommand)]
    Substrate(SubstrateCommand),
    /// List and show the definitions of agents
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// List and show capabilities, the named sets of tools that agents get
    #[command(subcommand)]
    Capabilities(CapabilitiesCommand),
    /// List the language models of agents that run here, and test whether they answer, stream and call tools
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Show where mails to people go, and send a test
    #[command(subcommand)]
    Mail(MailCommand),
    /// List aliases of tools
    #[command(subcommand)]
    Aliases(AliasesCommand),
    /// Read and change the settings of a running gateway
    #[command(subcommand)]
    Settings(SettingsCommand),
    /// Store the credentials that servers and models need, encrypted; values are never shown again
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Keep credentials for sites, which agents use by handle and never see
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// List what waits for approval, and decide
    Approvals(ApprovalsArgs),
    /// Check, explain and test the policies
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List the filters for arguments and results, and test them on recent calls
    #[command(subcommand)]
    Filters(FiltersCommand),
    /// Read, verify and export the ledger, the record of what happened
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Move what the gateway has stored to another database, or bring it to the form of this version
    #[command(subcommand)]
    Store(StoreCommand),
    /// Create, list and revoke access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Configure an MCP client to use this gateway
    Connect(ConnectArgs),
    /// Print a one-time link that logs you in to the web console of the running gateway
    Console,
    /// Check the installation, and report what is wrong and how to fix it
    Doctor,
    /// Say whether the gateway of the data folder is ready for calls, for health checks
    #[command(
        after_help = "Ends with status 0 if the gateway is ready, and with 1 if it is not, or if none runs. It asks the gateway's own `/readyz`."
    )]
    Ready,
    /// Run the gateway as a service of yours, with systemd and without root
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Print a completion script for your shell
    Completions { shell: Shell },
    /// Ends children of a gateway that was killed; started by the gateway itself
    #[command(hide = true)]
    Reap,
    /// Becomes the program of a server, with what is left to it; started by the gateway itself
    #[command(hide = true)]
    Confine(ConfineArgs),
    /// A tool of the platform; `platform.rs` makes its command from its definition
    #[command(skip)]
    Platform(PlatformCommand),
}

/// Every command, those of the platform's tools too.
pub(crate) fn whole() -> clap::Command {
    platform::extend(Cli::command())
}

/// Reads argv. Mistakes end the process with a message.
///
/// Describing the tools of the platform is a third of a start, and most commands do without.
pub(crate) fn read() -> Cli {
    let own = Cli::command().try_get_matches().ok().filter(|matches| !platform::may_be_meant(matches));
    let read = match own {
        Some(matches) => Cli::from_arg_matches(&matches),
        None => from_matches(&whole().get_matches()),
    };
    read.unwrap_or_else(|error| error.exit())
}

/// The command line that [`whole`] has matched.
pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Cli, clap::Error> {
    match platform::read(matches) {
        Some(command) => {
            Ok(Cli { global: Global::from_arg_matches(matches)?, command: Command::Platform(command) })
        }
        None => Cli::from_arg_matches(matches),
    }
}

#[derive(Args)]
pub(crate) struct ConfineArgs {
    /// The first thing to do; without it, everything possible is tried and reported
    pub(crate) plan: Option<String>,
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on, instead of the one in the configuration; port 0 picks a free one
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Folder of an embedding model for searching tools by meaning, if the configuration names none
    /// (`script/model` downloads one)
    #[arg(long, value_name = "DIR", env = "TOOLGATE_MODEL", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) model: Option<PathBuf>,
}

fn listen_address(written: &str) -> Result<SocketAddr, String> {
    parse_listen(written).map_err(|hint| format!("expected {LISTEN_EXPECTED}\nhint: {hint}"))
}

#[derive(Args)]
pub(crate) struct StdioArgs {
    /// Serve the tools that this agent sees, as `/mcp/NAME` does
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
}

#[derive(Args)]
pub(crate) struct ConnectArgs {
    /// claude-desktop, claude-code, cursor, vscode or generic
    pub(crate) client: String,
    /// Write the entry into the client's configuration, after a backup
    #[arg(long)]
    pub(crate) write: bool,
    /// Use this token instead of creating a new one
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Use this URL instead of the one in the configuration
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Give the client the tools that this agent sees
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
