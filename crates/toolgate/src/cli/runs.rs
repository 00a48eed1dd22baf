//! `toolgate runs …` and `toolgate inputs …`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use toolgate_core::run::RunState;

const LIMIT_MAX: u64 = 10_000;

#[derive(Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    #[command(
        after_help = "Examples:\n  toolgate runs list\n  toolgate runs list --state paused\n  toolgate runs list --task task_0198f3…"
    )]
    List(ListRunsArgs),
    /// Show one run in full: its state, what it waits for, its use of the budget, and its artifacts
    #[command(after_help = "Example:\n  toolgate runs show 3f2a")]
    Show {
        #[command(flatten)]
        which: RunIdArg,
    },
    /// Show the messages between the agent of a run and its model
    #[command(after_help = "Examples:\n  toolgate runs chat 3f2a\n  toolgate runs chat 3f2a --follow")]
    Chat {
        #[command(flatten)]
        which: RunIdArg,
        /// Show what follows as well, until the run ends
        #[arg(long, short)]
        follow: bool,
    },
    /// Pause a run: calls in progress finish, no others start
    #[command(after_help = "Example:\n  toolgate runs pause 3f2a")]
    Pause {
        #[command(flatten)]
        which: RunIdArg,
    },
    /// Resume a paused run; a question that it waits for is cancelled
    #[command(
        after_help = "Example:\n  toolgate runs resume 3f2a\n\nTo resume it with an answer, use `toolgate inputs answer`."
    )]
    Resume {
        #[command(flatten)]
        which: RunIdArg,
    },
    /// Try a run again from a turn, as a new run
    #[command(
        after_help = "Examples:\n  toolgate runs retry 3f2a --turn 2\n  toolgate runs retry 3f2a --turn 2 --model large\n\n`toolgate runs chat RUN` shows the turns. Calls up to the end of the turn are not made again; the earlier run stays as it is."
    )]
    Retry {
        #[command(flatten)]
        which: RunIdArg,
        /// The last turn that is kept; 0 keeps the goal alone [default: the last one whose calls have ended]
        #[arg(long, value_name = "N")]
        turn: Option<u64>,
        /// Another model than before
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
    },
    /// Cancel a run and all runs within it
    #[command(after_help = "Example:\n  toolgate runs cancel 3f2a --reason 'no longer needed'")]
    Cancel {
        #[command(flatten)]
        which: RunIdArg,
        /// Reason; it is recorded in the ledger
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct RunIdArg {
    /// Its id, or a unique beginning or ending of at least three characters
    #[arg(value_name = "RUN")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct ListRunsArgs {
    /// Only those in this state
    #[arg(long, value_parser = states())]
    pub(crate) state: Option<RunState>,
    /// Only runs of this task
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// Only runs of this principal
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
    #[command(flatten)]
    pub(crate) most: LimitArg,
}

#[derive(Subcommand)]
pub(crate) enum InputsCommand {
    /// List questions, newest first
    #[command(after_help = "Examples:\n  toolgate inputs list\n  toolgate inputs list --all --run 3f2a")]
    List(ListInputsArgs),
    /// Show one question in full
    #[command(after_help = "Example:\n  toolgate inputs show 3f2a")]
    Show {
        #[command(flatten)]
        which: InputIdArg,
    },
    /// Answer a question; its run resumes with the answer
    #[command(
        after_help = "Examples:\n  toolgate inputs answer 3f2a formal\n  toolgate inputs answer 3f2a 'red, green'\n  toolgate inputs answer 3f2a 2026-07-28\n  toolgate inputs answer 3f2a --raw '[\"one, or two\"]'"
    )]
    Answer(AnswerArgs),
}

#[derive(Args)]
pub(crate) struct InputIdArg {
    /// Its id, or a unique beginning or ending of at least three characters
    #[arg(value_name = "INPUT")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct ListInputsArgs {
    /// Include questions that were answered or cancelled
    #[arg(long)]
    pub(crate) all: bool,
    /// Only questions of this run
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) most: LimitArg,
}

#[derive(Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) which: InputIdArg,
    /// Text, a number, true or false, a date such as 2026-07-28, a file id, or options separated by commas,
    /// depending on the question
    #[arg(value_name = "ANSWER", allow_hyphen_values = true)]
    pub(crate) answer: String,
    /// Read the answer as JSON
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Args)]
pub(crate) struct LimitArg {
    /// Maximum number of entries
    #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(1..=LIMIT_MAX))]
    limit: u64,
}

impl LimitArg {
    pub(crate) fn count(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }
}

fn states() -> impl TypedValueParser<Value = RunState> {
    PossibleValuesParser::new(RunState::ALL.map(RunState::as_str))
        .map(|name| RunState::parse(&name).expect("it is one of them"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &[&str]) -> Result<Command, String> {
        let words = ["toolgate"].iter().chain(words);
        Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn an_answer_may_look_like_anything() {
        for written in ["-5", "--", "", "a, b", "--raw"] {
            let Ok(Command::Inputs(InputsCommand::Answer(args))) =
                parse(&["inputs", "answer", "3f2a", "--", written])
            else {
                panic!("it answers: {written:?}")
            };
            assert_eq!((args.answer.as_str(), args.raw), (written, false));
        }
        let negative = parse(&["inputs", "answer", "3f2a", "-5"]);
        assert!(matches!(negative, Ok(Command::Inputs(InputsCommand::Answer(args))) if args.answer == "-5"));
        let raw = parse(&["inputs", "answer", "3f2a", "--raw", "[1]"]);
        assert!(
            matches!(raw, Ok(Command::Inputs(InputsCommand::Answer(args))) if args.raw && args.answer == "[1]")
        );
        assert!(parse(&["inputs", "answer", "3f2a"]).is_err_and(|told| told.contains("ANSWER")));
    }

    #[test]
    fn runs_are_asked_for_by_their_state() {
        let Ok(Command::Runs(RunsCommand::List(args))) = parse(&["runs", "list", "--state", "paused"]) else {
            panic!("a list")
        };
        assert_eq!((args.state, args.most.count()), (Some(RunState::Paused), 100));
        assert!(parse(&["runs", "list", "--state", "done"]).is_err_and(|told| told.contains("completed")));
        assert!(parse(&["runs", "list", "--limit", "0"]).is_err());
        assert!(parse(&["runs", "retry", "3f2a", "--turn", "2", "--model", "large"]).is_ok());
        assert!(parse(&["runs", "retry", "3f2a"]).is_ok());
        assert!(parse(&["runs", "retry", "3f2a", "--turn", "last"]).is_err());
        assert!(parse(&["runs", "cancel"]).is_err_and(|told| told.contains("RUN")));
    }
}
