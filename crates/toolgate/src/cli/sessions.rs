//! `toolgate sessions …`

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use toolgate_core::ServerName;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::scope::{AgentName, Mounts};
use toolgate_sessions::SessionState;

const LIMIT_MAX: u64 = 10_000;

#[derive(Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, newest first
    #[command(
        after_help = "Examples:\n  toolgate sessions list\n  toolgate sessions list --agent researcher --state active"
    )]
    List(ListSessionsArgs),
    /// Show one session in full: its principal, its mounts and its lifetime
    #[command(after_help = "Example:\n  toolgate sessions show 3f2a")]
    Show {
        #[command(flatten)]
        which: SessionIdArg,
    },
    /// Explain for each tool whether the session sees it, and by which rule
    #[command(
        after_help = "Examples:\n  toolgate sessions explain 3f2a\n  toolgate sessions explain 3f2a --server files --out"
    )]
    Explain(ExplainSessionArgs),
    /// Open a session for an agent and print its token, once; the tools that it sees are frozen now
    #[command(
        after_help = "Examples:\n  toolgate sessions open --agent researcher\n  toolgate sessions open --agent support --mount server:docs --mount provider:slack --task TICKET-7"
    )]
    Open(OpenArgs),
    /// Close a session and revoke its token
    #[command(after_help = "Example:\n  toolgate sessions close 3f2a")]
    Close {
        #[command(flatten)]
        which: SessionIdArg,
    },
}

#[derive(Args)]
pub(crate) struct SessionIdArg {
    /// Its id, or a unique beginning or ending of at least three characters
    #[arg(value_name = "SESSION")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct ListSessionsArgs {
    /// Only sessions of this agent
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    /// Only entries of this principal
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
    /// Only those in this state
    #[arg(long, value_parser = states())]
    pub(crate) state: Option<SessionState>,
    /// Maximum number of entries
    #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(1..=LIMIT_MAX))]
    pub(crate) limit: u64,
}

#[derive(Args)]
pub(crate) struct ExplainSessionArgs {
    #[command(flatten)]
    pub(crate) which: SessionIdArg,
    /// Only tools of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only tools that the session sees
    #[arg(long = "in", conflicts_with = "is_out")]
    pub(crate) is_in: bool,
    /// Only tools that the session does not see
    #[arg(long = "out")]
    pub(crate) is_out: bool,
}

#[derive(Args)]
pub(crate) struct OpenArgs {
    /// Agent of the session
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: AgentName,
    /// Mount in addition to those of the agent: server:NAME, provider:NAME, pointer:NAME or
    /// knowledge_base:NAME; repeatable
    #[arg(long = "mount", value_name = "MOUNT")]
    pub(crate) mounts: Vec<MountArg>,
    /// Policy template; never less strict than the agent's own
    #[arg(long, value_name = "TEMPLATE", value_parser = templates())]
    pub(crate) template: Option<PolicyTemplate>,
    /// Purpose of the session; it is recorded in the ledger
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// Run of the session
    #[arg(long)]
    pub(crate) run: Option<String>,
    /// Principal of the session, as policies and the ledger name it [default: the name of the agent]
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
}

/// One thing that a session may touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MountArg {
    Server(ServerName),
    Provider(String),
    Pointer(String),
    KnowledgeBase(String),
}

impl FromStr for MountArg {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected server:NAME, provider:NAME, pointer:NAME or knowledge_base:NAME";
        let (kind, name) = written.split_once(':').ok_or(EXPECTED)?;
        if name.trim().is_empty() {
            return Err(EXPECTED.to_owned());
        }
        let name = name.to_owned();
        match kind {
            "server" => ServerName::new(&name).map(MountArg::Server).map_err(|bad| bad.to_string()),
            "provider" => Ok(MountArg::Provider(name)),
            "pointer" => Ok(MountArg::Pointer(name)),
            "knowledge_base" | "kb" => Ok(MountArg::KnowledgeBase(name)),
            _ => Err(EXPECTED.to_owned()),
        }
    }
}

impl MountArg {
    /// All of them together.
    pub(crate) fn mounts(all: Vec<MountArg>) -> Mounts {
        let mut mounts = Mounts::default();
        for one in all {
            match one {
                MountArg::Server(name) => drop(mounts.servers.insert(name)),
                MountArg::Provider(name) => drop(mounts.providers.insert(name)),
                MountArg::Pointer(name) => drop(mounts.pointers.insert(name)),
                MountArg::KnowledgeBase(name) => drop(mounts.knowledge_bases.insert(name)),
            }
        }
        mounts
    }
}

fn states() -> impl TypedValueParser<Value = SessionState> {
    PossibleValuesParser::new(SessionState::ALL.map(SessionState::as_str))
        .map(|name| SessionState::parse(&name).expect("it is one of them"))
}

pub(super) fn templates() -> impl TypedValueParser<Value = PolicyTemplate> {
    PossibleValuesParser::new(PolicyTemplate::NAMES)
        .map(|name| PolicyTemplate::parse(&name).expect("it is one of them"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<SessionsCommand, String> {
        let words = ["toolgate", "sessions"].into_iter().chain(words.split_whitespace());
        match Cli::try_parse_from(words).map_err(|error| error.to_string())?.command {
            Command::Sessions(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn mounts_name_their_kind_and_add_up() {
        let open = parse("open --agent a --mount server:docs --mount provider:slack --mount pointer:x:y");
        let Ok(SessionsCommand::Open(args)) = open else { panic!("it opens") };
        let mounts = serde_json::to_value(MountArg::mounts(args.mounts)).expect("JSON");
        assert_eq!(
            mounts,
            serde_json::json!({ "servers": ["docs"], "providers": ["slack"], "pointers": ["x:y"] })
        );
        for wrong in ["docs", "server:", "server:a/b", "disk:x"] {
            let told = parse(&format!("open --agent a --mount {wrong}"));
            assert!(told.is_err_and(|told| told.contains("--mount")), "{wrong}");
        }
    }

    #[test]
    fn what_is_in_and_what_is_out_are_asked_for_one_at_a_time() {
        assert!(parse("explain 3f2a --in").is_ok() && parse("explain 3f2a --out").is_ok());
        assert!(parse("explain 3f2a --in --out").is_err());
        assert!(parse("open").is_err_and(|told| told.contains("--agent")));
        assert!(parse("open --agent ses_1").is_err_and(|told| told.contains("ses_")));
        assert!(parse("list --state asleep").is_err_and(|told| told.contains("idle")));
    }
}
