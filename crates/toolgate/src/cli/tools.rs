//! `toolgate tools …` and `toolgate aliases …`

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use toolgate_core::registry::ToolStatus;
use toolgate_core::scope::AgentName;

/// Default number of tools in a ranking.
pub(crate) const RANKED_DEFAULT: u16 = 50;

#[derive(Subcommand)]
pub(crate) enum ToolsCommand {
    /// List all tools that agents see; with --status, all that the registry has in that state
    #[command(
        after_help = "Examples:\n  toolgate tools list\n  toolgate tools list --status quarantined\n  toolgate tools list --status all --server files"
    )]
    List {
        /// Only entries of this server
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
        /// Tools in this state of the registry; `all` for every state
        #[arg(long, value_name = "STATUS", value_parser = statuses())]
        status: Option<StatusArg>,
    },
    /// Describe one tool and its arguments
    Describe { name: String },
    /// Search tools by their purpose, as agents do
    #[command(
        after_help = "Examples:\n  toolgate tools search open an issue\n  toolgate tools search \"send a message\" --agent support --servers slack,mail\n  toolgate tools search --catalogue tools.jsonl --queries queries.jsonl --json"
    )]
    Search(SearchArgs),
    /// Show how many tokens a list of tools costs, by server and by tool, and what search saves
    #[command(
        after_help = "Examples:\n  toolgate tools cost\n  toolgate tools cost --agent researcher --server files"
    )]
    Cost(CostArgs),
    /// Write typed functions for the tools that a session sees
    #[command(
        after_help = "Examples:\n  toolgate tools codegen --lang typescript --output tools.ts\n  toolgate tools codegen --lang python --agent researcher --server files"
    )]
    Codegen(CodegenArgs),
    /// Call a tool
    Call {
        name: String,
        /// A JSON object, or pairs: key=text, key:=json, nested.key=text
        #[arg(value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Show what servers changed about their tools since they were pinned
    #[command(
        after_help = "Examples:\n  toolgate tools diff\n  toolgate tools diff files:read --exit-code\n  toolgate tools diff files:read --from 01fdf7bc --to 9f86d081"
    )]
    Diff(DiffArgs),
    /// List all definitions of a tool that its server has offered, oldest first
    #[command(after_help = "Example:\n  toolgate tools history files:read")]
    History { name: String },
    /// Accept the definition that the server offers now: agents can see and call it again
    #[command(
        after_help = "Examples:\n  toolgate tools accept files:read\n  toolgate tools accept --all --server files"
    )]
    Accept(AcceptArgs),
    /// Reject the definition that the server offers now: the tool stays withheld, and no review is requested
    /// again
    #[command(after_help = "Example:\n  toolgate tools reject files:read")]
    Reject {
        name: String,
        #[command(flatten)]
        version: VersionArg,
    },
}

/// The viewer; by default the local user of the data folder.
#[derive(Args)]
pub(crate) struct ViewerArgs {
    /// View as this agent
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    /// View as this session; part of its id is enough
    #[arg(long, value_name = "SESSION", conflicts_with = "agent")]
    pub(crate) session: Option<String>,
}

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// Search words
    #[arg(value_name = "WORDS", required_unless_present = "queries")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) whose: ViewerArgs,
    /// Only tools of these servers
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) servers: Vec<String>,
    /// Maximum number of entries [default: 20; 50 with --catalogue]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) limit: Option<u16>,
    /// Maximum number of tokens that an agent would read
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) budget_tokens: Option<u32>,
    /// Search this file instead of a gateway: one line {"server", "name", "description", "input_schema"} per
    /// tool; repeatable
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "session", "budget_tokens"])]
    pub(crate) catalogue: Vec<PathBuf>,
    /// Rank the tools for each query of this file: one line {"id", "query"} per query
    #[arg(long, value_name = "FILE", requires = "catalogue", conflicts_with = "words")]
    pub(crate) queries: Option<PathBuf>,
    /// Rank by meaning as well, with the embedding model in this folder
    #[arg(long, value_name = "DIR", requires = "catalogue")]
    pub(crate) model: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    pub(crate) whose: ViewerArgs,
    /// Show each tool of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
}

