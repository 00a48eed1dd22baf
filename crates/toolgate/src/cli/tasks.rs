//! `toolgate tasks …`, `toolgate automations …` and `toolgate spend`

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use toolgate_core::automation::Overlap;
use toolgate_core::scope::AgentName;
use toolgate_store::SpendBy;

use super::runs::LimitArg;
use super::span::{self, Moment};

#[derive(Subcommand)]
pub(crate) enum TasksCommand {
    /// List tasks, newest first
    #[command(after_help = "Example:\n  toolgate tasks list")]
    List {
        #[command(flatten)]
        most: LimitArg,
    },
    /// Show one task in full
    #[command(after_help = "Example:\n  toolgate tasks show 3f2a")]
    Show {
        #[command(flatten)]
        which: TaskIdArg,
    },
    /// Define a task, which the gateway can run
    #[command(
        after_help = "Examples:\n  toolgate tasks create 'Morning report' --goal 'Read the new mails and write a report' --model large\n  toolgate tasks create Tailor --goal - --model large --agent writer --budget-turns 40 < goal.md\n  toolgate tasks create Invoices --goal 'Read the invoices' --model large --file invoices.csv --outcome-schema total.json --cron '0 9 * * MON-FRI'"
    )]
    Create(Box<CreateTaskArgs>),
    /// Delete a task; its runs stay
    #[command(after_help = "Example:\n  toolgate tasks delete 3f2a")]
    Delete {
        #[command(flatten)]
        which: TaskIdArg,
    },
    /// Start a run of a task, and print its id
    #[command(
        after_help = "Example:\n  toolgate tasks run 3f2a\n\n`toolgate runs chat RUN --follow` shows what it does."
    )]
    Run {
        #[command(flatten)]
        which: TaskIdArg,
        /// Another agent than the task's
        #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
        agent: Option<AgentName>,
    },
}

#[derive(Args)]
pub(crate) struct TaskIdArg {
    /// Its id, or a unique beginning or ending of at least three characters
    #[arg(value_name = "TASK")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct CreateTaskArgs {
    /// A short name
    pub(crate) name: String,
    /// The first message to the model; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: String,
    /// The name of a configured model
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// The agent whose tools its runs have
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Instructions in front of all messages
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// File that each run may use; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// File with the JSON Schema that the result of a run must fit
    #[arg(long, value_name = "PATH")]
    pub(crate) outcome_schema: Option<PathBuf>,
    /// Maximum cost of a day over all its runs, in millionths of a currency unit
    #[arg(long, value_name = "N")]
    pub(crate) spend_per_day_micros: Option<u64>,
    /// Start it at the instants of this pattern, by an automation that is made beside it
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cron: Option<String>,
    /// The time zone of the pattern, by its IANA name
    #[arg(long, value_name = "ZONE", requires = "cron")]
    pub(crate) timezone: Option<String>,
    #[command(flatten)]
    pub(crate) budget: TaskBudgetArgs,
}

/// Limits of each run; what is left out is unlimited.
#[derive(Args)]
pub(crate) struct TaskBudgetArgs {
    /// Maximum number of calls of data tools
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget_calls: Option<u64>,
    /// Maximum time, not counting pauses, such as 30m
    #[arg(long, value_name = "SPAN", value_parser = span::span)]
    pub(crate) budget_time: Option<Duration>,
    /// Maximum number of answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget_turns: Option<u64>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget_tokens: Option<u64>,
    /// Maximum cost, in millionths of a currency unit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget_cost_micros: Option<u64>,
}

impl TaskBudgetArgs {
    /// The given limits under the names that the API has for them.
    pub(crate) fn limits(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let limits = [
            ("calls", self.budget_calls),
            ("seconds", self.budget_time.map(|time| time.as_secs())),
            ("turns", self.budget_turns),
            ("tokens", self.budget_tokens),
            ("cost_micros", self.budget_cost_micros),
        ];
        limits.into_iter().filter_map(|(name, most)| Some((name, most?)))
    }
}

