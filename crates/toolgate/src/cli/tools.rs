//! `toolgate tools …` and `toolgate aliases …`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use toolgate_core::registry::ToolStatus;

#[derive(Subcommand)]
pub(crate) enum ToolsCommand {
    /// All tools that agents see; with --status, all that the registry knows in that state
    #[command(
        after_help = "Examples:\n  toolgate tools list\n  toolgate tools list --status quarantined\n  toolgate tools list --status all --server files"
    )]
    List {
        /// Only those of this server
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
        /// Those in this state of the registry; `all` for every one there has been
        #[arg(long, value_name = "STATUS", value_parser = statuses())]
        status: Option<StatusArg>,
    },
    /// One tool with its arguments
    Describe { name: String },
    /// Call a tool
    Call {
        name: String,
        /// A JSON object, or pairs: key=text, key:=json, nested.key=text
        #[arg(value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// What a server changed about its tools since they were pinned
    #[command(after_help = "Examples:\n  toolgate tools diff\n  toolgate tools diff files:read --exit-code")]
    Diff {
        /// Only this tool [default: all that wait for somebody to look]
        name: Option<String>,
        /// End with exit code 1 if something differs
        #[arg(long)]
        exit_code: bool,
    },
    /// Take what the server offers now: agents see and call it from then on
    #[command(
        after_help = "Examples:\n  toolgate tools accept files:read\n  toolgate tools accept --all --server files"
    )]
    Accept(AcceptArgs),
    /// Say no to what the server offers now: the tool stays withheld, and is not asked about again
    #[command(after_help = "Example:\n  toolgate tools reject files:read")]
    Reject {
        name: String,
        #[command(flatten)]
        version: VersionArg,
    },
}

#[derive(Args)]
pub(crate) struct AcceptArgs {
    #[arg(required_unless_present = "all")]
    pub(crate) name: Option<String>,
    /// Everything that waits for somebody to look
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
    /// Only if this is what the server offers, as `tools diff` showed it; a beginning of it is enough
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum AliasesCommand {
    /// Every other name of a tool: where it leads, until when, and who gave it
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