#[derive(Args)]
pub(crate) struct CodegenArgs {
    /// The language of the code
    #[arg(long, value_enum)]
    pub(crate) lang: CodeLanguage,
    #[command(flatten)]
    pub(crate) whose: ViewerArgs,
    /// Only the tools of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CodeLanguage {
    Typescript,
    Python,
}

#[derive(Args)]
pub(crate) struct DiffArgs {
    /// Only this tool [default: all that wait for a review]
    pub(crate) name: Option<String>,
    /// Old version, as `tools history` shows it; a beginning of it is enough
    #[arg(long, value_name = "VERSION", requires = "name")]
    pub(crate) from: Option<String>,
    /// New version [default: the pinned one]
    #[arg(long, value_name = "VERSION", requires = "from")]
    pub(crate) to: Option<String>,
    /// Exit with status 1 if something differs
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Args)]
pub(crate) struct AcceptArgs {
    #[arg(required_unless_present = "all")]
    pub(crate) name: Option<String>,
    /// All tools that wait for a review
    #[arg(long, conflicts_with_all = ["name", "version"])]
    pub(crate) all: bool,
    /// With --all: only tools of this server
    #[arg(long, requires = "all", conflicts_with = "name", value_name = "NAME")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) version: VersionArg,
}

#[derive(Args)]
pub(crate) struct VersionArg {
    /// Only if the server offers this version, as `tools diff` showed it; a beginning of it is enough
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum AliasesCommand {
    /// List all aliases: the tool, the end date, and the source of each
    #[command(after_help = "Example:\n  toolgate aliases list")]
    List,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusArg {
    All,
    Only(ToolStatus),
}

fn statuses() -> impl TypedValueParser<Value = StatusArg> {
    let names = ToolStatus::ALL.map(ToolStatus::as_str).into_iter().chain(["all"]);
    PossibleValuesParser::new(names)
        .map(|name| ToolStatus::parse(&name).map_or(StatusArg::All, StatusArg::Only))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<ToolsCommand, String> {
        let cli = Cli::try_parse_from(["toolgate", "tools"].into_iter().chain(words.split_whitespace()));
        match cli.map_err(|error| error.to_string())?.command {
            Command::Tools(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn a_status_is_one_of_the_registry_or_all() {
        let status = |words| match parse(words).expect("accepted") {
            ToolsCommand::List { status, .. } => status,
            _ => panic!("a list"),
        };
        assert_eq!(status("list"), None);
        assert_eq!(status("list --status drifted"), Some(StatusArg::Only(ToolStatus::Drifted)));
        assert_eq!(status("list --status all"), Some(StatusArg::All));
        assert!(parse("list --status drfted").is_err_and(|told| told.contains("'drifted'")));
    }

    #[test]
    fn a_search_is_of_the_gateway_or_of_files() {
        let search = |words| match parse(words)? {
            ToolsCommand::Search(args) => Ok::<_, String>(args),
            _ => Err("another".to_owned()),
        };
        let live = search("search open an issue --servers a,b").expect("words");
        assert_eq!((live.words.join(" "), live.servers.len()), ("open an issue".to_owned(), 2));
        assert!(search("search --catalogue t.jsonl --queries q.jsonl --model m").is_ok());
        assert!(search("search x --catalogue a.jsonl --catalogue b.jsonl").is_ok());
        for wrong in [
            "search",
            "search --queries q.jsonl",
            "search x --catalogue t --queries q",
            "search x --model m",
            "search x --catalogue t --agent a",
            "search x --agent a --session s",
            "search x --limit 0",
        ] {
            assert!(search(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn accepting_needs_a_name_or_all_and_not_both() {
        assert!(
            parse("accept").is_err_and(|told| told.contains("<NAME|--all>") || told.contains("required"))
        );
        assert!(parse("accept a:b --all").is_err());
        assert!(parse("accept --all --version sha256:1").is_err());
        assert!(parse("accept a:b --server a").is_err());
        assert!(parse("accept a:b --version sha256:1").is_ok() && parse("accept --all --server a").is_ok());
    }
}
