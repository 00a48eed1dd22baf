//! `toolgate approvals …`

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use toolgate_core::Digest;
use toolgate_core::approval::ApprovalState;

use super::span::span;

const LIMIT_MAX: usize = 10_000;

#[derive(Args)]
pub(crate) struct ApprovalsArgs {
    /// Decide as the holder of this token instead of as the local user of the data folder
    #[arg(long, global = true, env = "TOOLGATE_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

#[derive(Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List approvals, newest first
    #[command(after_help = "Example:\n  toolgate approvals list --state all")]
    List {
        /// Only approvals in this state; `all` for every state
        #[arg(long, default_value = "pending", value_parser = states())]
        state: StateArg,
        /// Maximum number of entries
        #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = limit)]
        limit: usize,
    },
    /// Show one approval in full: the call and its caller, the gates that stopped it, and the votes
    #[command(after_help = "Example:\n  toolgate approvals show apr_0198f3…\n  toolgate approvals show 3f2a")]
    Show(ApprovalIdArg),
    /// Approve the call
    #[command(
        after_help = "Examples:\n  toolgate approvals approve 3f2a --reason 'checked with Ann'\n  toolgate approvals approve 3f2a --remember --for 7d --uses 10 --pin /account"
    )]
    Approve {
        #[command(flatten)]
        on: DecideArgs,
        /// Reason; it is sent to the caller and recorded in the ledger
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        remember: RememberArgs,
    },
    /// Deny the call
    #[command(after_help = "Example:\n  toolgate approvals deny 3f2a --reason 'wrong account'")]
    Deny {
        #[command(flatten)]
        on: DecideArgs,
        /// Reason; it is sent to the caller and recorded in the ledger
        #[arg(long)]
        reason: Option<String>,
    },
    /// Approve the call with other arguments, if the policy lets approvers change them
    #[command(
        after_help = "Example:\n  toolgate approvals edit 3f2a --args '{\"account\": \"DE1\", \"amount\": 50}'"
    )]
    Edit {
        #[command(flatten)]
        on: DecideArgs,
        #[command(flatten)]
        arguments: NewArguments,
        /// Reason; it is sent to the caller and recorded in the ledger
        #[arg(long)]
        reason: Option<String>,
    },
    /// Send the call back, so that the caller can propose something else
    #[command(after_help = "Example:\n  toolgate approvals request-changes 3f2a --reason 'split it in two'")]
    RequestChanges {
        #[command(flatten)]
        on: DecideArgs,
        /// The changes to ask for
        #[arg(long)]
        reason: String,
    },
    /// List grants: calls for which no one is asked again
    #[command(after_help = "Example:\n  toolgate approvals grants --all")]
    Grants {
        /// Include grants that are used up, revoked or expired
        #[arg(long)]
        all: bool,
    },
    /// Revoke a grant, so that people are asked again
    #[command(after_help = "Example:\n  toolgate approvals revoke-grant grt_0198f3…")]
    RevokeGrant {
        /// Its id, or a unique beginning or ending of it
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// The approval to decide on.
#[derive(Args)]
pub(crate) struct DecideArgs {
    #[command(flatten)]
    pub(crate) which: ApprovalIdArg,
    /// Digest from `show`, so that the decision applies to these arguments only [default: that of the current
    /// arguments; required to approve arguments that were edited]
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<Digest>,
}

#[derive(Args)]
pub(crate) struct ApprovalIdArg {
    /// Its id, or a unique beginning or ending of it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

/// "Don't ask again for this."
#[derive(Args)]
pub(crate) struct RememberArgs {
    /// Do not ask again for the same call of the same caller
    #[arg(long)]
    pub(crate) remember: bool,
    /// Number of calls [default: unlimited]
    #[arg(long, requires = "remember", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) uses: Option<u32>,
    /// Duration, such as 12h or 7d [default: one day]
    #[arg(long = "for", requires = "remember", value_name = "SPAN", value_parser = span)]
    pub(crate) time: Option<Duration>,
    /// Argument that must stay the same, as a JSON pointer; repeatable [default: all of them]
    #[arg(long = "pin", requires = "remember", value_name = "POINTER")]
    pub(crate) pins: Vec<String>,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct NewArguments {
    /// New arguments, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
    /// File with the new arguments; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) args_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateArg {
    All,
    Only(ApprovalState),
}

fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit @ 1..=LIMIT_MAX) => Ok(limit),
        _ => Err(format!("expected a number from 1 to {LIMIT_MAX}")),
    }
}

fn states() -> impl TypedValueParser<Value = StateArg> {
    let names = ApprovalState::ALL.map(ApprovalState::as_str).into_iter().chain(["all"]);
    PossibleValuesParser::new(names)
        .map(|name| ApprovalState::parse(&name).map_or(StateArg::All, StateArg::Only))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<ApprovalsArgs, String> {
        let cli = Cli::try_parse_from(["toolgate", "approvals"].into_iter().chain(words.split_whitespace()));
        match cli.map_err(|error| error.to_string())?.command {
            Command::Approvals(args) => Ok(args),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn what_is_pending_is_listed_unless_another_state_is_named() {
        let state = |words| match parse(words).expect("accepted").command {
            ApprovalsCommand::List { state, .. } => state,
            _ => panic!("a list"),
        };
        assert_eq!(state("list"), StateArg::Only(ApprovalState::Pending));
        assert_eq!(state("list --state changes_requested"), StateArg::Only(ApprovalState::ChangesRequested));
        assert_eq!(state("list --state all"), StateArg::All);
        assert!(parse("list --state aproved").is_err_and(|told| told.contains("'approved'")));
        assert!(parse("list --limit 0").is_err_and(|told| told.contains("from 1 to")));
    }

    #[test]
    fn what_is_remembered_has_terms() {
        let words = "approve 3f2a --remember --uses 3 --for 1d12h --pin /a --pin /b --token secret";
        let args = parse(words).expect("accepted");
        assert_eq!(args.token.as_deref(), Some("secret"));
        let ApprovalsCommand::Approve { remember, on, .. } = args.command else { panic!("an approval") };
        assert_eq!((on.which.id.as_str(), remember.remember, remember.uses), ("3f2a", true, Some(3)));
        assert_eq!(remember.time, Some(Duration::from_secs(36 * 3600)));
        assert_eq!(remember.pins, ["/a", "/b"]);
        assert!(parse("approve 3f2a --uses 3").is_err_and(|told| told.contains("--remember")));
        assert!(parse("approve 3f2a --remember --uses 0").is_err());
    }

    #[test]
    fn an_edit_needs_arguments_and_a_request_for_changes_a_reason() {
        assert!(parse("edit 3f2a").is_err_and(|told| told.contains("--args")));
        assert!(parse("edit 3f2a --args {} --args-file -").is_err());
        assert!(parse("edit 3f2a --args-file -").is_ok());
        assert!(parse("request-changes 3f2a").is_err_and(|told| told.contains("--reason")));
    }
}