#[derive(Subcommand)]
pub(crate) enum AutomationsCommand {
    /// List automations
    #[command(after_help = "Example:\n  toolgate automations list")]
    List {
        #[command(flatten)]
        most: LimitArg,
    },
    /// Show one automation in full
    #[command(after_help = "Example:\n  toolgate automations show every-morning")]
    Show {
        #[command(flatten)]
        which: AutomationNameArg,
    },
    /// Create an automation, which starts a task
    #[command(
        after_help = "Examples:\n  toolgate automations create every-morning --task 3f2a --cron '0 9 * * MON-FRI' --timezone Europe/Berlin\n  toolgate automations create sweep --task 3f2a --every 6h --overlap buffer_one\n  toolgate automations create on-arrival --task 3f2a --trigger '{\"on\":\"pointer\",\"pattern\":\"inbox/*\"}'"
    )]
    Create(CreateAutomationArgs),
    /// Pause an automation; runs in progress continue
    #[command(after_help = "Example:\n  toolgate automations pause every-morning --note 'the server moves'")]
    Pause {
        #[command(flatten)]
        which: AutomationNameArg,
        /// Reason, for others
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Resume an automation
    #[command(after_help = "Example:\n  toolgate automations resume every-morning")]
    Resume {
        #[command(flatten)]
        which: AutomationNameArg,
    },
    /// Delete an automation; its runs stay
    #[command(after_help = "Example:\n  toolgate automations delete every-morning")]
    Delete {
        #[command(flatten)]
        which: AutomationNameArg,
    },
    /// Print the next instants at which it starts
    #[command(after_help = "Example:\n  toolgate automations next every-morning -n 5")]
    Next {
        #[command(flatten)]
        which: AutomationNameArg,
        /// Number of instants
        #[arg(long, short = 'n', value_name = "N", default_value = "10", value_parser = clap::value_parser!(u8).range(1..=100))]
        count: u8,
    },
    /// List its starts, and those that did not happen, with the reason
    #[command(after_help = "Example:\n  toolgate automations fires every-morning")]
    Fires {
        #[command(flatten)]
        which: AutomationNameArg,
        /// Maximum number of entries
        #[arg(long, short = 'n', value_name = "N", default_value = "50", value_parser = clap::value_parser!(u8).range(1..=200))]
        limit: u8,
    },
    /// Start the instants of a span of time now
    #[command(
        after_help = "Example:\n  toolgate automations backfill every-morning --from 2027-01-01 --until 2027-01-08"
    )]
    Backfill {
        #[command(flatten)]
        which: AutomationNameArg,
        /// Day, time, or how long ago
        #[arg(long, value_name = "WHEN", value_parser = span::moment)]
        from: Moment,
        /// Exclusive
        #[arg(long, value_name = "WHEN", value_parser = span::moment)]
        until: Moment,
    },
}

#[derive(Args)]
pub(crate) struct AutomationNameArg {
    /// Its name or its id
    #[arg(value_name = "AUTOMATION")]
    pub(crate) name: String,
}

#[derive(Args)]
#[command(group(ArgGroup::new("cause").required(true).args(["cron", "every", "at", "trigger"])))]
pub(crate) struct CreateAutomationArgs {
    /// A name of its own
    pub(crate) name: String,
    /// The task that it starts
    #[arg(long, value_name = "TASK")]
    pub(crate) task: String,
    /// Start at the instants of this pattern
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cron: Option<String>,
    /// The time zone of the pattern, by its IANA name
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["every", "at", "trigger"])]
    pub(crate) timezone: Option<String>,
    /// Start every so often, from now on
    #[arg(long, value_name = "SPAN", value_parser = span::span)]
    pub(crate) every: Option<Duration>,
    /// Start once
    #[arg(long, value_name = "TIME", value_parser = span::moment)]
    pub(crate) at: Option<Moment>,
    /// Start by another cause, as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) trigger: Option<String>,
    /// What to do while the run before has not ended
    #[arg(long, value_name = "WORD", default_value = "skip", value_parser = overlaps())]
    pub(crate) overlap: Overlap,
    /// A start that is late by no more than this still happens
    #[arg(long, value_name = "SPAN", value_parser = span::span)]
    pub(crate) catch_up: Option<Duration>,
    /// Delay each start by a part of this
    #[arg(long, value_name = "SPAN", value_parser = span::span)]
    pub(crate) jitter: Option<Duration>,
    /// Pause it when a run fails
    #[arg(long)]
    pub(crate) pause_on_failure: bool,
}

#[derive(Args)]
pub(crate) struct SpendArgs {
    /// Sum up by this
    #[arg(long, value_name = "WORD", default_value = "agent", value_parser = sums())]
    pub(crate) by: SpendBy,
    /// From this day or time on, or how long ago; 30 days by default
    #[arg(long, value_name = "WHEN", value_parser = span::moment)]
    pub(crate) since: Option<Moment>,
    /// Up to this day or time; now by default
    #[arg(long, value_name = "WHEN", value_parser = span::moment)]
    pub(crate) until: Option<Moment>,
}

fn overlaps() -> impl TypedValueParser<Value = Overlap> {
    PossibleValuesParser::new(Overlap::ALL.map(Overlap::as_str))
        .map(|name| Overlap::parse(&name).expect("it is one of them"))
}

fn sums() -> impl TypedValueParser<Value = SpendBy> {
    PossibleValuesParser::new(SpendBy::ALL.map(SpendBy::as_str))
        .map(|name| SpendBy::parse(&name).expect("it is one of them"))
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
    fn tasks_are_listed_shown_made_and_run() {
        assert!(parse(&["tasks", "list"]).is_ok() && parse(&["tasks", "show", "3f2a"]).is_ok());
        let made =
            parse(&["tasks", "create", "a", "--goal", "do it", "--model", "large", "--budget-time", "30m"]);
        assert!(matches!(made, Ok(Command::Tasks(TasksCommand::Create(args)))
            if args.budget.budget_time == Some(Duration::from_secs(1_800))));
        assert!(
            parse(&["tasks", "create", "a", "--goal", "do it"]).is_err_and(|told| told.contains("--model"))
        );
        assert!(parse(&["tasks", "run", "3f2a", "--agent", "a b"]).is_err());
        let scheduled = |more: &[&str]| {
            let words = ["tasks", "create", "a", "--goal", "do it", "--model", "large", "--file", "a.csv"];
            parse(&words.iter().chain(more).copied().collect::<Vec<_>>())
        };
        assert!(
            scheduled(&["--outcome-schema", "s.json", "--cron", "0 9 * * *", "--timezone", "UTC"]).is_ok()
        );
        assert!(scheduled(&["--timezone", "UTC"]).is_err_and(|told| told.contains("--cron")));
    }

    #[test]
    fn an_automation_has_exactly_one_cause() {
        let create = |more: &[&str]| {
            let words = ["automations", "create", "a", "--task", "3f2a"];
            parse(&words.iter().chain(more).copied().collect::<Vec<_>>())
        };
        assert!(create(&["--cron", "0 9 * * *", "--timezone", "Europe/Berlin"]).is_ok());
        assert!(create(&["--every", "6h", "--overlap", "buffer_one"]).is_ok());
        assert!(create(&[]).is_err_and(|told| told.contains("--cron")));
        assert!(create(&["--every", "6h", "--cron", "0 9 * * *"]).is_err());
        assert!(create(&["--every", "6h", "--timezone", "UTC"]).is_err());
        assert!(
            create(&["--every", "6h", "--overlap", "never"]).is_err_and(|told| told.contains("cancel_other"))
        );
    }

    #[test]
    fn spending_is_summed_up_by_a_known_word() {
        assert!(matches!(parse(&["spend"]), Ok(Command::Spend(args)) if args.by == SpendBy::Agent));
        assert!(
            matches!(parse(&["spend", "--by", "day"]), Ok(Command::Spend(args)) if args.by == SpendBy::Day)
        );
        assert!(parse(&["spend", "--by", "moon"]).is_err_and(|told| told.contains("model")));
    }
}
